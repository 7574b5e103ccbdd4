"""The frame around every page: registry, navigation, the scenario in the sidebar, the footer."""

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from app import scenario_desk, state

ROOT = Path(__file__).resolve().parents[1]
ICON = ROOT / "app" / "icon.png"


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
                url_path=entry.file,
                default=entry.file == "overview",
                help=entry.question,
            )
            for entry in entries
        ]
        for group, entries in PAGES.items()
    }
    page = st.navigation(pages, expanded=True)
    state.begin()
    scenario_desk.show()
    page.run()
