"""Composition root of what a team keeps in the store beside measurements: scenarios by name. No Streamlit."""

from data.saved_scenarios import (
    LONGEST_NAME,
    SavedScenario,
    bring_back,
    delete_scenario,
    deleted_scenarios,
    duplicate_scenario,
    rename_scenario,
    save_over,
    save_scenario,
    saved_scenarios,
)

__all__ = [
    "LONGEST_NAME",
    "SavedScenario",
    "bring_back",
    "delete_scenario",
    "deleted_scenarios",
    "duplicate_scenario",
    "rename_scenario",
    "save_over",
    "save_scenario",
    "saved_scenarios",
]
