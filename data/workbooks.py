"""Excel and OpenDocument workbooks: every sheet as the text of a table, cached values only, no macros run."""

import io
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time, timedelta

from models.problems import Problem

OLD_WORKBOOK = b"\xd0\xcf\x11\xe0"
LARGEST_SHEET_CELLS = 5_000_000


def sheet_texts(name: str, raw: bytes) -> tuple[tuple[str, str], ...] | Problem:
    """Name and comma-separated text of every sheet that is not empty; a Problem where it cannot be read."""
    from python_calamine import CalamineError, CalamineWorkbook

    try:
        workbook = CalamineWorkbook.from_filelike(io.BytesIO(raw))
        found = []
        for sheet in workbook.sheet_names:
            read = workbook.get_sheet_by_name(sheet)
            if read.total_height * read.total_width > LARGEST_SHEET_CELLS:
                return _too_large(name, sheet)
            text = _text(read.to_python(skip_empty_area=False))
            if text.strip(",\n"):
                found.append((sheet, text))
        return tuple(found)
    except (CalamineError, ValueError, OSError) as error:
        return Problem(
            path=name,
            message=f"the workbook cannot be read: {str(error)[:200]}",
            cure="Save it again as .xlsx without a password, or export the sheet as CSV.",
        )


def _too_large(name: str, sheet: str) -> Problem:
    return Problem(
        path=f"{name}, sheet {sheet!r}",
        message=f"it spans more than {LARGEST_SHEET_CELLS:,} cells",
        cure="Delete what lies far below or right of the table.",
    )


def _text(rows: Iterable[Sequence[object]]) -> str:
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
