"""What does each user get as more share the machine?"""

import streamlit as st

from app import curve_desk, presenters, session
from app.charts import concurrency

st.title("Concurrency")
seen = session.view()
if seen is not None:
    offers = session.choose_offers(seen)
    left, right = st.columns([3, 2])
    with left:
        metric = session.choose_metric(concurrency.METRICS, "concurrency_metric")
    with right:
        shape = session.choose_shape(seen, offers)
    if shape is not None:
        presenters.picture(
            concurrency.rows(
                offers, seen.performances, seen.measurements, metric, shape, session.tier_order(seen)
            ),
            empty="Nothing is measured or published for these tiers.",
        )
        curve_desk.dots_legend()
    curve_desk.fits(offers, seen.performances, session.hold_out(seen, offers))
