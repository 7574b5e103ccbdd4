"""Claims of one's own: add one, see what it leaves open, plan with it once it may."""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from app import presenters, session, shelf, tier_editor
from app.evidence_changes import rests_on
from app.formatting import DASH, label
from app.shelf import OwnClaim
from app.workbench import StoreFault, View
from models.architectures import hosted_api
from models.evidence import GRADE_MEANINGS, Grade, Sense
from models.problems import InputProblems

SAID_KEY = "own_claims_said"
FORM = "own_claim"
THREE_QUESTIONS = {
    "stated_by": "Who stated it?",
    "measured_by": "Who measured it? (blank: nobody)",
    "conditions": "On which workload? (blank: not stated)",
}
OTHERS = {
    "subject": "About (tier, model or system)",
    "metric": "Claim (what is said of it)",
    "text": "Value in words",
    "unit": "Unit, such as tok/s or ms",
    "source": "Source (page, file or person)",
    "locator": "Where in the source",
    "date": "Date",
    "note": "Note",
}


def known() -> tuple[OwnClaim, ...]:
    """What users claim; nothing, after saying so, where the store cannot be read."""
    try:
        return shelf.own_claims(session.store())
    except StoreFault as fault:
        presenters.fault(fault)
        return ()


def add() -> None:
    """A form with the fields of a claim; the three questions first."""
    with st.expander("Add a claim of your own", icon=":material/add_comment:", key="add_claim"):
        st.caption(
            "It is kept in the store either way. It may become a planning input only once it says who stated "
            "it, who measured it, and on which workload."
        )
        with st.form(FORM, border=False, clear_on_submit=False):
            for name, words in THREE_QUESTIONS.items():
                st.text_input(words, key=f"{FORM}:{name}", max_chars=shelf.LONGEST_TEXT)
            with st.grid(2, min_column_width=260):
                for name, words in OTHERS.items():
                    st.text_input(words, key=f"{FORM}:{name}", max_chars=shelf.LONGEST_TEXT)
            left, middle, right, last = st.columns(4)
            with left:
                st.number_input("Value as a number", value=None, format="%g", key=f"{FORM}:value")
            with middle:
                st.selectbox("Sense", [str(each) for each in Sense], key=f"{FORM}:sense", format_func=_words)
            with right:
                grades = [str(each) for each in Grade]
                st.selectbox("Grade", grades, index=3, key=f"{FORM}:grade", format_func=_grade)
            with last:
                options = ["unknown", "yes", "no"]
                st.selectbox("Can I reproduce it?", options, key=f"{FORM}:reproducible")
            st.form_submit_button("Keep this claim", type="primary", on_click=_add)
    _say()


def _words(word: str) -> str:
    return word.replace("_", " ")


def _grade(letter: str) -> str:
    return f"{letter}: {GRADE_MEANINGS[Grade(letter)]}"


def _add() -> None:
    names = (*THREE_QUESTIONS, *OTHERS, "value", "sense", "grade", "reproducible")
    fields = {name: st.session_state[f"{FORM}:{name}"] for name in names}
    fields["kind"] = "own"
    _try("Kept", lambda: shelf.add_claim(session.store(), fields, session.who()).claim.id)


def listed(seen: View | None, claims: tuple[OwnClaim, ...]) -> None:
    """Each own claim with its standing, what to plan with it, and a way to take it back."""
    if not claims and not _deleted_claims():
        st.caption("None yet.")
        return
    for each in claims:
        with st.container(border=True):
            _card(seen, each)
    gone = _deleted_claims()
    if gone:
        with st.expander(f"Taken back ({len(gone)})", icon=":material/delete:", key="claims_deleted"):
            for each in gone:
                with st.container(horizontal=True, vertical_alignment="center"):
                    presenters.plain(f"{each.claim.id}: {each.claim.subject}, {each.claim.metric}")
                    _button("Claim again", f"claim_back:{each.number}", partial(_bring_back, each.number))


def _deleted_claims() -> tuple[OwnClaim, ...]:
    try:
        return shelf.deleted_claims(session.store())
    except StoreFault:
        return ()


def _card(seen: View | None, each: OwnClaim) -> None:
    claim = each.claim
    value = claim.text or (DASH if claim.value is None else f"{claim.value:g} {claim.unit}")
    presenters.plain(f"{claim.id} · {claim.subject} · {claim.metric}: {value}")
    st.caption(presenters.safe(f"Grade {claim.grade}, {claim.sense} · {shelf.standing(claim)}"))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if seen is not None and not shelf.open_questions(claim):
            _plan_with(seen, each)
        _button("Take back", f"claim_delete:{each.number}", partial(_delete, each.number))


def _plan_with(seen: View, each: OwnClaim) -> None:
    """Choose a hosted tier of the scenario and the figure that the claim becomes."""
    hosted = {
        index: f"{offer.tier.label} · {offer.model.label}"
        for index, offer in enumerate(seen.scenario.offers)
        if offer.tier.architecture == hosted_api.KEY
    }
    if not hosted:
        return
    tier = st.selectbox(
        "Hosted tier", list(hosted), format_func=hosted.__getitem__, key=f"claim_tier:{each.number}"
    )
    figure = st.selectbox("Figure", list(shelf.FIGURES), format_func=label, key=f"claim_figure:{each.number}")
    _button("Plan with it", f"claim_use:{each.number}", partial(_use, seen, each, tier, figure))


def _use(seen: View, each: OwnClaim, index: int, figure: str) -> str:
    """Make the tier the user's own with the claim's figure; Undo brings the other back."""
    offer = seen.scenario.offers[index]
    value = shelf.figure_of(each.claim, figure)
    changes = shelf.hosted_changes(offer, figure, value, shelf.evidence_of_claim(each.claim))
    tier_editor.make_own(index, offer, changes)
    return f"{each.claim.id} in {offer.tier.label}"


def _delete(number: int) -> str:
    return shelf.delete_claim(session.store(), number, session.who()).claim.id


def _bring_back(number: int) -> str:
    return shelf.bring_claim_back(session.store(), number, session.who()).claim.id


def _button(words: str, key: str, change: Callable[[], str]) -> None:
    st.button(words, key=key, on_click=_try, args=(words, change))


def _try(done: str, change: Callable[[], str]) -> None:
    """Make a change; what came of it is said when the page is drawn."""
    try:
        said: Any = (done, change())
    except (InputProblems, StoreFault) as error:
        said = error
    st.session_state[SAID_KEY] = said


def _say() -> None:
    said = st.session_state.pop(SAID_KEY, None)
    if isinstance(said, InputProblems):
        presenters.problems(said.problems)
    elif isinstance(said, StoreFault):
        presenters.fault(said)
    elif said is not None:
        st.success(f"{said[0]}: {presenters.safe(said[1])}")


def measured(seen: View) -> None:
    """Own measurements beside the published ones of the same offers: both are kept, and which are used."""
    rows = []
    for offer in seen.scenario.offers:
        found = seen.measurements[offer.id]
        if all(each.built_in for each in found):
            continue
        counts: dict[tuple[bool, str], int] = {}
        for each in found:
            key = (each.built_in, each.source_label)
            counts[key] = counts.get(key, 0) + 1
        for (built_in, source), count in sorted(counts.items()):
            used = rests_on(seen.performances[offer.id], {source})
            rows.append(
                {
                    "Tier": f"{offer.tier.label} · {offer.model.label}",
                    "Whose": "published" if built_in else "yours",
                    "Source": source,
                    "Points": f"{count:,}",
                    "In the plan": "used" if used else "kept, not used",
                }
            )
    presenters.table(
        rows,
        alt="Own measurements beside published ones",
        empty="None of your measurements is of a tier of this scenario. Add files on Benchmarks.",
    )
