"""The session's state: the draft (a plain dictionary), its history, and its link.

The draft is the scenario file as a dictionary. Widgets show it and write back into it; records are rebuilt
from it on every run. The link in the address bar carries it, so a reload or a colleague gets the same.
"""

import copy
from collections.abc import Callable
from typing import Any

import streamlit as st

from app import links, workbench
from models.problems import InputProblems

DRAFT_KEY = "draft"
HISTORY_KEY = "draft_history"
FUTURE_KEY = "draft_future"
KEPT_KEY = "draft_kept"
EPOCH_KEY = "draft_epoch"
LINK_KEY = "s"
LINK_SEEN_KEY = "link_seen"
LINK_PROBLEM_KEY = "link_problem"
SESSION_RUNS_KEY = "session_runs"
MAX_UNDO = 50

Draft = dict[str, Any]


def begin() -> None:
    """Start a session from the worked example; a link in the address replaces it."""
    state = st.session_state
    if DRAFT_KEY not in state:
        state[DRAFT_KEY] = workbench.worked_example()
        state[HISTORY_KEY] = []
        state[FUTURE_KEY] = []
        state[EPOCH_KEY] = 0
        state[LINK_SEEN_KEY] = ""


def link_field() -> None:
    """The code that the page's address carries; a new one, from a link or pasted, replaces the draft."""
    code = st.text_input(
        "Scenario code",
        key=LINK_KEY,
        bind="query-params",
        help="The address of this page carries it: copy the address to share, or paste a code.",
    )
    if (code or "") != st.session_state[LINK_SEEN_KEY]:
        _take_link(code or "")
        st.rerun()


def _take_link(code: str) -> None:
    """Load what a link carries; a damaged link leaves the draft as it was."""
    st.session_state[LINK_SEEN_KEY] = code
    try:
        fresh = links.decode(code) if code else workbench.worked_example()
        workbench.scenario_of(fresh)
    except InputProblems as problems:
        st.session_state[LINK_PROBLEM_KEY] = problems
        return
    st.session_state.pop(LINK_PROBLEM_KEY, None)
    _put(fresh)


def draft() -> Draft:
    """A copy of the draft; change it and hand it to `save`."""
    return copy.deepcopy(st.session_state[DRAFT_KEY])


def offer_ids(draft: Draft) -> list[tuple[str, str]]:
    """Tier and model of each offer; a draft names either by its id or defines it on the spot."""
    return [(_id_of(each.get("tier")), _id_of(each.get("model"))) for each in draft.get("offers") or []]


def _id_of(named: Any) -> str:
    return str(named.get("id") if isinstance(named, dict) else named)


def epoch() -> int:
    """Grows whenever the draft came from elsewhere than a widget; widget keys hold it, to be reread."""
    return int(st.session_state[EPOCH_KEY])


def edit(change: Callable[[Draft], None]) -> None:
    """Apply one change to the draft. For callbacks, which run before the page is drawn."""
    fresh = draft()
    change(fresh)
    save(fresh)


def save(fresh: Draft, reread_widgets: bool = False) -> None:
    """Keep a new draft, remember the old one for undo, and put it into the address."""
    state = st.session_state
    if fresh == state[DRAFT_KEY]:
        return
    _remember()
    state[FUTURE_KEY] = []
    state[DRAFT_KEY] = fresh
    if reread_widgets:
        state[EPOCH_KEY] += 1
    _write_link(fresh)


def undo() -> None:
    """Go back one change."""
    state = st.session_state
    if state[HISTORY_KEY]:
        *state[HISTORY_KEY], previous = state[HISTORY_KEY]
        state[FUTURE_KEY] = [*state[FUTURE_KEY], state[DRAFT_KEY]]
        _go_to(previous)


def redo() -> None:
    """Make the change again that was last taken back."""
    state = st.session_state
    if state[FUTURE_KEY]:
        *state[FUTURE_KEY], following = state[FUTURE_KEY]
        _remember()
        _go_to(following)


def _remember() -> None:
    state = st.session_state
    state[HISTORY_KEY] = [*state[HISTORY_KEY], state[DRAFT_KEY]][-MAX_UNDO:]


def _go_to(draft: Draft) -> None:
    st.session_state[DRAFT_KEY] = draft
    st.session_state[EPOCH_KEY] += 1
    _write_link(draft)


def can_redo() -> bool:
    """Whether a change was taken back and nothing was changed since."""
    return bool(st.session_state[FUTURE_KEY])


def before_last_change() -> Draft | None:
    """The draft as it was before its last change; None where nothing was changed."""
    history = st.session_state[HISTORY_KEY]
    return copy.deepcopy(history[-1]) if history else None


def keep(draft: Draft) -> None:
    """Put a draft aside to compare others with."""
    st.session_state[KEPT_KEY] = copy.deepcopy(draft)


def kept() -> Draft | None:
    """The draft put aside to compare with, if any."""
    return copy.deepcopy(st.session_state.get(KEPT_KEY))


def can_undo() -> bool:
    """Whether there is a change to go back."""
    return bool(st.session_state[HISTORY_KEY])


def link_problem() -> InputProblems | None:
    """What was wrong with the link this session came by, if anything."""
    problem: InputProblems | None = st.session_state.get(LINK_PROBLEM_KEY)
    return problem


def session_runs() -> tuple[Any, ...]:
    """Imports kept in this session only."""
    return tuple(st.session_state.get(SESSION_RUNS_KEY, ()))


def keep_in_session(imported: Any) -> None:
    """Keep an import for this session only; the same file counts once."""
    others = [each for each in session_runs() if each.sha256 != imported.sha256]
    st.session_state[SESSION_RUNS_KEY] = [*others, imported]


def _put(fresh: Draft) -> None:
    state = st.session_state
    _remember()
    state[FUTURE_KEY] = []
    state[DRAFT_KEY] = fresh
    state[EPOCH_KEY] += 1


def _write_link(fresh: Draft) -> None:
    code = "" if fresh == workbench.worked_example() else links.encode(fresh)
    st.session_state[LINK_KEY] = code
    st.session_state[LINK_SEEN_KEY] = code
