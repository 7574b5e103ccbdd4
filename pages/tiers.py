"""What can I buy?"""

import streamlit as st

from app import presenters, session, tier_desk, tier_editor

st.title("Tiers")
tier_editor.add()
tier_desk.add_planned()
seen = session.view()
if seen is not None:
    for index, offer in enumerate(seen.scenario.offers):
        tier_editor.card(index, offer, seen.performances[offer.id], seen.scenario.as_of)
else:
    presenters.plain("Mend the scenario, or take the last change back with Undo.")
