"""Where what a file says it measured and what it was labelled as are two things."""

from collections.abc import Iterable

from data.names import accelerator_id, model_id
from models.measurements import Measurement, SourcedMeasurement
from models.tiers import Offer, Tier

ON_MACHINES = "batched_accelerator"


def contradictions(
    tier: Tier, tier_model_id: str | None, measurements: Iterable[Measurement]
) -> tuple[str, ...]:
    """What the points' own words say against a tier and a model: machines, their number, the model."""
    found: dict[str, None] = {}
    for each in measurements:
        machines = _machines_differ(tier, each)
        if machines:
            found[machines] = None
        if each.model and tier_model_id and tier_model_id not in (model_id(each.model), each.model):
            found[f"they name the model {each.model}, and the tier serves {tier_model_id}"] = None
    return tuple(found)


def label_notices(offer: Offer, measurements: Iterable[SourcedMeasurement]) -> tuple[str, ...]:
    """What a plan must say of points that were labelled as a tier they do not describe."""
    labelled = [each.measurement for each in measurements if each.measurement.tier == offer.tier.id]
    said = contradictions(offer.tier, None, labelled)
    return tuple(f"Measurements were labelled as this tier by hand: {text}." for text in said)


def _machines_differ(tier: Tier, each: Measurement) -> str | None:
    if tier.architecture != ON_MACHINES or tier.accelerator is None or each.accelerator is None:
        return None
    known, count = accelerator_id(each.accelerator), each.accelerator_count
    wanted = tier.accelerator_count_per_replica
    same_count = count is None or wanted is None or count == wanted
    if (known is None or known == tier.accelerator) and same_count:
        return None
    number = "" if count is None else f"{count:g} x "
    return f"they name {number}{each.accelerator}, and the tier is {wanted or 1} x {tier.accelerator}"
