"""The shelf: scenarios kept by name in the store, for everyone who uses this server."""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from app import presenters, session, shelf, state, workbench
from app.shelf import SavedScenario
from app.workbench import StoreFault
from models.problems import InputProblems

SAID_KEY = "shelf_said"
SHOWN_DELETED_COUNT = 10


def keep() -> None:
    """Keep the scenario in hand under a name, or one from a file."""
    draft = state.draft()
    with st.form("keep_scenario", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input(
            "Keep the scenario in hand as",
            value=str(draft.get("name") or "")[: shelf.LONGEST_NAME],
            max_chars=shelf.LONGEST_NAME,
            key=f"shelf_name:{workbench.draft_id(draft)}",
        )
        pressed = st.form_submit_button("Keep", type="primary", icon=":material/bookmark_add:")
    if pressed:
        _try(lambda: shelf.save_scenario(session.store(), name or "", draft, session.who()), "Kept")
        _say()
    _import()


def _import() -> None:
    with st.expander("Keep one from a file", icon=":material/upload_file:", key="shelf_import"):
        file = st.file_uploader("Scenario file (YAML or JSON)", key="shelf_file", max_upload_size=1)
        if file is None:
            return
        try:
            draft = workbench.read_draft(file.getvalue(), file.name)
            workbench.scenario_of(draft)
        except InputProblems as problems:
            presenters.problems(problems.problems)
            return
        name = st.text_input(
            "Name", value=str(draft.get("name") or "")[: shelf.LONGEST_NAME], max_chars=shelf.LONGEST_NAME
        )
        if st.button("Keep this file", type="primary"):
            _try(lambda: shelf.save_scenario(session.store(), name or "", draft, session.who()), "Kept")
            _say()


def listed() -> None:
    """Every kept scenario with what can be done with it; then what was deleted."""
    _say()
    try:
        kept = shelf.saved_scenarios(session.store())
        gone = shelf.deleted_scenarios(session.store())
    except StoreFault as fault:
        presenters.fault(fault)
        return
    st.subheader(presenters.counted(len(kept), "kept scenario"))
    if not kept:
        st.caption("None yet. What you keep here is there for everyone who uses this server.")
    for each in kept:
        _card(each)
    if gone:
        _deleted(gone[:SHOWN_DELETED_COUNT])


def _card(each: SavedScenario) -> None:
    """One kept scenario: its name, what it is about, and its buttons."""
    with st.container(border=True):
        st.markdown(f"**{presenters.safe(each.name)}**")
        try:
            draft = each.draft()
            about = _about(draft)
        except InputProblems as problems:
            presenters.problems(problems.problems)
            draft, about = None, "cannot be read"
        by = f" by {each.saved_by}" if each.saved_by else ""
        st.caption(presenters.safe(f"{about} · saved {each.saved_at:%Y-%m-%d %H:%M} UTC{by}"))
        with st.container(horizontal=True, vertical_alignment="center"):
            _card_buttons(each, draft)


def _about(draft: dict[str, Any]) -> str:
    workloads = presenters.counted(len(draft.get("workloads") or []), "workload")
    offers = presenters.counted(len(draft.get("offers") or []), "offer")
    return f"{workloads}, {offers} · as of {draft.get('as_of')} · id {workbench.draft_id(draft)}"


def _card_buttons(each: SavedScenario, draft: dict[str, Any] | None) -> None:
    number = each.number
    store, who = session.store, session.who
    st.button(
        "Open",
        type="primary",
        key=f"shelf_open:{number}",
        disabled=draft is None or draft == state.draft(),
        on_click=state.save,
        args=(draft, True),
        help="Put it in place of the scenario in hand; Undo brings that back.",
    )
    st.button(
        "Put aside to compare",
        key=f"shelf_compare:{number}",
        disabled=draft is None,
        on_click=state.keep,
        args=(draft,),
        help="Compare and Report then set it beside the scenario in hand.",
    )
    _act("Save over", f"shelf_over:{number}", lambda: shelf.save_over(store(), number, state.draft(), who()))
    _act("Duplicate", f"shelf_copy:{number}", lambda: shelf.duplicate_scenario(store(), number, who()))
    with st.popover("Rename", key=f"shelf_rename:{number}"):
        key = f"shelf_new_name:{number}"
        st.text_input("New name", value=each.name, max_chars=shelf.LONGEST_NAME, key=key)
        _act(
            "Rename",
            f"shelf_named:{number}",
            lambda: shelf.rename_scenario(store(), number, st.session_state[key], who()),
        )
    st.download_button(
        "Export",
        each.document.encode(),
        f"plimsoll-{'scenario' if draft is None else workbench.draft_id(draft)}.yaml",
        "application/yaml",
        key=f"shelf_export:{number}",
        on_click="ignore",
    )
    _act("Delete", f"shelf_delete:{number}", lambda: shelf.delete_scenario(store(), number, who()))


def _deleted(gone: tuple[SavedScenario, ...]) -> None:
    with st.expander(f"Deleted ({len(gone)})", icon=":material/delete:", key="shelf_deleted"):
        for each in gone:
            with st.container(horizontal=True, vertical_alignment="center"):
                presenters.plain(each.name)
                _act(
                    "Bring back",
                    f"shelf_back:{each.number}",
                    partial(_bring_back, each.number),
                )


def _bring_back(number: int) -> SavedScenario:
    return shelf.bring_back(session.store(), number, session.who())


def _act(label: str, key: str, change: Callable[[], SavedScenario]) -> None:
    """A button that changes the shelf before the page is drawn again."""
    st.button(label, key=key, on_click=_try, args=(change, label))


def _try(change: Callable[[], SavedScenario], done: str) -> None:
    """Make a change; what came of it is said when the page is drawn."""
    try:
        said: Any = (done, change().name)
    except (InputProblems, StoreFault) as error:
        said = error
    st.session_state[SAID_KEY] = said


def _say() -> None:
    """What came of the last change, once."""
    said = st.session_state.pop(SAID_KEY, None)
    if isinstance(said, InputProblems):
        presenters.problems(said.problems)
    elif isinstance(said, StoreFault):
        presenters.fault(said)
    elif said is not None:
        st.success(f"{said[0]}: {presenters.safe(said[1])}")
