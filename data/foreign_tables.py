"""Tables as tools write them: one or several in a text, parted by blank lines, with notes above."""

import csv
import io
import math
from dataclasses import dataclass

from models.problems import Problem

LARGEST_CELL_LETTERS = 10_000_000  # GuideLLM writes whole settings into one cell
COMMENT = "#"


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignRow:
    """One row that is not blank: the line it begins on, from 1, and its cells without outer spaces."""

    line: int
    cells: tuple[str, ...]


Block = tuple[ForeignRow, ...]


def blocks(name: str, text: str, delimiter: str = ",") -> tuple[Block, ...] | Problem:
    """Runs of rows between blank lines, comment rows left out; a Problem where the text is no table."""
    csv.field_size_limit(LARGEST_CELL_LETTERS)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    found: list[Block] = []
    current: list[ForeignRow] = []
    line = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                if not cells[0].startswith(COMMENT):
                    current.append(ForeignRow(line=line, cells=tuple(cell.strip() for cell in cells)))
            elif current:
                found.append(tuple(current))
                current = []
            line = reader.line_num + 1
    except csv.Error as error:
        return Problem(
            path=f"{name}, line {line}",
            message=f"the table cannot be read: {error}",
            cure="Look for an unclosed or stray quote there.",
        )
    return (*found, tuple(current)) if current else tuple(found)


def first_line(text: str) -> str:
    """The first line that is neither blank nor a comment: a table's header."""
    for line in text[:200_000].splitlines():
        if line.strip(" ,;\t\r") and not line.startswith(COMMENT):
            return line.strip()
    return ""


def headings(text: str) -> frozenset[str]:
    """The header's cells, in lower case and without quotes and outer spaces."""
    return frozenset(cell.strip(' "').lower() for cell in first_line(text).split(","))


def plain_number(cell: str) -> float | None:
    """A cell of a tool's own table as a finite number, thousands commas allowed; None where it is none."""
    try:
        number = float(cell.replace(",", ""))
    except ValueError:
        return None
    return number if math.isfinite(number) else None
