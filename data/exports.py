"""Tables as CSV that no spreadsheet takes for a formula, and measurements that import again unchanged."""

import csv
import io
from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any

from data.columns import MEASUREMENT_COLUMNS, STATISTICS, flat
from models.measurements import Measurement

LIVE_LEADS = ("=", "+", "-", "@", "\t", "\r")
TEMPLATE_COLUMNS = (
    *("tier", "model", "accelerator", "n_accelerators", "precision", "engine"),
    *("isl_tokens", "osl_tokens", "concurrency"),
    *(f"{name}_ms_{statistic}" for name in ("ttft", "tpot", "itl", "e2e") for statistic in STATISTICS),
    *("output_tps", "total_tps", "request_rps", "n_requests", "n_errors"),
    *("requested_tier", "served_tier", "measured_by", "measured_on", "notes"),
)


def inert(cell: str) -> str:
    """A text that a spreadsheet shows and never runs: an apostrophe before a live first letter.

    Blanks and quotes before that letter do not hide it, and a text that begins with an apostrophe gets
    another, so that reading can take one away again.
    """
    bare = cell.lstrip(" \u00a0\"'")
    is_live = cell.startswith(LIVE_LEADS) or bare.startswith(LIVE_LEADS)
    return f"'{cell}" if is_live or cell.startswith("'") else cell


def as_typed(cell: str) -> str:
    """The text that `inert` was given: the inverse, for reading our own exports."""
    return cell[1:] if cell.startswith("'") and inert(cell[1:]) == cell else cell


def write_csv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> bytes:
    """A CSV file in UTF-8: missing is an empty cell, numbers are untouched, texts are inert."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow([_cell(column) for column in columns])
    writer.writerows([_cell(value) for value in row] for row in rows)
    return buffer.getvalue().encode("utf-8")


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float | int) and not isinstance(value, bool):
        return repr(value)
    return value.isoformat() if isinstance(value, date) else inert(str(value))


def canonical_csv(measurements: Iterable[Measurement]) -> bytes:
    """Measurements in glossary names and base units; importing the file gives the same table."""
    return write_csv(MEASUREMENT_COLUMNS, (flat(measurement) for measurement in measurements))


def template_csv() -> bytes:
    """The empty table a user fills: headings only, in milliseconds, any of which may be left out."""
    return write_csv(TEMPLATE_COLUMNS, ())
