"""What pages ask for: the draft worked out once per run, and the choices that several pages share."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from app import presenters, state, workbench
from app.charts import concurrency
from app.charts.labels import offer_label
from app.charts.picture import Picture
from app.evidence_changes import EvidenceChange, changes_of
from app.workbench import Store, StoreFault, View
from models.curves import LoadPoint
from models.measurements import SourcedMeasurement
from models.percentiles import QUANTILES
from models.performance import CannotServe, FitQuality
from models.plans import EvidenceUse, Notice, Plan
from models.problems import InputProblems
from models.quantities import quantity
from models.tiers import Offer
from models.workloads import METRIC_WORDS, Demand

MAX_OFFERS_SHOWN = 6


@st.cache_resource(show_spinner=False)
def store() -> Store:
    """The server's benchmark store, one for all sessions."""
    return workbench.store_at()


def who() -> str:
    """Who acts, where the proxy or Streamlit's login says so."""
    return str(st.user.get("email") or "") if st.user.get("is_logged_in") else ""


def own_measurements() -> tuple[SourcedMeasurement, ...]:
    """What this user may calibrate with: the store's measurements and those kept in this session only."""
    kept = [
        SourcedMeasurement(
            measurement=measurement,
            source_id=imported.source_id,
            source_label=imported.file_name,
            row_number=row,
        )
        for imported in state.session_runs()
        for measurement, row in zip(imported.measurements, imported.row_numbers, strict=True)
    ]
    stored = store().measurements()
    seen = {each.source_id for each in stored}
    return (*stored, *(each for each in kept if each.source_id not in seen))


def view() -> View | None:
    """The draft worked out, or None after saying what is wrong with it.

    Where the store cannot be read, the plan goes on with the built-in measurements and says so.
    """
    try:
        measurements = own_measurements()
    except StoreFault as fault:
        presenters.fault(fault)
        measurements = ()
    try:
        seen = workbench.view(state.draft(), measurements)
    except InputProblems as problems:
        presenters.problems(problems.problems)
        return None
    presenters.missing_measurements(seen.missing_measurements())
    return seen


def evidence_changes(seen: View) -> tuple[EvidenceChange, ...]:
    """What the user's own measurements changed in this view."""
    return changes_of(seen)


def tier_order(seen: View) -> tuple[str, ...]:
    """The scenario's tiers as charts name them, so that each keeps its colour from page to page."""
    offers = seen.scenario.offers
    return tuple(dict.fromkeys(offer_label(offer, offers) for offer in offers))


def workload_names(seen: View) -> tuple[str, ...]:
    """Names of the scenario's workloads."""
    return tuple(demand.workload.name for demand in seen.scenario.demands)


def workload_evidence(seen: View) -> list[EvidenceUse]:
    """Where the workloads' own figures come from."""
    return [
        EvidenceUse(subject=demand.workload.name, quantity=name, evidence=evidence)
        for demand in seen.scenario.demands
        for name, evidence in sorted(demand.workload.evidence.items())
    ]


def hold_out(seen: View, offers: Sequence[Offer]) -> Mapping[str, FitQuality | None] | None:
    """How each fit predicts what it has not seen, where the reader asks for it; some seconds of work."""
    if not st.toggle("Test the fits on loads and lengths left out", key="hold_out", persist_state="session"):
        return None
    with st.spinner("Fitting again without each load and each length"):
        return {offer.id: workbench.hold_out(offer, seen.measurements[offer.id]) for offer in offers}


def all_notices(plan: Plan) -> list[Notice]:
    """Every notice of a plan, each text once."""
    every = [*plan.notices, *(each for at in plan.allocations for each in at.notices)]
    return list({notice.text: notice for notice in reversed(every)}.values())[::-1]


def choose_demand_and_offers(seen: View) -> tuple[Demand, list[Offer]]:
    """A workload, and the tiers to compare for it."""
    names = workload_names(seen)
    left, right = st.columns([1, 2])
    with left:
        name = st.selectbox("Workload", names, key="curve_workload", persist_state="session")
    demand = seen.scenario.demands[names.index(name if name in names else names[0])]
    with right:
        offers = choose_offers(seen, demand)
    return demand, offers


def choose_offers(seen: View, demand: Demand | None = None) -> list[Offer]:
    """Tiers to draw: those the plan uses first, then the others that can serve at all."""
    usable = [
        offer for offer in seen.scenario.offers if demand is None or offer.model.id in demand.workload.models
    ]
    labels = {offer.id: offer_label(offer, usable) for offer in usable}
    used = {each.tier_id for each in seen.plan.allocations}
    ranked = sorted(
        usable,
        key=lambda offer: (offer.tier.id not in used, isinstance(seen.performances[offer.id], CannotServe)),
    )
    default = [offer.id for offer in ranked][:MAX_OFFERS_SHOWN]
    chosen = st.multiselect(
        "Tiers",
        list(labels),
        default=default,
        format_func=lambda offer_id: labels.get(offer_id, offer_id),
        max_selections=MAX_OFFERS_SHOWN,
        key=f"curve_offers:{state.epoch()}:{len(usable)}",
        persist_state="session",
    )
    return [offer for offer in usable if offer.id in chosen]


def choose_metric(options: Sequence[str], key: str) -> str:
    """Which quantity to draw."""
    chosen = st.segmented_control(
        "Show",
        options,
        default=options[0],
        required=True,
        key=key,
        persist_state="session",
        format_func=lambda name: METRIC_WORDS.get(name, quantity(name).label),
    )
    return chosen or options[0]


def choose_quantile() -> float:
    """Which percentile to draw."""
    chosen = st.segmented_control(
        "Percentile",
        QUANTILES,
        default=0.95,
        required=True,
        key="curve_quantile",
        persist_state="session",
        format_func=lambda quantile: f"p{quantile * 100:g}",
    )
    return chosen or 0.95


def choose_replica_count() -> int:
    """How many replicas of each machine tier to draw."""
    return int(
        st.number_input(
            "Replicas of each machine tier",
            min_value=1,
            max_value=10_000,
            value=1,
            step=1,
            key="curve_replicas",
            persist_state="session",
            help="Curves show this many replicas sharing the load; hosted tiers have none.",
        )
    )


def choose_shape(seen: View, offers: Sequence[Offer]) -> tuple[float, float] | None:
    """Which request shape to show, of those measured; None after saying that nothing is measured."""
    points = [each for offer in offers for each in seen.measurements[offer.id]]
    found = concurrency.shapes(points)
    if not found:
        st.info("Nothing is measured under concurrency for these tiers. Add your own under Benchmarks.")
        return None
    shape: tuple[float, float] = st.selectbox(
        "Request shape",
        found,
        key="curve_shape",
        format_func=lambda shape: f"{shape[0]:,.0f} tokens in, {shape[1]:,.0f} out",
    )
    return shape


def load_curves(
    seen: View, demand: Demand, offers: Sequence[Offer], replica_count: int
) -> Mapping[str, Sequence[LoadPoint]]:
    """Curves by tier label, of the tiers that can be modelled."""
    found: dict[str, Sequence[LoadPoint]] = {}
    for offer in offers:
        performance = seen.performances[offer.id]
        if not isinstance(performance, CannotServe):
            found[offer_label(offer, offers)] = workbench.load_curve(
                offer, performance, demand, replica_count
            )
    return found


def speed_picture(seen: View) -> Picture:
    """Stream speed against concurrency for the scenario's tiers."""
    offers = list(seen.scenario.offers)[:MAX_OFFERS_SHOWN]
    points = [each for offer in offers for each in seen.measurements[offer.id]]
    shapes = concurrency.shapes(points)
    return concurrency.rows(
        offers,
        seen.performances,
        seen.measurements,
        "stream_rate_tok_per_s",
        shapes[0] if shapes else (1000, 1000),
    )


def picked(rows: Any) -> list[int]:
    """Row numbers a reader selected in a table."""
    return list(rows.selection.rows) if rows is not None else []
