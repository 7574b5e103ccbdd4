"""Editing one workload: choose it, change its demand and shape, set its targets, add, clone, remove."""

from typing import Any

import pandas as pd
import streamlit as st

from app import controls, presenters, state, workbench
from app.formatting import label
from models.percentiles import QUANTILES

METRICS = ("ttft_s", "tpot_s", "itl_s", "e2e_s", "task_s")
CHOSEN_KEY = "workload_chosen"


def choose() -> int | None:
    """The index of the workload in hand; None where the scenario has none."""
    listed = state.draft().get("workloads", [])
    names = [str(each.get("name", f"workload {index + 1}")) for index, each in enumerate(listed)]
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    with left:
        chosen = st.segmented_control(
            "Workload",
            range(len(names)),
            default=0 if names else None,
            required=bool(names),
            format_func=lambda index: presenters.safe(names[index]) if index < len(names) else "",
            key=f"{CHOSEN_KEY}:{state.epoch()}:{len(names)}",
        )
    with right, st.container(horizontal=True, vertical_alignment="bottom"):
        kinds = workbench.load_catalogue().workload_defaults
        kind = st.selectbox("Add a workload", list(kinds), format_func=lambda key: kinds[key].label)
        st.button("Add", on_click=_add, args=(kind,), icon=":material/add:")
        if chosen is not None:
            st.button("Clone", on_click=_clone, args=(chosen,), icon=":material/content_copy:")
            st.button(
                "Remove",
                on_click=_remove,
                args=(chosen,),
                icon=":material/delete:",
                disabled=len(names) < 2,
                help="Undo brings it back.",
            )
    return chosen


def _add(kind: str) -> None:
    fresh = state.draft()
    default = dict(workbench.load_catalogue().workload_defaults[kind].draft)
    models = list(dict.fromkeys(model for each in fresh["workloads"] for model in each.get("models", [])))
    default.setdefault("models", models)
    default.setdefault("peak_rate_req_per_s", 1.0)
    default["name"] = _free_name(fresh, str(default.get("name", kind)))
    fresh["workloads"].append(default)
    state.save(fresh, reread_widgets=True)


def _clone(index: int) -> None:
    fresh = state.draft()
    copied = state.draft()["workloads"][index]
    copied["name"] = _free_name(fresh, f"{copied['name']} copy")
    fresh["workloads"].append(copied)
    state.save(fresh, reread_widgets=True)


def _remove(index: int) -> None:
    fresh = state.draft()
    del fresh["workloads"][index]
    state.save(fresh, reread_widgets=True)


def _free_name(draft: dict[str, Any], wanted: str) -> str:
    taken = {each.get("name") for each in draft["workloads"]}
    candidates = [wanted, *(f"{wanted} {count}" for count in range(2, len(taken) + 3))]
    return next(name for name in candidates if name not in taken)


def demand_and_shape(index: int) -> None:
    """How much arrives, how long the prompts and answers are, how many calls a task makes."""
    here = ("workloads", index)
    catalogue = workbench.load_catalogue()
    first, second, third = st.columns(3)
    with first, st.container(border=True):
        st.markdown("**Demand**")
        _name(index)
        controls.number(
            (*here, "peak_rate_req_per_s"),
            "peak_rate_req_per_s",
            low=1e-6,
            step=1.0,
            name="Peak rate (tasks per second)",
        )
        shape = controls.look_up(state.draft(), (*here, "hourly_fraction"))
        if not isinstance(shape, list):
            controls.choice(
                (*here, "hourly_fraction"),
                "Shape of the day",
                {key: shape.label for key, shape in catalogue.day_shapes.items()},
                "Shares of the peak rate, hour by hour.",
                default="all_day",
            )
    with second, st.container(border=True):
        st.markdown("**Tokens per call**")
        controls.lengths((*here, "input_tok"), "Input")
        controls.lengths((*here, "output_tok"), "Output")
        controls.number(
            (*here, "cached_input_fraction"), "cached_input_fraction", high=1.0, step=0.05, default=0.0
        )
    with third, st.container(border=True):
        st.markdown("**Task**")
        task = (*here, "task")
        controls.number(
            (*task, "sequential_call_count"), "sequential_call_count", low=1, step=1, whole=True, default=1
        )
        controls.number((*task, "pause_s"), "pause_s", step=1.0, default=0.0)
        controls.number(
            (*task, "fan_out_count"), "fan_out_count", low=1, high=1024, step=1, whole=True, default=1
        )
        controls.number(
            (*task, "resolved_fraction"), "resolved_fraction", high=1.0, step=0.05, empty="unknown"
        )
        controls.number((*task, "attempt_count"), "attempt_count", low=1.0, step=0.1, default=1.0)
        controls.number((*task, "human_usd_per_task"), "human_usd_per_task", step=1.0, default=0.0)
        controls.several(
            (*here, "models"),
            "Models good enough",
            list(catalogue.models),
            "The quality gate: only offers of these models are compared.",
        )


def _name(index: int) -> None:
    """The workload's name; one that is empty or taken is refused where it is typed."""
    listed = state.draft()["workloads"]
    taken = [each.get("name") for place, each in enumerate(listed) if place != index]
    key = f"name:{state.epoch()}:{index}"

    def write() -> None:
        wanted = st.session_state[key].strip()
        if wanted and wanted not in taken:
            state.edit(lambda draft: controls.put(draft, ("workloads", index, "name"), wanted))

    st.text_input(
        "Name",
        value=str(listed[index].get("name", "")),
        max_chars=200,
        help="How this workload is called in plans and reports.",
        key=key,
        on_change=write,
    )
    typed = str(st.session_state.get(key, "")).strip()
    if not typed or typed in taken:
        st.caption(":red[This name is empty or taken; the old one stays.]")


def targets(index: int) -> None:
    """The workload's promises, as a table to edit."""
    here = ("workloads", index, "targets")
    current = controls.look_up(state.draft(), here) or []
    st.markdown("**Targets** · a quantile of a latency, and the seconds it must stay within")
    key = f"targets:{state.epoch()}:{index}"
    base_key = f"{key}:base"
    if base_key not in st.session_state:
        st.session_state[base_key] = current
    base = pd.DataFrame(st.session_state[base_key], columns=["metric", "quantile", "limit_s"])
    edited: pd.DataFrame = st.data_editor(
        base.astype({"metric": "str", "quantile": "float64", "limit_s": "float64"}),
        key=key,
        num_rows="dynamic",
        hide_index=True,
        column_config={
            "metric": st.column_config.SelectboxColumn(
                "Latency",
                options=list(METRICS),
                required=True,
                format_func=lambda name: label(str(name)).split(" (")[0],
            ),
            "quantile": st.column_config.SelectboxColumn("Quantile", options=list(QUANTILES), required=True),
            "limit_s": st.column_config.NumberColumn(label("limit_s"), min_value=0.001, required=True),
        },
    )
    _keep_targets(here, current, edited)


def _keep_targets(here: tuple[str | int, ...], current: list[dict[str, Any]], edited: pd.DataFrame) -> None:
    """Write whole rows into the draft; rows still being filled in are said to be waiting."""
    rows = edited.to_dict("records")
    whole = [
        {"metric": row["metric"], "quantile": float(row["quantile"]), "limit_s": float(row["limit_s"])}
        for row in rows
        if not any(pd.isna(value) or value == "nan" for value in row.values())
    ]
    if len(whole) < len(rows):
        st.caption("A target counts once its three cells are filled in.")
    if whole != current:
        state.edit(lambda draft: controls.put(draft, here, whole))
        st.rerun()
