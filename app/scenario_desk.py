"""The scenario in the sidebar: its name and id, a step back, examples, opening, saving, sharing."""

import streamlit as st

from app import presenters, state, workbench
from models.problems import InputProblems

EXAMPLES = {
    "Five workloads on gpt-oss-120b": workbench.worked_example,
    "API buyer: Standard, Fast, Ultrafast": workbench.buyer_example,
}


def show() -> None:
    """Everything about the scenario in hand."""
    draft = state.draft()
    with st.sidebar:
        st.caption("SCENARIO")
        presenters.plain(draft.get("name") or "Unnamed")
        st.caption(f"as of {presenters.safe(draft.get('as_of'))} · id `{workbench.draft_id(draft)}`")
        with st.container(horizontal=True):
            st.button("Undo", icon=":material/undo:", on_click=state.undo, disabled=not state.can_undo())
            st.button("Redo", icon=":material/redo:", on_click=state.redo, disabled=not state.can_redo())
        with st.expander("Open or save", icon=":material/folder_open:"):
            _open_example()
            _open_file()
            _save()
        with st.expander("Share", icon=":material/link:"):
            state.link_field()
            st.caption("The page's address holds your scenario. Measurements stay on this server.")
    problem = state.link_problem()
    if problem is not None:
        presenters.problems(problem.problems)


def _open_example() -> None:
    chosen = st.selectbox("Example", list(EXAMPLES), index=None, placeholder="Choose an example")
    st.button("Open example", disabled=chosen is None, on_click=_take_example, args=(chosen,))


def _take_example(name: str) -> None:
    state.save(EXAMPLES[name](), reread_widgets=True)


def _open_file() -> None:
    """Put a scenario file in place of the draft; Undo brings the old one back."""
    file = st.file_uploader(
        "Scenario file (YAML or JSON)", key=f"scenario_file:{state.epoch()}", max_upload_size=1
    )
    if file is None:
        return
    try:
        fresh = workbench.read_draft(file.getvalue(), file.name)
        workbench.scenario_of(fresh)
    except InputProblems as problems:
        presenters.problems(problems.problems)
        return
    st.button("Open file", type="primary", on_click=state.save, args=(fresh, True))


def _save() -> None:
    draft = state.draft()
    st.download_button(
        "Save as file",
        lambda: workbench.write_draft(draft).encode(),
        f"plimsoll-{workbench.draft_id(draft)}.yaml",
        "application/yaml",
        on_click="ignore",
        icon=":material/download:",
    )
