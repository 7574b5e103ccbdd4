"""A base with another tier for its peaks: against a simulation call by call, and against every other base."""

import heapq
import random
from dataclasses import replace

import pytest

from models.cost import tokens_usd_per_month
from models.desk import desk_for, place
from models.evidence import Evidence, Grade, Sense
from models.lengths import lognormal_lengths
from models.percentiles import Percentiles
from models.performance import BatchedPerformance, HostedPerformance, HostedPoint, StepLaw
from models.placement import Group
from models.routing.bursting import BASE_STEP_COUNT, all_bursting, bursting
from models.scenario import Policy, Scenario
from models.tiers import HourlyPrice, Model, Offer, Tier, TokenPrice
from models.workloads import Demand, Target, Workload
from tests.laws.planner_cases import AS_OF

LISTED = Evidence(grade=Grade.VENDOR_WITH_METHOD, sense=Sense.LIST_PRICE, source="a price list")
MODEL = Model(id="model", label="Model", kind="moe")
DAY = (0.1,) * 18 + (0.3, 0.6, 1.0, 1.0, 0.5, 0.2)
MACHINES = Offer(
    tier=Tier(
        id="own",
        label="Own",
        architecture="batched_accelerator",
        price=HourlyPrice(usd_per_accelerator_h=20.0, evidence=LISTED),
        accelerator_count_per_replica=1,
    ),
    model=MODEL,
)
TOKENS = Offer(
    tier=Tier(
        id="api",
        label="API",
        architecture="hosted_api",
        price=TokenPrice(input_usd_per_mtok=0.5, output_usd_per_mtok=2.0, evidence=LISTED),
    ),
    model=MODEL,
)
LAW = StepLaw(alpha_s=0.02, beta_s_per_seq=5e-4, delta_s_per_input_tok=1e-5)
KNOWN = {
    MACHINES.id: BatchedPerformance(step=LAW, slot_count=32),
    TOKENS.id: HostedPerformance(
        points=(
            HostedPoint(
                concurrency_count=None,
                ttft_s=Percentiles(mean=0.2, p50=0.2, p90=0.3, p95=0.4, p99=0.6),
                tpot_s=Percentiles(mean=0.01, p50=0.01, p90=0.012, p95=0.013, p99=0.02),
            ),
        )
    ),
}


def scenario_of(rate_req_per_s=20.0, offers=(MACHINES, TOKENS), shape=DAY):
    """One workload that is busy for two hours in the evening, its plan held to one offer."""
    workload = Workload(
        name="voice",
        kind="support",
        models=(MODEL.id,),
        input_tok=lognormal_lengths(400.0, 0.5, (1, 4096)),
        output_tok=lognormal_lengths(150.0, 0.5, (1, 2048)),
        targets=(Target(metric="ttft_s", quantile=0.95, limit_s=1.0),),
    )
    demand = Demand(workload=workload, peak_rate_req_per_s=rate_req_per_s, hourly_fraction=shape)
    return Scenario(
        id="case",
        name="Case",
        as_of=AS_OF,
        seed=1,
        demands=(demand,),
        offers=tuple(offers),
        policy=Policy(spare_unit_count=0),
    )


def pair(scenario):
    """The base and overflow of the whole work on the machines."""
    group = Group(MACHINES.id, 1)
    return bursting(desk_for(scenario, KNOWN), group, (group,))


def moved_share(rate_req_per_s, held_s, places, shape, seed):
    """Share of calls that find all places taken, day after day, call by call; the first day warms up."""
    generator = random.Random(seed)
    now, busy, calls, moved, hour_s = 0.0, [], 0, 0, 3600.0 / 20  # hours cut short: many services in each
    end = 8 * len(shape) * hour_s
    while now < end:
        hour = int(now / hour_s) % len(shape)
        step = generator.expovariate(rate_req_per_s * shape[hour])
        border = (int(now / hour_s) + 1) * hour_s
        if now + step > border:
            now = border
            continue
        now += step
        while busy and busy[0] <= now:
            heapq.heappop(busy)
        full = len(busy) >= places
        if now > len(shape) * hour_s:
            calls, moved = calls + 1, moved + full
        if not full:
            heapq.heappush(busy, now + generator.uniform(0.0, 2.0 * held_s))
    return moved / calls


def test_what_moves_on_equals_a_simulation_call_by_call():
    """Loss systems depend on the mean service only (B. A. Sevastyanov 1957): served uniformly here."""
    scenario = scenario_of()
    found = pair(scenario)
    held_s = found.place_count / (found.base_fraction * 20.0)
    seen = [moved_share(20.0, held_s, found.place_count, DAY, seed) for seed in range(4)]
    assert found.overflow_fraction == pytest.approx(sum(seen) / 4, rel=0.06)
    assert found.peakedness_ratio > 1.0


def test_the_bill_is_the_bases_and_the_tokens_that_move_on():
    scenario = scenario_of()
    found = pair(scenario)
    desk = desk_for(scenario, KNOWN)
    hours = 730.5
    assert found.base_cost_usd_per_month == pytest.approx(found.replica_count * 20.0 * hours)
    (demand,) = scenario.demands
    all_tokens_usd = tokens_usd_per_month(TOKENS.tier.price, demand)
    assert found.overflow_cost_usd_per_month == pytest.approx(all_tokens_usd * found.overflow_fraction)
    whole = desk.pool(MACHINES.id, 1)
    both = found.base_cost_usd_per_month + found.overflow_cost_usd_per_month
    assert found.saved_usd_per_month == pytest.approx(whole.cost_usd - both)
    assert found.whole_replica_count == whole.replica_count


def test_a_base_pays_where_the_peak_is_short_and_not_where_the_load_is_even():
    assert pair(scenario_of()).saved_usd_per_month > 0
    even = pair(scenario_of(shape=(1.0,) * 24))
    short = pair(scenario_of())
    assert even.overflow_fraction / (1 - even.base_fraction) > short.overflow_fraction / (
        1 - short.base_fraction
    )


def test_no_base_where_nothing_takes_the_overflow():
    assert pair(scenario_of(offers=(MACHINES,))) is None
    waiting = replace(TOKENS, tier=replace(TOKENS.tier, availability="waitlist"))
    assert pair(scenario_of(offers=(MACHINES, waiting))) is None


def test_a_rate_limit_smaller_than_the_overflow_refuses_it():
    few = replace(TOKENS, tier=replace(TOKENS.tier, request_limit_per_min=1.0))
    limited = {**KNOWN, few.id: replace(KNOWN[TOKENS.id], request_limit_per_min=1.0)}
    scenario, group = scenario_of(offers=(MACHINES, few)), Group(MACHINES.id, 1)
    assert bursting(desk_for(scenario, limited), group, (group,)) is None


def test_every_smaller_pool_was_tried_and_the_largest_saving_taken():
    scenario = scenario_of()
    best, desk = pair(scenario), desk_for(scenario, KNOWN)
    (demand,) = scenario.demands
    for step in range(1, BASE_STEP_COUNT):
        fraction = step / BASE_STEP_COUNT
        shape = tuple(min(each / fraction, 1.0) for each in DAY)
        smaller = replace(demand.scaled(fraction), hourly_fraction=shape)
        base = desk_for(replace(scenario, demands=(smaller,)), KNOWN).pool(MACHINES.id, 1)
        whole = desk.pool(MACHINES.id, 1)
        most_saved = whole.cost_usd - base.cost_usd
        if base.replica_count == best.replica_count:
            assert fraction <= best.base_fraction
        if most_saved < best.saved_usd_per_month:
            assert base.replica_count > best.replica_count


def test_a_plan_of_tokens_has_no_base():
    scenario = scenario_of(rate_req_per_s=0.01)
    desk = desk_for(scenario, KNOWN)
    groups = place(desk).groups
    assert {each.offer_id for each in groups} == {TOKENS.id}
    assert all_bursting(desk, groups) == ()
