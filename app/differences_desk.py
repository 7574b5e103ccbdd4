"""Another scenario beside the one in hand: what differs in the inputs and in the plan."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from app import presenters, session, shelf, state, workbench
from app.scenario_changes import Change, bill_sentence, input_changes, result_changes
from app.workbench import StoreFault, View
from models.problems import InputProblems

LAST_CHANGE, ASIDE, FILE = "Before the last change", "The one put aside", "A scenario file"
NONE_YET = {
    LAST_CHANGE: "Nothing was changed yet.",
    ASIDE: "Nothing is put aside yet.",
    FILE: "Choose a file; it is put aside, too.",
}
Draft = dict[str, Any]


def other_view() -> View | None:
    """The scenario to compare with, worked out; None after saying what is missing or wrong."""
    others = _others()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox("Compare with", list(others), key="compare_with", persist_state="session")
        st.button(
            "Put this scenario aside",
            on_click=lambda: state.keep(state.draft()),
            help="Change it afterwards, or open another: both stand side by side here.",
        )
    return _worked_out(chosen if chosen is not None and chosen in others else LAST_CHANGE, others)


def other_view_or_none() -> View | None:
    """Like `other_view`, for where comparing is a choice."""
    others = _others()
    chosen = st.selectbox(
        "Compare with",
        list(others),
        index=None,
        placeholder="Nothing",
        key="report_compare_with",
        persist_state="session",
        help="Adds a section: which inputs differ from another scenario, and what that does to the plan.",
    )
    return None if chosen is None or chosen not in others else _worked_out(chosen, others)


def _others() -> Mapping[str, Callable[[], Draft | None]]:
    """What there is to compare with, by what it is called; kept scenarios after the fixed choices."""
    found: dict[str, Callable[[], Draft | None]] = {
        LAST_CHANGE: state.before_last_change,
        ASIDE: state.kept,
        FILE: _draft_of_file,
    }
    try:
        kept = shelf.saved_scenarios(session.store())
    except StoreFault as fault:
        presenters.fault(fault)
        return found
    return found | {f"Kept: {each.name}": each.draft for each in kept}


def _worked_out(chosen: str, others: Mapping[str, Callable[[], Draft | None]]) -> View | None:
    try:
        draft = others[chosen]()
        if draft is not None:
            return workbench.view(draft, session.own_measurements())
    except InputProblems as problems:
        presenters.problems(problems.problems)
        return None
    except StoreFault as fault:
        presenters.fault(fault)
        return None
    if chosen in NONE_YET:
        st.info(NONE_YET[chosen])
    return None


def _draft_of_file() -> Draft | None:
    """The scenario of a file, put aside so that other pages have it; the one in hand stays."""
    file = st.file_uploader("Scenario file (YAML or JSON)", key="compare_file", max_upload_size=1)
    if file is None:
        return None
    draft = workbench.read_draft(file.getvalue(), file.name)
    workbench.scenario_of(draft)
    state.keep(draft)
    return draft


def show(before: View, after: View) -> None:
    """The bill in a sentence, then both lists of changes."""
    st.markdown(f"##### {presenters.safe(bill_sentence(before, after))}")
    st.caption(f"A: {presenters.safe(before.scenario.name)} · B: {presenters.safe(after.scenario.name)}")
    st.subheader("Inputs")
    _table(input_changes(before.draft, after.draft), "Inputs that differ", "Every input is the same.")
    st.subheader("Results")
    _table(result_changes(before, after), "Results that differ", "The plan is the same.")


def _table(changes: Sequence[Change], alt: str, empty: str) -> None:
    rows = [{"What": each.address, "A": each.before, "B": each.after} for each in changes]
    presenters.table(rows, alt, empty)
