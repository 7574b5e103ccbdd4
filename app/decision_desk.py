"""What-if: what holds at another load, what a lost unit costs, how demand may grow, what matters most."""

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app import decisions, presenters
from app.charts import growth, tornado
from app.formatting import DASH, number, percent, show
from app.workbench import View
from models.decisions.regret import RegretTable
from models.decisions.sensitivity import Swing, flip_sentence
from models.decisions.what_holds import WorkloadState
from models.sentences import listed

SWINGS_KEY = "swings"
WORKING = "Planning again at both ends of each range"
# Netflix, service-capacity-modeling (2024): money spent too little weighs 1.25 times money spent too much.
USUAL_SHORTAGE_RATIO = 1.25


def other_load(seen: View) -> None:
    """A slider over the load, and which promises the planned machines keep there."""
    st.subheader("What holds at another load?")
    ratio = st.slider(
        "Load, as a multiple of the planned peak",
        min_value=0.1,
        max_value=3.0,
        value=1.0,
        step=0.05,
        format="%.2fx",
        key="load_ratio",
        persist_state="session",
    )
    states = decisions.holding_at(seen, ratio)
    missed = [each.workload for each in states if not each.holds]
    if missed:
        st.warning(presenters.safe(f"Does not hold: {', '.join(missed)}"))
    else:
        st.success("Every promise holds on the machines as planned.")
    _states(states, alt="Promises at the chosen load")


def _states(states: Sequence[WorkloadState], alt: str) -> None:
    presenters.table(
        [
            {
                "Workload": each.workload,
                "Served on": each.tier_label,
                "Utilisation": show("utilisation_fraction", each.utilisation_fraction),
                "Targets": "; ".join(
                    f"{result.target.name}: {_verdict(each, result.predicted_s, result.holds)}"
                    for result in each.targets
                )
                or "no target set",
            }
            for each in states
        ],
        alt=alt,
        empty="No workload is placed.",
    )


def _verdict(state: WorkloadState, predicted_s: float | None, holds: bool) -> str:
    if not state.stable:
        return "backlog grows"
    return f"{show('e2e_s', predicted_s)}, {'holds' if holds else 'missed'}"


def lost_units(seen: View) -> None:
    """One failure unit gone, pool by pool."""
    st.subheader("What if a unit fails?")
    lost = decisions.losses(seen)
    if not lost:
        st.caption("The plan runs no machines of its own.")
    for tier_label, states in lost:
        hit = [each.workload for each in states if not each.holds]
        line = f"{tier_label}, one unit lost: "
        line += f"{', '.join(hit)} would miss a promise." if hit else "every promise still holds."
        (st.warning if hit else st.success)(presenters.safe(line))


def future_demand(seen: View) -> None:
    """Growth month by month, and which plan to regret least."""
    st.subheader("How does the plan grow?")
    outlook = seen.scenario.outlook
    if outlook.growth_fraction_per_month == 0:
        st.caption("No growth is set: see *Rules of this plan* on Overview.")
    else:
        path = decisions.growth(seen)
        presenters.picture(growth.rows(path))
        if path.run_out_month_count is None:
            st.success(f"What is deployed today is enough for {outlook.horizon_months} months.")
        else:
            st.warning(presenters.safe(f"Month {path.run_out_month_count}: {path.run_out_reason}."))
    _regret(seen)


def _regret(seen: View) -> None:
    st.subheader("Which plan would you regret least?")
    ratio = st.number_input(
        "Price of a machine had in a hurry, over its usual price",
        min_value=1.0,
        value=USUAL_SHORTAGE_RATIO,
        step=0.05,
        key="shortage_ratio",
        persist_state="session",
        help="What you would pay for capacity that a plan turns out to lack.",
    )
    _bill_range(seen, ratio)
    table = decisions.regrets(seen, ratio)
    if table is None:
        st.caption("Set at least two demand scenarios to compare futures.")
        return
    least, expected = table.candidates[table.least_regret_index], table.candidates[table.least_expected_index]
    st.markdown(
        presenters.safe(
            f"Least regret: the plan for “{least}”. Least expected cost: the plan for “{expected}”."
        )
    )
    presenters.table(_regret_rows(table), alt="Regret of each plan in each future")
    share, cover = decisions.demand_to_cover(seen, ratio)
    st.caption(
        f"Newsvendor: cover {percent(share)} of the futures, which is {number(cover)} times today's rates. "
        f"{presenters.safe(decisions.which_to_follow(seen, table, ratio))} "
        "Machines are taken by the month: bought at the start, paid whether used or not; what is missing "
        "is had at the price above."
    )


def _bill_range(seen: View, ratio: float) -> None:
    """The range of the plan's bill, and what was drawn for it."""
    found = decisions.bill(seen, ratio)
    low, middle, high = (
        show("cost_usd_per_month", usd) for usd in (found.p10_usd, found.p50_usd, found.p90_usd)
    )
    st.markdown(
        presenters.safe(f"The bill of the plan as it stands: P10 {low}, P50 {middle}, P90 {high} a month.")
    )
    st.caption(
        presenters.safe(
            f"Drawn: {listed(list(found.drawn))}. Lows and highs of prices are taken for their P10 and P90; "
            "machines are paid as planned, and what is missing is had in a hurry at the price above."
            if found.drawn
            else "Nothing has a range: no demand scenarios, no range of prices, no machines."
        )
    )


def _regret_rows(table: RegretTable) -> list[dict[str, str]]:
    rows = []
    for name, costs, regrets, mean in zip(
        table.candidates, table.cost_usd, table.regret_usd, table.expected_usd, strict=True
    ):
        row = {"Plan for": name}
        for future, usd, regret in zip(table.futures, costs, regrets, strict=True):
            row[f"If {future}"] = show("cost_usd_per_month", usd)
            row[f"Regret if {future}"] = show("cost_usd_per_month", regret)
        rows.append(
            row
            | {
                "Worst regret": show("cost_usd_per_month", max(regrets)),
                "Expected": show("cost_usd_per_month", mean),
            }
        )
    return rows


def _worked_out(seen: View, reader_fraction: float) -> tuple[Swing, ...]:
    """The swings, with a bar while they are worked out; any other click cancels it."""
    bar = st.progress(0.0, WORKING)
    found = decisions.tornado(seen, reader_fraction, lambda share: _show_progress(bar, share))
    bar.empty()
    return found


def _show_progress(bar: DeltaGenerator, share: float) -> None:
    bar.progress(min(share, 1.0), WORKING)


def flip(seen: View) -> None:
    """In one sentence, which assumption would flip the decision; worked out when first asked for."""
    usual = decisions.USUAL_RANGE_PERCENT / 100
    found = decisions.known_swings(seen, usual)
    if found is None and st.button("Which assumption would flip this?", icon=":material/tornado:"):
        found = _worked_out(seen, usual)
    if found is not None:
        st.markdown(presenters.safe(flip_sentence(found)))


def what_matters(seen: View) -> None:
    """The tornado, on request: two plans for each assumption."""
    st.subheader("Which assumption moves the answer most?")
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    with left:
        points = st.slider(
            "Range of what nobody gives a range for",
            5,
            50,
            decisions.USUAL_RANGE_PERCENT,
            5,
            format="± %d %%",
            key="reader_range",
            persist_state="session",
        )
    with right:
        asked = st.button("Work it out", icon=":material/tornado:")
    if asked:
        st.session_state[SWINGS_KEY] = (seen.scenario.id, _worked_out(seen, points / 100))
    known_id, found = st.session_state.get(SWINGS_KEY, ("", ()))
    if not found:
        st.caption("Not worked out yet.")
        return
    if known_id != seen.scenario.id:
        st.warning("These figures belong to the scenario before your last change. Work it out again.")
    st.markdown(presenters.safe(flip_sentence(found)))
    presenters.picture(tornado.rows(found), empty="No assumption moves the bill.")
    presenters.table(
        [
            {
                "Assumption": each.lever.name,
                "Range": f"{each.lever.low_text} to {each.lever.high_text}",
                "From": each.lever.origin,
                "Bill at low": show("cost_usd_per_month", each.low_usd),
                "Bill at high": show("cost_usd_per_month", each.high_usd),
                "Moves": ", ".join(each.flips) or DASH,
                "Cannot be served then": ", ".join((*each.low_unplaced, *each.high_unplaced)) or DASH,
            }
            for each in found
        ],
        alt="Assumptions by how far they move the bill",
    )
