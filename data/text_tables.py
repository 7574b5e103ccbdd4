"""A delimited text as a header and rows with their line numbers; broken rows become problems."""

import csv
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from models.problems import Problem

DELIMITERS = (",", ";", "\t", "|")
ROW_LIMIT = 500_000
COLUMN_LIMIT = 500
CELL_LIMIT_LETTERS = 32_767  # what a cell of a workbook can hold
HEADER_SEARCH_ROWS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class TextTable:
    """The header's cells and the rows below it, each with the line of the file it begins on."""

    delimiter: str
    header: tuple[str, ...]
    header_line: int
    rows: tuple[tuple[int, tuple[str, ...]], ...]
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderPlace:
    """Where a table's header was found: its cells, the line it begins on, and what parts its cells."""

    delimiter: str
    line: int
    cells: tuple[str, ...]


def find_header(text: str, count_known: Callable[[tuple[str, ...]], int]) -> HeaderPlace | None:
    """The row that reads most like a header among the first ones; None where there is no row."""
    delimiter = max(DELIMITERS, key=lambda each: _header_score(text, each, count_known))
    candidates = _first_records(text, delimiter)
    if not candidates:
        return None
    line, cells = max(candidates, key=lambda record: count_known(record[1]))
    return HeaderPlace(delimiter=delimiter, line=line, cells=cells)


def read_table(name: str, text: str, count_known: Callable[[tuple[str, ...]], int]) -> TextTable | Problem:
    """The table of the text; a Problem where none can be found or the file breaks a limit.

    count_known   how many cells of a row are known column names; the row and the delimiter that score
                  best are the header, so titles and comments above it do no harm
    """
    best = max(DELIMITERS, key=lambda delimiter: _header_score(text, delimiter, count_known))
    try:
        return _table(name, text, best, count_known)
    except csv.Error as error:
        line = getattr(error, "line", None)
        where = f"{name}, line {line}" if line else name
        return Problem(
            path=where,
            message=f"the table cannot be read: {error}",
            cure="Look for an unclosed or stray quote there.",
        )


def _records(text: str, delimiter: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Rows that are not blank, with the line each begins on."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    while True:
        first_line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            error.line = first_line  # type: ignore[attr-defined]
            raise
        stripped = tuple(map(str.strip, cells))
        if any(stripped):
            yield first_line, stripped


def _first_records(text: str, delimiter: str) -> list[tuple[int, tuple[str, ...]]]:
    found: list[tuple[int, tuple[str, ...]]] = []
    try:
        for record in _records(text, delimiter):
            if not record[1][0].startswith("#"):
                found.append(record)
            if len(found) == HEADER_SEARCH_ROWS:
                break
    except csv.Error:
        pass  # the whole reading names the line
    return found


def likely_header(text: str, count_known: Callable[[tuple[str, ...]], int]) -> tuple[str, ...]:
    """The cells of the row that reads most like a header, found without reading the whole text."""
    records = [cells for delimiter in DELIMITERS for _, cells in _first_records(text, delimiter)]
    return max(records, key=lambda cells: (count_known(cells), len(cells)), default=())


def _header_score(
    text: str, delimiter: str, count_known: Callable[[tuple[str, ...]], int]
) -> tuple[int, int]:
    scores = [(count_known(cells), len(cells)) for _, cells in _first_records(text, delimiter)]
    return max(scores, default=(0, 0))


def _table(
    name: str, text: str, delimiter: str, count_known: Callable[[tuple[str, ...]], int]
) -> TextTable | Problem:
    candidates = _first_records(text, delimiter)
    if not candidates:
        for _ in _records(text, delimiter):  # raises where even the first row is broken
            break
        return Problem(
            path=name, message="the file holds no table", cure="Download the template and fill it."
        )
    header_line, header = max(candidates, key=lambda record: count_known(record[1]))
    if len(header) > COLUMN_LIMIT:
        return Problem(
            path=f"{name}, line {header_line}",
            message=f"the table has {len(header)} columns and the limit is {COLUMN_LIMIT}",
            cure="Keep the columns of one benchmark, or split the file.",
        )
    width = len(header)
    while width and not header[width - 1]:
        width -= 1
    rows: list[tuple[int, tuple[str, ...]]] = []
    problems: list[Problem] = []
    for line, cells in _records(text, delimiter):
        if line <= header_line or _is_rule(cells) or _is_comment(cells, width):
            continue
        if len(rows) == ROW_LIMIT:
            return Problem(
                path=f"{name}, line {line}",
                message=f"the table has more than {ROW_LIMIT:,} rows",
                cure="Summarise it first, or split the file.",
            )
        problem = _row_problem(line, cells, width)
        if problem is None:
            rows.append((line, cells[:width]))
        else:
            problems.append(problem)
    return TextTable(
        delimiter=delimiter,
        header=header[:width],
        header_line=header_line,
        rows=tuple(rows),
        problems=tuple(problems),
    )


def _is_rule(cells: tuple[str, ...]) -> bool:
    """The line of dashes below the header of a Markdown table."""
    if cells[0].strip("-: "):
        return False
    filled = [cell for cell in cells if cell]
    return len(filled) > 1 and all(len(cell) > 2 and set(cell) <= set("-: ") for cell in filled)


def _is_comment(cells: tuple[str, ...], width: int) -> bool:
    """A note among the rows; a full row whose first cell begins with # is data."""
    return cells[0].startswith("#") and (len(cells) != width or not any(cells[1:]))


def _row_problem(line: int, cells: tuple[str, ...], width: int) -> Problem | None:
    if len(cells) < width or any(cells[width:]):
        return Problem(
            path=f"row {line}",
            message=f"it has {len(cells)} cells and the header has {width}",
            cure="Keep the delimiter of an empty cell, and quote a cell that holds one.",
        )
    if max(map(len, cells)) <= CELL_LIMIT_LETTERS:
        return None
    for number, cell in enumerate(cells, start=1):
        if len(cell) > CELL_LIMIT_LETTERS:
            return Problem(
                path=f"row {line}, column {number}",
                message=f"the cell holds {len(cell):,} letters and the limit is {CELL_LIMIT_LETTERS:,}",
                cure="Shorten it.",
            )
    return None
