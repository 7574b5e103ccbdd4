"""Who measured that?"""

import streamlit as st

from app import claims_desk

st.title("Claims")
shown = claims_desk.filtered()
claims_desk.table(shown)
st.subheader("Where sources differ")
claims_desk.conflicts(shown)
st.subheader("Derived figures, worked out again")
claims_desk.arithmetic(shown)
