"""When does a tier stop keeping its promise?"""

import streamlit as st

from app import curve_desk, presenters, session
from app.charts import latency

st.title("Latency")
seen = session.view()
if seen is not None:
    demand, offers = session.choose_demand_and_offers(seen)
    left, middle, right = st.columns([4, 3, 2])
    with left:
        metric = session.choose_metric(latency.METRICS, "latency_metric")
    with middle:
        quantile = session.choose_quantile()
    with right:
        count = session.choose_replica_count()
    curves = session.load_curves(seen, demand, offers, count)
    presenters.picture(
        latency.rows(curves, demand.workload, metric, quantile, session.tier_order(seen)),
        empty="None of these tiers has a published or measured value for this latency.",
    )
    curve_desk.load_table(curves, demand.workload)
    curve_desk.curve_notices(curves)
    curve_desk.task_speed(curves, demand.workload)
    curve_desk.simulation(seen)
