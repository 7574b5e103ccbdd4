"""Routing: the mix of tiers, what comes second, what would change it, a failure, and the gateway's file."""

from functools import partial

import streamlit as st

from app import gateway, presenters, routing, session
from app.charts import tier_choices as tier_choices_chart
from app.formatting import DASH, label, number, percent, replicas, show
from app.routing import routing_of
from app.workbench import View
from models.routing.bursting import Bursting
from models.routing.outage import Moved, Outage
from models.routing.routing import Routed, SwitchPoint

OUTAGE_KEY = "outage"


def mix(seen: View) -> None:
    """The assignment matrix and its bill beside the plan that leaves workloads whole."""
    with st.spinner("Weighing shares of each workload on each tier"):
        found = routing_of(seen)
    routed_usd = show("cost_usd_per_month", found.cost_usd_per_month)
    whole_usd = show("cost_usd_per_month", found.whole_cost_usd_per_month)
    line = f"The cheapest routing costs {routed_usd} a month. Leaving each workload whole costs {whole_usd}"
    line += "." if found.splits or found.unserved != found.whole_unserved else ": splitting saves nothing."
    st.markdown(f"##### {presenters.safe(line)}")
    if found.unserved:
        st.warning(presenters.safe(f"No mix of tiers can serve: {', '.join(found.unserved)}"))
    gained = sorted(set(found.whole_unserved) - set(found.unserved))
    if gained:
        st.success(presenters.safe(f"Served only because they are split: {', '.join(gained)}"))
    budget_usd = seen.scenario.policy.budget_usd_per_month
    if budget_usd is not None and found.cost_usd_per_month > budget_usd:
        st.warning(
            presenters.safe(
                f"No routing meets the budget of {show('cost_usd_per_month', budget_usd)} a month."
            )
        )
    presenters.table(_matrix(seen, found.routed), alt="Share of each workload on each tier")
    with st.expander("Machines and bill behind each share", key="routed"):
        presenters.table([_routed_row(seen, each) for each in found.routed], alt="Each share routed")


def _matrix(seen: View, routed: tuple[Routed, ...]) -> list[dict[str, str]]:
    tiers = list(dict.fromkeys(routing.label_of(seen, each.offer_id) for each in routed))
    rows = []
    for name in dict.fromkeys(each.workload for each in routed):
        cells = dict.fromkeys(tiers, DASH)
        for each in routed:
            if each.workload == name:
                tier, part = routing.label_of(seen, each.offer_id), routing.part_text(each)
                text = percent(each.share_fraction) + (f" (prompts {part})" if part else "")
                cells[tier] = text if cells[tier] == DASH else f"{cells[tier]}, {text}"
        rows.append({"Workload": name, **cells})
    return rows


def _routed_row(seen: View, each: Routed) -> dict[str, str]:
    plan = routing_of(seen).pools[each.pool_index].plan
    machines = DASH if plan is None else replicas(plan.replica_count, plan.prefill_worker_count)
    return {
        "Workload": each.workload,
        "Prompts": routing.part_text(each) or "any",
        "Share": percent(each.share_fraction),
        "Served on": routing.label_of(seen, each.offer_id),
        "USD a month": show("cost_usd_per_month", each.cost_usd_per_month),
        "Replicas of its pool": machines,
    }


def alternatives(seen: View) -> None:
    """The runner-up, and at which price each tier changes the answer."""
    st.subheader("What would change it?")
    second = routing.second_best(seen)
    if second is None:
        st.markdown("**Runner-up**: none. Without any one of the tiers in use, some work has no place.")
    else:
        others = ", ".join(routing.label_of(seen, each) for each in second.offer_ids)
        extra = show("extra_cost_usd_per_month", second.extra_cost_usd_per_month)
        lost = routing.label_of(seen, second.without_offer_id)
        st.markdown(
            f"**Runner-up**: {presenters.safe(others)}, without {presenters.safe(lost)}: "
            f"{presenters.safe(extra)} a month more."
        )
    presenters.table(
        [_switch_row(seen, each) for each in routing.switch_points(seen)],
        alt="At which price each tier changes the routing",
    )
    st.caption(
        "One price changes at a time. Pools dearer than twice the whole plan are not weighed, so multiples "
        "below 0.5 are rough: the true one may lie nearer."
    )


def _switch_row(seen: View, each: SwitchPoint) -> dict[str, str]:
    if each.price_ratio is None:
        change = "at no price" if each.used else "not even for nothing"
    else:
        change = f"{'above' if each.used else 'below'} {number(each.price_ratio)} times its price"
    return {
        "Tier": routing.label_of(seen, each.offer_id),
        "Now": "used" if each.used else "not used",
        "Used less or more": change,
        "Then served on": ", ".join(routing.label_of(seen, other) for other in each.then_offer_ids) or DASH,
    }


def bases(seen: View) -> None:
    """Own machines for the base and another tier for the peaks, pool by pool."""
    st.subheader("Own machines for the base, another tier for the peaks?")
    with st.spinner("Trying smaller pools with another tier behind them"):
        found = routing.bases(seen)
    presenters.table(
        [_base_row(seen, each) for each in found],
        alt="A smaller pool of each with another tier for its peaks",
        empty="No pool of machines has another tier that keeps its promises.",
    )
    if found:
        bursty = any(demand.arrival.scv_ratio > 1.0 for demand in seen.scenario.demands)
        st.caption(
            "A call moves on when that many are in flight; the gateway counts them. Arrivals are taken as "
            "Poisson within each hour" + ("; yours are burstier, so more moves on." if bursty else ".")
        )


def _base_row(seen: View, each: Bursting) -> dict[str, str]:
    saved = show("saved_usd_per_month", abs(each.saved_usd_per_month))
    return {
        "Workloads": ", ".join(each.workloads),
        "Base": f"{routing.label_of(seen, each.offer_id)}, "
        f"{each.replica_count} replicas instead of {each.whole_replica_count}",
        "Peaks go to": routing.label_of(seen, each.overflow_offer_id),
        label("place_count"): number(each.place_count),
        label("overflow_fraction"): f"{percent(each.overflow_fraction)}, "
        f"{percent(each.peak_overflow_fraction)} at the peak",
        "In a month": f"saves {saved}" if each.saved_usd_per_month > 0 else f"costs {saved} more",
    }


def tier_choices(seen: View) -> None:
    """Bill against answer time of one workload, tier by tier."""
    name = st.selectbox(
        "Workload", session.workload_names(seen), key="routing_workload", persist_state="session"
    )
    presenters.picture(
        tier_choices_chart.rows(routing.tier_choices(seen, name), session.tier_order(seen)),
        empty="No tier keeps this workload's promises with a known answer time.",
    )


def outages(seen: View) -> None:
    """One tier or supplier gone for an hour, on request."""
    st.subheader("What if the fast supplier fails for an hour?")
    names = routing.failures(seen)
    if not names:
        st.caption("Nothing is served, so nothing can fail.")
        return
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    with left:
        name = st.selectbox("Gone", names, key="lost_tier")
    with right:
        asked = st.button("Take it away", icon=":material/power_off:")
    if asked:
        with st.spinner("Moving its work to what is left"):
            st.session_state[OUTAGE_KEY] = (seen.scenario.id, routing.hour_without(seen, name))
    known_id, lost = st.session_state.get(OUTAGE_KEY, ("", None))
    if lost is None or known_id != seen.scenario.id:
        st.caption("Not worked out yet.")
        return
    _outage(seen, lost)


def _outage(seen: View, lost: Outage) -> None:
    refused = [each.routed.workload for each in lost.moved if each.refused]
    st.markdown(presenters.safe(f"An hour at the peak without {lost.lost_name}, with what is deployed:"))
    if refused:
        st.warning(presenters.safe(f"No promise can be kept for: {', '.join(dict.fromkeys(refused))}"))
    else:
        st.success("What is left takes over everything, every promise kept.")
    presenters.table([_moved_row(seen, each) for each in lost.moved], alt="Where the lost work goes")
    more = "more" if lost.extra_usd >= 0 else "less"
    st.markdown(
        presenters.safe(
            f"Tokens of the hour: {show('extra_usd', abs(lost.extra_usd))} {more}. "
            f"Untouched: {', '.join(lost.untouched) or 'nothing'}."
        )
    )
    again = lost.replanned
    served = sorted({each.workload for each in again.routed})
    st.markdown(
        presenters.safe(
            f"Planned without it for good: {show('cost_usd_per_month', again.cost_usd_per_month)} a month "
            f"for {', '.join(served) or 'nothing'}"
            + (f"; not served: {', '.join(again.unserved)}." if again.unserved else ".")
        )
    )
    presenters.table(_matrix(seen, again.routed), alt="Routing without the lost tier", empty="")


def _moved_row(seen: View, each: Moved) -> dict[str, str]:
    taken = [
        f"{percent(taker.share_fraction)} on {routing.label_of(seen, taker.offer_id)}"
        for taker in each.taken_by
    ]
    return {
        "Workload": each.routed.workload,
        "Prompts": routing.part_text(each.routed) or "any",
        "Share that lost its tier": percent(each.routed.share_fraction),
        "Goes to": ", ".join(taken) or "refused, or late",
    }


def downloads(seen: View) -> None:
    """The routing as a gateway's configuration, built only when asked for."""
    st.subheader("Take it to the gateway")
    with st.container(horizontal=True):
        for suffix, name, mime in gateway.FORMATS:
            st.download_button(
                f"Download {name}",
                partial(gateway.written, seen, suffix),
                f"plimsoll-{seen.scenario.id}-gateway{suffix}",
                mime,
                on_click="ignore",
                icon=":material/download:",
            )
    st.caption(
        "Keys and addresses are read from environment variables. Prompts cut by length become groups of "
        "their own: the caller picks one by counting tokens, which LiteLLM does not do by itself."
    )
