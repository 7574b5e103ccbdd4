"""AIPerf's profile_export.jsonl: one request per line, in one file per run; warm-up lines are left out."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from data.cell_numbers import POWER_BY_TIME_UNIT
from data.file_content import FileContent, Reading
from data.json_documents import JsonDocument
from data.request_samples import RequestSample, run_of_samples
from data.said_load import SAY_LOAD
from models.problems import Problem

KEY = "aiperf_requests"
LABEL = "AIPerf requests (JSON Lines)"

NS_PER_S = 1e9
FIGURES = ("time_to_first_token", "request_latency", "input_sequence_length", "output_sequence_length")


def sniff(content: FileContent) -> float:
    """0.95 where the first line has AIPerf's metadata of a request."""
    metadata = content.first.get("metadata")
    return 0.95 if isinstance(metadata, dict) and "request_start_ns" in metadata else 0.0


def read(content: FileContent) -> Reading:
    """One measurement: the requests of the measured phase, successes only."""
    measured = [document.value for document in content.documents if _is_measured(document)]
    cut_off = sum(bool(_metadata(line).get("was_cancelled")) for line in measured)
    failed = sum(bool(line.get("error")) and not _metadata(line).get("was_cancelled") for line in measured)
    succeeded = [
        line for line in measured if not line.get("error") and not _metadata(line).get("was_cancelled")
    ]
    run = run_of_samples(
        [_sample(line) for line in succeeded],
        failed=failed,
        incomplete=cut_off,
        load=(None, None, None),
    )
    problem = Problem(
        path=content.name,
        message=f"{len(measured)} requests were summarised; the lines do not name the load they were sent at",
        cure=f"Import profile_export_aiperf.json of the same run instead. {SAY_LOAD}",
        severity="warning",
    )
    measurements = ((1, run),) if succeeded else ()
    problems = (*content.document_problems, problem, *_unusable(content.name, succeeded))
    return Reading(rows_read=1, measurements=measurements, problems=problems)


def _unusable(name: str, lines: Sequence[dict[str, Any]]) -> Iterator[Problem]:
    """For each figure of a request: in how many lines it is negative or no finite number, and the first."""
    for tag in FIGURES:
        wrong = [
            number
            for number, line in enumerate(lines, start=1)
            if isinstance(value := _value(line, tag), int | float) and _number(value) is None
        ]
        if wrong:
            yield Problem(
                path=f"{name}, request {wrong[0]}" + (f", and {len(wrong) - 1} more" if wrong[1:] else ""),
                message=f"{tag} is negative or no finite number and counts as missing",
                cure="Look for the cause, or leave those requests out.",
                severity="warning",
            )


def _metadata(line: dict[str, Any]) -> dict[str, Any]:
    metadata = line.get("metadata")
    return metadata if isinstance(metadata, dict) else {}


def _is_measured(document: JsonDocument) -> bool:
    phase = _metadata(document.value).get("benchmark_phase", "profiling")
    return bool(phase == "profiling")


def _sample(line: dict[str, Any]) -> RequestSample:
    start = _metadata(line).get("request_start_ns")
    gaps = _value(line, "inter_chunk_latency")
    return RequestSample(
        start_s=start / NS_PER_S if isinstance(start, int | float) else None,
        ttft_s=_seconds(line, "time_to_first_token"),
        e2e_s=_seconds(line, "request_latency"),
        input_tok=_number(_value(line, "input_sequence_length")),
        output_tok=_number(_value(line, "output_sequence_length")),
        chunk_gaps_s=tuple(
            gap / _divisor(line, "inter_chunk_latency")
            for gap in (gaps if isinstance(gaps, list) else [])
            if _number(gap) is not None
        ),
    )


def _value(line: dict[str, Any], tag: str) -> Any:
    metrics = line.get("metrics")
    metric = metrics.get(tag) if isinstance(metrics, dict) else None
    return metric.get("value") if isinstance(metric, dict) else None


def _divisor(line: dict[str, Any], tag: str) -> float:
    unit = str(line["metrics"][tag].get("unit", "ms")).lower()
    return float(10 ** -POWER_BY_TIME_UNIT.get(unit, -3))


def _seconds(line: dict[str, Any], tag: str) -> float | None:
    value = _number(_value(line, tag))
    return None if value is None else value / _divisor(line, tag)


def _number(value: object) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value < math.inf else None  # type: ignore[arg-type,operator]
