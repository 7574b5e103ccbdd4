"""`k6`'s single samples, as NDJSON (`--out json`) or CSV: one row per metric and request.

Only samples of successes count; times are in milliseconds, the CSV's clock in whole seconds. The window is
from the first sample to the last.
"""

import csv
import io
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

from data.file_content import FileContent, Reading
from data.foreign_tables import headings, plain_number
from data.importers.k6 import DURATION, OWN_TRENDS
from data.request_samples import summary
from data.said_load import SAY_LOAD
from models.measurements import Measurement
from models.problems import Problem

KEY = "k6_points"
LABEL = "k6 samples (NDJSON, CSV)"

MS_PER_S = 1000.0
Point = tuple[str, float, float, bool]  # metric, moment in seconds, value, of a success


def sniff(content: FileContent) -> float:
    """0.95 where the first object is a metric or a point, or the header is of k6's CSV."""
    first = content.first
    is_lines = first.get("type") in ("Metric", "Point") and "metric" in first and "data" in first
    is_table = not content.is_json and headings(content.text) >= {"metric_name", "timestamp", "metric_value"}
    return 0.95 if is_lines or is_table else 0.0


def read(content: FileContent) -> Reading:
    """One measurement of all samples."""
    points = list(_points_of_table(content.text) if not content.is_json else _points(content))
    values: dict[str, list[float]] = defaultdict(list)
    for metric, _, value, good in points:
        if good:
            values[metric].append(value / MS_PER_S)
    requests = [point for point in points if point[0] == "http_reqs"] or [
        point for point in points if point[0] == DURATION
    ]
    if not values.get(DURATION):
        return Reading(rows_read=len(points), problems=(_without_times(content.name),))
    run = _run(requests, points)
    run = replace(
        run,
        ttft_s=summary(_own(values, "ttft")),
        tpot_s=summary(_own(values, "tpot")),
        itl_s=summary(_own(values, "itl")),
        e2e_s=summary(list(values[DURATION])),
    )
    return Reading(
        rows_read=1,
        measurements=((1, run),),
        problems=(*content.document_problems, _without_load(content.name)),
    )


def _run(requests: list[Point], points: list[Point]) -> Measurement:
    moments = [moment for _, moment, _, _ in points]
    span = max(moments) - min(moments)
    failed = sum(not good for _, _, _, good in requests)
    return Measurement(
        duration_s=span or None,
        request_count=len(requests),
        error_count=failed,
        request_rate_req_per_s=(len(requests) - failed) / span if span else None,
    )


def _own(values: dict[str, list[float]], kind: str) -> list[float | None]:
    return [value for name in OWN_TRENDS[kind] for value in values.get(name, ())]


def _points(content: FileContent) -> Iterator[Point]:
    for document in content.documents:
        data = document.value.get("data")
        if document.value.get("type") != "Point" or not isinstance(data, dict):
            continue
        value, moment = data.get("value"), _moment(data.get("time"))
        tags = data.get("tags")
        if isinstance(value, int | float) and moment is not None:
            status = tags if isinstance(tags, dict) else {}
            yield str(document.value.get("metric")), moment, float(value), _is_good(status)


def _points_of_table(text: str) -> Iterator[Point]:
    for row in csv.DictReader(io.StringIO(text, newline="")):
        value, moment = plain_number(row.get("metric_value") or ""), plain_number(row.get("timestamp") or "")
        if value is not None and moment is not None:
            yield row["metric_name"], moment, value, _is_good(row)


def _is_good(tags: dict[str, Any]) -> bool:
    """Expected by the test, or without an error where the test did not mark it."""
    expected = tags.get("expected_response")
    return expected == "true" if expected else not tags.get("error") and not tags.get("error_code")


def _moment(text: Any) -> float | None:
    try:
        return datetime.fromisoformat(str(text)).timestamp()
    except ValueError:
        return None


def _without_times(name: str) -> Problem:
    return Problem(
        path=name,
        message=f"it holds no sample of {DURATION} of a request that succeeded",
        cure="Run the test with --out and its built-in metrics.",
    )


def _without_load(name: str) -> Problem:
    return Problem(
        path=name,
        message="samples name no load and count no tokens",
        cure=f"{SAY_LOAD} Take TTFT and tokens from a tool for language models.",
        severity="warning",
    )
