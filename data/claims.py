"""What has been claimed about fast inference: who says it, who measured it, can it be repeated?"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

from data.reading import Reader
from models.evidence import Grade, Sense
from models.problems import Problem

Reproducible = Literal["yes", "no", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One statement about a tier, a chip or a company, as far as it can be judged.

    text          the value as stated; `value` its number where it is one, in `unit`
    arithmetic    how a derived value follows from others, as an expression; "" where it is not derived
    kind          what sort of statement: spec, event, measurement, financial, opinion, ...
    measured_by   who measured it; "nobody" where it was only said
    checked_against  another source that was asked, or ""
    status        what became of it by the day it was last checked
    """

    id: str
    subject: str
    metric: str
    text: str
    value: float | None
    unit: str
    kind: str
    sense: Sense
    stated_by: str
    measured_by: str
    conditions: str
    date: str
    reproducible: Reproducible
    grade: Grade
    source: str
    locator: str
    checked_against: str
    status: str
    arithmetic: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Claims that do not go together, the question they differ on, and how to read them side by side."""

    id: str
    question: str
    claim_ids: tuple[str, ...]
    reading: str


def read_conflict(raw: Mapping[str, Any], path: str, problems: list[Problem]) -> Conflict:
    """One row of `conflicts.csv`."""
    reader = Reader(raw, path, problems)
    conflict = Conflict(
        id=reader.text("id", required=True),
        question=reader.text("question", required=True),
        claim_ids=tuple(reader.text("claims", required=True).split()),
        reading=reader.text("reading", required=True),
    )
    reader.close()
    return conflict


def read_claim(raw: Mapping[str, Any], path: str, problems: list[Problem]) -> Claim:
    """One row of `claims.csv`."""
    reader = Reader({key: str(each) if key != "value" else each for key, each in raw.items()}, path, problems)
    words = {
        name: reader.text(name) or ""
        for name in (
            "text",
            "unit",
            "measured_by",
            "conditions",
            "date",
            "locator",
            "checked_against",
            "status",
            "arithmetic",
            "note",
        )
    }
    stated = {
        name: reader.text(name, required=True)
        for name in ("id", "subject", "metric", "kind", "stated_by", "source")
    }
    claim = Claim(
        value=reader.number("value"),
        sense=Sense(reader.choice("sense", tuple(Sense)) or Sense.ASSUMED),
        grade=Grade(reader.choice("grade", tuple(Grade)) or Grade.ASSUMED_OR_DERIVED),
        reproducible=cast(Reproducible, reader.choice("reproducible", get_args(Reproducible)) or "unknown"),
        **words,
        **stated,
    )
    reader.close()
    return claim
