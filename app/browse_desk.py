"""What is stored: runs with what they are about, edited, deleted and brought back."""

from collections.abc import Sequence
from dataclasses import fields
from datetime import date
from typing import Any

import streamlit as st

from app import benchmarks, presenters, session
from app.benchmark_desk import measurement_row
from app.benchmarks import RunLabels, RunRow
from app.formatting import DASH
from app.workbench import StoreFault, canonical_csv
from models.measurements import SourcedMeasurement
from models.problems import InputProblems

AS_IN_FILE = "as the file says"
EDITED = " (edited)"
DELETED_KEY = "deleted_runs"
RELABELLED_KEY = "relabelled_run"  # the file and its labels before the last edit
MOST_ROWS_SHOWN = 200


def browse() -> None:
    """What is stored: runs with their labels, their rows, edits, delete and bring back, download."""
    try:
        runs = session.store().runs()
        measured = session.store().measurements()
    except StoreFault as fault:
        presenters.fault(fault)
        return
    event = presenters.selectable(
        [_row(run, [each for each in measured if each.source_id == run.source_id]) for run in runs],
        # A table of other files is another table: what was ticked before a deletion ticks nothing after it.
        key=f"runs:{hash(tuple(run.source_id for run in runs))}",
        alt="Imported benchmark files",
        empty="No file of your own yet. The built-in measurements are always there: see Query.",
    )
    chosen = [runs[index] for index in session.picked(event) if index < len(runs)]
    _buttons(chosen, measured)
    if runs and not chosen:
        st.caption("Tick a file to see its rows and to say what it is about.")
    if len(chosen) == 1:
        _rows(chosen[0], measured)
        edit(chosen[0])


def _row(run: RunRow, measured: Sequence[SourcedMeasurement]) -> dict[str, Any]:
    return {
        "File": run.file_name,
        "Format": " ".join(word for word in (run.format_label, run.tool_version) if word),
        "Points": run.row_count,
        **{
            benchmarks.meaning_words(name): _named(run, measured, name)
            for name in ("tier", "model", "accelerator", "accelerator_count", "measured_by", "notes")
        },
        "Imported": f"{run.imported_at:%Y-%m-%d %H:%M} UTC",
        "By": run.imported_by or DASH,
        "Hash": run.sha256[:12],
    }


def _named(run: RunRow, measured: Sequence[SourcedMeasurement], name: str) -> str:
    """What a file's points are labelled with, the user's word before the file's, and marked as such."""
    words = {str(word) for each in measured if (word := getattr(each.measurement, name)) is not None}
    shown = ", ".join(sorted(words)) or DASH
    return shown if getattr(run.labels, name) is None else shown + EDITED


def _buttons(chosen: Sequence[RunRow], measured: Sequence[SourcedMeasurement]) -> None:
    with st.container(horizontal=True):
        if st.button("Delete", disabled=not chosen, icon=":material/delete:"):
            for run in chosen:
                session.store().delete(run.source_id)
            st.session_state[DELETED_KEY] = [run.source_id for run in chosen]
            st.rerun()
        deleted = st.session_state.get(DELETED_KEY, [])
        if deleted and st.button("Bring back what was deleted", icon=":material/undo:"):
            for source_id in deleted:
                session.store().restore(source_id)
            st.session_state[DELETED_KEY] = []
            st.rerun()
        if RELABELLED_KEY in st.session_state:
            st.button("Undo the last edit", icon=":material/undo:", on_click=_undo)
        if measured:
            st.download_button(
                "Download all as CSV",
                lambda: canonical_csv([each.measurement for each in measured]),
                "plimsoll-measurements.csv",
                "text/csv",
                on_click="ignore",
            )


def _rows(run: RunRow, measured: Sequence[SourcedMeasurement]) -> None:
    points = [each.measurement for each in measured if each.source_id == run.source_id]
    presenters.table(
        [measurement_row(each) for each in points[:MOST_ROWS_SHOWN]], alt=f"Rows of {run.file_name}"
    )
    if len(points) > MOST_ROWS_SHOWN:
        st.caption(f"The first {MOST_ROWS_SHOWN} of {len(points):,} rows; Query shows the others.")


def edit(run: RunRow) -> None:
    """Say what a file is about; the file's own words stay beside it, and an empty field brings them back."""
    with st.form(f"labels:{run.source_id}"):
        st.markdown(f"**What {presenters.safe(run.file_name)} is about**")
        st.caption("Said here, it goes before what the file says, is marked as edited, and can be undone.")
        said: dict[str, Any] = {}
        with st.grid(3, min_column_width=200):
            for field in fields(RunLabels):
                said[field.name] = _field(run, field.name)
        if not st.form_submit_button("Save"):
            return
    try:
        before = session.store().relabel(run.source_id, RunLabels(**said))
    except InputProblems as problems:
        presenters.problems(problems.problems)
        return
    except StoreFault as fault:
        presenters.fault(fault)
        return
    st.session_state[RELABELLED_KEY] = (run.source_id, before)
    st.rerun()


def _field(run: RunRow, name: str) -> str | int | date | None:
    value, key = getattr(run.labels, name), f"label:{run.source_id}:{name}:{getattr(run.labels, name)}"
    words = benchmarks.meaning_words(name)
    if name == "accelerator_count":
        count: int | None = st.number_input(
            words, min_value=1, max_value=100_000, value=value, step=1, key=key, placeholder=AS_IN_FILE
        )
        return count
    if name == "measured_on":
        day: date | None = st.date_input(words, value=value, key=key)
        return day
    text = st.text_input(words, value or "", placeholder=AS_IN_FILE, key=key, max_chars=1000)
    return (text or "").strip() or None


def _undo() -> None:
    source_id, before = st.session_state.pop(RELABELLED_KEY)
    try:
        session.store().relabel(source_id, before)
    except StoreFault as fault:
        presenters.fault(fault)
