"""Who measured that?"""

import streamlit as st

from app import claims_desk, measuring_gain_desk, own_claims_desk, session

st.title("Claims")
seen = session.view()
own = own_claims_desk.known()
shown = claims_desk.filtered(own)
claims_desk.table(shown)
claims_desk.download(shown)
st.subheader("Your own claims")
own_claims_desk.add()
own_claims_desk.listed(seen, own)
if seen is not None:
    st.subheader("Your measurements beside the published ones")
    own_claims_desk.measured(seen)
    st.subheader("What measurement would lift the plan")
    measuring_gain_desk.every_link(seen)
    measuring_gain_desk.commands_link()
st.subheader("Where sources differ")
claims_desk.conflicts(shown)
st.subheader("Derived figures, worked out again")
claims_desk.arithmetic(shown)
