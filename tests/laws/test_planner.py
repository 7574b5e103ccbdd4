"""Laws of the planner: what cannot change the plan, what may only make it better, what it may never do."""

import json
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from app.plan_json import plan_as_json
from models.architectures import batched_accelerator, hosted_api
from models.performance import CannotServe
from models.planning import plan
from models.pool_loads import load_of, targets_of
from models.pool_plan import PoolPlan
from models.pools import plan_pool
from models.scenario import Policy
from models.sizing import first_miss
from models.workloads import Target
from tests.laws.planner_cases import (
    cases,
    cheaper,
    demands,
    hosted,
    machines,
    performances,
    policies,
    tandems,
    wafers,
    without,
)

RULES = settings(
    max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
CENT = 0.01
ROUNDING = 1e-9


def planned(scenario, known):
    """The plan of a case."""
    return plan(scenario, performances(scenario, known))


def badness(made):
    """Fewer workloads placed is worse than any bill."""
    return len(made.unplaced), made.totals.cost_usd_per_month


def no_worse(made, other):
    """Whether one plan places as many workloads as another, for no more money."""
    missing, usd = badness(made)
    other_missing, other_usd = badness(other)
    return (missing, usd - ROUNDING * other_usd - ROUNDING) <= (other_missing, other_usd)


@RULES
@given(machines("t"), demands("w"), policies(), st.floats(1.0, 8.0))
def test_more_load_never_needs_fewer_replicas(machine, demand, policy, ratio):
    (offer, performance) = machine
    assume(offer.tier.price is not None)
    more = replace(demand, peak_rate_req_per_s=demand.peak_rate_req_per_s * ratio)
    before = plan_pool(offer, performance, (demand,), policy)
    after = plan_pool(offer, performance, (more,), policy)
    if isinstance(before, CannotServe):
        return
    if isinstance(after, PoolPlan):
        assert after.replica_count >= before.replica_count
        assert after.cost_usd >= before.cost_usd * (1 - ROUNDING)


@RULES
@given(st.one_of(wafers("t"), tandems("t")), demands("w"), policies(), st.floats(1.0, 8.0))
def test_more_load_never_costs_less_on_any_machines(machine, demand, policy, ratio):
    (offer, performance) = machine
    assume(offer.tier.price is not None)
    more = replace(demand, peak_rate_req_per_s=demand.peak_rate_req_per_s * ratio)
    before = plan_pool(offer, performance, (demand,), policy)
    after = plan_pool(offer, performance, (more,), policy)
    if isinstance(before, PoolPlan) and isinstance(after, PoolPlan):
        assert after.cost_usd >= before.cost_usd * (1 - ROUNDING)
        if offer.tier.prefill is None:
            assert after.replica_count >= before.replica_count


@RULES
@given(machines("t"), demands("w"), demands("v"), policies())
def test_another_workload_in_the_pool_never_saves_a_replica(machine, demand, other, policy):
    (offer, performance) = machine
    assume(offer.tier.price is not None)
    alone = plan_pool(offer, performance, (demand,), policy)
    together = plan_pool(offer, performance, (demand, other), policy)
    if isinstance(alone, PoolPlan) and isinstance(together, PoolPlan):
        assert together.replica_count >= alone.replica_count


@RULES
@given(machines("t"), demands("w"), policies(), st.integers(1, 6))
def test_knowing_how_many_are_needed_changes_no_answer(machine, demand, policy, fewest):
    (offer, performance) = machine
    assume(offer.tier.price is not None)
    fresh = plan_pool(offer, performance, (demand,), policy)
    if isinstance(fresh, CannotServe):
        return
    needed = fresh.replica_count - fresh.spare_replica_count
    hinted = plan_pool(offer, performance, (demand,), policy, min(fewest, needed))
    assert hinted.replica_count == fresh.replica_count
    assert hinted.cost_usd == fresh.cost_usd


@RULES
@given(cases(), st.data())
def test_a_cheaper_tier_never_raises_the_bill(case, data):
    scenario, known = case
    chosen = data.draw(st.sampled_from(scenario.offers))
    ratio = data.draw(st.floats(0.1, 1.0))
    offers = tuple(cheaper(each, ratio) if each is chosen else each for each in scenario.offers)
    assert no_worse(planned(replace(scenario, offers=offers), known), planned(scenario, known))


@RULES
@given(cases(), st.data())
def test_another_tier_never_makes_the_plan_worse(case, data):
    scenario, known = case
    chosen = data.draw(st.sampled_from(scenario.offers))
    assert no_worse(planned(scenario, known), planned(without(scenario, chosen.id), known))


@RULES
@given(cases(max_supplier_share_fraction=0.6), st.data())
def test_another_tier_never_makes_a_plan_over_several_suppliers_worse(case, data):
    scenario, known = case
    chosen = data.draw(st.sampled_from(scenario.offers))
    assert no_worse(planned(scenario, known), planned(without(scenario, chosen.id), known))


@RULES
@given(cases())
def test_a_runner_up_is_another_tier_and_never_cheaper(case):
    made = planned(*case)
    for each in made.allocations:
        if each.runner_up is not None:
            assert each.runner_up.tier_id != each.tier_id
            assert each.runner_up.extra_cost_usd_per_month >= -ROUNDING * made.totals.cost_usd_per_month


@RULES
@given(cases(), st.randoms(use_true_random=False))
def test_the_order_of_tiers_and_workloads_is_irrelevant(case, random):
    scenario, known = case
    offers, asked = list(scenario.offers), list(scenario.demands)
    random.shuffle(offers)
    random.shuffle(asked)
    made = planned(scenario, known)
    other = planned(replace(scenario, offers=tuple(offers), demands=tuple(asked)), known)
    assert other.totals.cost_usd_per_month == pytest.approx(made.totals.cost_usd_per_month, rel=ROUNDING)
    assert where(other) == where(made)


def where(made):
    """The tier of each workload."""
    return {each.workload: each.tier_id for each in made.allocations}


@RULES
@given(cases())
def test_the_same_scenario_gives_the_same_bytes(case):
    first, second = (json.dumps(plan_as_json(planned(*case)), allow_nan=False) for _ in range(2))
    assert first == second


@RULES
@given(cases())
def test_every_placed_workload_keeps_its_targets_within_the_allowed_utilisation(case):
    scenario, known = case
    made = planned(scenario, known)
    for each in made.allocations:
        assert all(result.holds for result in each.targets)
        if each.utilisation_fraction is not None:
            assert each.utilisation_fraction <= scenario.policy.max_utilisation_fraction * (1 + 1e-6)
    placed = {each.workload for each in made.allocations}
    assert placed.isdisjoint(made.unplaced)
    assert placed | set(made.unplaced) == {demand.workload.name for demand in scenario.demands}


@RULES
@given(machines("t"), demands("w"), policies(spare_unit_count=2))
def test_targets_hold_also_with_the_spares_lost(machine, demand, policy):
    (offer, performance) = machine
    assume(offer.tier.price is not None)
    pool = plan_pool(offer, performance, (demand,), policy)
    if isinstance(pool, CannotServe):
        return
    left = pool.replica_count - pool.spare_replica_count
    point = batched_accelerator.operate(performance, load_of([demand]), left)
    assert point.stable
    assert point.utilisation_fraction <= policy.max_utilisation_fraction * (1 + 1e-6)
    assert first_miss(point, targets_of([demand])) is None


@RULES
@given(cases())
def test_the_bills_parts_sum_to_the_whole(case):
    made = planned(*case)
    totals = made.totals
    costs = [each.cost for each in made.allocations]
    for name in ("cost_usd_per_month", "idle_cost_usd_per_month", "redundancy_cost_usd_per_month"):
        assert sum(getattr(each, name) for each in costs) == pytest.approx(getattr(totals, name), abs=CENT)
    assert sum(pool.cost_usd_per_month for pool in made.pools) == pytest.approx(
        totals.cost_usd_per_month, abs=CENT
    )
    assert sum(pool.replica_count for pool in made.pools) == totals.replica_count
    for each in (*costs, totals):
        idle, spare = each.idle_cost_usd_per_month, each.redundancy_cost_usd_per_month
        assert idle >= 0
        assert spare >= 0
        assert idle + spare <= each.cost_usd_per_month * (1 + ROUNDING)
        assert each.cost_usd_per_h * 730.5 == pytest.approx(each.cost_usd_per_month)


@RULES
@given(cases(accepted_derate_ratio=None))
def test_a_ceiling_sizes_no_fleet_unless_a_derate_is_accepted(case):
    scenario, known = case
    made = planned(scenario, known)
    bounded = {
        offer.tier.id
        for offer in scenario.offers
        if offer.tier.speed is not None and offer.tier.speed.stream_rate_tok_per_s is None
    }
    assert bounded.isdisjoint(where(made).values())
    assert {each.tier_id for each in made.rejections} >= bounded
    assert all(use.evidence.may_size_a_fleet for use in made.evidence)


@RULES
@given(cases(accepted_derate_ratio=0.5, accepted_p95_to_p50_ratio=1.8))
def test_what_an_assumption_made_possible_wears_the_weakest_grade(case):
    scenario, known = case
    assumed = {offer.tier.id for offer in scenario.offers if offer.tier.speed is not None}
    for each in planned(scenario, known).allocations:
        if each.tier_id in assumed:
            assert each.weakest_grade == "E"


@RULES
@given(cases())
def test_an_unpriced_tier_is_never_planned(case):
    scenario, known = case
    unpriced = {offer.tier.id for offer in scenario.offers if offer.tier.price is None}
    assert unpriced.isdisjoint(where(planned(scenario, known)).values())


@RULES
@given(cases())
def test_a_tier_behind_a_waiting_list_is_not_planned_by_default(case):
    scenario, known = case
    closed = {offer.tier.id for offer in scenario.offers if offer.tier.availability != "open"}
    assert Policy().allow_availability == ("open",)
    assert closed.isdisjoint(where(planned(scenario, known)).values())


@RULES
@given(hosted("t"), demands("w"), policies(accepted_p95_to_p50_ratio=None, accepted_derate_ratio=None))
def test_an_unknown_p95_keeps_no_promise(listed, demand, policy):
    (offer, _) = listed
    assume(offer.tier.price is not None)
    performance = hosted_api.fit(offer, ())
    assume(not isinstance(performance, CannotServe))
    asked = Target(metric="e2e_s", quantile=0.95, limit_s=1e6)
    promising = replace(demand, workload=replace(demand.workload, targets=(asked,)))
    pool = plan_pool(offer, performance, (promising,), policy)
    assert isinstance(pool, CannotServe)
    assert pool.binding_constraint in ("evidence", "rate limit")


@RULES
@given(cases())
def test_a_refusal_says_why_and_what_would_help(case):
    for each in planned(*case).rejections:
        assert each.reasons
        assert all(reason.strip() for reason in each.reasons)
        assert each.would_fit_if.strip()
        assert each.binding_constraint.strip()


@RULES
@given(cases(), st.data())
def test_a_limit_to_a_region_is_kept_and_never_pays(case, data):
    scenario, known = case
    regions = data.draw(
        st.lists(
            st.sampled_from(["EU", "US", None]), min_size=len(scenario.offers), max_size=len(scenario.offers)
        )
    )
    offers = tuple(
        replace(offer, tier=replace(offer.tier, region=region))
        for offer, region in zip(scenario.offers, regions, strict=True)
    )
    free = replace(scenario, offers=offers)
    limited = replace(free, policy=replace(free.policy, allow_regions=("eu",)))
    elsewhere = {
        offer.tier.id
        for offer in offers
        if offer.tier.region == "US"
        or (offer.tier.region is None and offer.tier.architecture == "hosted_api")
    }
    kept = planned(limited, known)
    assert elsewhere.isdisjoint(where(kept).values())
    assert no_worse(planned(free, known), kept)
    refused = {each.tier_id for each in kept.rejections if each.binding_constraint == "region"}
    assert refused <= elsewhere
