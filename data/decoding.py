"""Bytes of an uploaded file as text, or what the file looks like where it is not text."""

import codecs
from collections.abc import Iterable

from models.problems import Problem

BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
BINARY_KINDS = (
    (b"%PDF", "a PDF"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"SQLite format 3", "an SQLite database"),
    (b"PAR1", "a Parquet file"),
    (b"PK\x03\x04", "a zip file or an Excel workbook"),
    (b"\xd0\xcf\x11\xe0", "an old Excel or Word file"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
    (b"ARROW1", "an Arrow file"),
)
MARKUP_STARTS = ("<!doctype", "<html", "<head", "<body", "<?xml", "<svg")
HEAD_BYTE = 4096


def binary_kind(raw: bytes) -> str | None:
    """What the first bytes say the file is, where it is no text; None for what may be text."""
    if raw[8:12] == b"DUCK":
        return "a DuckDB database"
    for magic, kind in BINARY_KINDS:
        if raw.startswith(magic):
            return kind
    return None


def markup_kind(text: str) -> str | None:
    """ "a web page" where the text is HTML or XML; None otherwise."""
    return "a web page or XML" if text.lstrip()[:64].lower().startswith(MARKUP_STARTS) else None


def decode(name: str, raw: bytes) -> str | Problem:
    """The file's text without its byte order mark, letter for letter; a Problem where it is not text.

    Byte order mark first, then strict UTF-8, then Windows-1252, which Excel writes in the west.
    """
    for mark, encoding in BYTE_ORDER_MARKS:
        if raw.startswith(mark):
            return _strictly(name, raw, encoding)
    if _looks_like_utf16(raw[:HEAD_BYTE]):
        return _strictly(name, raw, "utf-16-le")
    if b"\x00" in raw:
        return _not_text(name)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return _strictly(name, raw, "cp1252")


def _looks_like_utf16(head: bytes) -> bool:
    """Every second byte zero: western text in UTF-16 without its mark."""
    second_bytes = head[1::2]
    return len(second_bytes) >= 4 and second_bytes.count(0) > 0.9 * len(second_bytes) and head[0:1] != b"\x00"


def _strictly(name: str, raw: bytes, encoding: str) -> str | Problem:
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        return Problem(
            path=f"{name}, line {line}",
            message=f"byte {error.start} is no letter in any encoding known here ({encoding} was tried last)",
            cure="Save the file as UTF-8 and import it again.",
        )
    return _not_text(name) if "\x00" in text else text


def _not_text(name: str) -> Problem:
    return Problem(
        path=name,
        message="this looks like a binary file, not a benchmark result",
        cure=accepted_formats_cure(()),
    )


def accepted_formats_cure(labels: Iterable[str]) -> str:
    """What to upload instead; `labels` are the importers' own names."""
    names = "; ".join(labels) or "CSV or JSON as text"
    return f"Upload one of: {names}."
