"""What do I send?"""

import streamlit as st

from app import report_desk, session

st.title("Report")
seen = session.view()
if seen is not None:
    document = report_desk.options_and_downloads(seen)
    report_desk.preview(document)
