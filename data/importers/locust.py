"""`locust`'s statistics, as CSV, as its history over time, and as the JSON it prints.

Failures are inside all its response times and cannot be taken out: where they are many, its percentiles
are not used. Percentiles are rounded to two digits, so p99 may pass the maximum. Users who think are not
in flight, and a streamed answer is timed up to its headers. The row `Aggregated` repeats the others.
"""

from typing import Any

from data.document_reader import DocumentReader, quantiles_of
from data.document_runs import read_each
from data.file_content import FileContent, Reading
from data.foreign_tables import blocks, headings
from models.measurements import Measurement
from models.percentiles import QUANTILE_BY_FIELD, UNKNOWN, Percentiles
from models.problems import Problem

KEY = "locust"
LABEL = "locust statistics (CSV, JSON)"

MS_PER_S = 1000.0
MOST_FAILURES_SHARE = 0.05
AGGREGATED = "aggregated"
NOT_REQUESTS = frozenset(("metric",))  # the type that users give to numbers of their own
TTFT_NAMES = frozenset(("ttft", "ttft_ms", "time_to_first_token", "time_to_first_token_ms"))
STATISTICS = {
    "mean": "average response time",
    "p50": "50%",
    "p90": "90%",
    "p95": "95%",
    "p99": "99%",
}
WHOLE_RUN = "total request count"  # a column of the history
MISSING = frozenset(("", "n/a", "nan"))


def sniff(content: FileContent) -> float:
    """0.95 where the header or the first object is locust's."""
    if content.is_json:
        return 0.95 if {"num_requests", "num_failures", "response_times"} <= content.first.keys() else 0.0
    header = headings(content.text)
    is_counted = header >= {"request count", "failure count"} or header >= {"# requests", "# failures"}
    return 0.95 if {"name", "50%"} <= header and (is_counted or WHOLE_RUN in header) else 0.0


def read(content: FileContent) -> Reading:
    """One measurement per kind of request; the last moment of a history is its whole run."""
    if content.is_json:
        entries = [_entry_of_json(document.value) for document in content.documents]
        readers = [DocumentReader(entry, f"entry {i}") for i, entry in enumerate(entries, start=1)]
        problems: tuple[Problem, ...] = content.document_problems
    else:
        found = blocks(content.name, content.text)
        if isinstance(found, Problem):
            return Reading(rows_read=0, problems=(found,))
        header, *rows = [row for block in found for row in block]
        names = [_plain_heading(cell) for cell in header.cells]
        readers = [
            DocumentReader(_typed(dict(zip(names, row.cells, strict=False))), f"row {row.line}")
            for row in rows
        ]
        readers = _last_moments(readers) if WHOLE_RUN in names else readers
        problems = ()
    return read_each(_requests(readers), run_of, (*problems, *_first_tokens_apart(content.name, readers)))


def _plain_heading(cell: str) -> str:
    name = cell.lower()
    return {"# requests": "request count", "# failures": "failure count"}.get(name, name)


def _typed(cells: dict[str, str]) -> dict[str, Any]:
    typed: dict[str, Any] = {}
    for name, cell in cells.items():
        if name in ("type", "name", "method"):
            typed[name] = cell
            continue
        try:
            typed[name] = None if cell.lower() in MISSING else float(cell)
        except ValueError:
            typed[name] = cell
    return typed


def _last_moments(readers: list[DocumentReader]) -> list[DocumentReader]:
    """Of a history the last row of each name, its whole-run columns under the names of the statistics."""
    last = {reader.text("name"): reader for reader in readers}
    first = readers[0].number("timestamp") if readers else None
    for reader in last.values():
        document = reader.document
        for name in ("request count", "failure count", "average response time"):
            document[name] = document.get(f"total {name}")
        # The percent columns of a history are of its last ten seconds; only the median is of the whole run.
        document["50%"] = document.get("total median response time")
        for name in ("90%", "95%", "99%", "requests/s"):
            document[name] = None
        end = reader.number("timestamp")
        document["duration_s"] = end - first if end is not None and first is not None else None
    return list(last.values())


def _requests(readers: list[DocumentReader]) -> list[DocumentReader]:
    """Each request once: not the aggregate, unless it is all there is, and no numbers of the user's own."""
    single = [
        reader
        for reader in readers
        if (reader.text("name") or "").lower() not in (AGGREGATED, "total")
        and (reader.text("type", "method") or "").lower() not in NOT_REQUESTS
    ]
    return single or readers[:1]


def _first_tokens_apart(name: str, readers: list[DocumentReader]) -> tuple[Problem, ...]:
    own = [reader for reader in readers if (reader.text("name") or "").lower() in TTFT_NAMES]
    return tuple(
        Problem(
            path=f"{name}, {reader.path}",
            message=f"{reader.document['name']} has a mean of {reader.document.get('average response time')} "
            "and is a number of the test's own, not of a request, so it is in no run",
            cure="Enter it as TTFT in the template, together with its load.",
            severity="warning",
        )
        for reader in own
    )


def run_of(reader: DocumentReader) -> Measurement:
    """One kind of request as a measurement, in seconds; no tokens are known."""
    count, failed = reader.count("request count"), reader.count("failure count")
    duration = reader.number("duration_s")
    all_rate, failed_rate = reader.number("requests/s"), reader.number("failures/s")
    if all_rate and count and duration is None:
        duration = count / all_rate
    good_rate = all_rate - failed_rate if all_rate is not None and failed_rate is not None else None
    users = reader.number("user count")
    reader.warn(
        "",
        "locust counts no tokens and does not know the first of a stream: only response times are read",
        "Measure with a tool for language models to plan with it.",
    )
    return Measurement(
        load_kind="users" if users is not None else None,
        duration_s=duration,
        request_count=count,
        error_count=failed,
        e2e_s=_latency(reader, count, failed),
        request_rate_req_per_s=max(good_rate, 0.0) if good_rate is not None else None,
        notes=f"{users:g} users" if users is not None else None,
    )


def _latency(reader: DocumentReader, count: int | None, failed: int | None) -> Percentiles:
    """All response times in seconds; unknown where failures are more than one in twenty."""
    if count and failed and failed > MOST_FAILURES_SHARE * count:
        reader.warn(
            "failure count",
            f"{failed} of {count} requests failed ({failed / count:.0%}) and their times are inside all "
            "percentiles, which are left out",
            "Mend the failures and measure again.",
        )
        return UNKNOWN
    return reader.latency(MS_PER_S, {statistic: (name,) for statistic, name in STATISTICS.items()})


def _entry_of_json(entry: dict[str, Any]) -> dict[str, Any]:
    """An entry of --json under the names of the CSV; its histogram gives percentiles."""
    count, start, end = (
        entry.get("num_requests"),
        entry.get("start_time"),
        entry.get("last_request_timestamp"),
    )
    total = entry.get("total_response_time")
    numbers = [value for value in (count, start, end, total) if isinstance(value, int | float)]
    document: dict[str, Any] = {
        "name": entry.get("name"),
        "method": entry.get("method"),
        "request count": count,
        "failure count": entry.get("num_failures"),
    }
    if len(numbers) == 4 and count:
        span = float(numbers[2] - numbers[1])
        document["average response time"] = numbers[3] / numbers[0]
        document["requests/s"] = numbers[0] / span if span > 0 else None
        failed = entry.get("num_failures")
        document["failures/s"] = failed / span if isinstance(failed, int) and span > 0 else None
    return document | _histogram(entry.get("response_times"))


def _histogram(counts: Any) -> dict[str, float]:
    if not isinstance(counts, dict):
        return {}
    times = [
        float(value)
        for value, count in counts.items()
        if str(value).replace(".", "", 1).isdigit() and isinstance(count, int) and 0 < count < 1_000_000
        for _ in range(count)
    ]
    if not times:
        return {}
    found = quantiles_of(times, tuple(QUANTILE_BY_FIELD.values()))
    return {STATISTICS[field]: value for field, value in zip(QUANTILE_BY_FIELD, found, strict=True)}
