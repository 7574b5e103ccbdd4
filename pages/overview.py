"""Which tier for which workload, how many, at what cost, how sure?"""

import streamlit as st

from app import controls, decision_desk, measuring_gain_desk, presenters, session, value_desk
from app.charts import monthly_cost

st.title("Overview")
seen = session.view()
if seen is not None:
    plan = seen.plan
    presenters.answer(plan)
    measuring_gain_desk.weakest(seen)
    decision_desk.flip(seen)
    value_desk.aim(seen)
    presenters.evidence_changes(session.evidence_changes(seen))
    presenters.notices([notice for notice in plan.notices if notice.level == "warning"])
    presenters.allocations(plan)
    left, right = st.columns(2)
    with left:
        presenters.picture(monthly_cost.rows(plan))
    with right:
        presenters.picture(session.speed_picture(seen))
    if plan.fleet_changes:
        st.subheader("Change from what runs today")
        presenters.fleet_changes(plan.fleet_changes)
    with st.expander(f"What could not be chosen, and why ({len(plan.rejections)})", key="rejected"):
        presenters.rejections(plan.rejections)
    with st.expander("Rules of this plan", key="rules"):
        controls.policy()
    with st.expander("Where the numbers come from", key="evidence"):
        presenters.evidence(plan.evidence)
    with st.expander("What is not modelled, and what to know", key="notes"):
        presenters.notices(session.all_notices(plan))
        presenters.bullets(plan.not_modelled)
