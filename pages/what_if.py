"""What would change the answer?"""

import streamlit as st

from app import decision_desk, session

st.title("What-if")
seen = session.view()
if seen is not None:
    decision_desk.other_load(seen)
    decision_desk.lost_units(seen)
    decision_desk.future_demand(seen)
    decision_desk.what_matters(seen)
