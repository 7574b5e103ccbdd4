"""The weakest link of the plan, and which measurement would lift it."""

import streamlit as st

from app import measuring_gains, presenters
from app.workbench import View

COMMANDS_PAGE = "../pages/benchmarks.py"


def weakest(seen: View) -> None:
    """One sentence on the pool whose speed is known worst."""
    link = measuring_gains.weakest_link(seen)
    if link is not None:
        st.caption(
            f"**Weakest link:** {presenters.safe(link.text)} {presenters.safe('(Estimate: see Claims.)')}"
        )


def every_link(seen: View) -> None:
    """What measuring each pool of the plan would be worth, and where its commands are."""
    links = measuring_gains.links_of(seen)
    presenters.bullets([link.text for link in links])
    if not links:
        st.caption("The plan places nothing.")
        return
    if any(link.gain is not None for link in links):
        st.caption(measuring_gains.ESTIMATE)


def commands_link() -> None:
    """To the command lines that measure these loads."""
    st.page_link(
        COMMANDS_PAGE,
        label="Command lines that measure it: Benchmarks, Measure your own",
        icon=":material/speed:",
    )
