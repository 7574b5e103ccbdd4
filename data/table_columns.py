"""The columns of a table as they were read: by the word of its owner, and shown with one cell converted."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date

from data.cell_numbers import is_missing
from data.column_mapping import (
    NOT_USED,
    ColumnChoice,
    ColumnMapping,
    RecognisedColumn,
    RecognisedTable,
    is_named,
    is_unsafe,
    known_headings,
    meaning_said,
    unit_read,
)
from data.column_names import ColumnMeaning, is_private
from data.table_cells import CellReader, ColumnMark
from data.text_tables import TextTable
from models.problems import Problem

LONGEST_EXAMPLE = 40
CountKnown = Callable[[Sequence[str]], int]


def counter_of(mappings: Sequence[ColumnMapping], count_known: CountKnown) -> CountKnown:
    """How many cells of a row are headings that a mapping names or `count_known` knows."""
    names = known_headings(mappings)
    if not names:
        return count_known
    return lambda cells: max(count_known(cells), sum(is_named(cell, names) for cell in cells if cell))


def said_columns(table: TextTable, mapping: ColumnMapping) -> tuple[dict[int, ColumnMeaning], list[Problem]]:
    """What each column is read as by its owner's word, by its place; and what was left out."""
    choices = mapping.places_in(table.header)
    path = f"row {table.header_line}"
    dropped = [choice.heading for choice in choices.values() if is_unsafe(choice)]
    problems = private_columns(path, dropped)
    unnamed = [
        heading or f"column {place + 1} (no name)"
        for place, heading in enumerate(table.header)
        if place not in choices and any(row[place] for _, row in table.rows)
    ]
    if unnamed:
        message = f"columns that the mapping does not name were left out: {', '.join(unnamed)}"
        cure = "Map them on the Benchmarks page if they are needed."
        problems.append(Problem(path=path, message=message, cure=cure, severity="warning"))
    columns = {
        place: meaning_said(choice)
        for place, choice in choices.items()
        if choice.meaning != NOT_USED and not is_unsafe(choice)
    }
    return columns, problems


def private_columns(path: str, headings: Sequence[str]) -> list[Problem]:
    """That columns which are never kept were dropped; nothing where there is none."""
    if not headings:
        return []
    return [
        Problem(
            path=path,
            message=f"columns with prompts, answers or secrets were dropped: {', '.join(headings)}",
            cure="Leave them out before sharing the file.",
            severity="warning",
        )
    ]


def recognised(
    label: str,
    table: TextTable,
    columns: Mapping[int, ColumnMeaning],
    marks: Mapping[int, ColumnMark],
    mapping: ColumnMapping | None,
) -> RecognisedTable:
    """Every column of the table with what it is read as, and the first cell that holds something."""
    found = []
    for place, heading in enumerate(table.header):
        column = columns.get(place)
        example = next((row[place] for _, row in table.rows if not is_missing(row[place])), "")
        found.append(_column(heading, column, example, marks.get(place, ColumnMark())))
    return RecognisedTable(
        label=label,
        header_line=table.header_line,
        columns=tuple(found),
        said_on=mapping.said_on if mapping else None,
        given=mapping is not None and mapping.said_on is None,
    )


def _column(
    heading: str, column: ColumnMeaning | None, example: str, written: ColumnMark
) -> RecognisedColumn:
    if column is None:
        shown = RecognisedColumn(choice=ColumnChoice(heading=heading), example=example[:LONGEST_EXAMPLE])
        return replace(shown, example="", private=True) if is_private(heading) else shown
    value = CellReader(column, written).read(example).value
    return RecognisedColumn(
        choice=ColumnChoice(heading=heading, meaning=column.target, unit=unit_read(column)),
        doubt=column.doubt,
        example=example[:LONGEST_EXAMPLE],
        value=value.isoformat() if isinstance(value, date) else value,
    )
