"""A large log of requests scanned on disk by DuckDB, so that its rows are never in Python's memory.

Only for logs: other formats are read whole. The same rules as for a small log apply from its cells on.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import duckdb

from data.file_content import FileContent, Reading
from data.importers import best_importer, request_log
from data.log_columns import columns_of
from data.log_reading import Progress, marks_of, no_progress, reading_of_log
from data.log_tables import cell_name, open_scratch, quoted, row_of
from data.parts import PartReading, part_of
from data.text_tables import HeaderPlace, find_header
from models.problems import Problem

HEAD_BYTE = 1_000_000
EXAMPLE_COUNT = 20
MOST_REFUSED_ROWS = 100_000
SHARE_OF_READING = 0.7  # of the time; the rest is sorting
PROGRESS_STEP_S = 0.5
NO_DELIMITER = "\x01"


def read_big_log(
    name: str, path: Path, scratch: Path, progress: Progress = no_progress
) -> PartReading | None:
    """A large file as the log of requests that its head shows; None where it shows anything else.

    scratch   a folder that the caller removes afterwards
    """
    head = _head(path)
    content = FileContent(name, head)
    if not head or best_importer(content) is not request_log:
        return None
    read = _json_lines if content.is_json else _table
    try:
        with open_scratch(scratch, path) as connection:
            reading = read(connection, content, path, progress)
    except duckdb.OutOfMemoryException as error:
        raise MemoryError from error
    return None if reading is None else part_of(content, request_log, reading)


def _head(path: Path) -> str:
    """The first whole lines as UTF-8; "" where they are not."""
    with path.open("rb") as file:
        raw = file.read(HEAD_BYTE)
    if len(raw) == HEAD_BYTE:
        raw = raw[: raw.rfind(b"\n") + 1]
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return ""
    return "" if "\x00" in text else text


def _table(
    connection: duckdb.DuckDBPyConnection, content: FileContent, path: Path, progress: Progress
) -> Reading | None:
    header = find_header(content.text, request_log.count_known)
    if header is None:
        return None
    rows = _head_rows(content.text, header)
    marks, mixed = marks_of(content.name, header.cells, rows)
    if mixed:
        return Reading(rows_read=len(rows), problems=tuple(mixed))
    columns = ", ".join(f"{cell_name(place)}: 'VARCHAR'" for place in range(len(header.cells)))
    scan = _scan(path, header.delimiter, '"', header.line, columns)
    cells = f"(SELECT NULL::BIGINT AS line, * FROM {scan})"
    with _shown(connection, progress):
        reading = reading_of_log(connection, cells, content.name, header.cells, marks, progress)
    return _with_refusals(reading, list(_refused_rows(connection, header.cells)), _refused_count(connection))


def _head_rows(text: str, header: HeaderPlace) -> list[Sequence[str]]:
    """Rows of the head as wide as the header; enough to see which decimal mark they use."""
    lines = text.splitlines()[header.line :]
    split = (line.replace('"', "").split(header.delimiter) for line in lines)
    return [cells for cells in split if len(cells) == len(header.cells)]


def _scan(path: Path, delimiter: str, quote: str, skip: int, columns: str) -> str:
    return (
        f"read_csv({quoted(str(path))}, auto_detect = false, header = false, delim = {quoted(delimiter)}, "
        f"quote = {quoted(quote)}, escape = {quoted(quote)}, skip = {skip}, columns = {{{columns}}}, "
        "strict_mode = true, null_padding = false, store_rejects = true, "
        f"rejects_limit = {MOST_REFUSED_ROWS})"
    )


def _refused_count(connection: duckdb.DuckDBPyConnection) -> int:
    return int(row_of(connection, "SELECT count(DISTINCT line) FROM reject_errors")[0])


def _refused_rows(connection: duckdb.DuckDBPyConnection, header: Sequence[str]) -> Iterator[Problem]:
    rows = connection.execute(
        "SELECT line, any_value(column_idx), any_value(error_type::VARCHAR), any_value(error_message) "
        f"FROM reject_errors GROUP BY line ORDER BY line LIMIT {EXAMPLE_COUNT}"
    ).fetchall()
    for line, place, kind, message in rows:
        column = header[place - 1] if place and place <= len(header) else None
        yield Problem(
            path=f"row {line}" + (f", column {column}" if column else ""),
            message=f"the row was refused: {_in_words(kind, message, len(header))}",
            cure="Keep the delimiter of an empty cell, and quote a cell that holds one.",
        )


def _in_words(kind: str, message: str, width: int) -> str:
    if kind in ("MISSING COLUMNS", "TOO MANY COLUMNS"):
        found = message.rpartition("Found: ")[2]
        return f"it has {found} cells and the header has {width}"
    if kind == "UNQUOTED VALUE":
        return "a quote is opened and not closed, or stands inside a cell"
    if kind == "INVALID ENCODING":
        return "it holds bytes that are no UTF-8 text"
    return kind.lower()


def _with_refusals(reading: Reading, examples: Sequence[Problem], count: int) -> Reading:
    more = count - len(examples)
    rest = []
    if more > 0:
        least = "at least " if count >= MOST_REFUSED_ROWS else ""
        rest.append(
            Problem(
                path="file",
                message=f"{least}{more:,} more rows were refused",
                cure="Mend the first ones and import the file again.",
            )
        )
    return Reading(
        rows_read=reading.rows_read + count,
        measurements=reading.measurements,
        problems=(*examples, *rest, *reading.problems),
        demand=reading.demand,
    )


def _json_lines(
    connection: duckdb.DuckDBPyConnection, content: FileContent, path: Path, progress: Progress
) -> Reading | None:
    header = request_log.header_of(content)
    if content.text.lstrip()[:1] != "{" or content.documents[0].line != _line_of_second(content) - 1:
        return None
    if any('"' in key or "\\" in key for key in header):
        return None
    used = columns_of(header).used_places
    marks, mixed = marks_of(
        content.name, header, ([_text(each.value.get(key)) for key in header] for each in content.documents)
    )
    if mixed:
        return Reading(rows_read=len(content.documents), problems=tuple(mixed))
    scan = _scan(path, NO_DELIMITER, "", 0, "document: 'VARCHAR'")
    fields = ", ".join(
        "document ->> " + quoted('$."' + key + '"') + f" AS {cell_name(place)}"
        for place, key in enumerate(header)
        if place in used
    )
    cells = f"(SELECT NULL::BIGINT AS line, {fields} FROM {scan} WHERE json_valid(document))"
    with _shown(connection, progress):
        reading = reading_of_log(connection, cells, content.name, header, marks, progress)
        broken = _broken_lines(connection, scan)
    return _with_refusals(reading, broken[0], broken[1])


def _line_of_second(content: FileContent) -> int:
    return content.documents[1].line if len(content.documents) > 1 else 0


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _broken_lines(connection: duckdb.DuckDBPyConnection, scan: str) -> tuple[list[Problem], int]:
    """Lines that hold no JSON: the first ones by their number, and how many there are."""
    rows = connection.execute(
        f"SELECT line FROM (SELECT row_number() OVER () AS line, document FROM {scan}) "
        f"WHERE NOT json_valid(document) LIMIT {MOST_REFUSED_ROWS}"
    ).fetchall()
    problems = [
        Problem(
            path=f"line {line}",
            message="not valid JSON",
            cure="Mend that document, or export the file again.",
        )
        for (line,) in rows[:EXAMPLE_COUNT]
    ]
    return problems, len(rows)


@contextmanager
def _shown(connection: duckdb.DuckDBPyConnection, progress: Progress) -> Iterator[None]:
    """Tell how far the first statement, the reading, has come, twice a second."""
    ended = Event()

    def watch() -> None:
        highest = 0.0
        while not ended.wait(PROGRESS_STEP_S):
            percent = connection.query_progress()
            if percent < highest:  # the next statement began
                return
            highest = percent
            progress(max(percent, 0.0) / 100 * SHARE_OF_READING, "reading rows")

    watcher = Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()
