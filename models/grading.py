"""One grade for one offer, wherever it is shown: the weakest figure that planning with it would use."""

from models.evidence import Evidence, Grade, weakest
from models.performance import CannotServe, TierPerformance
from models.plans import EvidenceUse
from models.tiers import MachinePrice, Offer, OwnedPrice, TokenPrice


def figures_used(offer: Offer, performance: TierPerformance | CannotServe | None) -> dict[str, Evidence]:
    """Evidence by figure that a plan with this offer rests on: how it performs, and what it costs."""
    used: dict[str, Evidence] = {}
    if performance is not None and not isinstance(performance, CannotServe):
        used |= dict(sorted(performance.evidence.items()))
    price = offer.tier.price
    if isinstance(price, MachinePrice):
        used["usd_per_accelerator_h"] = price.evidence
    if isinstance(price, OwnedPrice):
        used["purchase_usd_per_accelerator"] = price.evidence
    if isinstance(price, TokenPrice):
        used["output_usd_per_mtok"] = price.evidence
    return used


def figures_weighed(offer: Offer, performance: TierPerformance | CannotServe | None) -> dict[str, Evidence]:
    """The same; where it cannot be planned, with what is published of its speed, ceilings included.

    A reader who weighs such a tier rests on nothing better.
    """
    used = figures_used(offer, performance)
    if offer.tier.speed is not None and (performance is None or isinstance(performance, CannotServe)):
        used |= dict(sorted(offer.tier.speed.evidence.items()))
    return used


def uses_of(offer: Offer, performance: TierPerformance | CannotServe | None) -> list[EvidenceUse]:
    """What a plan with the offer rests on, as pieces of its evidence."""
    return [
        EvidenceUse(subject=offer.id, quantity=quantity, evidence=evidence)
        for quantity, evidence in figures_used(offer, performance).items()
    ]


def latency_grade(performance: TierPerformance | CannotServe | None) -> Grade | None:
    """The weakest evidence of a tier's latencies alone, prices left out; None where nothing is known."""
    if performance is None or isinstance(performance, CannotServe):
        return None
    return weakest(performance.evidence.values())


def offer_grade(offer: Offer, performance: TierPerformance | CannotServe | None) -> Grade | None:
    """The offer's grade on every page; None where nothing is known of it."""
    return weakest(figures_weighed(offer, performance).values())
