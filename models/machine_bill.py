"""What machines cost by the hour, and how many of them the policy keeps spare."""

from models.scenario import Policy
from models.tiers import Accelerator, MachinePrice, Offer


def replica_usd_per_h(offer: Offer) -> float:
    """What one replica costs for an hour, rented or owned; of disaggregated pools, one decode replica."""
    price, count = offer.tier.price, offer.tier.accelerator_count_per_replica
    if not isinstance(price, MachinePrice) or count is None:
        raise ValueError(f"tier {offer.tier.id} is not paid by the hour")
    return price.usd_per_accelerator_h * count


def spare_replicas(offer: Offer, policy: Policy) -> int:
    """Replicas lost with the failure units that the policy wants to survive.

    A node or rack holds as many accelerators as its fast link joins; all replicas on it fail together.
    """
    per_replica = offer.tier.accelerator_count_per_replica or 1
    return _lost_with_units(offer, offer.accelerator, per_replica, policy)


def worker_usd_per_h(offer: Offer) -> float:
    """What one prefill worker of disaggregated pools costs for an hour."""
    side = offer.tier.prefill
    if side is None or side.price is None:
        raise ValueError(f"tier {offer.tier.id} has no priced prefill half")
    return side.price.usd_per_accelerator_h * side.accelerator_count_per_worker


def spare_workers(offer: Offer, policy: Policy) -> int:
    """Prefill workers lost with the failure units that the policy wants to survive."""
    side = offer.tier.prefill
    per_worker = 1 if side is None else side.accelerator_count_per_worker
    return _lost_with_units(offer, offer.prefill_accelerator, per_worker, policy)


def _lost_with_units(offer: Offer, chip: Accelerator | None, per_replica: int, policy: Policy) -> int:
    domain = chip.scale_up_domain_count if chip else None
    per_unit = 1
    if offer.tier.failure_unit in ("node", "rack") and domain is not None:
        per_unit = max(1, domain // per_replica)
    return policy.spare_unit_count * per_unit
