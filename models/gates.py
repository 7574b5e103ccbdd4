"""Whether a workload may be given to an offer at all, before any load is considered."""

from datetime import date

from models.performance import CannotServe, HostedPerformance, TierPerformance
from models.scenario import Scenario
from models.tiers import Offer, Tier
from models.workloads import Demand


def gate(
    scenario: Scenario, offer: Offer, performance: TierPerformance | CannotServe, demand: Demand
) -> CannotServe | None:
    """The first reason that rules an offer out for a workload (model, sale, price, evidence), or None."""
    tier, workload, policy = offer.tier, demand.workload, scenario.policy
    if offer.model.id not in workload.models:
        return CannotServe(
            binding_constraint="quality gate",
            reasons=(f"{offer.model.label} is not among the models good enough for {workload.name}",),
            would_fit_if=f"{offer.model.id} were added to the models of {workload.name}",
        )
    if tier.availability not in policy.allow_availability:
        return CannotServe(
            binding_constraint="availability",
            reasons=(f"cannot be bought today: {tier.availability}", *_why_closed(tier)),
            would_fit_if=f"you look ahead (policy: allow_availability with {tier.availability})",
        )
    start = tier.available_from
    if start is not None and scenario.as_of < start and "announced" not in policy.allow_availability:
        return CannotServe(
            binding_constraint="availability",
            reasons=(f"not sold before {start.isoformat()}",),
            would_fit_if="the plan were for a later day, or looked ahead (allow_availability: announced)",
        )
    if tier.available_until is not None and tier.available_until <= scenario.as_of:
        return CannotServe(
            binding_constraint="availability",
            reasons=(f"not sold any more since {tier.available_until.isoformat()}",),
            would_fit_if="the supplier sold it again",
        )
    if policy.allow_regions and not _stands_in(tier, policy.allow_regions):
        return CannotServe(
            binding_constraint="region",
            reasons=(f"served in {tier.region}" if tier.region else "nobody says where it is served",),
            would_fit_if=f"it were served in {' or '.join(policy.allow_regions)} and its region said so",
        )
    unpriced_half = tier.prefill is not None and tier.prefill.price is None
    if tier.price is None or unpriced_half:
        return CannotServe(
            binding_constraint="price",
            reasons=(_why_unpriced(offer, scenario.as_of),),
            would_fit_if="you enter a price for it",
        )
    if isinstance(performance, CannotServe):
        return performance
    return _context_gate(offer, performance, demand)


def _context_gate(offer: Offer, performance: TierPerformance, demand: Demand) -> CannotServe | None:
    """A prompt and its answer must fit the model's context, and a replica's KV cache."""
    workload = demand.workload
    mean_tok = workload.input_tok.mean_tok + workload.output_tok.mean_tok
    limit, what = offer.model.max_context_tok, "the model's context"
    kv_tok = None if isinstance(performance, HostedPerformance) else performance.kv_capacity_tok
    if kv_tok is not None and (limit is None or kv_tok < limit):
        limit, what = int(kv_tok), "the KV memory of a replica"
    if limit is None or mean_tok <= limit:
        return None
    return CannotServe(
        binding_constraint="KV memory" if what.startswith("the KV") else "context length",
        reasons=(f"a mean request of {mean_tok:,.0f} tokens exceeds {what} ({limit:,} tokens)",),
        would_fit_if="prompts were shorter, or the model ran on more memory",
    )


def _why_unpriced(offer: Offer, as_of: date) -> str:
    """Which price is missing: one of a half, one of that day, or any."""
    if offer.tier.price is not None:
        return "no price of its prefill half is known"
    later = [
        each.valid_from for each in offer.prices if each.price and each.valid_from and each.valid_from > as_of
    ]
    if later:
        return f"no price holds on {as_of.isoformat()}; the first is of {min(later).isoformat()}"
    return "no price is published"


def _stands_in(tier: Tier, regions: tuple[str, ...]) -> bool:
    """Whether a tier serves in one of the regions; machines without one stand where the buyer rents them."""
    if tier.region is None:
        return tier.architecture != "hosted_api"
    return tier.region.casefold() in {each.casefold() for each in regions}


def _why_closed(tier: Tier) -> tuple[str, ...]:
    """What its supplier says of a tier that is not open to all."""
    said = tier.evidence.get("availability")
    return () if said is None or not said.note else (said.note.rstrip("."),)
