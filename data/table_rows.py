"""One row of a benchmark table on its way to a measurement: its cells, their units, their load."""

import re
from collections.abc import Sequence
from datetime import date
from typing import Any, get_args

from data.cell_numbers import (
    POWER_BY_TIME_UNIT,
    DecimalMark,
    NotANumber,
    is_failure,
    is_missing,
    number_of,
    shown,
    split_unit,
)
from data.column_names import ColumnMeaning, normalised
from data.columns import LATENCIES, MEASUREMENT_COLUMNS, measurement_of
from data.exports import as_typed
from models.measurements import LoadKind, Measurement
from models.problems import Problem

RATE_UNITS = frozenset(("tok_s", "tokens_s", "token_s", "t_s", "req_s", "requests_s", "rps", "tps"))
CHIPS_IN_CELL = re.compile(r"([0-9]{1,5})\s*[x×*]\s*(\S.*)", re.IGNORECASE)
MOST_SPEED_RATIO = 2.0  # mean of a ratio and ratio of means differ by less in honest files
WORDS_OF_INFINITY = frozenset(("inf", "infinity"))


class RowReader:
    """One row on its way to a measurement; problems gather in `problems`."""

    def __init__(
        self,
        line: int,
        columns: dict[int, ColumnMeaning],
        cells: Sequence[str],
        mark: DecimalMark | None,
        *,
        point_is_decimal: bool,
    ) -> None:
        self.line = line
        self.columns = columns
        self.cells = cells
        self.mark = mark
        self.point_is_decimal = point_is_decimal
        self.problems: list[Problem] = []

    def measurement(self) -> Measurement | None:
        """The row as a measurement; None where any of its cells is refused."""
        values: dict[str, Any] = {}
        for index, column in self.columns.items():
            cell = self.cells[index]
            if not is_missing(cell):
                values[column.target] = self._value(column, cell)
        if any(problem.severity == "error" for problem in self.problems):
            return None
        self._split_chips(values)
        self._multiply_per_accelerator(values)
        self._invert_stream_speed(values)
        self._count_errors(values)
        self._settle_load(values)
        if any(problem.severity == "error" for problem in self.problems):
            return None
        return measurement_of([values.get(column) for column in MEASUREMENT_COLUMNS])

    def _refuse(self, heading: str, message: str, cure: str) -> None:
        self.problems.append(Problem(path=f"row {self.line}, column {heading}", message=message, cure=cure))

    def _warn(self, heading: str, message: str, cure: str) -> None:
        path = f"row {self.line}, column {heading}"
        self.problems.append(Problem(path=path, message=message, cure=cure, severity="warning"))

    def _value(self, column: ColumnMeaning, cell: str) -> str | date | float | int | None:
        if column.target == "measured_on":
            return self._day(column, cell)
        if column.target == "load_kind":
            return self._load_kind(column, cell)
        if column.is_text:
            return as_typed(cell)
        if is_failure(cell):
            self._warn(column.heading, f"{shown(cell)} is taken as missing", "Leave out runs that failed.")
            return None
        try:
            return self._number(column, cell)
        except NotANumber as error:
            self._refuse(column.heading, str(error), "Write a plain number, or leave the cell empty.")
            return None

    def _number(self, column: ColumnMeaning, cell: str) -> float | int | str | None:
        if column.target == "offered_rate_req_per_s" and cell.lower() in WORDS_OF_INFINITY:
            return "unbounded"
        digits, unit = split_unit(cell)
        power = _power_of(column, unit, cell)
        value = number_of(digits, self.mark, power=power, point_is_decimal=self.point_is_decimal)
        if value < 0:
            raise NotANumber(f"{shown(cell)} is negative")
        if column.is_latency and value == 0:
            self._warn(column.heading, "a latency of 0 is taken as missing", "Leave the cell empty.")
            return None
        if not column.is_count:
            return value
        if value != int(value) or value >= 2**53:
            raise NotANumber(f"{shown(cell)} is not a whole number")
        return int(value)

    def _day(self, column: ColumnMeaning, cell: str) -> date | None:
        try:
            return date.fromisoformat(cell[:10])
        except ValueError:
            self._refuse(column.heading, f"{shown(cell)} is not a date", "Write it as 2026-11-30.")
            return None

    def _load_kind(self, column: ColumnMeaning, cell: str) -> str | None:
        kinds = get_args(LoadKind)
        if cell.lower() in kinds:
            return cell.lower()
        self._refuse(column.heading, f"{shown(cell)} is no kind of load", f"Write one of {', '.join(kinds)}.")
        return None

    def _split_chips(self, values: dict[str, Any]) -> None:
        """ "4xH100" in one cell: the accelerator, and how many where no column says it."""
        match = CHIPS_IN_CELL.fullmatch(values.get("accelerator") or "")
        if match is None:
            return
        count, values["accelerator"] = int(match[1]), match[2]
        stated = values.setdefault("accelerator_count", count)
        if stated != count:
            self._warn(
                "accelerator", f"the cell says {count} accelerators and the row {stated}", "Make them agree."
            )

    def _multiply_per_accelerator(self, values: dict[str, Any]) -> None:
        for column in self.columns.values():
            value = values.get(column.target)
            if not column.per_accelerator or value is None:
                continue
            count = values.get("accelerator_count")
            if count is None:
                values[column.target] = None
                self._warn(
                    column.heading,
                    "it is per accelerator and the row does not say how many there are; left out",
                    "Add a column n_accelerators.",
                )
            else:
                values[column.target] = value * count

    def _invert_stream_speed(self, values: dict[str, Any]) -> None:
        for statistic in ("mean", "p50"):
            speed = values.pop(f"stream_speed_{statistic}", None)
            if not speed:
                continue
            tpot = values.setdefault(f"tpot_s_{statistic}", 1 / speed)
            if not 1 / MOST_SPEED_RATIO < speed * tpot < MOST_SPEED_RATIO:
                self._warn(
                    "tokens/s per user",
                    f"{speed:.4g} tokens/s for one user and a TPOT of {tpot:.4g} s ({1 / tpot:.4g} tokens/s) "
                    "do not fit; TPOT is used",
                    "Check the unit of both columns.",
                )

    def _count_errors(self, values: dict[str, Any]) -> None:
        fraction, requests = values.pop("error_fraction", None), values.get("request_count")
        if fraction is None or values.get("error_count") is not None:
            return
        if fraction > 1:
            self._refuse(
                "error rate", f"{fraction:g} is more than all requests", "Write 0 to 1, or a % sign."
            )
        elif requests is not None:
            values["error_count"] = round(fraction * requests)
        elif fraction > 0:
            self._warn("error rate", "without a number of requests it was left out", "Add n_requests.")

    def _settle_load(self, values: dict[str, Any]) -> None:
        """Which kind of load the row was measured at: a rate before a concurrency, which is then its cap."""
        users = values.pop("users", None)
        if values.get("offered_rate_req_per_s") == "unbounded":
            values["offered_rate_req_per_s"] = None
            fallback = "unbounded"
        else:
            fallback = None
        if users is not None:
            self._in_flight_of_users(values, users)
        if values.get("load_kind") is not None:
            return
        for target, kind in (
            ("offered_rate_req_per_s", "rate"),
            ("concurrency_count", "users" if users is not None else "concurrency"),
            ("batch_count", "batch"),
        ):
            if values.get(target) is not None:
                values["load_kind"] = kind
                return
        values["load_kind"] = "users" if users is not None else fallback
        if values["load_kind"] is None and len(self.columns) > 1:
            self._warn("load", "the row does not say at which load it was measured", "Fill the load column.")

    def _in_flight_of_users(self, values: dict[str, Any], users: float) -> None:
        """Little's law: requests in flight = rate x mean E2E; users who think are not in flight."""
        rate, e2e = values.get("request_rate_req_per_s"), values.get("e2e_s_mean")
        if values.get("concurrency_count") is not None:
            return
        if rate is not None and e2e is not None:
            values["concurrency_count"] = rate * e2e
            message = f"{users:g} users have {rate * e2e:.4g} in flight (rate x mean E2E), used as load"
        else:
            message = f"{users:g} users are not requests in flight; the concurrency stays unknown"
        self._warn("users", message, "Give the concurrency, or the request rate and the mean E2E.")


def converted(
    column: ColumnMeaning, cell: str, mark: DecimalMark | None, *, point_is_decimal: bool
) -> str | date | float | int | None:
    """One cell as its column reads it, in house units; None where it is missing or refused."""
    if is_missing(cell):
        return None
    row = RowReader(0, {}, (), mark, point_is_decimal=point_is_decimal)
    return row._value(column, cell)


def _power_of(column: ColumnMeaning, unit: str | None, cell: str) -> int:
    """The decimal power of the cell's unit, else of the heading's; NotANumber where neither is known."""
    is_time = column.target.rpartition("_")[0] in LATENCIES or column.target == "duration_s"
    if unit is None:
        if column.power is None and column.target == "error_fraction":
            return 0
        if column.power is None:
            raise NotANumber(f"{shown(cell)} has no unit, neither here nor in the heading")
        return column.power
    name = normalised(unit)
    if is_time and normalised(unit.split("/")[0]) in POWER_BY_TIME_UNIT:
        return POWER_BY_TIME_UNIT[normalised(unit.split("/")[0])]
    if column.target == "error_fraction" and unit == "%":
        return -2
    if column.target.endswith("_per_s") and name in RATE_UNITS:
        return 0
    raise NotANumber(f"the unit of {shown(cell)} does not fit here")
