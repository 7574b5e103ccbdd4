"""Least regret against brute force, and the tables' own sums."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.decisions.futures import in_future, least_regret
from models.decisions.regret import regret_table
from models.planning import plan
from models.scenario import DemandScenario, Outlook
from tests.laws.planner_cases import cases, performances
from tests.laws.test_planner import RULES

MATRICES = st.integers(1, 4).flatmap(
    lambda futures: st.lists(
        st.lists(st.integers(1, 100), min_size=futures, max_size=futures), min_size=1, max_size=5
    )
)


def test_savage_by_hand():
    """Costs 10/40 and 20/20: regrets 0/20 and 10/0, so the second plan; at even weights means 25 and 20."""
    table = regret_table(["thin", "thick"], ["calm", "storm"], [1, 1], np.array([[10.0, 40.0], [20.0, 20.0]]))
    assert table.regret_usd == ((0.0, 20.0), (10.0, 0.0))
    assert table.least_regret_index == 1
    assert table.expected_usd == (25.0, 20.0)
    assert table.least_expected_index == 1


@given(MATRICES, st.data())
def test_least_regret_equals_brute_force(costs, data):
    count = len(costs[0])
    weights = data.draw(st.lists(st.integers(1, 9), min_size=count, max_size=count))
    table = regret_table(
        [str(i) for i in range(len(costs))],
        [str(i) for i in range(count)],
        weights,
        np.array(costs, dtype=float),
    )
    worst = [max(row[j] - min(other[j] for other in costs) for j in range(count)) for row in costs]
    means = [sum(w * c for w, c in zip(weights, row, strict=True)) / sum(weights) for row in costs]
    assert worst[table.least_regret_index] == min(worst)
    assert means[table.least_expected_index] == pytest.approx(min(means))
    for row, regrets in zip(costs, table.regret_usd, strict=True):
        for j, (usd, regret) in enumerate(zip(row, regrets, strict=True)):
            assert usd - regret == min(other[j] for other in costs)


def test_a_plan_that_cannot_serve_a_future_is_never_the_least_regretted():
    table = regret_table(["a", "b"], ["x", "y"], [1, 1], np.array([[1.0, math.inf], [50.0, 60.0]]))
    assert table.least_regret_index == 1
    assert table.least_expected_index == 1


FUTURES = (
    DemandScenario(name="low", weight=1.0, rate_ratio=0.5),
    DemandScenario(name="high", weight=1.0, rate_ratio=2.0),
)


@settings(RULES, max_examples=15)
@given(cases(most_workloads=2, most_tiers=3))
def test_every_future_costs_its_own_plan_least(case):
    """On the diagonal stands that future's cheapest bill, as the planner finds it by itself."""
    scenario, known = case
    able = performances(scenario, known)
    table = least_regret(replace(scenario, outlook=Outlook(scenarios=FUTURES)), able, 1.25)
    assert table is not None
    for j, future in enumerate(FUTURES):
        own = plan(in_future(scenario, future), able)
        if not own.unplaced:
            assert min(row[j] for row in table.cost_usd) == pytest.approx(own.totals.cost_usd_per_month)
