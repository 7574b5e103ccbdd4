"""Who reads a report, and which sections answer their questions; anybody may still add or drop some."""

from collections.abc import Mapping

AUDIENCES: Mapping[str, tuple[str, ...] | None] = {
    "everybody": None,  # all sections
    "decision maker": ("decision", "cost", "rejected", "evidence"),
    "engineer": (
        *("decision", "capacity", "curves", "rejected", "inputs"),
        *("evidence", "method", "reproducibility"),
    ),
    "finance": ("decision", "cost", "inputs", "evidence", "reproducibility"),
}
