"""Beside the cost curves: what speed costs, rent or tokens, what a faster tier may cost, the charges."""

from collections.abc import Mapping, Sequence

import streamlit as st

from app import decisions, figure_desk, focus_csv, money_rows, presenters, session
from app.charts import frontier, price_multiple
from app.figure_rows import cost_rows
from app.formatting import percent
from app.workbench import View
from models.curves import LoadPoint
from models.decisions import renting
from models.decisions.frontier import cheapest_at
from models.energy import energy_of
from models.tiers import Offer
from models.workloads import Demand

USUAL_STREAM_TOK_PER_S = 50.0


def target_limits(
    seen: View, demand: Demand, offers: Sequence[Offer], curves: Mapping[str, Sequence[LoadPoint]]
) -> None:
    """The highest load at which every target still holds, tier by tier, and what a token costs there."""
    rows = money_rows.limit_rows(seen, demand, offers, curves)
    figure_desk.table(rows, alt="Where each tier stops meeting its targets")


def costs(seen: View) -> None:
    """The bill line by line down to a task."""
    figure_desk.table(cost_rows(seen), alt="Cost by workload")
    st.caption(
        "Each line's whole amount, idle and spare parts included, over its own output tokens, requests and "
        "tasks of a month. The whole plan's: the whole bill, unused commitments included, over all of them."
    )


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
    figure_desk.table(
        money_rows.energy_rows(seen, found, grid),
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
    figure_desk.table(
        money_rows.frontier_rows(seen, demand, ranked),
        alt="Tiers that reach the speed, cheapest first",
        empty="No tier is known to reach that speed.",
    )


def rent_or_tokens(seen: View, demand: Demand, offers: Sequence[Offer], replica_count: int) -> None:
    """From which rate machines cost less than tokens, and from which use a reservation pays."""
    st.subheader("Rent, reserve, or pay per token?")
    found = renting.rent_or_tokens(offers, seen.performances, demand, replica_count)
    figure_desk.table(
        money_rows.rent_rows(seen, demand, offers, found),
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
    rows = [money_rows.faster_row(each) for each in found]
    figure_desk.table(rows, alt="Break-even price multiples", empty="")
    if found:
        st.caption(
            "The faster tier pays while a task there costs less than that multiple of what it costs now. "
            "Fast tiers are sold at 2x, Ultrafast at 6x. Where only a ceiling is published, the range covers"
            " 0.5 to 1.0 of it. A first token that nobody publishes is taken to come equally late."
        )
