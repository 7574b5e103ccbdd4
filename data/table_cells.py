"""The cells of one column of a benchmark table, each read once however often it is repeated."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import get_args

from data.cell_numbers import (
    GROUPED_ONCE_COMMA,
    POWER_BY_TIME_UNIT,
    UNCALCULATED,
    DecimalMark,
    NotANumber,
    decimal_marks_proved,
    is_failure,
    is_formula,
    is_missing,
    is_spreadsheet_error,
    mark_proved_by_cell,
    number_of,
    shown,
    split_unit,
)
from data.column_names import ColumnMeaning, normalised
from data.columns import LATENCIES
from data.exports import as_typed
from models.measurements import LoadKind
from models.problems import Severity

RATE_UNITS = frozenset(
    ("tok_s", "tokens_s", "token_s", "t_s", "req_s", "reqs_s", "requests_s", "rps", "qps", "reqps", "tps")
)
CALCULATE = "Open the table in a spreadsheet program, save it with its values, and import it again."
WORDS_OF_INFINITY = frozenset(("inf", "infinity"))
PLAIN_NUMBER = re.compile(r"[0-9]{1,300}(\.[0-9]{1,300})?")
PLAIN_COLUMN = re.compile(r"[0-9]{1,300}(?:\.[0-9]{1,300})?(?:\n[0-9]{1,300}(?:\.[0-9]{1,300})?)*")
PLAIN_COUNTS = re.compile(r"[0-9]{1,15}(?:\n[0-9]{1,15})*")
WHOLE_AS_A_RULE = frozenset(("concurrency_count", "batch_count", "users", "isl_tok", "osl_tok"))
MOST_CELLS_KEPT = 20_000  # of a column; figures of a long table hardly repeat, and each kept one takes memory

Value = str | date | float | int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CellReading:
    """What a cell holds, in house units, None where missing or refused; and what is wrong with it."""

    value: Value = None
    message: str = ""
    cure: str = ""
    severity: Severity = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnMark:
    """How the numbers of a column are written.

    mark              the decimal mark that holds for the column; None where nothing proves one
    point_is_decimal  whether `1.234` is a decimal where nothing proves it (yes in comma-separated files)
    mixed             one cell with a decimal point and one with a comma, where both occur
    """

    mark: DecimalMark | None = None
    point_is_decimal: bool = True
    mixed: tuple[str, ...] = ()


class CellReader:
    """Reads the cells of one column; two cells of the same letters are the same reading."""

    def __init__(self, column: ColumnMeaning, written: ColumnMark) -> None:
        self.column = column
        self._mark = written.mark
        self._point_is_decimal = written.point_is_decimal
        self._kept: dict[str, CellReading] = {}
        self._read: Callable[[str], CellReading] = self._number_or_failure
        if column.target == "measured_on":
            self._read = _day
        elif column.target == "load_kind":
            self._read = _load_kind
        elif column.is_text:
            self._read = _text
        self._plain_suffix = self._suffix_of_plain_numbers()

    def read(self, cell: str) -> CellReading:
        """The cell's value, or why it has none."""
        found = self._kept.get(cell)
        if found is None:
            found = CellReading() if is_missing(cell) else self._checked(cell)
            if len(self._kept) < MOST_CELLS_KEPT:
                self._kept[cell] = found
        return found

    def read_plain(self, cells: Sequence[str]) -> list[Value] | None:
        """All cells at once where each is a number without any sign, unit or mark but a decimal point."""
        if self._plain_suffix is None and not self.column.is_count:
            return None
        joined = "\n".join(cells)
        if self.column.is_count:
            return list(map(int, cells)) if PLAIN_COUNTS.fullmatch(joined) else None
        if not PLAIN_COLUMN.fullmatch(joined):
            return None
        if self._plain_suffix:
            joined = joined.replace("\n", self._plain_suffix + "\n") + self._plain_suffix
        numbers = list(map(float, joined.split("\n")))
        return list(numbers) if min(numbers) > 0 and max(numbers) < math.inf else None

    def _checked(self, cell: str) -> CellReading:
        """The cell read as its column wants it, unless it shows that a formula gave it no value."""
        if cell.startswith(UNCALCULATED) or (not self.column.is_text and is_formula(cell)):
            return CellReading(message=f"{shown(cell)} is a formula without its result", cure=CALCULATE)
        if is_spreadsheet_error(cell):
            message = f"{shown(cell)} is taken as missing"
            return CellReading(message=message, cure="Mend the formula.", severity="warning")
        return self._read(cell)

    def _suffix_of_plain_numbers(self) -> str | None:
        """The exponent that takes a number without unit or thousands to house units; None: no short way."""
        column = self.column
        by_point = self._mark == "point" or (self._mark is None and self._point_is_decimal)
        if column.is_text or column.is_count or column.power is None or not by_point:
            return None
        return f"e{column.power}" if column.power else ""

    def _number_or_failure(self, cell: str) -> CellReading:
        if self._plain_suffix is not None and PLAIN_NUMBER.fullmatch(cell):
            value = float(cell + self._plain_suffix)
            if 0 < value < math.inf:
                return CellReading(value=value)
        if is_failure(cell):
            return CellReading(
                message=f"{shown(cell)} is taken as missing",
                cure="Leave out runs that failed.",
                severity="warning",
            )
        try:
            return self._number(cell)
        except NotANumber as error:
            return CellReading(message=str(error), cure=error.cure)

    def _number(self, cell: str) -> CellReading:
        column = self.column
        if column.target == "offered_rate_req_per_s" and cell.lower() in WORDS_OF_INFINITY:
            return CellReading(value="unbounded")
        digits, unit = split_unit(cell)
        power = _power_of(column, unit, cell)
        mark = self._mark or mark_proved_by_cell(cell)
        value = number_of(digits, mark, power=power, point_is_decimal=self._point_is_decimal)
        if value < 0:
            raise NotANumber(f"{shown(cell)} is negative")
        if column.is_latency and value == 0:
            message = "a latency of 0 is taken as missing"
            return CellReading(message=message, cure="Leave the cell empty.", severity="warning")
        if not column.is_count:
            return CellReading(value=value)
        if value != int(value) or value >= 2**53:
            raise NotANumber(f"{shown(cell)} is not a whole number")
        return CellReading(value=int(value))


def marks_of_columns(
    columns: Mapping[int, ColumnMeaning], rows: Sequence[Sequence[str]], delimiter: str
) -> dict[int, ColumnMark]:
    """How each column's numbers are written, by its place.

    What the cells of a column prove holds for it; where they prove both marks, each cell is read by its own
    proof. A column that proves nothing goes with the others where these agree. Not so where they do not,
    where decimal commas stand between commas, which no spreadsheet writes, or where whole numbers would get
    three decimals: there `1,234` is asked back, never guessed.
    """
    listed = list(zip(*rows, strict=True)) if rows else []
    proofs = {
        place: decimal_marks_proved(listed[place])
        for place, column in columns.items()
        if listed and not column.is_text
    }
    proved_in_file = {mark for proof in proofs.values() for mark in proof}
    doubtful = len(proved_in_file) > 1 or ("comma" in proved_in_file and delimiter == ",")
    shared = next(iter(proved_in_file)) if proved_in_file and not doubtful else None
    marks = {}
    for place, proof in proofs.items():
        if len(proof) == 1:
            marks[place] = ColumnMark(mark=next(iter(proof)))
        elif proof:
            marks[place] = ColumnMark(point_is_decimal=False, mixed=(proof["point"], proof["comma"]))
        elif doubtful or (shared == "comma" and _is_thousands(columns[place], listed[place])):
            marks[place] = ColumnMark(point_is_decimal=False)
        else:
            marks[place] = ColumnMark(mark=shared, point_is_decimal=delimiter != ";")
    return marks


def _is_thousands(column: ColumnMeaning, cells: Sequence[str]) -> bool:
    """Whether a decimal comma would give whole numbers three decimals: `1,000` requests are hardly one."""
    is_whole = column.is_count or column.target in WHOLE_AS_A_RULE
    return is_whole and any(GROUPED_ONCE_COMMA.fullmatch(cell) for cell in cells)


def _text(cell: str) -> CellReading:
    return CellReading(value=as_typed(cell))


def _day(cell: str) -> CellReading:
    try:
        return CellReading(value=date.fromisoformat(cell[:10]))
    except ValueError:
        return CellReading(message=f"{shown(cell)} is not a date", cure="Write it as 2026-11-30.")


LOAD_WORDS = {
    **dict.fromkeys(
        ("rate_rps", "request_rate", "request_rate_rps", "rps", "qps", "open", "open_loop"), "rate"
    ),
    **dict.fromkeys(("in_flight", "max_concurrency", "closed", "closed_loop"), "concurrency"),
    **dict.fromkeys(("batch_size", "static_batch"), "batch"),
}


def _load_kind(cell: str) -> CellReading:
    kinds = get_args(LoadKind)
    word = re.sub(r"[\s-]+", "_", cell.strip().lower())
    kind = LOAD_WORDS.get(word, word)
    if kind in kinds:
        return CellReading(value=kind)
    return CellReading(message=f"{shown(cell)} is no kind of load", cure=f"Write one of {', '.join(kinds)}.")


def _power_of(column: ColumnMeaning, unit: str | None, cell: str) -> int:
    """The decimal power of the cell's unit, else of the heading's; NotANumber where neither is known."""
    is_time = column.target.rpartition("_")[0] in LATENCIES or column.target == "duration_s"
    if unit is None:
        if column.power is None and column.target == "error_fraction":
            return 0
        if column.power is None:
            raise NotANumber(
                f"{shown(cell)} has no unit, neither here nor in the heading",
                "Write it into the heading, such as ttft_ms or TTFT (s), or say it on the Benchmarks page.",
            )
        return column.power
    name = normalised(unit)
    if is_time and normalised(unit.split("/")[0]) in POWER_BY_TIME_UNIT:
        return POWER_BY_TIME_UNIT[normalised(unit.split("/")[0])]
    if column.target == "error_fraction" and unit == "%":
        return -2
    if column.target.endswith("_per_s") and name in RATE_UNITS:
        return 0
    raise NotANumber(f"the unit of {shown(cell)} does not fit here")
