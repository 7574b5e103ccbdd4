"""Ask the stored points in SQL: run, cancel, keep by name, download, draw."""

from typing import Any

import pandas as pd
import streamlit as st

from app import benchmarks, presenters, session
from app.benchmarks import QueryResult, RunningQuery, StoreFault
from app.workbench import write_csv
from models.problems import InputProblems

ROW_LIMIT = 1000
TIME_LIMIT_S = 30.0
PATIENCE_S = 0.5  # a quicker answer is shown without a detour
POLL_S = 0.5
RUNNING_KEY = "running_query"
ANSWER_KEY = "query_answer"
SQL_KEY = "sql"
SHAPES = ("Points", "Line")


def query() -> None:
    """SQL over the user's and the built-in measurements; reads only, within limits."""
    st.caption(
        "Tables: `measurements` (yours), `builtin_measurements`, `all_measurements`, `runs`. "
        f"Reads only; {ROW_LIMIT:,} rows and {TIME_LIMIT_S:g} seconds at most."
    )
    listed = _named_queries()
    _choose(listed)
    st.session_state.setdefault(SQL_KEY, next(iter(listed.values())).sql)
    sql = st.text_area("SQL", height=180, key=SQL_KEY, persist_state="session")
    running: RunningQuery | None = st.session_state.get(RUNNING_KEY)
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Run", type="primary", disabled=running is not None):
            _start(sql or "")
    _keep(sql or "")
    if st.session_state.get(RUNNING_KEY) is not None:
        _progress()
    elif ANSWER_KEY in st.session_state:
        _answer(st.session_state[ANSWER_KEY])


def _named_queries() -> dict[str, benchmarks.NamedQuery]:
    """Shipped queries first, then those that users kept."""
    found = list(benchmarks.example_queries())
    try:
        found += benchmarks.saved_queries(session.store())
    except StoreFault as fault:
        presenters.fault(fault)
    return {each.name: each for each in found}


def _choose(listed: dict[str, benchmarks.NamedQuery]) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox("Saved queries", list(listed), key="named_query")
        chosen = listed.get(name)
        if chosen is None:
            return
        st.button("Open query", on_click=_open, args=(chosen.sql,), key="open_query")
        st.button(
            "Delete query", on_click=_forget, args=(chosen.name,), disabled=chosen.shipped, key="delete_query"
        )


def _open(sql: str) -> None:
    st.session_state[SQL_KEY] = sql
    st.session_state.pop(ANSWER_KEY, None)


def _forget(name: str) -> None:
    try:
        benchmarks.delete_query(session.store(), name, session.who())
    except StoreFault as fault:
        presenters.fault(fault)


def _keep(sql: str) -> None:
    with st.expander("Keep this query", key="keep_query"), st.form("keep_query_form", border=False):
        name = st.text_input("Name", max_chars=80, key="query_name")
        if not st.form_submit_button("Keep"):
            return
        try:
            benchmarks.save_query(session.store(), name or "", sql, session.who())
        except InputProblems as problems:
            presenters.problems(problems.problems)
        except StoreFault as fault:
            presenters.fault(fault)
        else:
            st.rerun()


def _start(sql: str) -> None:
    """Begin in a thread, so that the page can cancel; a quick answer is there at once."""
    try:
        running = RunningQuery(session.store(), sql, row_limit=ROW_LIMIT, time_limit_s=TIME_LIMIT_S)
    except StoreFault as fault:
        presenters.fault(fault)
        return
    st.session_state.pop(ANSWER_KEY, None)
    st.session_state[RUNNING_KEY] = running
    if running.wait(PATIENCE_S):
        _finish(running)
    else:
        st.rerun()


def _finish(running: RunningQuery) -> None:
    """Keep the answer, or what was wrong, for the runs to come."""
    st.session_state.pop(RUNNING_KEY, None)
    try:
        st.session_state[ANSWER_KEY] = running.result()
    except (InputProblems, StoreFault) as error:
        st.session_state[ANSWER_KEY] = error


@st.fragment(run_every=POLL_S)
def _progress() -> None:
    running: RunningQuery | None = st.session_state.get(RUNNING_KEY)
    if running is None:
        return
    if running.wait(0):
        _finish(running)
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"Running for {running.elapsed_s:.0f} s")
        st.button("Cancel", on_click=running.cancel, key="cancel_query", icon=":material/stop:")


def _answer(answer: QueryResult | InputProblems | StoreFault) -> None:
    if isinstance(answer, InputProblems):
        presenters.problems(answer.problems)
        return
    if isinstance(answer, StoreFault):
        presenters.fault(answer)
        return
    frame = pd.DataFrame([list(row) for row in answer.rows], columns=unique(answer.columns))
    st.dataframe(frame, hide_index=True, alt="Answer of the query")
    with st.container(horizontal=True, vertical_alignment="center"):
        rows = presenters.counted(len(answer.rows), "row")
        st.caption(rows + (", cut at the limit" if answer.truncated else ""))
        st.download_button(
            "Download as CSV",
            lambda: write_csv(answer.columns, answer.rows),
            "plimsoll-query.csv",
            "text/csv",
            on_click="ignore",
        )
    _draw(frame, numeric_columns(answer))


def _draw(frame: pd.DataFrame, numeric: list[str]) -> None:
    """A chart of the answer: one column against another, coloured by a third."""
    if not numeric or len(frame.columns) < 2:
        return
    with st.expander("Draw it", key="draw_query"):
        across, up, by, shape = st.columns(4)
        with across:
            x = st.selectbox("Across", list(frame.columns), key="query_x")
        with up:
            upward = [name for name in numeric if name != x] or numeric
            y = st.selectbox("Up", upward, key=f"query_y:{x}")
        with by:
            groups = [name for name in frame.columns if name not in (x, y)]
            colour = st.selectbox("One colour per", [None, *groups], format_func=_or_none, key="query_colour")
        with shape:
            drawn = st.segmented_control(
                "As", SHAPES, default=SHAPES[0], required=True, key="query_shape", persist_state="session"
            )
        chosen: dict[str, Any] = {"x": x, "y": y, "color": colour, "alt": f"{y} against {x}"}
        used = frame[list(dict.fromkeys(name for name in (x, y, colour) if name))].dropna(subset=[y])
        (st.scatter_chart if drawn == SHAPES[0] else st.line_chart)(used, **chosen)


def _or_none(name: str | None) -> str:
    return name or "none"


def numeric_columns(answer: QueryResult) -> list[str]:
    """Columns whose every value is a number or missing, with at least one number."""
    return [
        name
        for place, name in enumerate(unique(answer.columns))
        if any(row[place] is not None for row in answer.rows)
        and all(
            row[place] is None or (isinstance(row[place], int | float) and not isinstance(row[place], bool))
            for row in answer.rows
        )
    ]


def unique(names: tuple[str, ...]) -> list[str]:
    """The names with a number after those that stand there before, as a table needs them."""
    found: list[str] = []
    for name in names:
        fresh, number = name, 2
        while fresh in found:
            fresh, number = f"{name} ({number})", number + 1
        found.append(fresh)
    return found
