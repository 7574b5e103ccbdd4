"""A table of benchmark points, one load per row: our own columns, or hand-made ones whose names are known."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from data.cell_numbers import shown
from data.column_mapping import RecognisedTable, mapping_for
from data.column_names import LOAD_TARGETS, ColumnMeaning, is_private, meaning_of, normalised
from data.columns import MEASUREMENT_COLUMNS, TEXTS
from data.file_content import FileContent, Reading
from data.foreign_tables import headings
from data.table_cells import CellReader, ColumnMark, marks_of_columns
from data.table_columns import counter_of, private_columns, recognised, said_columns
from data.table_values import measurements_of
from data.text_tables import TextTable, likely_header, read_table
from data.unit_doubts import MOST_ROWS_TRIED, unit_doubts
from models.problems import Problem

KEY = "csv"
LABEL = "Benchmark table (CSV)"


def sniff(content: FileContent) -> float:
    """1 for our own export; 0.5 where a row names a load or a result in words known here; 0 otherwise."""
    if content.is_json:
        return 0.0
    if headings(content.text) >= set(MEASUREMENT_COLUMNS):
        return 1.0
    header = likely_header(content.text, count_known)
    targets = {meaning.target for heading in header if (meaning := meaning_of(heading))}
    return 0.5 if len(targets) >= 2 and targets - set(TEXTS) else 0.0


def count_known(cells: Sequence[str]) -> int:
    """How many of the cells are headings known here."""
    return sum(meaning_of(cell) is not None for cell in cells if cell)


def read(content: FileContent) -> Reading:
    """All rows of the table; a row that cannot be read is a problem with its line and column."""
    table = read_table(content.name, content.text, counter_of(content.mappings, count_known))
    if isinstance(table, Problem):
        return Reading(rows_read=0, problems=(table,))
    rows_read = len(table.rows) + len(table.problems)
    mapping = mapping_for(content.mappings, table.header)
    columns, column_problems = understood_columns(table) if mapping is None else said_columns(table, mapping)
    column_problems += headings_twice(table, columns)
    refusals = [problem for problem in column_problems if problem.severity == "error"]
    refusals += table_refusals(content.name, table, columns)
    if refusals:
        shown_as = recognised(content.name, table, columns, {}, mapping)
        return Reading(rows_read=rows_read, problems=(*refusals, *table.problems), tables=(shown_as,))
    marks = marks_of_columns(columns, [cells for _, cells in table.rows], table.delimiter)
    shown_as = recognised(content.name, table, columns, marks, mapping)
    readers = {place: CellReader(column, marks.get(place, ColumnMark())) for place, column in columns.items()}
    measurements, row_problems = measurements_of(table.rows, readers)
    problems = [*column_problems, *table.problems, *_mixed_marks(table, marks), *row_problems]
    tried = [each for _, each in measurements[:MOST_ROWS_TRIED]]
    shown_as = replace(shown_as, doubts=unit_doubts(shown_as, tried))
    problems.extend(_doubted_units(table, shown_as))
    return Reading(
        rows_read=rows_read,
        measurements=tuple(measurements),
        problems=tuple(problems),
        tables=(shown_as,),
    )


def is_explained(content: FileContent) -> bool:
    """Whether the text is a table whose columns somebody explained, so that nothing need be guessed."""
    if not content.mappings or content.is_json:
        return False
    header = likely_header(content.text, counter_of(content.mappings, count_known))
    return mapping_for(content.mappings, header) is not None


def understood_columns(table: TextTable) -> tuple[dict[int, ColumnMeaning], list[Problem]]:
    """What each column is read as, by its place; and problems with headings that are not or twice."""
    columns = {
        index: meaning
        for index, heading in enumerate(table.header)
        if (meaning := meaning_of(heading)) is not None
    }
    columns = _without_rivals(columns)
    path = f"row {table.header_line}"
    private = [heading for heading in table.header if is_private(heading)]
    problems = private_columns(path, private)
    unread = [
        heading or f"column {index + 1} (no name)"
        for index, heading in enumerate(table.header)
        if index not in columns and heading not in private and any(row[index] for _, row in table.rows)
    ]
    if unread:
        problems.append(
            Problem(
                path=path,
                message=f"columns not understood were left out: {', '.join(unread)}",
                cure="Name them as in the template, or say what they mean (Benchmarks page, --mapping).",
                severity="warning",
            )
        )
    problems.extend(
        Problem(
            path=f"{path}, column {column.heading}",
            message=f"read as {column.target}, but {column.doubt}",
            cure="Name it as in the template to be sure.",
            severity="warning",
        )
        for column in columns.values()
        if column.doubt
    )
    return columns, problems


def _without_rivals(columns: dict[int, ColumnMeaning]) -> dict[int, ColumnMeaning]:
    """Settle doubtful headings by what else is there: a plain throughput beside an output throughput is the
    total, tensor parallelism yields to a number of accelerators, and a rate alone is the offered load."""
    targets = {column.target for column in columns.values() if not column.doubt}
    settled: dict[int, ColumnMeaning] = {}
    for index, column in columns.items():
        if column.target == "throughput":
            kind = "total" if "output_rate_tok_per_s" in targets else "output"
            column = replace(column, target=f"{kind}_rate_tok_per_s")
        if column.doubt and column.target in targets:
            continue
        settled[index] = column
    if not any(column.target in LOAD_TARGETS for column in settled.values()):
        for index, column in settled.items():
            if normalised(column.heading) in ("rps", "qps"):
                doubt = "it is the only load in the table and is taken as the offered rate"
                settled[index] = replace(column, target="offered_rate_req_per_s", doubt=doubt)
    return settled


def headings_twice(table: TextTable, columns: dict[int, ColumnMeaning]) -> list[Problem]:
    """A heading used twice, or two headings that mean the same: never keep only one in silence."""
    path, header = f"row {table.header_line}", table.header
    problems = []
    first_by_name: dict[str, str] = {}
    for index, heading in enumerate(header):
        name = columns[index].target if index in columns else normalised(heading)
        if not name:
            continue
        if name in first_by_name:
            problems.append(
                Problem(
                    path=f"{path}, column {index + 1}",
                    message=f"the headings {first_by_name[name]!r} and {heading!r} mean the same",
                    cure="Keep one of them, or rename one to what it measures, such as ttft_ms_p50.",
                )
            )
        first_by_name.setdefault(name, heading)
    return problems


def table_refusals(name: str, table: TextTable, columns: dict[int, ColumnMeaning]) -> list[Problem]:
    """Why the whole table cannot be used: no rows, nothing known, or several rows without a load."""
    if not columns:
        return [
            Problem(
                path=name,
                message="no heading of this table is known",
                cure="Download the template and use its headings.",
            )
        ]
    if not table.rows and not table.problems:
        return [Problem(path=name, message="the table has a header and no rows", cure="Add a row per load.")]
    targets = {column.target for column in columns.values()}
    if not any(column.is_result for column in columns.values()):
        return [
            Problem(
                path=f"row {table.header_line}",
                message="no column holds a latency or a throughput",
                cure="Add one, such as ttft_ms_p50, tpot_ms_mean or output_tps.",
            )
        ]
    if len(table.rows) > 1 and not targets.intersection(LOAD_TARGETS):
        return [
            Problem(
                path=f"row {table.header_line}",
                message=f"{len(table.rows)} rows and no column says at which load they were measured",
                cure="Add a column concurrency, request_rate_rps or batch.",
            )
        ]
    return []


def _doubted_units(table: TextTable, shown_as: RecognisedTable) -> list[Problem]:
    """What would fit in another unit; it is left as it is written until its owner says so."""
    return [
        Problem(
            path=f"row {table.header_line}, columns {', '.join(doubt.headings)}",
            message=f"the figures of {doubt.mended_count} rows would fit each other in {doubt.unit}; they "
            "are read in the unit of the heading",
            cure=f"Are they in {doubt.unit}? Say so in the heading, by --mapping or on the Benchmarks page.",
            severity="warning",
        )
        for doubt in shown_as.doubts
    ]


def _mixed_marks(table: TextTable, marks: Mapping[int, ColumnMark]) -> list[Problem]:
    """That a column writes decimal points and commas, whose cells are then read one by one."""
    return [
        Problem(
            path=f"row {table.header_line}, column {table.header[place]}",
            message=f"decimal points and commas are mixed, as in {shown(written.mixed[0])} and "
            f"{shown(written.mixed[1])}; each cell is read by its own mark",
            cure="Write all numbers of the column with one decimal mark.",
            severity="warning",
        )
        for place, written in marks.items()
        if written.mixed
    ]
