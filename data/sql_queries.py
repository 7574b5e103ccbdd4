"""A reader's own SQL over the benchmark tables: one statement, read only, within a time and a row limit."""

import json
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import duckdb

from data.store_faults import first_line
from models.problems import InputProblems, Problem

READING_STATEMENTS = (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN)
TABLE_FUNCTIONS = ("range", "generate_series", "unnest", "repeat", "repeat_row")
CLOSED_TABLES = ("duckdb_", "pragma_", "sqlite_", "pg_settings")  # they tell paths and settings of the server
CLOSED_FUNCTIONS = ("current_setting", "getvariable", "write_log")
# One constant call of these fills the memory before DuckDB looks at its limit or at an interrupt:
# range(100000000) took 7 GB and 26 s under memory_limit = 1GB and a limit of 1 s (DuckDB 2.0.1).
SWELLING_FUNCTIONS = (
    "array_resize",
    "bar",
    "format",
    "generate_series",
    "list_resize",
    "lpad",
    "printf",
    "range",
    "repeat",
    "rpad",
)
EXPLAINED = re.compile(r"\s*explain(\s+analyze)?\s+", re.IGNORECASE)
CANCELLED = "the query was cancelled"
SELECT_CURE = "Write one SELECT over runs, measurements, builtin_measurements or all_measurements."


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryResult:
    """Column names and rows; `truncated` where the row limit cut the answer off."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    truncated: bool = False


class Cancellation:
    """A reader's way to end a query that runs in another thread; once cancelled it stays so."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        self._cursor: duckdb.DuckDBPyConnection | None = None
        self._lock = threading.Lock()

    def cancel(self) -> None:
        """End the query that runs, or keep the next one from running."""
        with self._lock:
            self.asked.set()
            if self._cursor is not None:
                self._cursor.interrupt()

    def watch(self, cursor: duckdb.DuckDBPyConnection | None) -> None:
        """Say which cursor works for the reader now; None once none does."""
        with self._lock:
            self._cursor = cursor


def refusal(message: str, cure: str = SELECT_CURE) -> InputProblems:
    """The query as refused, with the reason and what to write instead."""
    return InputProblems([Problem(path="sql", message=message, cure=cure)])


def run_query(
    cursor: duckdb.DuckDBPyConnection,
    sql: str,
    *,
    row_limit: int,
    time_limit_s: float,
    cancellation: Cancellation,
) -> QueryResult:
    """Answer one reading statement; InputProblems where it is not one, is wrong, or takes too long.

    Runs in a read-only transaction on the given cursor, which nobody else may use meanwhile.
    """
    check_reading_only(cursor, sql)
    stopped = threading.Event()

    def stop() -> None:
        stopped.set()
        cursor.interrupt()

    timer = threading.Timer(time_limit_s, stop)
    cursor.execute("BEGIN TRANSACTION READ ONLY")
    timer.start()
    cancellation.watch(cursor)
    try:
        if cancellation.asked.is_set():
            raise refusal(CANCELLED)
        cursor.execute(sql)
        columns = tuple(column[0] for column in cursor.description or ())
        rows = cursor.fetchmany(row_limit + 1)
    except duckdb.InterruptException as error:
        if cancellation.asked.is_set():
            raise refusal(CANCELLED) from error
        raise refusal(
            f"the query was stopped after {time_limit_s:g} s", "Ask for less: filter, or aggregate first."
        ) from error
    except duckdb.FatalException:
        raise
    except duckdb.Error as error:
        if cancellation.asked.is_set():
            raise refusal(CANCELLED) from error
        if stopped.is_set():
            raise refusal(f"the query was stopped after {time_limit_s:g} s") from error
        raise refusal(first_line(error), "Mend the statement.") from error
    finally:
        cancellation.watch(None)
        timer.cancel()
        timer.join()
    return QueryResult(columns=columns, rows=tuple(rows[:row_limit]), truncated=len(rows) > row_limit)


def check_reading_only(cursor: duckdb.DuckDBPyConnection, sql: str) -> None:
    """InputProblems unless the text is one statement that reads, and reads tables only."""
    try:
        statements = cursor.extract_statements(sql)
    except duckdb.Error as error:
        raise refusal(first_line(error), "Mend the statement.") from error
    if len(statements) != 1:
        raise refusal("only one statement is answered at a time" if statements else "no statement was given")
    kind = statements[0].type
    if kind not in READING_STATEMENTS:
        raise refusal(f"{kind.name} statements are not answered here: queries only read")
    _check_names(cursor, EXPLAINED.sub("", statements[0].query, count=1))


def _check_names(cursor: duckdb.DuckDBPyConnection, sql: str) -> None:
    row = cursor.execute("SELECT json_serialize_sql(?::VARCHAR)", [sql]).fetchone()
    tree = json.loads(row[0]) if row else {"error": True}
    if tree.get("error"):
        raise refusal("only SELECT, WITH, DESCRIBE, SHOW and EXPLAIN are answered here")
    for kind, name in _names(tree):
        if kind == "TABLE_FUNCTION" and name not in TABLE_FUNCTIONS:
            raise refusal(f"the table function {name} is not open here: queries read tables only")
        if kind == "FUNCTION" and name in CLOSED_FUNCTIONS + SWELLING_FUNCTIONS:
            raise refusal(f"the function {name} is not open here")
        if kind == "BASE_TABLE" and name.startswith(CLOSED_TABLES):
            raise refusal(f"the table {name} is not open here")


def _names(tree: object) -> Iterator[tuple[str, str]]:
    """Kind and lower-case name of every function and table in a serialised statement."""
    pending: list[Any] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, list):
            pending.extend(node)
        if not isinstance(node, dict):
            continue
        kind = node.get("type")
        if kind == "TABLE_FUNCTION":
            yield kind, str(node["function"].get("function_name", "")).lower()
            pending.extend(node["function"].get("arguments", []))
            continue
        if kind == "BASE_TABLE":
            yield kind, str(node.get("table_name", "")).lower()
        elif "function_name" in node:
            yield "FUNCTION", str(node["function_name"]).lower()
        pending.extend(node.values())
