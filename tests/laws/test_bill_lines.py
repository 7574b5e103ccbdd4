"""The bill's lines add up to the plan's total, whatever is committed, bought, spare or paid as a minimum."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings

from models.bill_lines import bill_lines, dearest_sentence
from models.planning import plan
from models.tiers import HourlyPrice, OwnedPrice, TokenPrice
from tests.laws.planner_cases import LISTED, bound, cases, performances

RULES = settings(
    max_examples=30, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
PARTS = (
    "work_cost_usd_per_month",
    "idle_cost_usd_per_month",
    "redundancy_cost_usd_per_month",
    "committed_cost_usd_per_month",
)


def priced(scenario, change):
    """The scenario with the prices changed for which `change` gives another."""
    return replace(
        scenario,
        offers=tuple(
            replace(each, tier=replace(each.tier, price=change(each.tier.price))) for each in scenario.offers
        ),
    )


def bought(price):
    if not isinstance(price, HourlyPrice):
        return price
    return OwnedPrice(purchase_usd_per_accelerator=30_000.0, life_years=3.0, evidence=LISTED)


def with_minimum(price):
    return replace(price, minimum_usd_per_month=25_000.0) if isinstance(price, TokenPrice) else price


def check(scenario, known):
    made = plan(scenario, performances(scenario, known))
    *lines, total = bill_lines(made)
    assert total.cost_usd_per_month == made.totals.cost_usd_per_month
    for name in ("cost_usd_per_month", *PARTS):
        parts = sum(getattr(line, name) for line in lines)
        assert parts == pytest.approx(getattr(total, name), rel=1e-9, abs=1e-6), name
    for line in (*lines, total):
        assert line.cost_usd_per_month == pytest.approx(sum(getattr(line, name) for name in PARTS), rel=1e-9)
    return made, lines


@RULES
@given(bound())
def test_with_machines_that_are_committed(case):
    check(*case)


@RULES
@given(bound())
def test_with_machines_that_were_bought(case):
    scenario, known = case
    fleet = tuple(replace(each, committed_until=None) for each in scenario.fleet)
    check(replace(priced(scenario, bought), fleet=fleet), known)


@RULES
@given(cases(spare_unit_count=2))
def test_with_spare_units(case):
    check(*case)


@RULES
@given(cases())
def test_with_a_minimum_on_hosted_tiers(case):
    scenario, known = case
    check(priced(scenario, with_minimum), known)


@RULES
@given(bound())
def test_what_is_said_to_cost_most_does(case):
    made, lines = check(*case)
    said = dearest_sentence(made)
    if not made.allocations:
        assert said == ""
        return
    most = max(line.cost_usd_per_month for line in lines)
    [dearest] = {line.kind for line in lines if line.cost_usd_per_month == most} or {""}
    assert said.startswith("what is committed and not used") == (dearest == "committed")
    named = max(each.cost.cost_usd_per_month for each in made.allocations)
    assert any(
        said.endswith((f"{each.workload} costs most", f"then {each.workload}"))
        for each in made.allocations
        if each.cost.cost_usd_per_month == named
    )
