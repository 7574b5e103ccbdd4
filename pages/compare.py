"""What changed, and what did it do?"""

import streamlit as st

from app import differences_desk, session

st.title("Compare")
seen = session.view()
other = differences_desk.other_view() if seen is not None else None
if seen is not None and other is not None:
    differences_desk.show(other, seen)
