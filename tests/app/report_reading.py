"""What a reader sees of a report in each format, as text."""

import html
import io
import json
import re

import openpyxl
import pypdfium2

BLANK = re.compile(r"[\s\u200b\ufffe\u0002]+")  # line ends and break marks are the layout's, not the text's


def squeezed(text):
    """Text without blanks, so that where a line breaks does not matter."""
    return BLANK.sub("", text)


def pages_of(raw):
    """The selectable text of each page of a PDF."""
    return [page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(raw)]


def words_of(raw, suffix):
    """The text of a report of that format."""
    return READERS[suffix](raw)


def texts_in(value):
    """Every text inside lists and dictionaries, in order."""
    if isinstance(value, dict):
        return [text for each in value.values() for text in texts_in(each)]
    if isinstance(value, list):
        return [text for each in value for text in texts_in(each)]
    return [value] if isinstance(value, str) else []


def sheets_of(raw):
    """The sheets of a workbook, formulas as they were written."""
    return openpyxl.load_workbook(io.BytesIO(raw)).worksheets


def cells_of(raw):
    """Every filled cell of a workbook."""
    return [cell for sheet in sheets_of(raw) for row in sheet for cell in row if cell.value is not None]


READERS = {
    ".html": lambda raw: html.unescape(raw.decode()),
    ".interactive.html": lambda raw: html.unescape(raw.decode()),
    ".json": lambda raw: "\n".join(texts_in(json.loads(raw))),
    ".xlsx": lambda raw: "\n".join(str(cell.value) for cell in cells_of(raw)),
    ".md": lambda raw: re.sub(r"\\(?=[\W_])", "", raw.decode()),
    ".pdf": lambda raw: "\n".join(pages_of(raw)),
}
