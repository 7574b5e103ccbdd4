"""Results of fmperf: one row per response chunk; grouped into requests, and requests into runs by users.

The first chunk's duration is the TTFT, each later one the gap since the chunk before it, in milliseconds.
Rows marked `exclude` ended after the window. One user has one request in flight.
"""

from collections import defaultdict
from typing import Any

from data.file_content import FileContent, Reading
from data.request_samples import RequestSample, run_of_samples
from models.measurements import Measurement
from models.problems import Problem

KEY = "fmperf"
LABEL = "fmperf results (JSON)"

MS_PER_S = 1000.0
REQUEST_KEYS = ("worker_idx", "request_idx", "sample_idx")

Rows = list[dict[str, Any]]


def sniff(content: FileContent) -> float:
    """0.95 where the first row has a number of users and the place of a chunk."""
    return 0.95 if {"exp_num_users", "response_idx", "duration_ms"} <= content.first.keys() else 0.0


def read(content: FileContent) -> Reading:
    """One measurement per number of users."""
    by_users: dict[float, Rows] = defaultdict(list)
    problems = list(content.document_problems)
    for number, document in enumerate(content.documents, start=1):
        row = document.value
        if _is_usable(row):
            by_users[float(row["exp_num_users"])].append(row)
        else:
            problems.append(_unusable(number))
    runs = [_run(users, rows) for users, rows in sorted(by_users.items())]
    return Reading(
        rows_read=len(runs) + len(problems),
        measurements=tuple(enumerate(runs, start=1)),
        problems=tuple(problems),
    )


def _is_usable(row: dict[str, Any]) -> bool:
    numbers = [row.get(key) for key in ("exp_num_users", "exp_duration", "duration_ms", "response_idx")]
    return all(isinstance(each, int | float) and not isinstance(each, bool) and each >= 0 for each in numbers)


def _unusable(number: int) -> Problem:
    return Problem(
        path=f"row {number}", message="a number of it is missing or negative", cure="Export the file again."
    )


def _run(users: float, rows: Rows) -> Measurement:
    requests: dict[tuple[str, ...], Rows] = defaultdict(list)
    for row in rows:
        if row.get("exclude") is not True:
            requests[tuple(str(row.get(key)) for key in REQUEST_KEYS)].append(row)
    succeeded = [chunks for chunks in requests.values() if all(chunk.get("ok", True) for chunk in chunks)]
    duration = float(rows[0]["exp_duration"])
    return run_of_samples(
        [_sample(chunks) for chunks in succeeded],
        failed=len(requests) - len(succeeded),
        load=("concurrency", users, None),
        duration_s=duration,
    )


def _sample(chunks: Rows) -> RequestSample:
    ordered = sorted(chunks, key=lambda chunk: float(chunk["response_idx"]))
    gaps = [float(chunk["duration_ms"]) / MS_PER_S for chunk in ordered]
    tokens = [chunk.get("n_tokens") for chunk in ordered]
    known = all(isinstance(count, int | float) for count in tokens)
    return RequestSample(
        ttft_s=gaps[0],
        e2e_s=sum(gaps),
        output_tok=float(sum(count for count in tokens if isinstance(count, int | float))) if known else None,
        chunk_gaps_s=tuple(gaps[1:]),
    )
