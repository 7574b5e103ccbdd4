"""Another scenario beside the one in hand: what differs in the inputs and in the plan."""

from collections.abc import Sequence

import streamlit as st

from app import presenters, session, state, workbench
from app.scenario_changes import Change, bill_sentence, input_changes, result_changes
from app.workbench import View
from models.problems import InputProblems

LAST_CHANGE, KEPT, FILE = "Before the last change", "The one put aside", "A scenario file"


def other_view() -> View | None:
    """The scenario to compare with, worked out; None after saying what is missing or wrong."""
    chosen = st.segmented_control(
        "Compare with",
        [LAST_CHANGE, KEPT, FILE],
        default=LAST_CHANGE,
        required=True,
        key="compare_with",
        persist_state="session",
    )
    st.button(
        "Put this scenario aside",
        on_click=lambda: state.keep(state.draft()),
        help="Change it afterwards, or open another: both stand side by side here.",
    )
    if chosen == FILE:
        _take_file()
    draft = state.before_last_change() if chosen == LAST_CHANGE else state.kept()
    if draft is None:
        st.info("Nothing was changed yet." if chosen == LAST_CHANGE else "Nothing is put aside yet.")
        return None
    try:
        return workbench.view(draft, session.own_measurements())
    except InputProblems as problems:
        presenters.problems(problems.problems)
        return None


def _take_file() -> None:
    """Put the scenario of a file aside; the one in hand stays."""
    file = st.file_uploader("Scenario file (YAML or JSON)", key="compare_file", max_upload_size=1)
    if file is None:
        return
    try:
        draft = workbench.read_draft(file.getvalue(), file.name)
        workbench.scenario_of(draft)
    except InputProblems as problems:
        presenters.problems(problems.problems)
    else:
        state.keep(draft)


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
