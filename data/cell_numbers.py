"""A cell of a hand-made table as a number: decimal mark, thousands, a unit in the cell, missing markers."""

import math
import re
from collections.abc import Iterable
from typing import Literal

DecimalMark = Literal["point", "comma"]

MISSING_MARKERS = frozenset({"", "-", "--", "–", "—", "n/a", "na", "#n/a", "null", "none", "n.a.", "."})
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
        "#div/0!",
        "#value!",
        "#ref!",
        "#num!",
        "#name?",
        "#null!",
    )
)
NUMBER = re.compile(
    r"(?P<number>[+-]?[0-9][0-9.,' _]*(?:[eE][+-]?[0-9]+)?|[+-]?[.,][0-9]+(?:[eE][+-]?[0-9]+)?)"
    r"\s*(?P<unit>[a-zA-Zµμ%/]+(?:/[a-zA-Z]+)*)?"
)
SPACES = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u2009": " ", "\u2212": "-", "\u2019": "'"})
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
    "point": re.compile(r"[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?"),
    "comma": re.compile(r"[0-9]{1,3}(\.[0-9]{3})+(,[0-9]+)?"),
}
SPACED = re.compile(r"[0-9]{1,3}([ '_])[0-9]{3}(\1[0-9]{3})*([.,][0-9]+)?")


class NotANumber(ValueError):
    """The cell is not a number that can be used; the text says why."""


def is_missing(cell: str) -> bool:
    """Whether the cell says that there is no value."""
    return cell.strip().lower() in MISSING_MARKERS


def is_failure(cell: str) -> bool:
    """Whether the cell says that measuring failed: its value is missing, which is worth saying."""
    return cell.strip().lower() in FAILURE_MARKERS


def split_unit(cell: str) -> tuple[str, str | None]:
    """The number's own text and the unit after it, if any; NotANumber where it is neither."""
    match = NUMBER.fullmatch(cell.translate(SPACES).strip())
    if match is None:
        raise NotANumber(f"{shown(cell)} is not a number")
    return match["number"].strip(), match["unit"]


def shown(cell: str) -> str:
    """The cell as a message may show it: short and in quotes."""
    return repr(cell if len(cell) <= 40 else cell[:37] + "...")


def decimal_mark_of(cells: Iterable[str]) -> tuple[DecimalMark | None, str | None]:
    """Which decimal mark the number cells prove, and a cell that proves the other one, if both occur.

    None where no cell settles it: `2,101` may be two thousand or two.
    """
    proof: dict[DecimalMark, str] = {}
    for cell in cells:
        try:
            digits = split_unit(cell)[0].lstrip("+-")
        except NotANumber:
            continue
        mark = _mark_proved_by(digits.lower().split("e")[0])
        if mark is not None:
            proof.setdefault(mark, cell)
    if len(proof) == 2:
        return "point", proof["comma"]
    return next(iter(proof), None), None


def _mark_proved_by(digits: str) -> DecimalMark | None:
    points, commas = digits.count("."), digits.count(",")
    if points and commas:
        return "point" if digits.rfind(".") > digits.rfind(",") else "comma"
    if points > 1 or commas > 1:
        return "comma" if points else "point"
    if points and not GROUPED_ONCE_POINT.fullmatch(digits):
        return "point"
    if commas and not GROUPED_ONCE_COMMA.fullmatch(digits):
        return "comma"
    return None


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
    return value


def _without_thousands(mantissa: str, mark: DecimalMark) -> str:
    if SPACED.fullmatch(mantissa):
        return re.sub("[ '_]", "", mantissa)
    if GROUPED[mark].fullmatch(mantissa):
        return mantissa.replace("," if mark == "point" else ".", "")
    if re.search("[ '_]", mantissa) or ("," if mark == "point" else ".") in mantissa:
        raise NotANumber(f"{shown(mantissa)} is not a number")
    return mantissa
