"""Results of evalscope perf: the summary of one load, and the percentiles that lie beside it.

Older releases write seconds ("Average time to first token (s)"), newer ones milliseconds for TTFT, TPOT and
ITL and seconds for the latency: the unit in each key counts. -1 and NaN stand for missing.
"""

import math
from typing import Any

from data.document_reader import DocumentReader
from data.document_runs import document_readers, read_each
from data.file_content import FileContent, Reading
from data.said_load import SAY_LOAD
from models.measurements import Measurement
from models.percentiles import UNKNOWN, Percentiles
from models.problems import Problem

KEY = "evalscope"
LABEL = "evalscope perf summary (JSON)"

UNITS_PER_S = {"s": 1.0, "ms": 1000.0}
NAMES = {
    "ttft_s": ("Average time to first token", "Average TTFT", "Avg TTFT", "TTFT"),
    "tpot_s": ("Average time per output token", "Average TPOT", "Avg TPOT", "TPOT"),
    "itl_s": ("Average inter-token latency", "Average ITL", "Avg ITL", "ITL"),
    "e2e_s": ("Average latency", "Avg Latency", "Latency"),
}
DURATION = ("Time taken for tests (s)", "Test Duration (s)")
CONCURRENCY = ("Number of concurrency", "Concurrency")
RATE = ("Request rate (req/s)", "Request Rate (req/s)")
SUCCEEDED = ("Succeed requests", "Success Requests")
FAILED = ("Failed requests", "Failed Requests")
TOTAL = ("Total requests", "Total Requests")
INPUT = ("Average input tokens per request", "Avg Input Tokens")
OUTPUT = ("Average output tokens per request", "Avg Output Tokens")
OUTPUT_RATE = ("Output token throughput (tok/s)", "Output Throughput (tok/s)")
TOTAL_RATE = ("Total token throughput (tok/s)", "Total Throughput (tok/s)")
REQUEST_RATE = ("Request throughput (req/s)", "Req Throughput (req/s)", "Request Throughput (req/s)")


def sniff(content: FileContent) -> float:
    """0.95 for a summary, 0.9 for the percentiles beside one, which are no run."""
    keys = content.first.keys()
    if keys & set(DURATION) and keys & {*SUCCEEDED, *FAILED, *TOTAL, *CONCURRENCY}:
        return 0.95
    return 0.9 if _is_percentile(content) else 0.0


def _is_percentile(content: FileContent) -> bool:
    return "Percentiles" in content.first and any(
        key.startswith(("TTFT (", "Latency (")) for key in content.first
    )


def read(content: FileContent) -> Reading:
    """One measurement per summary; percentiles alone name neither load nor counts and are refused."""
    if _is_percentile(content):
        problem = Problem(
            path=content.name,
            message="these are percentiles of an evalscope run: they name neither the load nor the counts",
            cure="Import benchmark_summary.json of the same folder.",
        )
        return Reading(rows_read=0, problems=(problem,))
    return read_each(document_readers(content), run_of, content.document_problems)


def run_of(reader: DocumentReader) -> Measurement:
    """One summary as a measurement, in seconds."""
    known = DocumentReader(
        {key: value for key, value in reader.document.items() if not _is_missing(value)},
        reader.path,
        reader.problems,
    )
    total, failed = _count(known, TOTAL), _count(known, FAILED)
    rate, concurrency = _number(known, RATE), _number(known, CONCURRENCY)
    if rate is None and concurrency is None:
        known.warn("", "it does not say at which load it was measured", SAY_LOAD)
    if _count(known, SUCCEEDED) == 0:
        known.warn(SUCCEEDED[0], "no request succeeded, so there are no latencies", "Look for its cause.")
    return Measurement(
        model=known.text("Model", "model"),
        isl_tok=_number(known, INPUT),
        osl_tok=_number(known, OUTPUT),
        load_kind="rate" if rate is not None else "concurrency" if concurrency is not None else None,
        concurrency_count=None if rate is not None else concurrency,
        offered_rate_req_per_s=rate,
        duration_s=_number(known, DURATION),
        request_count=total,
        error_count=failed,
        ttft_s=_mean(known, "ttft_s"),
        tpot_s=_mean(known, "tpot_s"),
        itl_s=_mean(known, "itl_s"),
        e2e_s=_mean(known, "e2e_s"),
        output_rate_tok_per_s=_number(known, OUTPUT_RATE),
        total_rate_tok_per_s=_number(known, TOTAL_RATE),
        request_rate_req_per_s=_number(known, REQUEST_RATE),
    )


def _is_missing(value: Any) -> bool:
    return isinstance(value, int | float) and (value == -1 or math.isnan(value))


def _key(reader: DocumentReader, keys: tuple[str, ...]) -> str:
    return next((key for key in keys if key in reader.document), keys[0])


def _number(reader: DocumentReader, keys: tuple[str, ...]) -> float | None:
    return reader.number(_key(reader, keys))


def _count(reader: DocumentReader, keys: tuple[str, ...]) -> int | None:
    return reader.count(_key(reader, keys))


def _mean(reader: DocumentReader, name: str) -> Percentiles:
    """The mean of one latency, in the unit that its key names."""
    if _count(reader, SUCCEEDED) == 0:
        return UNKNOWN
    for word in NAMES[name]:
        for unit, per_s in UNITS_PER_S.items():
            key = f"{word} ({unit})"
            if key in reader.document:
                return reader.latency(per_s, {"mean": (key,)})
    return UNKNOWN
