"""Claims of the users' own, kept in the store: a mere statement until three questions are answered."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from data.claims import Claim, read_claim
from data.migrations import utc_now
from data.runs import named_query
from data.store import Store
from models.evidence import Evidence, Grade, Sense
from models.problems import InputProblems, Problem

LONGEST_TEXT = 500
NOT_STATED = "not stated"
NOBODY = ("", "nobody", "no one", "unknown", NOT_STATED)
MEASURED_GRADES = (Grade.OWN_MEASUREMENT, Grade.INDEPENDENT)
QUESTIONS = {
    "stated_by": "who stated it",
    "measured_by": "who measured it",
    "conditions": "on which workload",
}
# Figures of a hosted tier that a claim may become, and the units it may be stated in, with their factor.
FIGURES: Mapping[str, Mapping[str, float]] = {
    "stream_rate_tok_per_s": {"tok/s": 1.0, "tokens/s": 1.0},
    "stream_rate_ceiling_tok_per_s": {"tok/s": 1.0, "tokens/s": 1.0},
    "ttft_p50_s": {"s": 1.0, "ms": 1e-3},
}
CEILING_FIGURE = "stream_rate_ceiling_tok_per_s"


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnClaim:
    """One claim of a user's: as it was typed, and as it reads; `said_at` in UTC without a zone."""

    number: int
    fields: Mapping[str, Any]
    claim: Claim
    deleted: bool
    said_by: str
    said_at: datetime


def own_claims(store: Store) -> tuple[OwnClaim, ...]:
    """What users claim and have not taken back; StoreFault where the store cannot be read."""
    return tuple(each for each in _all(store) if not each.deleted)


def deleted_claims(store: Store) -> tuple[OwnClaim, ...]:
    """Claims taken back, which can be brought again; StoreFault."""
    return tuple(each for each in _all(store) if each.deleted)


def add_claim(store: Store, fields: Mapping[str, Any], who: str = "") -> OwnClaim:
    """Keep a claim; fields as of `claims.csv` without `id`. InputProblems listing all faults; StoreFault."""
    number = max((each.number for each in _all(store)), default=0) + 1
    claim = _read(number, fields)
    return _append(
        store,
        OwnClaim(
            number=number, fields=dict(fields), claim=claim, deleted=False, said_by=who, said_at=utc_now()
        ),
    )


def delete_claim(store: Store, number: int, who: str = "") -> OwnClaim:
    """Take a claim back; `bring_claim_back` undoes it."""
    return _again(store, number, deleted=True, who=who)


def bring_claim_back(store: Store, number: int, who: str = "") -> OwnClaim:
    """Claim again what was taken back."""
    return _again(store, number, deleted=False, who=who)


def open_questions(claim: Claim) -> tuple[str, ...]:
    """Which of the three questions a claim leaves open; one that leaves any is a mere statement."""
    return tuple(words for name, words in QUESTIONS.items() if getattr(claim, name).strip().lower() in NOBODY)


def figure_of(claim: Claim, figure: str) -> float:
    """The claim's value as a figure of a hosted tier, in base units.

    InputProblems where a question is open, the unit does not fit, or a ceiling would be taken as typical.
    """
    problems = []
    missing = open_questions(claim)
    if missing:
        problems.append(
            _problem(f"{', '.join(missing)}: not answered", "Answer it; until then it plans nothing.")
        )
    if claim.value is None or claim.value <= 0:
        problems.append(_problem("has no number above zero", "State the value as a number."))
    if claim.unit not in FIGURES[figure]:
        wanted = " or ".join(FIGURES[figure])
        problems.append(
            _problem(f"is in {claim.unit or 'no unit'}, not in {wanted}", "Choose another figure.")
        )
    if claim.sense is Sense.CEILING and figure != CEILING_FIGURE:
        problems.append(_problem("is a ceiling", "Use it as the ceiling; a ceiling is never typical."))
    if problems or claim.value is None:
        raise InputProblems(problems)
    return claim.value * FIGURES[figure][claim.unit]


def evidence_of_claim(claim: Claim) -> Evidence:
    """The claim as the evidence of the figure it becomes."""
    return Evidence(
        grade=claim.grade,
        sense=claim.sense,
        source=claim.source,
        locator=claim.locator,
        stated_by=claim.stated_by,
        measured_by=claim.measured_by,
        conditions=claim.conditions,
        note=f"own claim {claim.id}" + (f": {claim.note}" if claim.note else ""),
    )


def _problem(message: str, cure: str) -> Problem:
    return Problem(path="claim", message=message, cure=cure)


def _read(number: int, fields: Mapping[str, Any]) -> Claim:
    problems: list[Problem] = []
    for name, value in fields.items():
        if isinstance(value, str) and len(value) > LONGEST_TEXT:
            message = f"has more than {LONGEST_TEXT} letters"
            problems.append(Problem(path=f"claim.{name}", message=message, cure="Shorten it."))
    # Written out by hand, so a blank is what was not said.
    stated = {name: value for name, value in fields.items() if value not in (None, "")}
    stated.setdefault("stated_by", NOT_STATED)
    claim = read_claim(stated | {"id": f"own-{number}"}, "claim", problems)
    if claim.grade in MEASURED_GRADES and "who measured it" in open_questions(claim):
        message = f"grade {claim.grade} is for what somebody measured"
        problems.append(
            Problem(path="grade", message=message, cure="Say who measured it, or grade it D or E.")
        )
    if problems:
        raise InputProblems(problems)
    return claim


def _all(store: Store) -> tuple[OwnClaim, ...]:
    with store.cursor() as cursor:
        rows = cursor.execute(named_query("own_claims")).fetchall()
    return tuple(
        OwnClaim(
            number=number, fields=fields, claim=_read(number, fields), deleted=gone, said_by=who, said_at=when
        )
        for number, text, gone, who, when in rows
        for fields in (json.loads(text),)
    )


def _again(store: Store, number: int, deleted: bool, who: str) -> OwnClaim:
    found = next((each for each in _all(store) if each.number == number), None)
    if found is None:
        message = f"no claim number {number} is kept"
        raise InputProblems([Problem(path="claim", message=message, cure="Look at the list again.")])
    return _append(store, replace(found, deleted=deleted, said_by=who))


def _append(store: Store, kept: OwnClaim) -> OwnClaim:
    """Write the latest word on a claim."""
    said = replace(kept, said_at=utc_now())
    document = json.dumps(dict(said.fields), ensure_ascii=False, allow_nan=False)
    with store.transaction() as cursor:
        cursor.execute(
            "INSERT INTO store.own_claims "
            "SELECT ?, coalesce(max(event_number), 0) + 1, ?, ?, ?, ? FROM store.own_claims",
            [said.number, document, said.deleted, said.said_by, said.said_at],
        )
    return said
