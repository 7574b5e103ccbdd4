"""What was measured?"""

import streamlit as st

from app import benchmark_desk

st.title("Benchmarks")
upload, browse, query = st.tabs(["Add files", "Browse", "Query"], on_change="rerun")
if upload.open:
    with upload:
        benchmark_desk.upload()
if browse.open:
    with browse:
        benchmark_desk.browse()
if query.open:
    with query:
        benchmark_desk.query()
