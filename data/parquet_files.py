"""Parquet files, read by DuckDB in the worker: a log of requests is summarised, a table read as text."""

from pathlib import Path

import duckdb

from data.file_content import FileContent
from data.importers import request_log
from data.log_reading import Progress, marks_of, no_progress, reading_of_log
from data.log_tables import cell_name, open_scratch, quoted, row_of
from data.parts import PartReading, part_of, read_part
from data.text_tables import COLUMN_LIMIT, ROW_LIMIT
from data.workbooks import as_text
from models.problems import Problem

MOST_LOG_ROWS = 500_000_000
NESTED = ("STRUCT", "MAP", "UNION", "BLOB")


def read_parquet(name: str, path: Path, scratch: Path, progress: Progress = no_progress) -> PartReading:
    """The file as a log of requests or as a table of runs; never raises for bad input.

    The number of rows that the file claims is looked at first: four megabytes can hold forty million.
    """
    try:
        with open_scratch(scratch, path) as connection:
            source = f"read_parquet({quoted(str(path))})"
            described = connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()
            header = tuple(str(column[0]) for column in described)
            (row_count,) = row_of(connection, f"SELECT count(*) FROM {source}")
            cells = ", ".join(_text_of(column[0], column[1], place) for place, column in enumerate(described))
            if request_log.is_log(header):
                return _log(connection, name, header, f"SELECT {cells} FROM {source}", row_count, progress)
            return _table(connection, name, header, f"SELECT {cells} FROM {source}", row_count)
    except duckdb.OutOfMemoryException as error:
        raise MemoryError from error
    except duckdb.Error as error:
        reason = str(error).splitlines()[0].replace(str(path), name)[:150]
        return _refused(name, f"the Parquet file cannot be read: {reason}", "Write it again, or export CSV.")


def _text_of(name: str, kind: str, place: int) -> str:
    """A column as text; one that holds lists or groups as nothing."""
    is_nested = kind.endswith("]") or kind.startswith(NESTED)
    column = '"' + name.replace('"', '""') + '"'
    return ("NULL::VARCHAR" if is_nested else f"{column}::VARCHAR") + f" AS {cell_name(place)}"


def _log(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    header: tuple[str, ...],
    select: str,
    row_count: int,
    progress: Progress,
) -> PartReading:
    if row_count > MOST_LOG_ROWS:
        return _refused(name, f"it holds {row_count:,} rows, more than {MOST_LOG_ROWS:,}", "Split it.")
    head = connection.execute(f"{select} LIMIT 10000").fetchall()
    marks, mixed = marks_of(name, header, ([cell or "" for cell in row] for row in head))
    if mixed:
        return PartReading(label=name, importer=request_log, problems=tuple(mixed))
    cells = f"(SELECT NULL::BIGINT AS line, * FROM ({select}))"
    reading = reading_of_log(connection, cells, name, header, marks, progress)
    return part_of(FileContent(name, ""), request_log, reading)


def _table(
    connection: duckdb.DuckDBPyConnection, name: str, header: tuple[str, ...], select: str, row_count: int
) -> PartReading:
    if row_count > ROW_LIMIT or len(header) > COLUMN_LIMIT:
        message = f"it holds {row_count:,} rows and {len(header)} columns, and is no log of requests"
        return _refused(
            name, f"{message}; a table may have {ROW_LIMIT:,} and {COLUMN_LIMIT}", "Summarise it."
        )
    rows = ([cell or "" for cell in row] for row in connection.execute(select).fetchall())
    return read_part(FileContent(name, as_text((header, *rows))))


def _refused(name: str, message: str, cure: str) -> PartReading:
    return PartReading(label=name, importer=None, problems=(Problem(path=name, message=message, cure=cure),))
