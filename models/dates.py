"""What a plan's date does to the figures it rests on: prices gone old, commitments and sales at an end.

A plan is for a day. Prices known on an earlier day are taken to hold until then, a commitment counts until
it ends, and a tier is sold between two days: each is said where the plan's date puts it in doubt.
"""

from collections.abc import Sequence
from datetime import date

from models.commitments import ended
from models.dated_prices import in_force
from models.desk import Desk
from models.grading import uses_of
from models.plans import Allocation, Notice
from models.scenario import Scenario
from models.sentences import listed
from models.tiers import Offer

# A quarter: within one the catalogue's own history has a tier go from unpriced to priced (announced
# 2026-08-13, priced 2026-09-29), and the price list an output price fall by a third (2026-08-21).
OLD_PRICE_DAYS = 92


def date_notices(desk: Desk, allocations: Sequence[Allocation]) -> tuple[Notice, ...]:
    """Everything that the plan's date puts in doubt, each once."""
    used = {(each.tier_id, each.model_id) for each in allocations}
    offers = [offer for offer in desk.offers.values() if (offer.tier.id, offer.model.id) in used]
    found = [
        *_old_prices(desk.scenario, offers),
        *_ended_commitments(desk.scenario),
        *_not_yet_sold(desk.scenario, offers),
        *_expired_figures(desk, offers),
    ]
    return tuple(dict.fromkeys(Notice(text=text, level="warning") for text in found))


def price_dated_on(offer: Offer, as_of: date) -> date | None:
    """The day an offer's price is known to have held; None where it has no price or nobody says."""
    if offer.tier.price is None:
        return None
    held = in_force(offer.prices, as_of)
    days = (offer.tier.price.evidence.checked_on, held.valid_from if held and held.own else None)
    return max((day for day in days if day is not None), default=None)


def _old_prices(scenario: Scenario, offers: Sequence[Offer]) -> list[str]:
    """One sentence a day for the tiers in use whose prices are known of no later day."""
    by_day: dict[date, list[str]] = {}
    for offer in offers:
        day = price_dated_on(offer, scenario.as_of)
        if day is not None and (scenario.as_of - day).days > OLD_PRICE_DAYS:
            by_day.setdefault(day, []).append(offer.tier.label)
    return [
        f"{listed(sorted(set(labels)))}: the newest price is of {day.isoformat()}, "
        f"{(scenario.as_of - day).days:,} days before the plan, and is "
        f"taken to hold until {scenario.as_of.isoformat()}"
        for day, labels in sorted(by_day.items())
    ]


def _ended_commitments(scenario: Scenario) -> list[str]:
    return [
        f"{entry.tier_id}: the commitment of {entry.replica_count} replicas ended on "
        f"{entry.committed_until}, before the plan's date {scenario.as_of}: it is not counted as one"
        for entry in scenario.fleet
        if entry.replica_count and ended(scenario, entry)
    ]


def _not_yet_sold(scenario: Scenario, offers: Sequence[Offer]) -> list[str]:
    return [
        f"{offer.tier.label} is sold from {start.isoformat()}, {(start - scenario.as_of).days:,} days after "
        "the plan's date: this plan looks ahead"
        for offer in offers
        if (start := offer.tier.available_from) is not None and start > scenario.as_of
    ]


def _expired_figures(desk: Desk, offers: Sequence[Offer]) -> list[str]:
    return [
        f"{offer.tier.label}: {use.quantity} was not to be used after {end.isoformat()} "
        f"({use.evidence.source})"
        for offer in offers
        for use in uses_of(offer, desk.performances[offer.id])
        if (end := use.evidence.expires_on) is not None and end < desk.scenario.as_of
    ]
