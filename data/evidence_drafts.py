"""Evidence as a scenario file writes it, so that a tier made one's own keeps what its figures rest on."""

from dataclasses import fields
from datetime import date
from typing import Any

from data.tier_drafts import price_as_draft, tier_as_draft
from models.evidence import Evidence
from models.tiers import Offer


def evidence_as_draft(evidence: Evidence) -> dict[str, Any]:
    """The keys of a piece of evidence that say something."""
    found: dict[str, Any] = {}
    for each in fields(evidence):
        value = getattr(evidence, each.name)
        if value not in (None, ""):
            found[each.name] = value.isoformat() if isinstance(value, date) else value
    return found | {"grade": str(evidence.grade), "sense": str(evidence.sense)}


def hosted_changes(offer: Offer, figure: str, value: float, evidence: Evidence) -> dict[str, Any]:
    """The keys of a hosted tier of one's own with one figure of its speed from that evidence.

    Its other figures and its price keep theirs. `figure` is a field of `Speed`, in base units.
    """
    speed = dict(tier_as_draft(offer).get("speed", {}))
    known = {} if offer.tier.speed is None else offer.tier.speed.evidence
    by_figure = {name: evidence_as_draft(known[name]) for name in speed if name in known}
    changes: dict[str, Any] = {
        "speed": speed
        | {figure: value, "evidence_by_figure": by_figure | {figure: evidence_as_draft(evidence)}}
    }
    price = offer.tier.price
    if price is not None:
        changes["price"] = price_as_draft(price) | {"evidence": evidence_as_draft(price.evidence)}
    limits = {name: evidence_as_draft(each) for name, each in offer.tier.evidence.items()}
    return changes | ({"evidence": limits} if limits else {})
