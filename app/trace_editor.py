"""Make a workload from a request log: choose a log, see what it shows, add it or fit the workload in hand."""

import streamlit as st

from app import presenters, session, state, trace_workloads
from app.trace_workloads import SourcedDemand
from app.workbench import StoreFault


def make_from_log(chosen: int) -> None:
    """The picker; says where logs come from while there is none."""
    with st.expander("Make a workload from a request log", icon=":material/timeline:", key="from_log"):
        try:
            found = trace_workloads.logs(session.store(), state.session_runs())
        except StoreFault as fault:
            presenters.fault(fault)
            return
        if not found:
            st.caption(
                "Import a log with one row per request on Benchmarks: its lengths, peak rate, hours and "
                "burstiness can then describe a workload."
            )
            return
        names = {each.source_id: each for each in found}
        picked = st.selectbox(
            "Request log",
            list(names),
            format_func=lambda source_id: presenters.safe(names[source_id].file_name),
            key="from_log_choice",
        )
        if picked is not None:
            _show(names[picked])
            _offer(names[picked], chosen)


def _show(sourced: SourcedDemand) -> None:
    presenters.table(trace_workloads.figures(sourced), alt="What the log shows")
    rows = trace_workloads.windows(sourced)
    if rows and st.toggle("Stretch by stretch", key="from_log_windows", persist_state="session"):
        st.caption("Latencies are of successful requests, within about 1 %.")
        presenters.table(rows, alt="The log in equal stretches")
    missing = trace_workloads.lacking(sourced.demand)
    if missing:
        st.caption(f"Not in this log, and left as they are: {', '.join(missing)}.")


def _offer(sourced: SourcedDemand, chosen: int) -> None:
    """Add or fit; each is one edit, which Undo takes back."""
    name = str(state.draft()["workloads"][chosen].get("name", "this workload"))
    whole = trace_workloads.is_whole(sourced.demand)
    with st.container(horizontal=True):
        st.button(
            "Add as a workload",
            on_click=_add,
            args=(sourced,),
            disabled=not whole,
            icon=":material/add:",
            type="primary",
            help="With the models of this scenario and no targets yet. Undo takes it back."
            if whole
            else "The log lacks a rate or lengths, so it cannot stand alone.",
        )
        st.button(
            f"Fit {presenters.safe(name)} to it",
            on_click=_fit,
            args=(sourced, chosen),
            icon=":material/straighten:",
            help="Its targets, task and models stay. A log counts calls: the rate is divided by the calls "
            "of a task. Undo takes it back.",
        )


def _add(sourced: SourcedDemand) -> None:
    state.save(trace_workloads.added(state.draft(), sourced), reread_widgets=True)


def _fit(sourced: SourcedDemand, chosen: int) -> None:
    state.save(trace_workloads.fitted_in(state.draft(), chosen, sourced), reread_widgets=True)
