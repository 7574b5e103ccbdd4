"""Who asks for what, and by when?"""

import streamlit as st

from app import presenters, session, trace_editor, workload_editor
from app.charts import day

st.title("Workloads")
chosen = workload_editor.choose()
if chosen is not None:
    workload_editor.demand_and_shape(chosen)
    workload_editor.targets(chosen)
    trace_editor.make_from_log(chosen)
seen = session.view()
if seen is not None:
    presenters.picture(day.rows(seen.scenario))
    with st.expander("Where the defaults come from", key="workload_evidence"):
        presenters.evidence(session.workload_evidence(seen))
