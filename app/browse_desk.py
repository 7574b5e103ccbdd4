"""What is stored: runs with what they are about, edited, deleted and brought back."""

from collections.abc import Sequence

import streamlit as st

from app import presenters, session
from app.formatting import DASH
from app.workbench import StoreFault, canonical_csv
from models.measurements import SourcedMeasurement


def browse() -> None:
    """What is stored: runs with their labels, delete and bring back, download."""
    try:
        runs = session.store().runs()
        measured = session.store().measurements()
    except StoreFault as fault:
        presenters.fault(fault)
        return
    event = presenters.selectable(
        [
            {
                "File": run.file_name,
                "Format": run.format_label,
                "Points": run.row_count,
                "Tier": _named(measured, run.source_id, "tier"),
                "Model": _named(measured, run.source_id, "model"),
                "Accelerator": _named(measured, run.source_id, "accelerator"),
                "Imported": f"{run.imported_at:%Y-%m-%d %H:%M} UTC",
                "By": run.imported_by or DASH,
                "Hash": run.sha256[:12],
            }
            for run in runs
        ],
        key="runs",
        alt="Imported benchmark files",
        empty="No file of your own yet. The built-in measurements are always there: see Query.",
    )
    chosen = [runs[index] for index in session.picked(event) if index < len(runs)]
    with st.container(horizontal=True):
        if st.button("Delete", disabled=not chosen, icon=":material/delete:"):
            for run in chosen:
                session.store().delete(run.source_id)
            st.session_state["deleted_runs"] = [run.source_id for run in chosen]
            st.rerun()
        deleted = st.session_state.get("deleted_runs", [])
        if deleted and st.button("Bring back what was deleted", icon=":material/undo:"):
            for source_id in deleted:
                session.store().restore(source_id)
            st.session_state["deleted_runs"] = []
            st.rerun()
        if measured:
            st.download_button(
                "Download all as CSV",
                lambda: _csv(measured),
                "plimsoll-measurements.csv",
                "text/csv",
                on_click="ignore",
            )


def _named(measured: Sequence[SourcedMeasurement], source_id: str, name: str) -> str:
    """What a file's points are labelled with, the user's word before the file's."""
    words = {getattr(each.measurement, name) for each in measured if each.source_id == source_id}
    return ", ".join(sorted(word for word in words if word)) or DASH


def _csv(measured: Sequence[SourcedMeasurement]) -> bytes:
    return canonical_csv([each.measurement for each in measured])
