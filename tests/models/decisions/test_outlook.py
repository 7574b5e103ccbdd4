"""Growth, other loads, lost units and swings: laws, and the planner asked again by hand."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app import decisions, workbench
from models.decisions.growth import growth_path
from models.decisions.outcome import outcome, outcome_of, starts_of
from models.decisions.sensitivity import flip_sentence, levers, swings
from models.decisions.what_holds import at_load, with_unit_lost
from models.desk import desk_for, place, settled
from models.planning import plan
from models.pools import plan_pool
from models.scenario import Outlook
from models.sentences import rounded_usd
from models.tiers import HourlyPrice
from tests.laws.planner_cases import cases, performances
from tests.laws.test_planner import RULES

FEW = settings(RULES, max_examples=15)


def desk_and_groups(scenario, known):
    desk = desk_for(scenario, performances(scenario, known))
    return desk, place(desk).groups


@FEW
@given(cases(most_workloads=2, most_tiers=3), st.floats(0.02, 0.5))
def test_a_growing_plan_never_needs_less_and_runs_out_when_it_needs_more(case, growth):
    scenario, known = case
    scenario = replace(scenario, outlook=Outlook(growth_fraction_per_month=growth, horizon_months=6))
    path = growth_path(*desk_and_groups(scenario, known))
    counts = [month.replica_count for month in path.months]
    known_costs = [month.cost_usd_per_month for month in path.months if month.cost_usd_per_month is not None]
    assert known_costs == sorted(known_costs)
    assert path.months[-1].rate_ratio == pytest.approx((1.0 + growth) ** 6)
    if path.run_out_month_count is None:
        assert set(counts) == {counts[0]}
    else:
        assert path.run_out_month_count > 0
        assert path.run_out_reason


@FEW
@given(cases(most_workloads=2, most_tiers=3))
def test_at_its_own_load_a_plan_holds_what_it_promised(case):
    scenario, known = case
    desk, groups = desk_and_groups(scenario, known)
    assert all(state.holds for state in at_load(desk, groups, 1.0))


@FEW
@given(cases(most_workloads=2, most_tiers=3, spare_unit_count=1))
def test_with_one_spare_one_unit_may_fail(case):
    scenario, known = case
    desk, groups = desk_and_groups(scenario, known)
    for group in groups:
        states = with_unit_lost(desk, group)
        assert states is None or all(state.holds for state in states)


@FEW
@given(cases(most_workloads=2, most_tiers=3, spare_unit_count=0))
def test_a_hundred_times_the_load_overruns_machines(case):
    scenario, known = case
    desk, groups = desk_and_groups(scenario, known)
    machines = [group for group in groups if desk.placed_pool(group).replica_count]
    for state in at_load(desk, tuple(machines), 100.0):
        if state.utilisation_fraction is not None and state.utilisation_fraction > 1.0:
            assert not state.holds


@FEW
@given(cases(most_workloads=2, most_tiers=2))
def test_a_swing_is_the_plan_asked_again(case):
    """The price lever of every used machine, worked out again by changing the price by hand."""
    scenario, known = case
    able = performances(scenario, known)
    base = plan(scenario, able)
    found = swings(
        base, levers(scenario, able, base, 0.2), lambda changed, fresh: outcome_of(plan(changed, fresh))
    )
    by_name = {each.lever.name: each for each in found}
    for offer in scenario.offers:
        price = offer.tier.price
        swing = by_name.get(f"{offer.tier.label}: price")
        if swing is None or not isinstance(price, HourlyPrice):
            continue
        dearer = replace(price, usd_per_accelerator_h=price.usd_per_accelerator_h * 1.2)
        changed = replace(offer, tier=replace(offer.tier, price=dearer))
        offers = tuple(changed if each.id == offer.id else each for each in scenario.offers)
        again = plan(replace(scenario, offers=offers), able)
        assert swing.high_usd == pytest.approx(again.totals.cost_usd_per_month)
    widths = [each.width_usd for each in found if not each.low_unplaced and not each.high_unplaced]
    assert widths == sorted(widths, reverse=True)


@FEW
@given(cases(most_workloads=2, most_tiers=3), st.floats(0.5, 2.0))
def test_a_quick_outcome_is_a_plan_that_can_be_had_and_with_two_workloads_the_best(case, ratio):
    """Two workloads have no pool of three to be split: single moves and whole pools reach every placement."""
    scenario, known = case
    able = performances(scenario, known)
    starts = starts_of(*desk_and_groups(scenario, known))
    changed = replace(scenario, demands=tuple(each.scaled(ratio) for each in scenario.demands))
    quick, full = outcome(changed, able, plan_pool, starts), outcome_of(plan(changed, able))
    assert quick.unplaced == full.unplaced
    assert quick.cost_usd_per_month == pytest.approx(full.cost_usd_per_month, rel=1e-6, abs=0.02)


def test_every_end_of_the_worked_example_is_as_the_whole_planner_has_it():
    seen = workbench.view(workbench.worked_example())
    planner = workbench.desk_of(seen).plan_pool
    starts = starts_of(*settled(seen.scenario, tuple(seen.performances.items()), planner))
    for lever in levers(seen.scenario, seen.performances, seen.plan, 0.2):
        for end in (lever.low, lever.high):
            quick = outcome(end.scenario, end.performances, planner, starts)
            full = outcome_of(workbench.replan(end.scenario, end.performances))
            assert quick.cost_usd_per_month == pytest.approx(full.cost_usd_per_month)
            assert quick.tier_by_workload == full.tier_by_workload


def test_what_flips_the_decision_is_said_in_one_sentence():
    seen = workbench.view(workbench.worked_example())
    found = decisions.tornado(seen, 0.2, decisions.no_progress)
    said = flip_sentence(found)
    turning = [each for each in found if each.flips or each.low_unplaced or each.high_unplaced]
    assert said.startswith(f"{turning[0].lever.name} would flip the decision")
    first = turning[0]
    for moves, usd in ((first.low_moves, first.low_usd), (first.high_moves, first.high_usd)):
        for move in moves:
            assert move.workload in said
            assert f"from {move.from_tier} to {move.to_tier}" in said
            assert f"the bill is {rounded_usd(usd)} a month" in said
    assert said.endswith(f" So would {len(turning) - 1} more of the {len(found)} assumptions.")
    still = [each for each in found if each not in turning]
    assert flip_sentence(still).startswith(f"None of {len(still)} assumptions")
