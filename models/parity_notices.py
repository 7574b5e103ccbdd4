"""Where the plan uses a model with other numerics than its own, and nobody showed that it answers as well."""

from collections.abc import Sequence

from models.desk import Desk
from models.plans import Allocation, Notice
from models.sentences import listed
from models.speed_switches import other_numerics


def parity_notices(desk: Desk, allocations: Sequence[Allocation]) -> tuple[Notice, ...]:
    """One notice for each tier used: a warning, or for the record where the policy accepts it unverified."""
    accepted = desk.scenario.policy.accept_unverified_parity
    found = []
    for offer_id in dict.fromkeys(f"{each.tier_id}/{each.model_id}" for each in allocations):
        offer = desk.offers[offer_id]
        ways = other_numerics(offer)
        if not ways or offer.tier.parity is not None:
            continue
        text = f"{offer.tier.label}: same model, other numerics ({listed(list(ways))}): parity not shown"
        found.append(
            Notice(
                text=f"{text}, accepted by the policy" if accepted else text,
                level="info" if accepted else "warning",
            )
        )
    return tuple(found)
