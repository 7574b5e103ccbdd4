"""Beside the cost curves: what speed costs, rent or tokens, what a faster tier may cost, the charges."""

from collections.abc import Sequence

import streamlit as st

from app import decisions, focus_csv, presenters, session
from app.charts import frontier, price_multiple
from app.charts.labels import offer_label
from app.formatting import DASH, label, number, percent, show
from app.workbench import View
from models.decisions import renting
from models.decisions.faster import FasterTier
from models.decisions.frontier import cheapest_at
from models.energy import energy_of
from models.tiers import Offer
from models.workloads import Demand

USUAL_STREAM_TOK_PER_S = 50.0


def charges(seen: View) -> None:
    """The month's charges for FinOps tools; the file is built only when asked for."""
    st.download_button(
        "Download the charges (FOCUS CSV)",
        lambda: focus_csv.focus_csv(seen),
        f"plimsoll-{seen.scenario.id}-focus.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
        help="One row a charge in the columns of FOCUS 1.0: a forecast of the month, not an invoice.",
    )


def energy(seen: View) -> None:
    """Electricity and carbon of the machines, where their power is stated."""
    st.subheader("How much electricity?")
    grid = st.number_input(
        "Your grid (g CO2e per kWh)",
        min_value=0.0,
        value=None,
        placeholder="384 in the USA, 41 in France",
        key="grid_g_per_kwh",
        persist_state="session",
        help="Operation only; EcoLogits 0.11 lists 384 for the USA, 330 for Germany, 41 for France.",
    )
    found = energy_of(seen.scenario, seen.plan)
    presenters.table(
        [
            {
                "Pool": each.tier_label,
                "Accelerators": each.accelerator_count or DASH,
                "Stated power": show("all_in_power_w", each.all_in_power_w),
                label("energy_kwh_per_month"): show("energy_kwh_per_month", each.energy_kwh_per_month),
                label("energy_kwh_per_mtok_output"): show(
                    "energy_kwh_per_mtok_output", each.energy_kwh_per_mtok_output
                ),
                "CO2e a month": DASH
                if grid is None or (carbon := each.carbon_kg_per_month(grid)) is None
                else f"{number(carbon)} kg",
            }
            for each in found
        ],
        alt="Electricity by pool",
        empty="The plan runs no machines.",
    )
    st.caption(
        "At the stated power all the time: an upper end. Blank: nobody states it, or a supplier runs it."
    )


def speed_frontier(seen: View, demand: Demand, offers: Sequence[Offer]) -> None:
    """Stream speed against tokens per dollar, and what is cheapest at a speed the reader names."""
    found = decisions.frontiers(seen, offers, demand)
    presenters.picture(
        frontier.rows(found, session.tier_order(seen)), empty="No tier has a known speed and a price."
    )
    wanted = st.number_input(
        "Cheapest at a stream speed of at least (tok/s)",
        min_value=1.0,
        value=USUAL_STREAM_TOK_PER_S,
        key="wanted_stream_rate",
        persist_state="session",
    )
    ranked = cheapest_at(list(found.values()), wanted)
    presenters.table(
        [
            {
                "Tier": each.offer.tier.label,
                label("output_tok_per_usd"): show("output_tok_per_usd", tok),
                "May the plan use it?": decisions.may_use(seen, each.offer, demand),
                "Grade": decisions.grade_of(seen, each.offer),
            }
            for each, tok in ranked
        ],
        alt="Tiers that reach the speed, cheapest first",
        empty="No tier is known to reach that speed.",
    )


def rent_or_tokens(seen: View, demand: Demand, offers: Sequence[Offer], replica_count: int) -> None:
    """From which rate machines cost less than tokens, and from which use a reservation pays."""
    st.subheader("Rent, reserve, or pay per token?")
    presenters.table(
        [
            {
                "Machines": offer_label(each.machine, offers),
                "Against": offer_label(each.hosted, offers),
                label("cost_usd_per_h"): show("cost_usd_per_h", each.cost_usd_per_h),
                "Cheaper from": show("offered_rate_req_per_s", each.offered_rate_req_per_s),
                "Output Mtok/h": number(each.output_mtok_per_h),
                "Which uses of them": DASH
                if each.utilisation_fraction is None
                else percent(each.utilisation_fraction)
                if each.utilisation_fraction <= 1
                else "more than they can serve",
                "May the plan use the machines?": decisions.may_use(seen, each.machine, demand),
                "And the tokens?": decisions.may_use(seen, each.hosted, demand),
                "Grades": f"{decisions.grade_of(seen, each.machine)} / "
                f"{decisions.grade_of(seen, each.hosted)}",
            }
            for each in renting.rent_or_tokens(offers, seen.performances, demand, replica_count)
        ],
        alt="Rates from which machines cost less than tokens",
        empty="Choose a machine tier and a tier paid per token to compare.",
    )
    share = st.number_input(
        "Reserved price, as a share of on demand",
        min_value=0.05,
        max_value=1.0,
        value=None,
        placeholder="0.65 means 35 % off",
        key="reserved_share",
        persist_state="session",
    )
    if share is not None:
        st.caption(
            f"Reserving pays for every machine that is needed more than {percent(share)} of the hours. "
            f"{presenters.safe(demand.workload.name)} runs at {percent(demand.mean_to_peak_fraction)} of its "
            "peak on average, and machines that do not follow the load are needed all the time."
        )


def faster_tiers(seen: View, workload: str) -> None:
    """What speed is worth, workload by workload, priced or not."""
    st.subheader("What may a faster tier cost?")
    rate = st.number_input(
        "Speed you see where none is published (tok/s per stream)",
        min_value=1.0,
        value=None,
        placeholder="54 follows from two ceilings; nobody measured it",
        key="seen_rate",
        persist_state="session",
        help="Used for a tier that serves a workload now and publishes no speed. Blank: not compared.",
    )
    found = decisions.faster(seen, rate)
    presenters.picture(
        price_multiple.rows([each for each in found if each.workload == workload]),
        empty=f"No hosted tier is known to be faster for {workload}, or its value is not set.",
    )
    presenters.table([_faster_row(each) for each in found], alt="Break-even price multiples", empty="")
    if found:
        st.caption(
            "The faster tier pays while a task there costs less than that multiple of what it costs now. "
            "Fast tiers are sold at 2x, Ultrafast at 6x. Where only a ceiling is published, the range covers"
            " 0.5 to 1.0 of it. A first token that nobody publishes is taken to come equally late."
        )


def _verdict(each: FasterTier) -> str:
    """Whether the price pays, and that it does not help where the plan refuses the tier."""
    said = {None: "no price published", True: "would pay", False: "does not pay"}[each.pays]
    if not each.why_not:
        return said.replace("would pay", "pays")
    return f"{said}, but the plan refuses it" if each.pays else f"{said}, and the plan refuses it"


def _faster_row(each: FasterTier) -> dict[str, str]:
    span = number(each.break_even_price_ratio)
    if each.from_ceiling:
        span += f" ({number(each.break_even_low_price_ratio)} to {number(each.break_even_high_price_ratio)})"
    weakest = each.weakest_use
    return {
        "Workload": each.workload,
        "From": each.slow_tier_label,
        "To": f"{each.tier_label} ({each.availability})",
        "Median now": show("e2e_s", each.slow_s),
        "Median there": show("e2e_s", each.fast_s),
        "Pays up to": f"{span}x" + (", at medians" if each.at_medians else ""),
        "Costs": DASH if each.price_ratio is None else f"{number(each.price_ratio)}x",
        "Verdict": _verdict(each),
        "May the plan use it?": f"no: {each.why_not}" if each.why_not else "yes",
        "Tier's grade": str(each.fast_grade or DASH),
        "Weakest figure used": DASH
        if weakest is None
        else f"{weakest.evidence.grade} ({weakest.quantity} of {weakest.subject})",
    }
