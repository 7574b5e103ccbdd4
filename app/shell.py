"""The frame around every page: registry, navigation, the scenario in the sidebar, the footer."""

from dataclasses import dataclass
from pathlib import Path

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from app import scenario_desk, state

ROOT = Path(__file__).resolve().parents[1]
ICON = ROOT / "app" / "icon.png"
HOME = "overview"


@dataclass(frozen=True, slots=True)
class PageEntry:
    """One page: its file under `pages/`, its name, the question it answers, and its icon."""

    file: str
    title: str
    question: str
    icon: str


PAGES: dict[str, tuple[PageEntry, ...]] = {
    "Plan": (
        PageEntry("overview", "Overview", "Which tier for which workload, at what cost?", "dashboard"),
        PageEntry("scenarios", "Scenarios", "Which plans did I keep?", "bookmarks"),
        PageEntry("compare", "Compare", "What changed, and what did it do?", "difference"),
        PageEntry("report", "Report", "What do I send?", "description"),
    ),
    "Inputs": (
        PageEntry("workloads", "Workloads", "Who asks for what, and by when?", "groups"),
        PageEntry("tiers", "Tiers", "What can I buy?", "dns"),
        PageEntry("benchmarks", "Benchmarks", "What was measured?", "speed"),
    ),
    "Curves": (
        PageEntry("latency", "Latency", "When does a tier stop keeping its promise?", "timer"),
        PageEntry(
            "concurrency", "Concurrency", "What does each user get as more share?", "stacked_line_chart"
        ),
        PageEntry("cost", "Cost", "What does a token cost at this load?", "payments"),
    ),
    "Decisions": (
        PageEntry("routing", "Routing", "Which share of the work goes where?", "alt_route"),
        PageEntry("what_if", "What-if", "What would change the answer?", "help_center"),
        PageEntry("parity", "Parity", "Are two tiers the same?", "balance"),
    ),
    "Evidence": (
        PageEntry("claims", "Claims", "Who measured that?", "fact_check"),
        PageEntry("method", "Method", "How is that worked out?", "functions"),
    ),
}


def run() -> None:
    """Draw the frame, then the page."""
    st.set_page_config(page_title="Plimsoll", page_icon=str(ICON), layout="wide")
    pages = {
        group: [
            st.Page(
                ROOT / "pages" / f"{entry.file}.py",
                title=entry.title,
                icon=f":material/{entry.icon}:",
                # The default page is served at the root alone; its own name is kept for `_home_by_name`.
                url_path="home" if entry.file == HOME else entry.file,
                default=entry.file == HOME,
                help=entry.question,
            )
            for entry in entries
        ]
        for group, entries in PAGES.items()
    }
    pages["Plan"].append(_home_by_name(pages["Plan"][0]))
    page = st.navigation(pages, expanded=True)
    state.begin()
    scenario_desk.show()
    page.run()


def _home_by_name(home: StreamlitPage) -> StreamlitPage:
    """The address that people type for the first page, which Streamlit would call not found."""
    return st.Page(lambda: st.switch_page(home), title="Home", url_path=HOME, visibility="hidden")
