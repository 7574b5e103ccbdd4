"""A log with one row per request, as table or JSON Lines: summarised into one run, successes only.

Rows that repeat a request's id are one request, the last row counts. Times come in the unit of their
heading, else by their size, which is said. A trace without latencies is demand, not a run. Large logs are
not read here but scanned on disk, by the same rules: `big_logs`.
"""

from collections.abc import Sequence

from data.column_names import LOAD_TARGETS, meaning_of
from data.file_content import FileContent, Reading
from data.log_columns import columns_of
from data.text_tables import likely_header, read_table
from models.problems import Problem

KEY = "requests"
LABEL = "Log of requests (CSV, JSON Lines)"

Rows = Sequence[tuple[int, tuple[str, ...]]]


def sniff(content: FileContent) -> float:
    """0.6 where the header is of a log: an id or a start, tokens or latencies, and no load."""
    return 0.6 if is_log(header_of(content)) else 0.0


def is_log(header: Sequence[str]) -> bool:
    """Whether the headings are of one row per request: an id or a start, tokens or latencies, no load."""
    names_a_load = any(
        meaning.target in LOAD_TARGETS for heading in header if (meaning := meaning_of(heading)) is not None
    )
    return columns_of(header).is_log and not names_a_load


def header_of(content: FileContent) -> tuple[str, ...]:
    """The headings of a table, or the keys of the first object that hold no object."""
    if content.documents:
        flat = [key for key, value in content.first.items() if not isinstance(value, dict)]
        return tuple(flat)
    return likely_header(content.text, count_known)


def count_known(cells: Sequence[str]) -> int:
    """How many of the cells are headings of a log."""
    return columns_of(cells).known_count


def read(content: FileContent) -> Reading:
    """All rows as one run, or why they are none."""
    from data.log_reading import marks_of, reading_of_log  # DuckDB takes a moment to load: only for logs
    from data.log_tables import insert_cells, open_scratch

    header, rows, problems = _table(content)
    if not rows:
        return Reading(rows_read=0, problems=tuple(problems))
    marks, mixed = marks_of(content.name, header, (cells for _, cells in rows))
    if mixed:
        return Reading(rows_read=len(rows), problems=(*mixed, *problems))
    with open_scratch() as connection:
        cells = insert_cells(connection, len(header), rows)
        reading = reading_of_log(connection, cells, content.name, header, marks)
    return Reading(
        rows_read=reading.rows_read,
        measurements=reading.measurements,
        problems=(*problems, *reading.problems),
        demand=reading.demand,
    )


def _table(content: FileContent) -> tuple[tuple[str, ...], Rows, list[Problem]]:
    if content.documents:
        header = header_of(content)
        rows = [
            (document.line, tuple(_word(document.value.get(name)) for name in header))
            for document in content.documents
        ]
        return header, rows, list(content.document_problems)
    table = read_table(content.name, content.text, count_known)
    if isinstance(table, Problem):
        return (), (), [table]
    return table.header, table.rows, list(table.problems)


def _word(value: object) -> str:
    return "" if value is None else str(value)
