"""All claims that the planning rests on or argues with: who says it, who measured it, can I repeat it?"""

from collections.abc import Sequence
from dataclasses import fields

import streamlit as st

from app import presenters, shelf, workbench
from app.arithmetic import evaluate
from app.formatting import DASH, number
from app.shelf import OwnClaim
from app.workbench import Claim

ALL = "all"


def filtered(own: Sequence[OwnClaim]) -> list[Claim]:
    """The claims that match the reader's filter, the users' own first."""
    claims = [*(each.claim for each in own), *workbench.load_catalogue().claims.values()]
    first, second, third, fourth = st.columns([3, 1, 1, 1])
    with first:
        wanted = (
            st.text_input(
                "Search",
                placeholder="Ultrafast, price, Cerebras",
                key="claims_search",
                persist_state="session",
            )
            .strip()
            .lower()
        )
    with second:
        grade = st.selectbox("Grade", [ALL, *sorted({str(each.grade) for each in claims})])
    with third:
        sense = st.selectbox(
            "Sense",
            [ALL, *sorted({str(each.sense) for each in claims})],
            format_func=lambda word: word.replace("_", " "),
        )
    with fourth:
        repeatable = st.selectbox("Reproducible", [ALL, "yes", "no", "unknown"])
    return [
        claim
        for claim in claims
        if (not wanted or wanted in _searchable(claim))
        and grade in (ALL, claim.grade)
        and sense in (ALL, claim.sense)
        and repeatable in (ALL, claim.reproducible)
    ]


def _searchable(claim: Claim) -> str:
    return " ".join((claim.id, claim.subject, claim.metric, claim.text, claim.stated_by, claim.note)).lower()


def table(claims: Sequence[Claim]) -> None:
    """The claims, one a row."""
    st.caption(
        f"{len(claims)} claims. Three questions decide whether one may plan anything: who measured it, "
        "on which workload, can you reproduce it?"
    )
    presenters.table(
        [
            {
                "Id": claim.id,
                "About": claim.subject,
                "Claim": claim.metric,
                "Value": _value(claim),
                "Grade": str(claim.grade),
                "Who measured it?": claim.measured_by or "nobody",
                "On which workload?": claim.conditions or "not stated",
                "Can I reproduce it?": claim.reproducible,
                "Stated by": claim.stated_by,
                "Sense": claim.sense.replace("_", " "),
                "Status": _status(claim),
                "Date": claim.date,
                "Source": claim.source,
                "Note": claim.note,
            }
            for claim in claims
        ],
        alt="Claims about fast inference with who stated and who measured them",
        empty="No claim matches.",
    )


def _value(claim: Claim) -> str:
    """The value as stated, or its number with its unit."""
    return claim.text or (DASH if claim.value is None else f"{claim.value:g} {claim.unit}")


def _status(claim: Claim) -> str:
    """What became of a claim; of an own one, whether it may plan anything."""
    return shelf.standing(claim) if claim.kind == "own" else claim.status or DASH


def download(claims: Sequence[Claim]) -> None:
    """The claims shown as CSV, in the columns of `claims.csv`."""
    columns = [each.name for each in fields(Claim)]
    st.download_button(
        "Download these claims as CSV",
        lambda: workbench.write_csv(columns, [[getattr(each, name) for name in columns] for each in claims]),
        "plimsoll-claims.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
    )


def conflicts(shown: Sequence[Claim]) -> None:
    """Claims that do not go together, side by side, wherever one of them is shown."""
    catalogue, ids = workbench.load_catalogue(), {claim.id for claim in shown}
    found = [each for each in catalogue.conflicts if ids.intersection(each.claim_ids)]
    for each in found:
        st.markdown(f"**{presenters.safe(each.question)}** {presenters.safe(each.reading)}")
        presenters.table(
            [
                {
                    "Id": claim.id,
                    "About": claim.subject,
                    "Claim": claim.metric,
                    "Value": claim.text or DASH,
                    "Sense": claim.sense.replace("_", " "),
                    "Grade": str(claim.grade),
                    "Stated by": claim.stated_by,
                    "Who measured it?": claim.measured_by or "nobody",
                    "Status": claim.status or DASH,
                }
                for claim in (catalogue.claims[claim_id] for claim_id in each.claim_ids)
            ],
            alt=each.question,
        )
    if not found:
        st.caption("No conflict among these claims.")


def arithmetic(claims: Sequence[Claim]) -> None:
    """Derived figures with their sums done on the spot."""
    presenters.table(
        [
            {
                "Id": claim.id,
                "About": claim.subject,
                "Claim": claim.metric,
                "Arithmetic": claim.arithmetic,
                "Gives": f"{number(evaluate(claim.arithmetic))} {claim.unit}",
                "Stated": claim.text,
                "Grade": str(claim.grade),
                "Sense": claim.sense.replace("_", " "),
            }
            for claim in claims
            if claim.arithmetic
        ],
        alt="Derived claims worked out again",
        empty="No derived claim matches.",
    )
