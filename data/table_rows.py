"""One row of a benchmark table on its way to a measurement: what its cells say together."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from data.columns import measurement_of_known
from data.table_cells import CellReader
from models.measurements import Measurement
from models.problems import Problem

CHIPS_IN_CELL = re.compile(r"([0-9]{1,5})\s*[x×*]\s*(\S.*)", re.IGNORECASE)
LOADS = {
    "offered_rate_req_per_s": "request rate",
    "concurrency_count": "concurrency",
    "batch_count": "batch size",
}
WORDS_OF_OTHER_LOADS = {
    "concurrency_count": "the concurrency is its cap",
    "batch_count": "the batch size is only kept beside it",
}
MOST_SPEED_RATIO = 2.0  # mean of a ratio and ratio of means differ by less in honest files


class RowReader:
    """One row on its way to a measurement: its values by target, and `problems`, which gather."""

    def __init__(
        self,
        line: int,
        readers: Mapping[int, CellReader],
        values: dict[str, Any],
        problems: Sequence[Problem] = (),
    ) -> None:
        self.line = line
        self.readers = readers
        self.values = values
        self.problems = list(problems)

    def measurement(self) -> Measurement | None:
        """The row as a measurement; None where any of its cells is refused."""
        values = self.values
        if any(problem.severity == "error" for problem in self.problems):
            return None
        self._split_chips(values)
        self._multiply_per_accelerator(values)
        self._invert_stream_speed(values)
        self._count_errors(values)
        self._settle_load(values)
        if any(problem.severity == "error" for problem in self.problems):
            return None
        return measurement_of_known(values)

    def _refuse(self, heading: str, message: str, cure: str) -> None:
        self.problems.append(Problem(path=f"row {self.line}, column {heading}", message=message, cure=cure))

    def _warn(self, heading: str, message: str, cure: str) -> None:
        path = f"row {self.line}, column {heading}"
        self.problems.append(Problem(path=path, message=message, cure=cure, severity="warning"))

    def _split_chips(self, values: dict[str, Any]) -> None:
        """ "4xH100" in one cell: the accelerator, and how many where no column says it."""
        chips = chips_in(values.get("accelerator") or "")
        if chips is None:
            return
        count, values["accelerator"] = chips
        stated = values.setdefault("accelerator_count", count)
        if stated != count:
            self._warn(
                "accelerator", f"the cell says {count} accelerators and the row {stated}", "Make them agree."
            )

    def _multiply_per_accelerator(self, values: dict[str, Any]) -> None:
        for reader in self.readers.values():
            column = reader.column
            value = values.get(column.target) if column.per_accelerator else None
            if value is None:
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
        self._say_which_load(values)
        for target, kind in (
            ("offered_rate_req_per_s", "rate"),
            ("concurrency_count", "users" if users is not None else "concurrency"),
            ("batch_count", "batch"),
        ):
            if values.get(target) is not None:
                values["load_kind"] = kind
                return
        values["load_kind"] = "users" if users is not None else fallback
        if values["load_kind"] is None and len(self.readers) > 1:
            self._warn("load", "the row does not say at which load it was measured", "Fill the load column.")

    def _say_which_load(self, values: dict[str, Any]) -> None:
        """Two loads in one row: which of them defines it, and what the other is then."""
        given = [name for name in LOADS if values.get(name) is not None]
        if len(given) < 2:
            return
        headings = [
            reader.column.heading
            for name in given
            for reader in self.readers.values()
            if reader.column.target == name
        ]
        rest = " and ".join(WORDS_OF_OTHER_LOADS[name] for name in given[1:])
        self._warn(
            ", ".join(headings),
            f"several loads in one row: the {LOADS[given[0]]} defines it, and {rest}",
            "Add a column load_kind (rate, concurrency or batch), or keep the one load that was set.",
        )

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


def chips_in(cell: str) -> tuple[int, str] | None:
    """How many of which accelerator a cell such as "4xH100" names."""
    match = CHIPS_IN_CELL.fullmatch(cell)
    return (int(match[1]), match[2]) if match else None
