"""A report as a workbook: a sheet a section, and the plan's figures as numbers with live formulas and charts.

Every text is written as text, never as a formula, a link or a number, and marked so for the spreadsheet.
"""

import io
import re
from datetime import datetime

import xlsxwriter
from xlsxwriter.workbook import Workbook
from xlsxwriter.worksheet import Worksheet

from app.report.blocks import Block, Bullets, Chart, Document, Facts, Listing, Paragraph, Section
from app.report.workbook_figures import FIGURE_SHEETS
from app.report.workbook_styles import Styles

SUFFIX = ".xlsx"
MIME = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
LABEL = "Excel"

OPTIONS = {
    "in_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}
CREATED_ON = datetime(2000, 1, 1)  # the file's own date, fixed: the same report, the same bytes
MOST_SIGNS_IN_NAME = 31
FORBIDDEN_IN_NAME = re.compile(r"[\[\]:*?/\\']")


def render(document: Document) -> bytes:
    """The document as an XLSX workbook; the same document gives the same bytes."""
    buffer = io.BytesIO()
    book = xlsxwriter.Workbook(buffer, OPTIONS)
    book.set_properties({"title": _clean(document.title), "author": "Plimsoll", "created": CREATED_ON})
    styles = Styles(book)
    for section in document.sections:
        _section(book, styles, document, section)
        if document.view is not None:
            for draw in FIGURE_SHEETS.get(section.key, ()):
                draw(book, styles, document.view)
    book.close()
    return buffer.getvalue()


def _section(book: Workbook, styles: Styles, document: Document, section: Section) -> None:
    sheet = book.add_worksheet(FORBIDDEN_IN_NAME.sub(" ", section.title)[:MOST_SIGNS_IN_NAME])
    sheet.set_column(0, 0, 30)
    sheet.set_column(1, 12, 18)
    sheet.write_string(0, 0, _clean(document.title), styles.title)
    sheet.write_string(1, 0, _clean(document.subtitle), styles.faint)
    sheet.write_string(3, 0, _clean(section.title), styles.head)
    row = 5
    for block in section.blocks:
        for cells, heads in _rows(block):
            for column, cell in enumerate(cells):
                sheet.write_string(row, column, _clean(cell), styles.head if heads else styles.text)
            row += 1
        row += 1
    sheet.write_string(row, 0, _clean(document.footer), styles.faint)
    _lay_out(sheet)


def _lay_out(sheet: Worksheet) -> None:
    sheet.hide_gridlines(2)
    sheet.set_landscape()
    sheet.set_paper(9)
    sheet.fit_to_pages(1, 0)


def _rows(block: Block) -> list[tuple[tuple[str, ...], bool]]:
    """A block as rows of texts, and whether each is a head."""
    if isinstance(block, Paragraph):
        return [((block.text,), block.strong)]
    if isinstance(block, Facts):
        return [(item, False) for item in block.items]
    if isinstance(block, Bullets):
        return [((item,), False) for item in block.items]
    if isinstance(block, Listing):
        return [((line,), False) for line in block.text.splitlines()]
    if isinstance(block, Chart):
        return [((block.picture.title,), True), ((block.picture.alt,), False)]
    return [((block.caption,), False), (block.headings, True), *((row, False) for row in block.rows)]


def _clean(text: str) -> str:
    """Text without halves of letters, which no file can hold."""
    return text.encode("utf-8", "replace").decode()
