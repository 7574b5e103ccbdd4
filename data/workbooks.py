"""Excel and OpenDocument workbooks: every sheet as the text of a table, cached values only, no macros run.

A cell that shows an error, or a formula without a result, is text that no number column takes: it
is said, and never read as if the cell were empty.
"""

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import pairwise
from typing import Any

from data.workbook_marks import SheetMarks, cell_address, marks_of_sheets
from models.problems import Problem

OLD_WORKBOOK = b"\xd0\xcf\x11\xe0"
LARGEST_SHEET_CELLS = 5_000_000
EXAMPLE_COUNT = 5
UNHIDE = "Unhide it in the workbook and import it again if its runs are to count."
REMOVE = "Delete it from the sheet if it is not to count."
CALCULATE = "Open the workbook in a spreadsheet program, save it there, and import it again."
MEND = "Mend or empty the cells."


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """One sheet that is read: its name, its cells as comma-separated text, and what to know of it."""

    name: str
    text: str
    problems: tuple[Problem, ...] = ()


def sheets_of(name: str, raw: bytes) -> tuple[tuple[Sheet, ...], tuple[Problem, ...]] | Problem:
    """Every sheet that is shown and not empty, and the hidden ones as warnings; a Problem where none can be
    read."""
    from python_calamine import CalamineError, CalamineWorkbook, SheetVisibleEnum

    try:
        workbook = CalamineWorkbook.from_filelike(io.BytesIO(raw))
        marks = marks_of_sheets(raw)
        found, hidden = [], []
        for listed in workbook.sheets_metadata:
            label = f"sheet {listed.name!r}"
            try:
                read = workbook.get_sheet_by_name(listed.name)
            except CalamineError:
                continue  # a sheet that is a chart alone
            if read.total_height * read.total_width > LARGEST_SHEET_CELLS:
                return _too_large(name, listed.name)
            sheet_marks = None if marks is None else marks.get(listed.name, SheetMarks())
            rows = _with_marks(read.to_python(skip_empty_area=False), sheet_marks)
            text = as_text(rows)
            if not text.strip(",\n"):
                continue
            if listed.visible != SheetVisibleEnum.Visible:
                hidden.append(_said(label, "the sheet is hidden and was not read", UNHIDE))
            else:
                problems = tuple(_remarks(label, sheet_marks, len(rows), max(map(len, rows))))
                found.append(Sheet(name=listed.name, text=text, problems=problems))
    except (CalamineError, ValueError, OSError) as error:
        return Problem(
            path=name,
            message=f"the workbook cannot be read: {str(error)[:200]}",
            cure="Save it again as .xlsx without a password, or export the sheet as CSV.",
        )
    return tuple(found), tuple(hidden)


def _with_marks(rows: Sequence[Sequence[Any]], marks: SheetMarks | None) -> Sequence[Sequence[Any]]:
    """The cells with their errors and formulas without a result written out, where the values leave them
    empty."""
    shown = {**marks.errors, **marks.uncalculated} if marks is not None else {}
    if not shown:
        return rows
    height = max(len(rows), 1 + max(row for row, _ in shown))
    width = max(max(map(len, rows), default=0), 1 + max(column for _, column in shown))
    if height * width > LARGEST_SHEET_CELLS:
        raise ValueError("its formulas reach too far below or right of the table")
    cells: list[list[Any]] = [[*row, *[""] * (width - len(row))] for row in rows]
    cells.extend([""] * width for _ in range(height - len(rows)))
    for (row, column), text in shown.items():
        cells[row][column] = text
    return cells


def _remarks(label: str, marks: SheetMarks | None, height: int, width: int) -> Iterator[Problem]:
    """What a reader of the sheet sees there and its values do not tell."""
    if marks is None:
        message = "errors, formulas without a result and hidden rows cannot be told in this kind of workbook"
        yield _said(label, f"{message}; such cells count as empty", "Save it as .xlsx to be sure.")
        return
    if marks.errors:
        yield _said(f"{label}, {_cells(marks.errors)}", "cells that show an error have no value", MEND)
    if marks.uncalculated:
        message = "formulas were saved without their results, so these cells have no value"
        yield _said(f"{label}, {_cells(marks.uncalculated)}", message, CALCULATE)
    rows = sorted(row for row in marks.hidden_rows if row < height)
    if rows:
        path = f"{label}, {'rows' if len(rows) > 1 else 'row'} {_ranges(rows)}"
        yield _said(path, "hidden or filtered out, and read all the same", REMOVE)
    columns = sorted(column for column in marks.hidden_columns if column < width)
    if columns:
        names = ", ".join(cell_address(0, column)[:-1] for column in columns[:EXAMPLE_COUNT])
        more = f" and {len(columns) - EXAMPLE_COUNT} more" if len(columns) > EXAMPLE_COUNT else ""
        yield _said(f"{label}, columns {names}{more}", "hidden, and read all the same", REMOVE)


def _cells(marked: Mapping[tuple[int, int], str]) -> str:
    """The first cells by the names a spreadsheet program gives them, and how many more there are."""
    places = sorted(marked)
    shown = ", ".join(f"{cell_address(*place)} ({marked[place]})" for place in places[:EXAMPLE_COUNT])
    more = f" and {len(places) - EXAMPLE_COUNT} more" if len(places) > EXAMPLE_COUNT else ""
    return f"cells {shown}{more}"


def _ranges(rows: Sequence[int]) -> str:
    """Row numbers as a spreadsheet program counts them: `4-6, 9`."""
    breaks = [0, *(place for place, (a, b) in enumerate(pairwise(rows), 1) if b > a + 1), len(rows)]
    spans = [(rows[first] + 1, rows[last - 1] + 1) for first, last in pairwise(breaks)]
    shown = ", ".join(f"{low}-{high}" if high > low else f"{low}" for low, high in spans[:EXAMPLE_COUNT])
    return shown + (" and more" if len(spans) > EXAMPLE_COUNT else "")


def _said(path: str, message: str, cure: str) -> Problem:
    return Problem(path=path, message=message, cure=cure, severity="warning")


def _too_large(name: str, sheet: str) -> Problem:
    return Problem(
        path=f"{name}, sheet {sheet!r}",
        message=f"it spans more than {LARGEST_SHEET_CELLS:,} cells",
        cure="Delete what lies far below or right of the table.",
    )


def as_text(rows: Iterable[Sequence[object]]) -> str:
    """Rows of cells as comma-separated text."""
    return "".join(",".join(_quoted(_word(cell)) for cell in row) + "\n" for row in rows)


def _quoted(word: str) -> str:
    """The word as a cell of a comma-separated text."""
    return '"' + word.replace('"', '""') + '"' if any(letter in word for letter in ',"') else word


def _word(cell: object) -> str:
    """The cell as a person would type it: whole numbers without a point, days in ISO order."""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    if isinstance(cell, datetime | date | time):
        return cell.isoformat()
    if isinstance(cell, timedelta):
        return str(cell.total_seconds())
    return str(cell).replace("\r\n", " ").replace("\n", " ")
