"""What stands beside a curve: its numbers and caveats, where targets stop holding, how the fit holds."""

from collections.abc import Mapping, Sequence

import streamlit as st

from app import presenters
from app.formatting import DASH, label, show
from app.workbench import View
from models.curves import LoadPoint
from models.performance import BatchedPerformance, CannotServe, FitQuality, TierPerformance
from models.sentences import listed
from models.task_speed import speed_multiples
from models.tiers import Offer
from models.workloads import Workload

MOST_NAMED = 3
SIMULATED_KEY = "simulated_plan"


def load_table(curves: Mapping[str, Sequence[LoadPoint]], workload: Workload) -> None:
    """The numbers behind a latency chart."""
    with st.expander("Show the numbers", key="load_table"):
        presenters.table(
            [
                {
                    "Tier": name,
                    label("offered_rate_req_per_s"): show(
                        "offered_rate_req_per_s", each.offered_rate_req_per_s
                    ),
                    label("utilisation_fraction"): show(
                        "utilisation_fraction", each.point.utilisation_fraction
                    ),
                    "TTFT p50": show("ttft_s", each.point.of(workload.name).ttft_s.p50),
                    "TTFT p95": show("ttft_s", each.point.of(workload.name).ttft_s.p95),
                    "TPOT p50": show("tpot_s", each.point.of(workload.name).tpot_s.p50),
                    "E2E p95": show("e2e_s", each.point.of(workload.name).e2e_s.p95),
                    "Targets": "hold" if each.targets_hold else "missed or unknown",
                }
                for name, curve in curves.items()
                for each in curve
                if each.point.stable
            ],
            alt="Operating points along the load",
        )


def curve_notices(curves: Mapping[str, Sequence[LoadPoint]]) -> None:
    """What to know about the curves, each sentence once, with the tiers it is said of."""
    said: dict[str, dict[str, None]] = {}
    for name, curve in curves.items():
        for text in (text for each in curve for text in each.point.notices):
            said.setdefault(text, {})[name] = None
    presenters.bullets([_said_of(text, list(names), len(curves)) for text, names in said.items()])


def _said_of(text: str, names: list[str], tier_count: int) -> str:
    """A sentence with the tiers it is said of, by number where they are too many to read."""
    if len(names) > MOST_NAMED:
        return f"{len(names)} of {tier_count} tiers: {text}"
    return text if text.startswith(f"{names[0]}: ") else f"{listed(names)}: {text}"


def task_speed(curves: Mapping[str, Sequence[LoadPoint]], workload: Workload) -> None:
    """Why many times the tokens is fewer times the task, tier by tier at the lightest load shown."""
    light = {
        name: curve[0].point.of(workload.name) for name, curve in curves.items() if curve[0].point.stable
    }
    st.subheader("What a faster stream makes of a whole task")
    st.caption(
        "Medians at the lightest load. Only the stream is faster: first tokens and pauses stay, so a task "
        "gains less than its tokens. Sub-agents are another thing: they multiply calls, not speed."
    )
    names = (
        "stream_rate_tok_per_s",
        "token_speed_ratio",
        "task_s",
        "task_speed_ratio",
        "unaccelerated_fraction",
    )
    presenters.table(
        [
            {"Tier": each.name} | {label(name): show(name, getattr(each, name)) for name in names}
            for each in speed_multiples(light)
        ],
        alt="Speed of streams and of whole tasks",
        empty="None of these tiers has a known stream speed.",
    )


def dots_legend() -> None:
    """How to read the dots and the band of the concurrency chart."""
    st.caption(
        "Open dots: published measurements. Filled dots: your own. Line: the fit; shaded: where 80 % of "
        "points fell in trials of such fits, or all between both ends of a tier that nobody measured "
        "(dashed: the end planned with). Diamond: the knee, where throughput turns flat. Dashed red: a "
        "vendor's ceiling that nobody has measured."
    )


def fits(
    offers: Sequence[Offer],
    performances: Mapping[str, TierPerformance | CannotServe],
    tested: Mapping[str, FitQuality | None] | None,
) -> None:
    """How well each tier's fit holds, or why there is none; `tested` with the errors on what was left out."""
    presenters.table(
        [
            _fit_row(offer, performances[offer.id]) | (_tested_row(tested[offer.id]) if tested else {})
            for offer in offers
        ],
        alt="Quality of each fit",
    )


def _fit_row(offer: Offer, performance: TierPerformance | CannotServe) -> dict[str, str]:
    row = {"Tier": offer.tier.label, "Points": DASH, "Shapes": DASH, label("residual_fraction"): DASH}
    if isinstance(performance, CannotServe):
        return row | {"Known from": "; ".join(performance.reasons)}
    quality = performance.quality if isinstance(performance, BatchedPerformance) else None
    if quality is not None:
        row |= {
            "Points": str(quality.point_count),
            "Shapes": str(quality.shape_count),
            label("residual_fraction"): show("residual_fraction", quality.residual_fraction),
        }
    sources = "; ".join(dict.fromkeys(each.source for each in performance.evidence.values()))
    return row | {"Known from": sources, "Notes": "; ".join(performance.notices)}


def _tested_row(quality: FitQuality | None) -> dict[str, str]:
    names = ("leave_one_load_out_fraction", "leave_one_shape_out_fraction", "top_load_fraction")
    return {label(name): show(name, getattr(quality, name, None)) for name in names}


def simulation(seen: View) -> None:
    """The plan's pools simulated event by event, beside what the formulas say; on request, with progress."""
    st.subheader("Check the plan by simulation")
    st.caption(
        "Follows every call of each pool through queue, steps and last token at its busiest hour; shares no "
        "formula with the plan. The first run compiles for some seconds. Any other click cancels it."
    )
    if st.button("Simulate this plan", icon=":material/science:"):
        # Loads the compiler, which every page would otherwise wait for.
        from app import plan_simulation

        bar = st.progress(0.0, "Simulating")

        def show_progress(share: float) -> None:
            bar.progress(min(share, 1.0), "Simulating")

        checked = plan_simulation.check_plan(seen, progress=show_progress)
        bar.empty()
        st.session_state[SIMULATED_KEY] = (seen.scenario.id, plan_simulation.as_rows(checked))
    simulated_id, rows = st.session_state.get(SIMULATED_KEY, (None, []))
    if rows and simulated_id != seen.scenario.id:
        st.warning("These figures belong to the scenario before your last change. Simulate again.")
    presenters.table(rows, alt="Formula and simulation side by side", empty="Not simulated yet.")
