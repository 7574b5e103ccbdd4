"""What a card of the Tiers page says about wafers and about two pools in a row."""

from typing import Any

import streamlit as st

from app import presenters, state, workbench
from app.formatting import number, show
from models.performance import PipelinePerformance, TandemPerformance


def machines(performance: PipelinePerformance | TandemPerformance) -> None:
    """The speed of a replica, and how far it can be trusted."""
    if isinstance(performance, PipelinePerformance):
        _pipeline(performance)
    else:
        _tandem(performance)


def _pipeline(performance: PipelinePerformance) -> None:
    st.markdown(
        presenters.safe(
            f"A stream alone {show('stream_rate_tok_per_s', 1.0 / performance.unloaded_token_s)}; "
            f"{_free(performance)}; KV cache {show('kv_capacity_tok', performance.kv_capacity_tok)}"
        )
    )
    if performance.end is None:
        quality = performance.quality
        if quality is not None:
            st.caption(f"Measured: {presenters.counted(quality.point_count, 'load point')}.")
        return
    _envelope(performance)


def _free(performance: PipelinePerformance) -> str:
    free = performance.free_sequence_count
    if free is None:
        return "all that the memory holds at full speed"
    return f"{number(free)} {'sequence' if free == 1.0 else 'sequences'} at full speed"


def _envelope(performance: PipelinePerformance) -> None:
    """Both ends, so that no one takes one of them for the truth."""
    other = performance.other_end
    beside = "" if other is None else f"; at the {other.end} end: {_free(other)}"
    st.caption(presenters.safe(f"Planned at the {performance.end} end{beside}."))
    with st.popover("What is not known", icon=":material/help:"):
        presenters.bullets(performance.notices)


def _tandem(performance: TandemPerformance) -> None:
    decode, link_gb = performance.decode, performance.bandwidth_byte_per_s / 1e9
    st.markdown(
        presenters.safe(
            f"Prefill {show('alpha_s', performance.alpha_s)} + "
            f"{show('delta_s_per_input_tok', performance.delta_s_per_input_tok)}; hand-over at "
            f"{number(link_gb)} GB/s one way; decode step {show('alpha_s', decode.step.alpha_s)} + "
            f"{show('beta_s_per_seq', decode.step.beta_s_per_seq)} × b"
        )
    )
    ends = "" if performance.other_end is None else "; the decode half is an envelope"
    st.caption(presenters.safe(f"{decode.slot_count} slots a decode replica{ends}."))
    if performance.notices:
        with st.popover("What is not known", icon=":material/help:"):
            presenters.bullets(performance.notices)


def add_planned() -> None:
    """Take the best configuration of an aiconfigurator result in as a tier of the user's own."""
    with st.expander("Add a tier from an aiconfigurator result"):
        st.caption(
            "The CSV of a disaggregated run. Its figures are that tool's estimates (grade E); link "
            "and prices are yours to state."
        )
        file = st.file_uploader("Result (CSV)", type="csv", key=f"aiconfigurator:{state.epoch()}")
        if file is None:
            return
        found = workbench.planned_tier(file.name, file.getvalue())
        if isinstance(found, tuple):
            presenters.problems(found)
            return
        presenters.problems(found.problems)
        st.button("Add this tier", on_click=_append, args=(found.draft, found.model), icon=":material/add:")


def _append(tier: dict[str, Any], model: str) -> None:
    fresh = state.draft()
    taken = {tier_id for tier_id, _ in state.offer_ids(fresh)}
    own = {**tier, "id": workbench.free_id(tier["id"], taken)}
    fresh.setdefault("offers", []).append({"tier": own, "model": model})
    state.save(fresh, reread_widgets=True)
