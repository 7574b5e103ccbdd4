"""GuideLLM's CSV: one header row until 0.3, three from 0.4 on; columns are found by name, never by place.

Groups vanish where a status has no data, so column numbers differ between files. The percentile cell is a
list: minimum, 0.1, 1, 5, 10, 25, 75, 90, 95, 99, maximum; the median has a column of its own.
"""

import json
from collections.abc import Sequence
from typing import Any

from data.document_reader import DocumentReader
from data.document_runs import read_each
from data.file_content import FileContent, Reading
from data.foreign_tables import ForeignRow, blocks, first_line, plain_number
from data.importers import guidellm
from models.problems import Problem

KEY = "guidellm_csv"
LABEL = "GuideLLM report (CSV)"

PERCENTILE_PLACES = {"p90": 7, "p95": 8, "p99": 9}
LIST_LENGTH = 11
# Our metric name: the heading until 0.3, and group and field from 0.4 on (without the status).
HEADINGS = {
    "request_latency": ("Request latency", ("Request Latency", "Sec")),
    "time_to_first_token_ms": ("Time to first token ms", ("Time to First Token", "ms")),
    "inter_token_latency_ms": ("Inter token latency ms", ("Inter Token Latency", "ms")),
    "prompt_token_count": ("Prompt token count", ("Token Metrics", "Input Tokens")),
    "output_token_count": ("Output token count", ("Token Metrics", "Output Tokens")),
    "requests_per_second": ("Requests per second", ("Server Throughput", "Requests/Sec")),
    "output_tokens_per_second": ("Output tokens per second", ("Token Throughput", "Output Tokens/Sec")),
    "tokens_per_second": ("Tokens per second", ("Token Throughput", "Total Tokens/Sec")),
}
STATUSES = ("successful", "total")
COUNTS = ("Successful", "Errored", "Incomplete", "Total")

Cells = dict[tuple[str, ...], str]


def sniff(content: FileContent) -> float:
    """0.95 where the header is one of GuideLLM's two."""
    header = first_line(content.text)
    new = header.startswith("Run Info,") and "Benchmark" in header
    old = header.startswith("Type,") and "Successful Requests" in header and "Errored Requests" in header
    return 0.95 if new or old else 0.0


def read(content: FileContent) -> Reading:
    """One measurement per row below the header."""
    found = blocks(content.name, content.text)
    if isinstance(found, Problem):
        return Reading(rows_read=0, problems=(found,))
    rows = [row for block in found for row in block]
    depth = 3 if rows[0].cells[0] == "Run Info" else 1
    header = _header(rows[:depth])
    problems = [_ragged(row) for row in rows[depth:] if len(row.cells) != len(header)]
    whole = [row for row in rows[depth:] if len(row.cells) == len(header)]
    readers = [
        DocumentReader(
            _benchmark(dict(zip(header, row.cells, strict=True)), place, len(whole)), f"row {row.line}"
        )
        for place, row in enumerate(whole)
    ]
    return read_each(readers, guidellm.run_of, problems)


def _header(rows: Sequence[ForeignRow]) -> list[tuple[str, ...]]:
    return [
        tuple(cell for cell in column if cell) for column in zip(*(row.cells for row in rows), strict=False)
    ]


def _ragged(row: ForeignRow) -> Problem:
    return Problem(
        path=f"row {row.line}",
        message=f"it has {len(row.cells)} cells and the header more or fewer",
        cure="Export the file again; do not edit it in a spreadsheet.",
    )


def _benchmark(cells: Cells, place: int, rows: int) -> dict[str, Any]:
    """The row in the shape of a benchmark of the JSON report."""
    return {
        "config": {"strategy": _strategy(cells, place, rows), "backend": _json(cells, "Run Info", "Backend")},
        "worker": _json(cells, "Worker"),
        "extras": _json(cells, "Extras"),
        "duration": _number(cells, ("Duration",), ("Timings", "Duration", "Sec")),
        "request_totals": {
            status.lower(): _number(cells, (f"{status} Requests",), ("Request Counts", status))
            for status in COUNTS
        },
        "metrics": {
            metric: {status: _statistics(cells, metric, status.capitalize()) for status in STATUSES}
            for metric in HEADINGS
        },
    }


def _number(cells: Cells, *names: tuple[str, ...]) -> float | None:
    cell = next((cells[name] for name in names if cells.get(name)), "")
    return plain_number(cell)


def _json(cells: Cells, *name: str) -> dict[str, Any]:
    try:
        value = json.loads(cells.get(name, ""))
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _statistics(cells: Cells, metric: str, status: str) -> dict[str, float | None]:
    old, (group, field) = HEADINGS[metric]
    new = (group, f"{status} {field}")
    ranks = next(
        (cell for name, cell in cells.items() if name and name[0].startswith(f"{status} {old} [")),
        cells.get((*new, "Percentiles"), ""),
    )
    values = [plain_number(word) for word in ranks.strip("[]").split(", ")]
    found = {
        "mean": _number(cells, (f"{status} {old} mean",), (*new, "Mean")),
        "median": _number(cells, (f"{status} {old} median",), (*new, "Median")),
    }
    if len(values) == LIST_LENGTH:
        found |= {name: values[index] for name, index in PERCENTILE_PLACES.items()}
    return found


def _strategy(cells: Cells, place: int, rows: int) -> dict[str, Any]:
    """The row's strategy: `concurrent@8` in one cell, or a kind whose numbers stand in the profile."""
    stated = cells.get(("Benchmark", "Strategy")) or cells.get(("Name",), "")
    kind, _, value = stated.partition("@")
    number = plain_number(value)
    if number is None:
        number = _value_in_profile(_json(cells, "Run Info", "Profile"), kind, place, rows)
    return {"type_": kind, "streams": number, "rate": number}


def _value_in_profile(profile: dict[str, Any], kind: str, place: int, rows: int) -> float | None:
    """The number at the row's place in the profile's list, where it has one for each row."""
    values = profile.get("streams" if kind == "concurrent" else "rate")
    if not isinstance(values, list) or len(values) != rows:
        return None
    value = values[place]
    return float(value) if isinstance(value, int | float) else None
