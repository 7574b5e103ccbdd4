"""What was measured?"""

import streamlit as st

from app import benchmark_desk, browse_desk, compare_desk, measuring_desk, query_desk

st.title("Benchmarks")
upload, browse, compare, query, measure = st.tabs(
    ["Add files", "Browse", "Compare", "Query", "Measure your own"], on_change="rerun"
)
if upload.open:
    with upload:
        benchmark_desk.upload()
if browse.open:
    with browse:
        browse_desk.browse()
if compare.open:
    with compare:
        compare_desk.compare()
if query.open:
    with query:
        query_desk.query()
if measure.open:
    with measure:
        measuring_desk.measure()
