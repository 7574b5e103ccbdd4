"""Tiers as cards: what each costs, how fast it is known to be, on whose word; add, reprice, remove."""

from datetime import date
from typing import Any

import streamlit as st

from app import figures_editor, presenters, price_editor, state, tier_desk, workbench
from app.formatting import DASH, label, number, price_text, show
from models.grading import figures_weighed, offer_grade
from models.performance import BatchedPerformance, CannotServe, HostedPerformance, TierPerformance
from models.tiers import Offer


def add() -> None:
    """Put another offer of the catalogue into the scenario."""
    catalogue = workbench.load_catalogue()
    present = set(state.offer_ids(state.draft()))
    free = [key for key in catalogue.listings if key not in present]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox(
            "Add a tier from the catalogue",
            free,
            index=None,
            placeholder="Type a tier or a model",
            format_func=lambda key: f"{catalogue.tiers[key[0]].label} · {catalogue.models[key[1]].label}",
            key=f"add_offer:{state.epoch()}",
        )
        st.button("Add", disabled=chosen is None, on_click=_append, args=(chosen,), icon=":material/add:")


def _append(key: tuple[str, str]) -> None:
    fresh = state.draft()
    fresh.setdefault("offers", []).append({"tier": key[0], "model": key[1]})
    state.save(fresh, reread_widgets=True)


def card(index: int, offer: Offer, performance: TierPerformance | CannotServe, as_of: date) -> None:
    """One offer: facts, evidence, and what to do with it."""
    tier = offer.tier
    with st.container(border=True):
        left, middle, right = st.columns([3, 3, 3])
        with left:
            st.markdown(f"**{presenters.safe(tier.label)}** · {presenters.safe(offer.model.label)}")
            st.caption(
                f"{tier.architecture.replace('_', ' ')} · {_size(offer)} · sold: {tier.availability}"
                + (f" until {tier.available_until}" if tier.available_until else "")
            )
            _price(offer)
            if tier.note:
                st.caption(presenters.safe(tier.note))
        with middle:
            _performance(performance)
        with right, st.container(horizontal=True):
            _evidence(offer, performance)
            price_editor.popover(index, offer, as_of)
            figures_editor.popover(index, offer, make_own)
            _runs_today(offer)
            st.button(
                "Remove",
                key=f"remove_offer:{state.epoch()}:{index}",
                icon=":material/delete:",
                on_click=_remove,
                args=(index,),
                help="Undo brings it back.",
            )


def _size(offer: Offer) -> str:
    count, side = offer.tier.accelerator_count_per_replica, offer.tier.prefill
    if offer.accelerator is None:
        return presenters.safe(offer.tier.supplier) or "endpoint"
    own = f"{count or DASH} x {presenters.safe(offer.accelerator.label)} a replica"
    if side is None or offer.prefill_accelerator is None:
        return own
    prefill = presenters.safe(offer.prefill_accelerator.label)
    return f"prefill {side.accelerator_count_per_worker} x {prefill} a worker, decode {own}"


def _price(offer: Offer) -> None:
    text = price_text(offer.tier.price)
    st.markdown("**No price published**" if text == DASH else presenters.safe(text))


def _performance(performance: TierPerformance | CannotServe) -> None:
    if isinstance(performance, CannotServe):
        st.markdown(f"**Cannot be planned:** {presenters.safe('; '.join(performance.reasons))}")
        st.caption(f"Would fit if {presenters.safe(performance.would_fit_if)}.")
    elif isinstance(performance, BatchedPerformance):
        st.markdown(
            presenters.safe(
                f"Step {show('alpha_s', performance.step.alpha_s)} + "
                f"{show('beta_s_per_seq', performance.step.beta_s_per_seq)}"
                f" × b^{number(performance.step.exponent)}; {performance.slot_count} slots"
            )
        )
        quality = performance.quality
        if quality is not None:
            st.caption(
                f"{quality.point_count} points, {quality.shape_count} shapes, "
                f"residual {show('residual_fraction', quality.residual_fraction)}"
            )
    elif isinstance(performance, HostedPerformance):
        _hosted(performance)
    else:
        tier_desk.machines(performance)


def _hosted(performance: HostedPerformance) -> None:
    point = performance.points[0]
    speed = None if not point.tpot_s.middle else 1.0 / point.tpot_s.middle
    st.markdown(
        presenters.safe(
            f"Stream speed {show('stream_rate_tok_per_s', speed)}, TTFT {show('ttft_s', point.ttft_s.middle)}"
        )
    )
    ceiling = performance.tpot_floor_s
    if ceiling:
        st.caption(
            f"Vendor's ceiling {show('stream_rate_tok_per_s', 1.0 / ceiling)}: never typical, sizes nothing."
        )


def _evidence(offer: Offer, performance: TierPerformance | CannotServe) -> None:
    """The tier's grade; every figure's source, used or not, one click away."""
    used = figures_weighed(offer, performance)
    published = {} if offer.tier.speed is None else dict(offer.tier.speed.evidence)
    grade = offer_grade(offer, performance)
    with st.popover(f"Evidence {grade or DASH}", icon=":material/fact_check:"):
        st.caption("The grade is that of the weakest figure that planning with this tier uses.")
        presenters.evidence_by_name(used)
        unused = {
            name: each for name, each in {**offer.tier.evidence, **published}.items() if name not in used
        }
        if unused:
            st.caption("Known besides, and not used for speed or cost:")
            presenters.evidence_by_name(unused)


def _runs_today(offer: Offer) -> None:
    """How many replicas run today; the plan then shows the change from it."""
    if offer.tier.accelerator_count_per_replica is None:
        return
    fleet = state.draft().get("fleet") or []
    current = next((each["replica_count"] for each in fleet if each.get("tier") == offer.tier.id), 0)
    key = f"fleet:{state.epoch()}:{offer.id}"
    with st.popover(f"Runs today: {current}", icon=":material/memory:"):
        st.number_input(
            label("current_replica_count"),
            min_value=0,
            max_value=1_000_000,
            value=current,
            step=1,
            key=key,
            on_change=_set_fleet,
            args=(offer.tier.id, key),
        )


def _set_fleet(tier_id: str, key: str) -> None:
    fresh = state.draft()
    count = int(st.session_state[key])
    fleet = fresh.get("fleet") or []
    known = next((each for each in fleet if each.get("tier") == tier_id), None)
    if known is None:
        fleet.append({"tier": tier_id, "replica_count": count})
    else:
        known["replica_count"] = count
    fresh["fleet"] = [each for each in fleet if each["replica_count"] or each.get("committed_until")]
    state.save(fresh)


def make_own(index: int, offer: Offer, changes: dict[str, Any]) -> None:
    """Turn an offer of the catalogue into one on the user's own tier, with these keys changed."""
    fresh = state.draft()
    entry = fresh["offers"][index]
    entry["tier"] = workbench.tier_as_draft(offer) | changes
    for running in fresh.get("fleet") or []:
        if running.get("tier") == offer.tier.id:
            running["tier"] = entry["tier"]["id"]
    state.save(fresh, reread_widgets=True)


def _remove(index: int) -> None:
    fresh = state.draft()
    del fresh["offers"][index]
    left = {tier_id for tier_id, _ in state.offer_ids(fresh)}
    fresh["fleet"] = [each for each in fresh.get("fleet") or [] if each.get("tier") in left]
    state.save(fresh, reread_widgets=True)
