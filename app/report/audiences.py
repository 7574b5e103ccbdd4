"""Who reads a report, and which sections answer their questions; anybody may still add or drop some."""

from collections.abc import Mapping

AUDIENCES: Mapping[str, tuple[str, ...] | None] = {
    "everybody": None,  # all sections
    "decision maker": ("decision", "comparison", "cost", "rejected", "evidence"),
    "engineer": (
        *("decision", "comparison", "capacity", "origins", "curves", "rejected", "inputs"),
        *("evidence", "method", "reproducibility"),
    ),
    "finance": ("decision", "comparison", "cost", "inputs", "evidence", "reproducibility"),
}
