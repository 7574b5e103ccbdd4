"""What a reader sees of a report in each format, as text."""

import html
import re

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


READERS = {
    ".html": lambda raw: html.unescape(raw.decode()),
    ".md": lambda raw: re.sub(r"\\(?=[\W_])", "", raw.decode()),
    ".pdf": lambda raw: "\n".join(pages_of(raw)),
}
