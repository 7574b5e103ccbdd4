"""Read the switches that make a model faster: speculative decoding, distillation, and evidence of parity."""

from typing import Any

from data.reading import Reader, read_evidence
from models.tiers import Speculation

MOST_DRAFT_TOKENS = 64


def read_switches(reader: Reader) -> dict[str, Any]:
    """The fields of a tier that its switches set; None where left out."""
    parity = reader.group("parity")
    return {
        "speculation": _speculation(reader.group("speculation")),
        "distilled_weight_fraction": reader.number("distilled_weight_fraction", above=0, high=1),
        "parity": None if parity is None else read_evidence(parity),
    }


def _speculation(reader: Reader | None) -> Speculation | None:
    if reader is None:
        return None
    kept = reader.number("acceptance_fraction", low=0, high=1, required=True)
    count = reader.integer("draft_token_count", low=1, high=MOST_DRAFT_TOKENS, required=True)
    cost = reader.number("draft_cost_ratio", low=0)
    reader.close()
    if kept is None or count is None:
        return None
    return Speculation(acceptance_fraction=kept, draft_token_count=count, draft_cost_ratio=cost or 0.0)
