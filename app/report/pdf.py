"""A report as PDF: vector charts, selectable text, outline, page numbers; tagged for screen readers (PDF/UA).

Typst lays it out from data alone. Its embedded fonts and Matplotlib's DejaVu are the only ones used, so
that every machine makes the same pages; a letter in neither is printed as its code, not as an empty box.
"""

import json
import math
from functools import lru_cache
from pathlib import Path
from typing import Any

import typst

from app.charts.letters import FONTS, printable
from app.charts.svg_drawing import draw_svg_with_text
from app.report.blocks import Block, Bullets, Chart, Document, Facts, Listing, Paragraph, Table

SUFFIX = ".pdf"
MIME = "application/pdf"
LABEL = "PDF"

TEMPLATE = Path(__file__).parent / "report.typ"
NARROW_LETTERS = 13  # a column no wider than this keeps its natural width; wider ones share the rest
WIDEST_SHARE, NARROWEST_SHARE = 9.0, 3.0


def render(document: Document) -> bytes:
    """The document as PDF/UA-1; the same document gives the same bytes."""
    content = json.dumps(_as_data(document), ensure_ascii=True)
    made: Any = typst.compile(
        TEMPLATE.read_bytes(),
        format="pdf",
        sys_inputs={"report": content},
        font_paths=_fonts(),
        pdf_standards=["ua-1"],
    )
    return bytes(made)


@lru_cache(maxsize=1)
def _fonts() -> Any:
    return typst.Fonts(include_system_fonts=False, font_paths=[FONTS])


def _as_data(document: Document) -> dict[str, Any]:
    return {
        "title": printable(document.title),
        "subtitle": printable(document.subtitle),
        "footer": printable(document.footer),
        "anchors": sorted(document.anchors),
        "sections": [
            {"title": printable(section.title), "blocks": [_block(block) for block in section.blocks]}
            for section in document.sections
        ],
    }


def _block(block: Block) -> dict[str, Any]:
    return {"kind": type(block).__name__} | _parts(block)


def _parts(block: Block) -> dict[str, Any]:
    if isinstance(block, Paragraph):
        return {"text": printable(block.text), "strong": block.strong}
    if isinstance(block, Facts):
        return {"items": [[printable(name), printable(value)] for name, value in block.items]}
    if isinstance(block, Bullets):
        return {"items": [printable(item) for item in block.items]}
    if isinstance(block, Listing):
        return {"lines": [_indented(printable(line)) for line in block.text.splitlines()]}
    if isinstance(block, Chart):
        picture = block.picture
        return {
            "title": printable(picture.title),
            "alt": printable(picture.alt),
            "svg": None if picture.empty else draw_svg_with_text(picture),
        }
    return _table(block)


def _indented(line: str) -> str:
    """A line whose leading blanks are kept: the layout would drop ordinary ones."""
    bare = line.lstrip(" ")
    return "\u00a0" * (len(line) - len(bare)) + bare


def _table(table: Table) -> dict[str, Any]:
    return {
        "caption": printable(table.caption),
        "headings": [printable(heading) for heading in table.headings],
        "rows": [[printable(cell) for cell in row] for row in table.rows],
        "numeric": list(table.numeric),
        "marks_column": table.marks_column,
        "anchors_column": table.anchors_column,
        "widths": _shares(table),
    }


def _shares(table: Table) -> list[float | None]:
    shares = [_share(table, column) for column in range(len(table.headings))]
    return shares if any(shares) else [1.0, *shares[1:]]


def _share(table: Table, column: int) -> float | None:
    """A column's share of the width by how much it has to say; None keeps its natural width."""
    lengths = [len(row[column]) for row in table.rows] + [len(table.headings[column])]
    if max(lengths) <= NARROW_LETTERS or column in table.numeric:
        return None
    said = max(sum(lengths) / len(lengths), len(table.headings[column]))
    return min(WIDEST_SHARE, max(NARROWEST_SHARE, math.sqrt(said)))
