"""The rows of a request log in a private DuckDB: cells as text in, one typed row per request out.

All that a cell may be is settled here in SQL, so that ten rows and ten million are read by the same rules.
The connection sees one file and its own scratch folder, and nothing else.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from data.cell_numbers import MISSING_MARKERS, DecimalMark
from data.log_columns import Columns
from data.request_demand import CALENDAR_S

MEMORY_LIMIT = "800MB"
SCRATCH_LIMIT = "20GB"
THREAD_COUNT = 2
EXAMPLE_COUNT = 3
FINISH_REASONS = (
    "stop",
    "length",
    "eos",
    "end_turn",
    "stop_sequence",
    "max_tokens",
    "tool_calls",
    "tool_use",
)
GOOD_WORDS = (
    *("", "ok", "success", "succeeded", "true", "none", "null", "nan", "finished", "completed"),
    *FINISH_REASONS,
)
NO_ERROR_WORDS = ("", "ok", "none", "null", "nan", "false", "no")
YES_WORDS = (*GOOD_WORDS, "yes")
LARGEST_CELL_SHOWN = 40
GROUPED = "[0-9]{1,3}(,[0-9]{3})+[.][0-9]+|[0-9]{1,3}(,[0-9]{3}){2,}"
NUMBER_BY_MARK = {
    None: GROUPED,
    "point": f"{GROUPED}|[0-9]{{1,3}},[0-9]{{3}}",
    "comma": "[+-]?[0-9]+(,[0-9]+)?|[+-]?[0-9]{1,3}([.][0-9]{3})+(,[0-9]+)?",
}
LARGEST_TOKENS = 1e9  # a hundred times what any model reads
LONGEST_S = 31 * 86_400.0  # no request takes a month
LARGEST_WITHOUT_UNIT = 1e9  # ten days in milliseconds, a lifetime in seconds
ZONE = "([zZ]|[ ]UTC|[ ]GMT|:[0-9.]+[ ]?[+-][0-9]{2}(:?[0-9]{2})?)$"
TYPED_COLUMNS = ("start", "input_tok", "output_tok", "cached_tok", "ttft", "e2e")


@dataclass(frozen=True, slots=True, kw_only=True)
class BadCells:
    """Cells of one column that are no usable number: how many, and the first ones with their addresses."""

    column: int
    count: int
    examples: tuple[tuple[str, str], ...]


def open_scratch(folder: Path | None = None, file: Path | None = None) -> duckdb.DuckDBPyConnection:
    """A database of the reader's own: in memory, or in a folder that the caller removes, reading one file."""
    config: dict[str, Any] = {
        "memory_limit": MEMORY_LIMIT,
        "threads": THREAD_COUNT,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "temp_directory": str(folder / "spill") if folder else "",
        "max_temp_directory_size": SCRATCH_LIMIT if folder else "0B",
    }
    connection = duckdb.connect(str(folder / "log.duckdb") if folder else ":memory:", config=config)
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute("SET enable_progress_bar = true")
    connection.execute("SET enable_progress_bar_print = false")
    if folder is not None:
        connection.execute("SET allowed_directories = [" + quoted(str(folder)) + "]")
    if file is not None:
        connection.execute("SET allowed_paths = [" + quoted(str(file)) + "]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET python_enable_replacements = false")
    connection.execute("SET lock_configuration = true")
    return connection


def quoted(text: str) -> str:
    """A text as a SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def insert_cells(
    connection: duckdb.DuckDBPyConnection, width: int, rows: Iterable[tuple[int, Sequence[str]]]
) -> str:
    """Rows that were read already as the relation `cells`; its name."""
    listed = list(rows)
    lists = ", ".join("unnest(?::VARCHAR[])" for _ in range(width))
    names = ", ".join(cell_name(index) for index in range(width))
    columns = [list(column) for column in zip(*(cells for _, cells in listed), strict=True)]
    connection.execute(
        f"CREATE TABLE cells AS SELECT unnest(?::BIGINT[]) AS line, {lists}",
        [[line for line, _ in listed], *columns],
    )
    connection.execute(f"CREATE VIEW named_cells (line, {names}) AS SELECT * FROM cells")
    return "named_cells"


def cell_name(index: int) -> str:
    """The SQL name of a column of the file by its place."""
    return f"c{index}"


def create_requests(
    connection: duckdb.DuckDBPyConnection,
    cells: str,
    columns: Columns,
    marks: Mapping[int, DecimalMark],
) -> None:
    """The table `requests`: one typed row per row of `cells`; times still in the unit of their column."""
    used = [(name, place) for name in TYPED_COLUMNS if (place := getattr(columns, name)) is not None]
    wrong = [f"({_is_bad(name, place, columns, marks)})" for name, place in used]
    texts = ", ".join(
        f"CASE WHEN {each} THEN left({cell_name(place)}, {LARGEST_CELL_SHOWN}) END"
        for each, (_, place) in zip(wrong, used, strict=True)
    )
    bad = f"CASE WHEN {' OR '.join(wrong)} THEN [{texts}] END" if used else "NULL::VARCHAR[]"
    values = ", ".join(
        f"{_positive(name, getattr(columns, name), columns, marks)} AS {name}" for name in TYPED_COLUMNS
    )
    connection.execute(
        f"CREATE TABLE requests AS SELECT line, {_identity(columns)} AS id, {values}, "
        f"{_clock(columns.start, columns.start_power)} AS clock, "
        f"{_code(columns)} AS code, {_is_good_word(columns)} AS word_is_good, {_model(columns)} AS model, "
        f"{bad} AS bad_texts FROM {cells}"
    )


def _identity(columns: Columns) -> str:
    """A 64-bit hash of the ids; two of ten million differ and share one with a chance of 3 in a million."""
    if not columns.ids:
        return "NULL::UBIGINT"
    names = [cell_name(place) for place in columns.ids]
    return f"CASE WHEN concat({', '.join(names)}) <> '' THEN hash({', '.join(names)}) END"


def _value(name: str, place: int, columns: Columns, marks: Mapping[int, DecimalMark]) -> str:
    if name == "start":
        return _moment(place, columns.start_power)
    return _number(place, marks.get(place))


def _number(place: int, mark: DecimalMark | None) -> str:
    cell = f"trim({cell_name(place)})"
    pattern = quoted(NUMBER_BY_MARK[mark])
    if mark == "comma":
        plain = f"replace(replace({cell}, '.', ''), ',', '.')"
        return f"CASE WHEN regexp_full_match({cell}, {pattern}) THEN try_cast({plain} AS DOUBLE) END"
    grouped = f"try_cast(replace({cell}, ',', '') AS DOUBLE)"
    return (
        f"coalesce(try_cast({cell} AS DOUBLE), "
        f"CASE WHEN regexp_full_match({cell}, {pattern}) THEN {grouped} END)"
    )


def _moment(place: int, power: int | None) -> str:
    """Seconds on one clock: a number by its unit, an epoch by its digits, or ISO text, UTC where naive."""
    number = f"try_cast({cell_name(place)} AS DOUBLE)"
    text = f"epoch(try_cast({cell_name(place)} AS TIMESTAMPTZ))"
    if power is not None:
        return f"coalesce({number} / 1e{-power}, {text})"
    return (
        f"CASE WHEN {number} IS NULL THEN {text} "
        f"WHEN abs({number}) >= 1e18 AND abs({number}) < 1e19 THEN {number} / 1e9 "
        f"WHEN abs({number}) >= 1e15 AND abs({number}) < 1e16 THEN {number} / 1e6 "
        f"WHEN abs({number}) >= 1e12 AND abs({number}) < 1e13 THEN {number} / 1e3 ELSE {number} END"
    )


def _clock(place: int | None, power: int | None) -> str:
    """Which clock a start is told by: `zoned` (an epoch or text with an offset), `naive` text or `count`."""
    if place is None:
        return "NULL::VARCHAR"
    cell, moment = cell_name(place), _moment(place, power)
    number = f"try_cast({cell} AS DOUBLE)"
    is_epoch = f"{moment} >= {CALENDAR_S[0]} AND {moment} < {CALENDAR_S[1]}"
    return (
        f"CASE WHEN {number} IS NOT NULL THEN CASE WHEN {is_epoch} THEN 'zoned' ELSE 'count' END "
        f"WHEN regexp_matches(trim({cell}), {quoted(ZONE)}) THEN 'zoned' "
        f"WHEN {moment} IS NOT NULL THEN 'naive' END"
    )


def settle_clocks(connection: duckdb.DuckDBPyConnection) -> tuple[str | None, dict[str, int]]:
    """The clock that most starts are told by; starts by another lose theirs: how many of which."""
    rows = connection.execute(
        "SELECT clock, count(*) FROM requests WHERE start IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1 DESC"
    ).fetchall()
    if not rows:
        return None, {}
    kept, others = rows[0][0], dict(rows[1:])
    if others:
        connection.execute("UPDATE requests SET start = NULL WHERE clock <> ?", [kept])
    return str(kept), others


def _positive(name: str, place: int | None, columns: Columns, marks: Mapping[int, DecimalMark]) -> str:
    """The value where it can be one: a moment if finite, a time or a count only above 0."""
    if place is None:
        return "NULL::DOUBLE"
    value = _value(name, place, columns, marks)
    least = "" if name == "start" else f" AND {value} >= 0" if name == "cached_tok" else f" AND {value} > 0"
    return f"CASE WHEN {_is_usable(name, value, columns)}{least} THEN {value} END"


def _is_usable(name: str, value: str, columns: Columns) -> str:
    """A moment if finite; a time or a count if it is not beyond all that can be."""
    if name == "start":
        return f"isfinite({value})"
    return f"isfinite({value}) AND {value} >= 0 AND {value} < {_limit(name, columns)!r}"


def _limit(name: str, columns: Columns) -> float:
    """What a cell of that column must stay below, in the column's own unit."""
    if name not in ("ttft", "e2e"):
        return LARGEST_TOKENS
    power = columns.ttft_power if name == "ttft" else columns.e2e_power
    return LARGEST_WITHOUT_UNIT if power is None else LONGEST_S * 10.0**-power


def _is_bad(name: str, place: int, columns: Columns, marks: Mapping[int, DecimalMark]) -> str:
    """A cell that holds something, and that something is no moment or no usable number: below zero, without
    end, or beyond all that can be."""
    value = _value(name, place, columns, marks)
    markers = ", ".join(quoted(marker) for marker in sorted(MISSING_MARKERS))
    holds_something = f"coalesce(lower(trim({cell_name(place)})), '') NOT IN ({markers})"
    return f"NOT coalesce({_is_usable(name, value, columns)}, false) AND {holds_something}"


def _code(columns: Columns) -> str:
    if columns.state is None:
        return "NULL::DOUBLE"
    number = f"try_cast(trim({cell_name(columns.state)}) AS DOUBLE)"
    return f"CASE WHEN isfinite({number}) THEN trunc({number}) END"


def _is_good_word(columns: Columns) -> str:
    if columns.state is None:
        return "true"
    words = {"outcome": GOOD_WORDS, "error": NO_ERROR_WORDS, "success": YES_WORDS}[columns.state_kind]
    listed = ", ".join(quoted(word) for word in words)
    return f"coalesce(lower(trim({cell_name(columns.state)})), '') IN ({listed})"


def _model(columns: Columns) -> str:
    return "NULL::VARCHAR" if columns.model is None else f"nullif({cell_name(columns.model)}, '')"


def drop_repeats(connection: duckdb.DuckDBPyConnection) -> int:
    """Keep the last row of each request; how many rows went."""
    (repeats,) = row_of(connection, "SELECT count(id) - count(DISTINCT id) FROM requests")
    if repeats:
        connection.execute(
            "DELETE FROM requests USING (SELECT id AS again, max(rowid) AS last FROM requests "
            "WHERE id IS NOT NULL GROUP BY id HAVING count(*) > 1) AS repeated "
            "WHERE requests.id = repeated.again AND requests.rowid < repeated.last"
        )
    return int(repeats)


def create_successes(
    connection: duckdb.DuckDBPyConnection, columns: Columns, scale: Mapping[str, int]
) -> None:
    """The views `arrivals` (all requests) and `successes`, in seconds; `scale` has each time's power."""
    (has_codes,) = row_of(connection, "SELECT coalesce(bool_or(code >= 100), false) FROM requests")
    times = ", ".join(f"{name} / 1e{-power} AS {name}_s" for name, power in scale.items())
    connection.execute(
        f"CREATE VIEW told AS SELECT start AS start_s, {times}, input_tok, output_tok, cached_tok, "
        f"model, {_is_success(columns, has_codes)} AS is_success FROM requests"
    )
    # A first token after the last one is told wrong, and nobody knows which of the two times is.
    connection.execute(
        "CREATE VIEW arrivals AS SELECT start_s, input_tok, output_tok, cached_tok, model, is_success,"
        " CASE WHEN ttft_s > e2e_s THEN NULL ELSE ttft_s END AS ttft_s,"
        " CASE WHEN ttft_s > e2e_s THEN NULL ELSE e2e_s END AS e2e_s FROM told"
    )
    connection.execute(
        "CREATE VIEW successes AS SELECT *, CASE WHEN output_tok > 1 "
        "THEN (e2e_s - ttft_s) / (output_tok - 1) END AS tpot_s FROM arrivals WHERE is_success"
    )


def turned_times(connection: duckdb.DuckDBPyConnection) -> int:
    """Requests whose first token comes after their last; both their times count as missing."""
    (count,) = row_of(connection, "SELECT count(*) FILTER (ttft_s > e2e_s) FROM told")
    return int(count)


def _is_success(columns: Columns, has_codes: bool) -> str:
    """Whether the state says so. Beside HTTP codes a 0 or 1 is no code but a failed connection."""
    good_codes = {
        "outcome": "code BETWEEN 200 AND 299" + ("" if has_codes else " OR code IN (0, 1)"),
        "error": "code BETWEEN 200 AND 299 OR code = 0",
        "success": "code BETWEEN 200 AND 299 OR code = 1",
    }[columns.state_kind]
    return f"CASE WHEN code IS NULL THEN word_is_good ELSE {good_codes} END"


def bad_cells(connection: duckdb.DuckDBPyConnection, columns: Columns) -> tuple[BadCells, ...]:
    """What could not be read, per column; the address is the line where it is known, else the row of data."""
    places = [place for name in TYPED_COLUMNS if (place := getattr(columns, name)) is not None]
    found = []
    for number, place in enumerate(places, start=1):
        count, addresses, texts = row_of(
            connection,
            "SELECT count(*), arg_min(coalesce('line ' || line, 'data row ' || (rowid + 1)), rowid, "
            f"{EXAMPLE_COUNT}), arg_min(bad_texts[{number}], rowid, {EXAMPLE_COUNT}) "
            f"FROM requests WHERE bad_texts[{number}] IS NOT NULL",
        )
        if count:
            examples = tuple(zip(addresses, texts, strict=True))
            found.append(BadCells(column=place, count=count, examples=examples))
    return tuple(sorted(found, key=lambda each: each.column))


def row_of(connection: duckdb.DuckDBPyConnection, sql: str) -> tuple[Any, ...]:
    """The one row that an aggregate answers with."""
    row = connection.execute(sql).fetchone()
    assert row is not None  # noqa: S101  an aggregate without GROUP BY always has a row
    return row
