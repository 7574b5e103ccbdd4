"""What is paid already counts in the choice and in the bill, checked against every possible placement."""

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings

from models.cost import HOURS_PER_MONTH
from models.performance import CannotServe
from models.planning import plan
from models.pools import plan_pool
from models.tiers import HourlyPrice, OwnedPrice
from tests.laws.planner_cases import LISTED, bound, performances
from tests.models.test_placement import partitions

RULES = settings(
    max_examples=30, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
ROUNDING = 1e-9


def committed_usd(scenario):
    """Monthly cost of what is paid until after the plan's date, by tier id."""
    prices = {
        offer.tier.id: offer.tier.price.usd_per_accelerator_h * offer.tier.accelerator_count_per_replica
        for offer in scenario.offers
        if isinstance(offer.tier.price, HourlyPrice)
    }
    return {
        entry.tier_id: entry.replica_count * prices[entry.tier_id] * HOURS_PER_MONTH
        for entry in scenario.fleet
        if entry.committed_until is not None and entry.committed_until > scenario.as_of
    }


@RULES
@given(bound())
def test_no_placement_costs_less_with_what_is_paid_anyway(case):
    """Brute force: every partition of the placed workloads over all offers, a bound offer used once."""
    scenario, known = case
    made = plan(scenario, performances(scenario, known))
    able = performances(scenario, known)
    placed = [each for each in scenario.demands if each.workload.name not in made.unplaced]
    sunk = committed_usd(scenario)
    best = float("inf")
    for split in partitions(placed):
        for offers in product(scenario.offers, repeat=len(split)):
            usd = bill(scenario, able, sunk, list(zip(offers, split, strict=True)))
            best = min(best, usd)
    if placed:
        assert made.totals.cost_usd_per_month == pytest.approx(best, rel=1e-6)


def bill(scenario, able, sunk, groups):
    """Pools and commitments together; infinite where a pool cannot be, or a limit would be used twice."""
    by_tier = {}
    for offer, demands in groups:
        if not sold(scenario, offer) or isinstance(able[offer.id], CannotServe):
            return float("inf")
        pool = plan_pool(offer, able[offer.id], tuple(demands), scenario.policy)
        limited = offer.tier.request_limit_per_min is not None or offer.tier.id in sunk
        if isinstance(pool, CannotServe) or (limited and offer.tier.id in by_tier):
            return float("inf")
        by_tier[offer.tier.id] = by_tier.get(offer.tier.id, 0.0) + pool.cost_usd
    return sum(max(by_tier.get(tier, 0.0), sunk.get(tier, 0.0)) for tier in {*by_tier, *sunk})


def sold(scenario, offer):
    """Whether an offer may be bought and has a price."""
    return offer.tier.price is not None and offer.tier.availability in scenario.policy.allow_availability


@RULES
@given(bound())
def test_being_bound_never_saves_money(case):
    scenario, known = case
    free = replace(scenario, fleet=())
    bound_usd = plan(scenario, performances(scenario, known)).totals.cost_usd_per_month
    free_usd = plan(free, performances(free, known)).totals.cost_usd_per_month
    assert bound_usd >= free_usd * (1 - ROUNDING)
    assert bound_usd >= sum(committed_usd(scenario).values()) * (1 - ROUNDING)


@RULES
@given(bound())
def test_machines_that_were_bought_are_paid_whether_used_or_not(case):
    scenario, known = case
    offers = tuple(
        replace(
            each,
            tier=replace(
                each.tier,
                price=OwnedPrice(purchase_usd_per_accelerator=30_000.0, life_years=3.0, evidence=LISTED),
            ),
        )
        if isinstance(each.tier.price, HourlyPrice)
        else each
        for each in scenario.offers
    )
    fleet = tuple(replace(each, committed_until=None) for each in scenario.fleet)
    made = plan(
        replace(scenario, offers=offers, fleet=fleet), performances(replace(scenario, offers=offers), known)
    )
    hourly_usd = 30_000.0 / 3.0 / 8766.0
    accelerators = {each.tier.id: each.tier.accelerator_count_per_replica for each in offers}
    owned_usd = sum(each.replica_count * accelerators[each.tier_id] * hourly_usd * 730.5 for each in fleet)
    assert made.totals.cost_usd_per_month >= owned_usd * (1 - ROUNDING)
