"""How much a number may be trusted, and in which sense it may be used.

Every figure in the catalogue, every measurement and every price carries one `Evidence`. It says who
stated the figure and who measured it, how well (grade), and in which sense it is true: a ceiling
may draw a dashed line, but it may not size a fleet.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from enum import StrEnum


class Grade(StrEnum):
    """Who stands behind a number, from best to weakest."""

    OWN_MEASUREMENT = "A"
    INDEPENDENT = "B"
    VENDOR_WITH_METHOD = "C"
    CEILING_OR_HEARSAY = "D"
    ASSUMED_OR_DERIVED = "E"

    @property
    def meaning(self) -> str:
        """The grade in words, as a reader of a report needs it."""
        return GRADE_MEANINGS[self]

    @property
    def short_meaning(self) -> str:
        """The grade in two or three words."""
        return SHORT_MEANINGS[self]


SHORT_MEANINGS = {
    Grade.OWN_MEASUREMENT: "your own",
    Grade.INDEPENDENT: "independent",
    Grade.VENDOR_WITH_METHOD: "vendor, list price",
    Grade.CEILING_OR_HEARSAY: "ceiling, hearsay",
    Grade.ASSUMED_OR_DERIVED: "assumed, derived",
}
GRADE_MEANINGS = {
    Grade.OWN_MEASUREMENT: "measured by you",
    Grade.INDEPENDENT: "measured by an independent third party",
    Grade.VENDOR_WITH_METHOD: "stated by the vendor with a method, or a list price",
    Grade.CEILING_OR_HEARSAY: "a ceiling, marketing or hearsay",
    Grade.ASSUMED_OR_DERIVED: "assumed by the user, or derived by arithmetic",
}


class Sense(StrEnum):
    """What kind of true a number is."""

    TYPICAL = "typical"
    CEILING = "ceiling"
    FLOOR = "floor"
    LIST_PRICE = "list_price"
    SPEC = "spec"
    DERIVED = "derived"
    ASSUMED = "assumed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The right to use one number.

    grade, sense   see `Grade` and `Sense`
    source         a sentence or address that a reader can follow; never empty
    locator        where in the source (page, row, file and line), or ""
    stated_by, measured_by   who says it; who measured it ("" where nobody did)
    checked_on     the day the source was last read
    expires_on     the day after which the number must not be used, or None
    low, high      the range the source supports, in the number's own unit, or None
    conditions     the workload or circumstances it holds for
    reproducible   whether an outsider can repeat it, or None where unknown
    licence, note  as the words say
    """

    grade: Grade
    sense: Sense
    source: str
    locator: str = ""
    stated_by: str = ""
    measured_by: str = ""
    checked_on: date | None = None
    expires_on: date | None = None
    low: float | None = None
    high: float | None = None
    conditions: str = ""
    reproducible: bool | None = None
    licence: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        if not self.source.strip():
            raise ValueError("evidence needs a source: name the page, file or person it comes from")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError(f"evidence range is upside down: low {self.low} > high {self.high}")

    @property
    def may_size_a_fleet(self) -> bool:
        """Whether the number may be used as what a tier typically does."""
        return self.sense is not Sense.CEILING


def weakest(evidence: Iterable[Evidence]) -> Grade | None:
    """The weakest grade among the evidence, which a result must wear; None where there is none."""
    return max((item.grade for item in evidence), default=None)
