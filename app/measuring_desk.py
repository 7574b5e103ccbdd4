"""Measure your own: for each workload, the command lines whose result files fit this planner."""

import streamlit as st

from app import benchmarks, presenters, session
from app.formatting import show
from models.workloads import Demand

ENDPOINT = "http://YOUR-SERVER:8000"
MODEL = "YOUR-MODEL"
KINDS = {"concurrency": "Requests in flight", "rate": "Requests per second"}


def measure() -> None:
    """Choose a workload, a tool and where the server is; copy the lines, run them, bring the files back."""
    st.caption(
        "Ready command lines that measure a workload's shape, load after load, each run with prompts "
        "of its own. Run them beside your server and drop the files under *Add files*."
    )
    seen = session.view()
    if seen is None:
        return
    names = session.workload_names(seen)
    left, middle, right = st.columns(3)
    with left:
        name = st.selectbox("Workload", names, key="measured_workload", persist_state="session")
    with middle:
        endpoint = st.text_input("Server", ENDPOINT, key="measured_endpoint", persist_state="session")
    with right:
        model = st.text_input("Model name there", MODEL, key="measured_model", persist_state="session")
    kind = st.segmented_control(
        "Load",
        list(KINDS),
        default="concurrency",
        required=True,
        format_func=lambda each: KINDS[each],
        key="measured_load",
        persist_state="session",
    )
    demand = seen.scenario.demands[names.index(name if name in names else names[0])]
    _commands(demand, kind or "concurrency", benchmarks.planned_in_flight(seen.plan, demand), endpoint, model)


def _commands(demand: Demand, kind: str, planned_count: float | None, endpoint: str, model: str) -> None:
    if kind == "rate":
        rate = demand.peak_call_rate_req_per_s
        ladder = benchmarks.rate_ladder(rate)
        st.caption(
            f"Around the workload's peak of {presenters.safe(show('offered_rate_req_per_s', rate))}: for the "
            "whole tier, not for one replica."
        )
    else:
        ladder = benchmarks.concurrency_ladder(planned_count)
        st.caption(
            "The plan does not place this workload, so the loads are a usual range."
            if planned_count is None
            else f"Around the {planned_count:.3g} requests that the plan has in flight on one replica."
        )
    for command in benchmarks.measuring_commands(demand, ladder, endpoint or ENDPOINT, model or MODEL):
        with st.container(border=True):
            st.markdown(f"**{presenters.safe(command.tool)}**")
            st.code("\n".join(command.lines), language="bash")
            st.caption(f"Bring back: {presenters.safe(command.bring_back)}")
            for note in command.notes:
                st.caption(presenters.safe(note))
