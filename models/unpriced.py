"""What a tier without a published price may cost before another one is cheaper.

Nobody's price is invented: the bill of the tier that was chosen for a workload is divided by what the same
work would cost at a known reference price (the supplier's Standard tier, else another tier of the model), or
at one dollar an accelerator-hour. The quotient is the price, or its multiple, at which both cost the same.
Speed is worth something besides; that is counted apart (see `decisions.break_even`).
"""

from dataclasses import replace
from typing import Any

from models.cost import tokens_usd_per_month
from models.desk import Desk
from models.evidence import Evidence, Grade, Sense
from models.performance import CannotServe, HostedPerformance, TandemPerformance, TierPerformance
from models.plans import Allocation, BreakEven, Notice
from models.refusals import refusal
from models.tiers import HourlyPrice, Offer, TokenPrice
from models.workloads import Demand

ONE_USD = HourlyPrice(
    usd_per_accelerator_h=1.0,
    evidence=Evidence(
        grade=Grade.ASSUMED_OR_DERIVED, sense=Sense.DERIVED, source="a unit to divide by, not a price"
    ),
)


def break_evens_of(desk: Desk, allocations: tuple[Allocation, ...]) -> tuple[BreakEven, ...]:
    """Every placed workload against every unpriced offer of a model that is good enough for it."""
    by_name = {demand.workload.name: demand for demand in desk.scenario.demands}
    found = [
        _break_even(desk, offer, by_name[each.workload], each)
        for each in allocations
        for offer in desk.offers.values()
        if offer.tier.price is None and offer.model.id in by_name[each.workload].workload.models
    ]
    return tuple(each for each in found if each is not None)


def break_even_notices(found: tuple[BreakEven, ...]) -> tuple[Notice, ...]:
    """One sentence for each, so that it prints wherever the plan does."""
    return tuple(Notice(text=_sentence(each), about=each.workload) for each in found)


def _sentence(each: BreakEven) -> str:
    head = f"{each.workload}: {each.tier_label} has no price"
    after = f"; it {each.misses}" if each.misses else ""
    if each.price_ratio is not None:
        known = f"{each.price_ratio:.3g} times {each.reference}'s prices"
    elif each.usd_per_accelerator_h is not None:
        known = f"{each.usd_per_accelerator_h:,.2f} USD an accelerator-hour"
    else:
        return f"{head}, and no price to measure it by is known{after}"
    return f"{head}; at {known} it would cost as much as {each.chosen_tier_label}{after}"


def _break_even(desk: Desk, offer: Offer, demand: Demand, chosen: Allocation) -> BreakEven | None:
    performance = desk.performances[offer.id]
    shared: dict[str, Any] = {
        "workload": demand.workload.name,
        "tier_id": offer.tier.id,
        "tier_label": offer.tier.label,
        "model_id": offer.model.id,
        "chosen_tier_label": chosen.tier_label,
    }
    usd = chosen.cost.cost_usd_per_month
    if offer.tier.architecture == "hosted_api":
        reference = _reference(desk, offer)
        if reference is None:
            return BreakEven(**shared, reference="")
        name, price = reference
        return BreakEven(
            **shared,
            reference=name,
            price_ratio=usd / tokens_usd_per_month(price, demand),
            misses=_misses(desk, offer, demand, performance, price),
        )
    if isinstance(performance, CannotServe | HostedPerformance | TandemPerformance):
        return None
    priced = replace(offer, tier=replace(offer.tier, price=ONE_USD))
    pool = desk.plan_pool(priced, performance, (demand,), desk.scenario.policy, 1)
    if isinstance(pool, CannotServe):
        return None
    return BreakEven(**shared, reference="", usd_per_accelerator_h=usd / pool.cost_usd)


def _reference(desk: Desk, offer: Offer) -> tuple[str, TokenPrice] | None:
    """Whose prices the multiple is of: the supplier's Standard, else the model's cheapest other tier."""
    if offer.tier.standard_price is not None:
        return "Standard", offer.tier.standard_price
    others = [
        (price.output_usd_per_mtok, other.tier.label, price)
        for other in desk.offers.values()
        if other.model.id == offer.model.id and isinstance(price := other.tier.price, TokenPrice)
    ]
    if not others:
        return None
    _, label, price = min(others, key=lambda each: each[:2])
    return label, price


def _misses(
    desk: Desk, offer: Offer, demand: Demand, performance: TierPerformance | CannotServe, price: TokenPrice
) -> str:
    """What besides the price keeps the offer from serving the workload; "" where nothing does."""
    priced = replace(offer, tier=replace(offer.tier, price=price))
    stopped = refusal(desk.scenario, priced, performance, demand, desk.plan_pool)
    return "" if stopped is None else f"would still not do: {'; '.join(stopped.reasons)}"
