"""A cell of a hand-made table as a number: decimal mark, thousands, a unit in the cell, missing markers."""

import math
import re
from collections.abc import Iterable, Sequence
from typing import Literal

UNCALCULATED = "#NO VALUE"  # how a workbook's formula without a result is handed on as text
DecimalMark = Literal["point", "comma"]

MISSING_MARKERS = frozenset({"", "-", "--", "–", "—", "n/a", "na", "null", "none", "n.a.", "."})
FAILURE_MARKERS = frozenset(
    (
        "oom",
        "timeout",
        "timed out",
        "error",
        "err",
        "fail",
        "failed",
        "crash",
        "crashed",
    )
)
# What a spreadsheet program shows, in the file or as text, where a formula has no value.
SPREADSHEET_ERROR = re.compile(
    r"#(N/A|DIV/0!|VALUE!|REF!|NUM!|NAME\?|NULL!|SPILL!|CALC!|ERROR!)|Err:[0-9]{3}", re.I
)
NUMBER = re.compile(
    r"(?P<number>[+-]?[0-9][0-9.,' _]*(?:[eE][+-]?[0-9]+)?|[+-]?[.,][0-9]+(?:[eE][+-]?[0-9]+)?)"
    r"\s*(?P<unit>[a-zA-Zµμ%/]+(?:/[a-zA-Z]+)*)?"
)
SPACES = str.maketrans(
    {
        **dict.fromkeys("\u00a0\u202f\u2009\u2007", " "),
        **dict.fromkeys("\u2019\u2018\u02bc\u00b4`", "'"),
        "\u2212": "-",
    }
)
# Powers of ten to seconds: shifting the decimal mark in the text is exact, multiplying a float is not.
POWER_BY_TIME_UNIT = {
    "s": 0,
    "sec": 0,
    "secs": 0,
    "second": 0,
    "seconds": 0,
    "ms": -3,
    "msec": -3,
    "millisecond": -3,
    "milliseconds": -3,
    "us": -6,
    "usec": -6,
    "microseconds": -6,
    "ns": -9,
}
GROUPED_ONCE_POINT = re.compile(r"[1-9][0-9]{0,2}\.[0-9]{3}")
GROUPED_ONCE_COMMA = re.compile(r"[1-9][0-9]{0,2},[0-9]{3}")
GROUPED = {
    "point": re.compile(r"[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]+)?"),
    "comma": re.compile(r"[1-9][0-9]{0,2}(\.[0-9]{3})+(,[0-9]+)?"),
}
GROUPED_INDIAN = re.compile(r"[1-9][0-9]?(,[0-9]{2})+,[0-9]{3}(\.[0-9]+)?")  # 1,00,000 is a lakh
SEVERAL_POINTS = re.compile(r"\.[^.\n]*\.")
WITH_POINT_AND_CLEAR = re.compile(
    r"^(?![1-9][0-9]{0,2}\.[0-9]{3}$)[^.\n]*\.[^\n]*$", re.MULTILINE
)  # all lines of a column at once: one by one took most of the time
GAP = re.compile("[ '_]")
MARKS: tuple[DecimalMark, ...] = ("point", "comma")
SPACED = {
    "point": re.compile(r"[0-9]{1,3}([ '_])[0-9]{3}(\1[0-9]{3})*(\.[0-9]+)?"),
    "comma": re.compile(r"[0-9]{1,3}([ '_])[0-9]{3}(\1[0-9]{3})*(,[0-9]+)?"),
}


class NotANumber(ValueError):
    """A cell that holds no number of its column, and what would make it one."""

    def __init__(self, message: str, cure: str = "Write a plain number, or leave the cell empty.") -> None:
        super().__init__(message)
        self.cure = cure


def is_missing(cell: str) -> bool:
    """Whether the cell says that there is no value."""
    return cell.strip().lower() in MISSING_MARKERS


def is_failure(cell: str) -> bool:
    """Whether the cell says that measuring or its formula failed: it has no value, which is worth saying."""
    return cell.strip().lower() in FAILURE_MARKERS or is_spreadsheet_error(cell)


def is_spreadsheet_error(cell: str) -> bool:
    """Whether the cell is what a spreadsheet program shows for a formula that failed: `#DIV/0!`."""
    return SPREADSHEET_ERROR.fullmatch(cell.strip()) is not None


def is_formula(cell: str) -> bool:
    """Whether the cell holds a formula without its result."""
    return cell.startswith((UNCALCULATED, "="))


def split_unit(cell: str) -> tuple[str, str | None]:
    """The number's own text and the unit after it, if any; NotANumber where it is neither."""
    match = NUMBER.fullmatch(cell.translate(SPACES).strip())
    if match is None:
        raise NotANumber(f"{shown(cell)} is not a number")
    return match["number"].strip(), match["unit"]


def shown(cell: str) -> str:
    """The cell as a message may show it: short and in quotes."""
    return repr(cell if len(cell) <= 40 else cell[:37] + "...")


def decimal_marks_proved(cells: Sequence[str]) -> dict[DecimalMark, str]:
    """Each decimal mark that the number cells of a column prove, with the first cell that proves it.

    Empty where no cell settles it: `2,101` may be two thousand or two.
    """
    joined = "\n".join(cells)
    if "," not in joined and SEVERAL_POINTS.search(joined) is None and joined.count("\n") < len(cells):
        telling = (line[0] for line in WITH_POINT_AND_CLEAR.finditer(joined))
        first = next((cell for cell in telling if mark_proved_by_cell(cell) == "point"), None)
        return {} if first is None else {"point": first}
    proof: dict[DecimalMark, str] = {}
    for cell in cells:
        mark = mark_proved_by_cell(cell)
        if mark is not None and proof.setdefault(mark, cell) is cell and len(proof) == 2:
            break
    return proof


def decimal_mark_of(cells: Iterable[str]) -> tuple[DecimalMark | None, str | None]:
    """Which decimal mark the number cells prove, and a cell that proves the other one, if both occur."""
    proof = decimal_marks_proved(list(cells))
    if len(proof) == 2:
        return "point", proof["comma"]
    return next(iter(proof), None), None


def mark_proved_by_cell(cell: str) -> DecimalMark | None:
    """The decimal mark that the cell alone proves: `1.234,5` can only have a decimal comma."""
    if "." not in cell and "," not in cell:
        return None
    try:
        digits = split_unit(cell)[0].lstrip("+-")
    except NotANumber:
        return None
    return _mark_proved_by(digits.lower().split("e")[0])


def _mark_proved_by(digits: str) -> DecimalMark | None:
    """A cell that is malformed under both marks, such as `1.2.3`, proves neither."""
    if GROUPED_ONCE_POINT.fullmatch(digits) or GROUPED_ONCE_COMMA.fullmatch(digits):
        return None
    marks: list[DecimalMark] = []
    for mark in MARKS:
        try:
            _without_thousands(digits, mark)
        except NotANumber:
            continue
        marks.append(mark)
    return marks[0] if len(marks) == 1 else None


def number_of(
    digits: str, mark: DecimalMark | None, *, power: int = 0, point_is_decimal: bool = True
) -> float:
    """The value of a number's text; NotANumber where it is malformed, infinite or cannot be told apart.

    mark   the decimal mark the file proves; None where it proves none
    power  the decimal power of the unit: -3 reads milliseconds as seconds
    point_is_decimal   whether `1.234` is a decimal where nothing proves it (yes in comma-separated files)
    """
    sign = -1.0 if digits.startswith("-") else 1.0
    mantissa, _, exponent = digits.lstrip("+-").lower().partition("e")
    if mark is None:
        if GROUPED_ONCE_COMMA.fullmatch(mantissa) or (
            not point_is_decimal and GROUPED_ONCE_POINT.fullmatch(mantissa)
        ):
            raise NotANumber(f"{digits!r} may be a thousand or a decimal number")
        mark = "point"
    plain = _without_thousands(mantissa, mark)
    if mark == "comma":
        plain = plain.replace(",", ".")
    try:
        value = sign * float(f"{plain}e{int(exponent or 0) + power}")
    except ValueError:
        raise NotANumber(f"{shown(digits)} is not a number") from None
    if not math.isfinite(value):
        raise NotANumber(f"{shown(digits)} is not a finite number")
    if value == 0 and plain.strip("0."):
        raise NotANumber(f"{shown(digits)} is too small a number to be told from nothing")
    return value


def _without_thousands(mantissa: str, mark: DecimalMark) -> str:
    if SPACED[mark].fullmatch(mantissa):
        return GAP.sub("", mantissa)
    if GROUPED[mark].fullmatch(mantissa):
        return mantissa.replace("," if mark == "point" else ".", "")
    if mark == "point" and GROUPED_INDIAN.fullmatch(mantissa):
        return mantissa.replace(",", "")
    own, other = (".", ",") if mark == "point" else (",", ".")
    if GAP.search(mantissa) or other in mantissa or mantissa.count(own) > 1:
        raise NotANumber(f"{shown(mantissa)} is not a number")
    return mantissa
