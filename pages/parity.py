"""Are two tiers the same?"""

import streamlit as st

from app import parity_desk, session

st.title("Parity")
seen = session.view()
found = parity_desk.upload_and_compare()
if seen is not None and found is not None:
    parity_desk.attach(seen, found)
