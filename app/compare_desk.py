"""Compare runs: curves of chosen files over each other, and their ratios where loads are equal."""

from dataclasses import replace

import streamlit as st

from app import benchmarks, presenters, session
from app.benchmarks import MeasuredCurve
from app.charts import comparison
from app.formatting import label, number, show
from app.workbench import StoreFault

MAX_CURVES = 6


def compare() -> None:
    """Pick two curves or more and a metric; see them drawn, and side by side at equal loads."""
    st.caption(
        "A curve is what one file measured of one system (tier, model, accelerators, precision, engine) with "
        "one length of prompt and answer, at several loads. Names show what differs."
    )
    try:
        curves = {curve.name: curve for curve in benchmarks.measured_curves(session.own_measurements())}
    except StoreFault as fault:
        presenters.fault(fault)
        return
    if not curves:
        st.info("Nothing of your own is measured under a stated load yet. Add files first.")
        return
    left, right = st.columns([3, 2])
    with left:
        names = st.multiselect(
            "Curves",
            list(curves),
            default=list(curves)[:2],
            max_selections=MAX_CURVES,
            key=f"compared:{hash(tuple(curves))}",
        )
    with right:
        metric = st.selectbox("Metric", list(benchmarks.METRICS), key="compared_metric")
    chosen = [curves[name] for name in names]
    for load in dict.fromkeys(curve.load for curve in chosen):
        _at_one_load([curve for curve in chosen if curve.load == load], metric, load)


def _at_one_load(chosen: list[MeasuredCurve], metric: str, load: str) -> None:
    quantity_name, _ = benchmarks.METRICS[metric]
    picture = comparison.rows(
        {curve.name: list(curve.values(metric).items()) for curve in chosen}, quantity_name, load, metric
    )
    presenters.picture(
        replace(picture, key=f"{picture.key}:{load}"), empty=f"None of these curves holds {metric.lower()}."
    )
    if len(chosen) < 2:
        return
    rows = benchmarks.ratios_at_equal_loads(chosen, metric)
    presenters.table(
        [
            {label(load): number(row.load)}
            | {
                curve.name: show(quantity_name, value) + ("" if curve is chosen[0] else f" ({ratio:.2f}x)")
                for curve, value, ratio in zip(chosen, row.values, row.ratios, strict=True)
            }
            for row in rows
        ],
        alt="Values and ratios at equal loads",
        empty="These curves share no load, and nothing between measured loads is made up.",
    )
    if rows:
        first = presenters.safe(chosen[0].name)
        st.caption(f"Only loads that all of them measured; in brackets the ratio to {first}.")
