"""Composition root of what a team keeps in the store beside measurements: scenarios by name, own claims."""

from data.claims import Claim
from data.evidence_drafts import hosted_changes
from data.own_claims import (
    FIGURES,
    LONGEST_TEXT,
    OwnClaim,
    add_claim,
    bring_claim_back,
    delete_claim,
    deleted_claims,
    evidence_of_claim,
    figure_of,
    open_questions,
    own_claims,
)
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
    "FIGURES",
    "LONGEST_NAME",
    "LONGEST_TEXT",
    "Claim",
    "OwnClaim",
    "SavedScenario",
    "add_claim",
    "bring_back",
    "bring_claim_back",
    "delete_claim",
    "delete_scenario",
    "deleted_claims",
    "deleted_scenarios",
    "duplicate_scenario",
    "evidence_of_claim",
    "figure_of",
    "hosted_changes",
    "open_questions",
    "own_claims",
    "rename_scenario",
    "save_over",
    "save_scenario",
    "saved_scenarios",
    "standing",
]


def standing(claim: Claim) -> str:
    """Whether a claim may plan anything, and what it leaves open where it may not."""
    missing = open_questions(claim)
    return f"statement only: {', '.join(missing)}?" if missing else "may become a planning input"
