"""What is paid already: replicas bound by contract, which cost the same whether they are used or not."""

from collections.abc import Mapping

from models.cost import HOURS_PER_MONTH
from models.pools import replica_usd_per_h
from models.scenario import FleetEntry, Scenario
from models.tiers import MachinePrice, Offer, OwnedPrice


def committed_replicas(scenario: Scenario, offers: Mapping[str, Offer], offer_id: str) -> int:
    """Replicas of an offer that are paid on the plan's date whatever the plan decides.

    A commitment is to a tier; where several models are offered on it, the first by name has it. Owned
    machines without an end date are committed for good.
    """
    tier = offers[offer_id].tier
    first = min(other for other, offer in offers.items() if offer.tier.id == tier.id)
    entry = next((each for each in scenario.fleet if each.tier_id == tier.id), None)
    if entry is None or first != offer_id or not isinstance(tier.price, MachinePrice):
        return 0
    return entry.replica_count if is_committed(scenario, entry, offers[offer_id]) else 0


def is_committed(scenario: Scenario, entry: FleetEntry, offer: Offer) -> bool:
    """Whether what runs today must still be paid: a contract not ended, or machines that were bought."""
    if entry.committed_until is None:
        return isinstance(offer.tier.price, OwnedPrice)
    return not ended(scenario, entry)


def ended(scenario: Scenario, entry: FleetEntry) -> bool:
    """Whether a contract ran out by the plan's date; never where it names no end."""
    return entry.committed_until is not None and entry.committed_until <= scenario.as_of


def replica_usd_per_month(offer: Offer) -> float:
    """What one replica costs in a month."""
    return replica_usd_per_h(offer) * HOURS_PER_MONTH
