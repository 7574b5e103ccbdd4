"""A mapping of columns as a small file: written by the Benchmarks page, read strictly by the command line."""

import json
from collections.abc import Sequence
from typing import Any

from data.column_mapping import MEANINGS, ColumnChoice, ColumnMapping, is_unsafe, units_for
from data.reading import Reader, close_names, shown
from data.scenario_text import read_draft, write_draft
from models.problems import InputProblems, Problem

SCHEMA_NAME = "plimsoll-columns"
SCHEMA_VERSION = 1
SCHEMA = f"{SCHEMA_NAME}/{SCHEMA_VERSION}"
NOT_USED_WORDS = "not used"


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
    reader = Reader(read_draft(raw, name), "", problems)
    _check_schema(reader, name)
    tables = reader.groups("tables", what="tables with their columns", at_least_one=True)
    mappings = tuple(_mapping(table) for table in tables)
    reader.close()
    if problems:
        raise InputProblems(problems)
    return mappings


def _check_schema(reader: Reader, name: str) -> None:
    schema = reader.text("schema", required=True)
    stem, _, version = schema.partition("/")
    if schema and (stem != SCHEMA_NAME or not (version.isascii() and version.isdigit())):
        reader.refuse("schema", f"{shown(schema)} is no mapping of columns", f"Write schema: {SCHEMA}.")
    elif schema and int(version) != SCHEMA_VERSION:
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
