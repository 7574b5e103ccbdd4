"""A mapping of columns as a small file: written by the Benchmarks page, read strictly by the command line."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from data.column_mapping import (
    MEANINGS,
    ColumnChoice,
    ColumnMapping,
    is_unsafe,
    unit_read,
    units_for,
)
from data.column_names import meaning_of
from data.reading import Reader, close_names, shown
from data.scenario_text import read_draft, write_draft
from models.problems import InputProblems, Problem

SCHEMA_NAME = "plimsoll-columns"
SCHEMA_VERSION = 1
SCHEMA = f"{SCHEMA_NAME}/{SCHEMA_VERSION}"
NOT_USED_WORDS = "not used"
FORMAT = (
    f"Write schema: {SCHEMA}, and tables: with columns: of heading:, meaning: (such as ttft_ms_p50) and "
    "unit:; or download one under Columns as read on the Benchmarks page."
)


def write_mappings(mappings: Sequence[ColumnMapping]) -> str:
    """The mappings of one file's tables as YAML; `read_mappings` gives them back."""
    return write_draft(document_of(mappings))


def document_of(mappings: Sequence[ColumnMapping]) -> dict[str, Any]:
    """The mappings as a plain dictionary."""
    return {
        "schema": SCHEMA,
        "tables": [
            {
                "columns": [
                    {"heading": column.heading, "meaning": column.meaning or NOT_USED_WORDS}
                    | ({"unit": column.unit} if column.unit else {})
                    for column in mapping.columns
                ]
            }
            for mapping in mappings
        ],
    }


def text_of(mapping: ColumnMapping) -> str:
    """One mapping in one line, as the store keeps it."""
    return json.dumps(document_of([mapping]), ensure_ascii=False)


def read_mappings(raw: bytes | str, name: str = "mapping") -> tuple[ColumnMapping, ...]:
    """The mappings that a YAML or JSON file holds; InputProblems with the address of each fault."""
    problems: list[Problem] = []
    reader = Reader(_document(raw, name), "", problems)
    _check_schema(reader, name)
    if problems:
        raise InputProblems(problems)  # of another kind of file the rest says nothing
    tables = reader.groups("tables", what="tables with their columns", at_least_one=True)
    mappings = tuple(_mapping(table) for table in tables)
    reader.close()
    if problems:
        raise InputProblems(problems)
    return mappings


def _document(raw: bytes | str, name: str) -> Any:
    """The file as plain values; InputProblems that name this kind of file where it is no YAML."""
    try:
        return read_draft(raw, name)
    except InputProblems as error:
        raise InputProblems(
            [
                replace(problem, message=f"{problem.message}; a mapping of columns was expected", cure=FORMAT)
                for problem in error.problems
            ]
        ) from error


def _check_schema(reader: Reader, name: str) -> None:
    schema = str(reader.value("schema") or "")
    stem, _, version = schema.partition("/")
    if not schema:
        reader.refuse("schema", f"is missing, so {name} is no mapping of columns", FORMAT)
    elif stem != SCHEMA_NAME or not (version.isascii() and version.isdigit()):
        reader.refuse("schema", f"{shown(schema)} is no mapping of columns", FORMAT)
    elif int(version) != SCHEMA_VERSION:
        message = f"the mapping is version {version[:9]}, this program reads version {SCHEMA_VERSION}"
        reader.refuse("schema", message, f"Export {name} again from this program.")


def _mapping(reader: Reader) -> ColumnMapping:
    entries = reader.groups("columns", what="columns with heading and meaning", at_least_one=True)
    columns = tuple(_choice(entry) for entry in entries)
    reader.close()
    return ColumnMapping(columns=columns)


def _choice(entry: Reader) -> ColumnChoice:
    heading = entry.value("heading")
    if not isinstance(heading, str):  # a column without a name has the heading ""
        entry.refuse("heading", f"expected a text, got {shown(heading)}", "Write it as the file does.")
        heading = ""
    meaning = entry.text("meaning", required=True)
    unit = entry.text("unit") or ""
    entry.close()
    if meaning in ("", NOT_USED_WORDS):
        return ColumnChoice(heading=heading)
    if meaning not in MEANINGS and (own := meaning_of(meaning)) is not None and not own.doubt:
        meaning, unit = own.target, unit or unit_read(own)  # a name of the CSV template, with its unit
    if meaning not in MEANINGS:
        entry.refuse("meaning", f"{shown(meaning)} is not known", close_names(meaning, MEANINGS))
        return ColumnChoice(heading=heading)
    allowed = units_for(meaning)
    if unit not in allowed and not (unit == "" and len(allowed) == 1):
        cure = f"Write one of: {', '.join(allowed)}." if allowed != ("",) else "Leave the unit out."
        entry.refuse("unit", f"{shown(unit)} is no unit of {meaning}" if unit else "is missing", cure)
        return ColumnChoice(heading=heading)
    choice = ColumnChoice(heading=heading, meaning=meaning, unit=unit or allowed[0])
    if is_unsafe(choice):
        message = f"{shown(heading)} holds prompts, answers or secrets, which are never kept"
        entry.refuse("meaning", message, f"Write {NOT_USED_WORDS}.")
        return ColumnChoice(heading=heading)
    return choice
