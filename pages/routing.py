"""Which share of the work goes where?"""

import streamlit as st

from app import routing_desk, session

st.title("Routing")
seen = session.view()
if seen is not None:
    routing_desk.mix(seen)
    routing_desk.alternatives(seen)
    routing_desk.tier_choices(seen)
    routing_desk.bases(seen)
    routing_desk.outages(seen)
    routing_desk.downloads(seen)
