"""What a user knows of wafers or of two pools in a row: figures that make the catalogue's row their own."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from app import state, workbench
from app.formatting import label
from models.tiers import Offer

LINK_UNITS = {
    "one_way_gbit_per_s": "Gb/s, one way (InfiniBand, Ethernet)",
    "one_way_gbyte_per_s": "GB/s, one way",
    "two_way_gbyte_per_s": "GB/s, both ways together (NVLink as quoted)",
}
GIGABIT_BYTE = 1.25e8
WHOLE = ("accelerator_count_per_replica", "pipeline_stage_count", "slot_count")
WAFER_FIGURES = (*WHOLE, "prefill_rate_tok_per_s", "stream_rate_tok_per_s")
DECODE_FIGURES = ("accelerator_count_per_replica", "alpha_s", "beta_s_per_seq")
PREFILL_FIGURES = ("delta_s_per_input_tok", "usd_per_accelerator_h")
FIGURES: dict[str, dict[str, tuple[str, ...]]] = {
    "wafer_scale_pipeline": {"Wafers of one copy": WAFER_FIGURES},
    "disaggregated_pools": {"Decode half": DECODE_FIGURES, "Prefill half": PREFILL_FIGURES},
}
Use = Callable[[int, Offer, dict[str, Any]], None]


def popover(index: int, offer: Offer, use: Use) -> None:
    """A form for the figures that nobody publishes; blank ones stay unknown. `use` takes what was typed."""
    parts = FIGURES.get(offer.tier.architecture)
    if parts is None:
        return
    form = f"own_figures:{state.epoch()}:{index}"
    with st.popover("Own figures", icon=":material/tune:"), st.form(form, border=False):
        _link(offer, form)
        for title, names in parts.items():
            st.markdown(title)
            for name in names:
                _number(name, _known(offer, name), form)
        # A callback: the link of the page is a widget, and is written before the page is drawn again.
        st.form_submit_button("Use these figures", on_click=_use, args=(index, offer, form, use))


def _number(name: str, value: Any, form: str) -> None:
    if name in WHOLE:
        st.number_input(label(name), min_value=1, value=value, step=1, key=f"{form}:{name}")
    else:
        st.number_input(label(name), min_value=0.0, value=value, format="%g", key=f"{form}:{name}")


def _link(offer: Offer, form: str) -> None:
    """The rate of the link in the unit its source states it in."""
    link = offer.tier.link
    known = None if link is None else link.bandwidth_byte_per_s / GIGABIT_BYTE
    units = list(LINK_UNITS)
    st.selectbox("Unit of the link's rate", units, format_func=LINK_UNITS.__getitem__, key=f"{form}:unit")
    st.number_input("Link rate", min_value=0.0, value=known, format="%g", key=f"{form}:link")


def _known(offer: Offer, name: str) -> Any:
    """What the tier already says under a figure's name; None where it says nothing."""
    draft = workbench.tier_as_draft(offer)
    prefill = draft.get("prefill", {})
    places = [draft, draft.get("step", {}), draft.get("speed", {})]
    if name in PREFILL_FIGURES:
        places = [prefill, prefill.get("price", {})]
    return next((place[name] for place in places if place.get(name) is not None), None)


def _use(index: int, offer: Offer, form: str, use: Use) -> None:
    """Hand over what was typed, in the shape of a scenario's own tier."""
    names = [name for part in FIGURES[offer.tier.architecture].values() for name in part]
    typed = {name: value for name in names if (value := st.session_state[f"{form}:{name}"])}
    rate, draft = st.session_state[f"{form}:link"], workbench.tier_as_draft(offer)
    changes: dict[str, Any] = {}
    if rate:
        changes["link"] = {st.session_state[f"{form}:unit"]: rate}
    if "stream_rate_tok_per_s" in typed:
        speed = {"stream_rate_tok_per_s": typed.pop("stream_rate_tok_per_s")}
        changes["speed"] = draft.get("speed", {}) | speed
    if offer.tier.architecture == "disaggregated_pools":
        changes |= _halves(draft, typed)
    use(index, offer, changes | {name: value for name, value in typed.items() if name not in _HALVES})


_HALVES = ("alpha_s", "beta_s_per_seq", *PREFILL_FIGURES)


def _halves(draft: dict[str, Any], typed: dict[str, Any]) -> dict[str, Any]:
    """The decode step and the prefill half, with what was typed."""
    changes: dict[str, Any] = {}
    if "alpha_s" in typed:
        changes["step"] = {"alpha_s": typed["alpha_s"], "beta_s_per_seq": typed.get("beta_s_per_seq", 0.0)}
    prefill = dict(draft.get("prefill", {}))
    if "delta_s_per_input_tok" in typed:
        delta_s = typed["delta_s_per_input_tok"]
        prefill |= {"alpha_s": prefill.get("alpha_s", 0.0), "delta_s_per_input_tok": delta_s}
    if "usd_per_accelerator_h" in typed:
        prefill["price"] = {"basis": "hourly", "usd_per_accelerator_h": typed["usd_per_accelerator_h"]}
    return changes | ({"prefill": prefill} if prefill else {})
