"""What a spreadsheet program shows and the values of its cells alone do not: errors, formulas that were never
calculated, hidden rows and columns. Read from the workbook's own XML, which is never expanded or resolved."""

import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from xml.parsers import expat

from data.cell_numbers import UNCALCULATED, is_spreadsheet_error

WORTH_READING = re.compile(rb"""t=["']e["']|<(?:\w+:)?f[ >/]|hidden=["'](?:1|true)["']""")
CELL_NAME = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
TRUE = ("1", "true")
LONGEST_FORMULA_SHOWN = 30
MOST_ROWS, MOST_COLUMNS = 1_048_576, 16_384  # of a sheet
MOST_MARKED_AT_ONCE = 1_000  # OpenDocument repeats a row or cell to the end of the sheet
UNREADABLE = (zipfile.BadZipFile, OSError, KeyError, RuntimeError, ValueError, EOFError)


@dataclass(slots=True, kw_only=True)
class SheetMarks:
    """Marks of one sheet; rows and columns count from 0.

    errors           the error that a cell shows, by row and column
    uncalculated     cells whose formula has no result in the file, as a cell's text that says so
    hidden_rows, hidden_columns   of those that hold anything
    """

    errors: dict[tuple[int, int], str] = field(default_factory=dict)
    uncalculated: dict[tuple[int, int], str] = field(default_factory=dict)
    hidden_rows: set[int] = field(default_factory=set)
    hidden_columns: set[int] = field(default_factory=set)


def marks_of_sheets(raw: bytes) -> Mapping[str, SheetMarks] | None:
    """The marks of each sheet by its name; None of a kind of workbook whose cells cannot be looked at."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            names = set(archive.namelist())
            if "xl/workbook.xml" in names:
                return _of_excel(archive, names)
            if "content.xml" in names:
                return _of_open_document(archive.read("content.xml"))
    except (*UNREADABLE, expat.ExpatError, zlib.error):
        pass
    return None


def cell_address(row: int, column: int) -> str:
    """The name a spreadsheet program gives the cell: row 2 and column 1, from 0, are B3."""
    letters = ""
    place = column + 1
    while place:
        place, rest = divmod(place - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return f"{letters}{row + 1}"


def _parsed(
    raw: bytes,
    start: Callable[[str, dict[str, str]], None],
    end: Callable[[str], None],
    words: Callable[[str], None],
) -> None:
    """Walk through the XML with names freed of their namespace; a document type is refused."""
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = lambda name, attributes: start(
        _local(name), {_local(key): value for key, value in attributes.items()}
    )
    parser.EndElementHandler = lambda name: end(_local(name))
    parser.CharacterDataHandler = words
    parser.StartDoctypeDeclHandler = _refuse_doctype
    parser.Parse(raw, True)


def _local(name: str) -> str:
    return name.rpartition(" ")[2]


def _refuse_doctype(*_: object) -> None:
    raise ValueError("a document type has no place in a workbook")


def _nothing(_: str) -> None:
    """For elements or words that do not matter."""


def _of_excel(archive: zipfile.ZipFile, names: set[str]) -> dict[str, SheetMarks]:
    """Each worksheet by its name in the workbook; those without anything to mark are not parsed."""
    listed, targets, asks_for_results = _excel_sheets(archive)
    found = {}
    for name, link in listed:
        path = posixpath.normpath(posixpath.join("xl", targets.get(link, ""))).lstrip("/")
        if path in names:
            raw = archive.read(path)
            marks = _ExcelSheet(asks_for_results)
            if WORTH_READING.search(raw):
                _parsed(raw, marks.start, marks.end, marks.words)
            found[name] = marks.found
    return found


def _excel_sheets(archive: zipfile.ZipFile) -> tuple[list[tuple[str, str]], dict[str, str], bool]:
    """Names and links of the sheets, where the links lead, and whether results are yet to be worked out."""
    listed: list[tuple[str, str]] = []
    targets: dict[str, str] = {}
    settings: dict[str, str] = {}

    def workbook(name: str, attributes: dict[str, str]) -> None:
        if name == "sheet":
            listed.append((attributes.get("name", ""), attributes.get("id", "")))
        if name == "calcPr":
            settings.update(attributes)

    def links(name: str, attributes: dict[str, str]) -> None:
        if name == "Relationship":
            targets[attributes.get("Id", "")] = attributes.get("Target", "")

    _parsed(archive.read("xl/workbook.xml"), workbook, _nothing, _nothing)
    _parsed(archive.read("xl/_rels/workbook.xml.rels"), links, _nothing, _nothing)
    return listed, targets, settings.get("fullCalcOnLoad") in TRUE


class _ExcelSheet:
    """Walks through one worksheet; `found` holds its marks."""

    def __init__(self, asks_for_results: bool) -> None:
        self.found = SheetMarks()
        self._asks_for_results = asks_for_results  # then a 0 is what the writing library put for want of one
        self._row = self._column = -1
        self._kind = ""
        self._text: dict[str, str] = {}
        self._inside = ""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "col" and attributes.get("hidden") in TRUE:
            last = min(MOST_COLUMNS, int(attributes["max"]))
            self.found.hidden_columns.update(range(int(attributes["min"]) - 1, last))
        elif name == "row":
            self._row = int(attributes.get("r", self._row + 2)) - 1
            self._column = -1
            if attributes.get("hidden") in TRUE:
                self.found.hidden_rows.add(self._row)
        elif name == "c":
            at = CELL_NAME.fullmatch(attributes.get("r", ""))
            self._column = _column_of(at[1]) if at else self._column + 1
            self._kind = attributes.get("t", "n")
            self._text = {}
        elif name in ("f", "v"):
            self._inside = name
            self._text.setdefault(name, "")

    def words(self, words: str) -> None:
        if self._inside:
            self._text[self._inside] += words

    def end(self, name: str) -> None:
        if name in ("f", "v"):
            self._inside = ""
        elif name == "c":
            self._note()

    def _note(self) -> None:
        value, formula = self._text.get("v", "").strip(), self._text.get("f")
        place = (self._row, self._column)
        if self._kind == "e":
            self.found.errors[place] = value or "#ERROR!"
        elif formula is None or self._kind == "str":
            return
        elif not value or (self._asks_for_results and value == "0"):
            self.found.uncalculated[place] = _uncalculated(formula)


def _column_of(letters: str) -> int:
    place = 0
    for letter in letters:
        place = place * 26 + ord(letter) - ord("A") + 1
    return place - 1


def _uncalculated(formula: str) -> str:
    shown = formula.removeprefix("of:").removeprefix("=")[:LONGEST_FORMULA_SHOWN]
    return f"{UNCALCULATED} ={shown}" if shown else UNCALCULATED


def _of_open_document(raw: bytes) -> dict[str, SheetMarks]:
    walk = _OpenDocument()
    _parsed(raw, walk.start, walk.end, walk.words)
    return walk.found


class _OpenDocument:
    """Walks through an OpenDocument file; `found` holds the marks of each table."""

    def __init__(self) -> None:
        self.found: dict[str, SheetMarks] = {}
        self._sheet = SheetMarks()
        self._row = self._column = self._next_column = 0
        self._row_times = self._cell_times = 1
        self._cell: dict[str, str] | None = None
        self._text = ""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        handle = {
            "table": self._table,
            "table-column": self._columns,
            "table-row": self._rows,
            "table-cell": self._cells,
            "covered-table-cell": self._cells,
        }.get(name)
        if handle is not None:
            handle(attributes)

    def words(self, words: str) -> None:
        if self._cell is not None:
            self._text += words

    def end(self, name: str) -> None:
        if name == "table-row":
            self._row += self._row_times
        elif name in ("table-cell", "covered-table-cell") and self._cell is not None:
            self._note(self._cell, self._text.strip())
            self._cell = None
            self._column += self._cell_times

    def _table(self, attributes: dict[str, str]) -> None:
        self._sheet = self.found[attributes.get("name", "")] = SheetMarks()
        self._row = self._next_column = 0

    def _columns(self, attributes: dict[str, str]) -> None:
        times = _times(attributes, "number-columns-repeated")
        if attributes.get("visibility") in ("collapse", "filter"):
            last = min(MOST_COLUMNS, self._next_column + times)
            self._sheet.hidden_columns.update(range(self._next_column, last))
        self._next_column += times

    def _rows(self, attributes: dict[str, str]) -> None:
        self._row_times = _times(attributes, "number-rows-repeated")
        self._column = 0
        if attributes.get("visibility") in ("collapse", "filter"):
            last = min(MOST_ROWS, self._row + self._row_times)
            self._sheet.hidden_rows.update(range(self._row, last))

    def _cells(self, attributes: dict[str, str]) -> None:
        self._cell_times = _times(attributes, "number-columns-repeated")
        self._cell, self._text = attributes, ""

    def _note(self, cell: dict[str, str], text: str) -> None:
        formula = cell.get("formula")
        if formula is None:
            return
        is_empty = "value-type" not in cell and not text
        repeated = (
            (self._row + down, self._column + right)
            for down in range(self._row_times)
            for right in range(self._cell_times)
        )
        places = list(islice(repeated, MOST_MARKED_AT_ONCE))
        if is_spreadsheet_error(text):
            self._sheet.errors.update(dict.fromkeys(places, text))
        elif is_empty:
            self._sheet.uncalculated.update(dict.fromkeys(places, _uncalculated(formula)))


def _times(attributes: Mapping[str, str], name: str) -> int:
    return min(MOST_ROWS, max(1, int(attributes.get(name, "1"))))
