"""All cells of a benchmark table read column by column, and its rows made into measurements.

Most rows of most tables need no second look: their cells are plain, one column names the load. Those are made
together; every other row goes through `RowReader`.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from data.columns import measurements_of_columns
from data.table_cells import CellReader, Value
from data.table_rows import LOADS, RowReader, chips_in
from models.measurements import Measurement
from models.problems import Problem

KIND_OF_LOAD = {
    "offered_rate_req_per_s": "rate",
    "concurrency_count": "concurrency",
    "batch_count": "batch",
}
SECOND_LOOK = ("users", "error_fraction", "stream_speed_mean", "stream_speed_p50")
Rows = Sequence[tuple[int, tuple[str, ...]]]
Columns = Mapping[str, Sequence[Value]]


def measurements_of(
    rows: Rows, readers: Mapping[int, CellReader]
) -> tuple[list[tuple[int, Measurement]], list[Problem]]:
    """Every row that can be read, with its line; and what is wrong with cells and rows, in their order."""
    columns, problems_by_row = _columns(rows, readers)
    plain = _plain_rows(columns, readers, len(rows), problems_by_row)
    made = _made(columns, len(rows))
    measurements: list[tuple[int, Measurement]] = []
    problems: list[Problem] = []
    for place, (line, _) in enumerate(rows):
        if plain[place]:
            measurements.append((line, made[place]))
            continue
        values = {name: value for name, column in columns.items() if (value := column[place]) is not None}
        row = RowReader(line, readers, values, problems_by_row.get(place, []))
        measurement = row.measurement()
        problems.extend(row.problems)
        if measurement is not None:
            measurements.append((line, measurement))
    return measurements, problems


def _columns(
    rows: Rows, readers: Mapping[int, CellReader]
) -> tuple[dict[str, Sequence[Value]], dict[int, list[Problem]]]:
    """The values of each column by its target, and the problems of each row by its place."""
    columns: dict[str, Sequence[Value]] = {}
    problems: dict[int, list[Problem]] = defaultdict(list)
    by_place = list(zip(*(cells for _, cells in rows), strict=True))
    for index, reader in readers.items():
        cells = by_place[index] if rows else ()
        values: Sequence[Value] | None = reader.read_plain(cells)
        if values is None:
            readings = [reader.read(cell) for cell in cells]
            values = [reading.value for reading in readings]
            for place, reading in enumerate(readings):
                if reading.message:
                    problems[place].append(
                        Problem(
                            path=f"row {rows[place][0]}, column {reader.column.heading}",
                            message=reading.message,
                            cure=reading.cure,
                            severity=reading.severity,
                        )
                    )
        columns[reader.column.target] = values
    return columns, problems


def _plain_rows(
    columns: Columns,
    readers: Mapping[int, CellReader],
    count: int,
    problems_by_row: Mapping[int, list[Problem]],
) -> list[bool]:
    """For each row whether its values are the measurement's as they stand."""
    loads = [name for name in LOADS if name in columns]
    needs_care = any(reader.column.per_accelerator for reader in readers.values())
    if needs_care or len(loads) != 1 or any(name in columns for name in SECOND_LOOK):
        return [False] * count
    accelerators = columns.get("accelerator", ())
    chips = {name for name in set(accelerators) if isinstance(name, str) and chips_in(name)}
    load = columns[loads[0]]
    plain = [value is not None and value != "unbounded" for value in load]
    if chips:
        plain = [is_plain and name not in chips for is_plain, name in zip(plain, accelerators, strict=True)]
    for place in problems_by_row:
        plain[place] = False
    return plain


def _made(columns: Columns, count: int) -> list[Measurement]:
    """Every row as a measurement of its values as they stand; of a row that is not plain, not to be used."""
    load = next((name for name in LOADS if name in columns), None)
    if load is None:
        return measurements_of_columns(columns, count)
    kind = KIND_OF_LOAD[load]
    kinds = [each or kind for each in columns["load_kind"]] if "load_kind" in columns else [kind] * count
    return measurements_of_columns({**columns, "load_kind": kinds}, count)
