"""How wide a table's columns are and how high its rows, so that long cells wrap instead of being cut."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

PAGE_PIXELS = 850  # a page beside the sidebar in a window 1,280 wide
LETTER_PIXELS, CELL_PIXELS = 6.4, 22
LINE_PIXELS, ROW_PIXELS = 19, 16
MOST_LINES, MOST_LINES_OF_LONG_TABLES, LONG_TABLE_ROW_COUNT = 5, 3, 12
LONGEST_WHOLE_WORD = 24  # letters; an address may be broken
WHOLE_CELLS_OF_LONG_TABLES = 0.95
SLACK_RATIO = 1.15  # lines end before they are full
HEAD_PIXELS, LONG_TABLE_PIXELS = 38, 560
WIDEST_PIXELS = 420
LEAST_WRAPPING_PIXELS = 76  # the grid wraps only in rows that are clearly higher than a line


@dataclass(frozen=True, slots=True)
class Layout:
    """Pixels of each column by its heading, of every row, and of the table; a long one scrolls."""

    widths: Mapping[str, int]
    row_height: int
    height: int


def layout(rows: Sequence[Mapping[str, Any]]) -> Layout | None:
    """Widths with as few lines a cell as fit the page; None where all fits on one line.

    A table too wide even so scrolls sideways. Of a long table, one cell in twenty may be cut.
    """
    is_long = len(rows) > LONG_TABLE_ROW_COUNT
    cells = {head: [str(row.get(head, "")) for row in rows] for head in (rows[0] if rows else ())}
    if _fits({head: _wanted(head, texts, 1, 1.0) for head, texts in cells.items()}):
        return None
    share = WHOLE_CELLS_OF_LONG_TABLES if is_long else 1.0
    widths: dict[str, int] = {}
    for lines in range(2, (MOST_LINES_OF_LONG_TABLES if is_long else MOST_LINES) + 1):
        widths = {head: _wanted(head, texts, lines, share) for head, texts in cells.items()}
        if _fits(widths):
            break
    widths = {head: min(width, WIDEST_PIXELS) for head, width in widths.items()}
    # A table that is too wide by its headings alone needs no rows of the most lines.
    needed = max(_lines(texts, widths[head], share) for head, texts in cells.items())
    row_height = max(LEAST_WRAPPING_PIXELS, ROW_PIXELS + min(lines, needed) * LINE_PIXELS)
    return Layout(
        widths,
        row_height,
        LONG_TABLE_PIXELS if is_long else HEAD_PIXELS + len(rows) * row_height,
    )


def _fits(widths: Mapping[str, int]) -> bool:
    return sum(widths.values()) <= PAGE_PIXELS and max(widths.values(), default=0) <= WIDEST_PIXELS


def _lines(texts: Sequence[str], width: int, share: float) -> int:
    """Over how many lines that share of a column's cells run at a width."""
    lengths = sorted(len(text) for text in texts)
    longest = lengths[math.ceil(share * len(lengths)) - 1]
    letters = (width - CELL_PIXELS) / LETTER_PIXELS
    return 1 if longest <= letters else math.ceil(SLACK_RATIO * longest / letters)


def _wanted(head: str, texts: Sequence[str], lines: int, share: float) -> int:
    """What a column takes when that share of its cells run over so many lines at most."""
    lengths = sorted(len(text) for text in texts)
    longest = lengths[math.ceil(share * len(lengths)) - 1]
    words = [min(len(word), LONGEST_WHOLE_WORD) for text in texts for word in text.split()]
    letters = longest if lines == 1 else math.ceil(SLACK_RATIO * longest / lines)
    return math.ceil(max([letters, len(head), *words]) * LETTER_PIXELS) + CELL_PIXELS
