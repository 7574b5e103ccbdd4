"""What does a token cost at this load?"""

import streamlit as st

from app import money_desk, presenters, price_editor, session, value_desk
from app.charts import cost, monthly_cost

st.title("Cost")
seen = session.view()
if seen is not None:
    demand, offers = session.choose_demand_and_offers(seen)
    count = session.choose_replica_count()
    curves = session.load_curves(seen, demand, offers, count)
    presenters.picture(cost.rows(curves, session.tier_order(seen)), empty="None of these tiers has a price.")
    money_desk.target_limits(seen, demand, offers, curves)
    presenters.picture(monthly_cost.rows(seen.plan))
    money_desk.costs(seen)
    value_desk.worth(seen)
    money_desk.charges(seen)
    money_desk.speed_frontier(seen, demand, offers)
    money_desk.rent_or_tokens(seen, demand, offers, count)
    money_desk.faster_tiers(seen, demand.workload.name)
    money_desk.energy(seen)
    st.subheader("Which prices held when?")
    price_editor.history(seen.scenario.offers, seen.scenario.as_of)
    with st.expander("Where the prices come from", key="price_evidence"):
        presenters.evidence(
            [use for use in seen.plan.evidence if use.quantity.startswith(("usd_", "output_usd"))]
        )
