"""Extreme scenarios end in a plan of finite numbers or in a named problem, and soon."""

import json
import time

import pytest

from app import workbench
from app.plan_json import plan_as_json
from models.problems import InputProblems

MOST_S = 30


def changed(**fields):
    """A change of the first workload."""
    return lambda draft: draft["workloads"][0].update(fields)


def ruled(**rules):
    """A change of the policy."""
    return lambda draft: draft["policy"].update(rules)


def crowded(count):
    """The first workload many times, each at its own rate."""
    return lambda draft: draft.update(
        workloads=[
            {**draft["workloads"][0], "name": f"w{index}", "peak_rate_req_per_s": 1 + index}
            for index in range(count)
        ]
    )


PLANNED = {
    "a call in thirty thousand years": changed(peak_rate_req_per_s=1e-12),
    "a thousand million calls a second": changed(peak_rate_req_per_s=1e9),
    "the longest prompt": changed(input_tok={"kind": "fixed", "value": 10_000_000}),
    "the longest answer": changed(output_tok={"kind": "fixed", "value": 10_000_000}),
    "one token": changed(output_tok={"kind": "fixed", "value": 1}),
    "a promise nobody keeps": changed(targets=[{"metric": "ttft_s", "quantile": 0.99, "limit_s": 1e-9}]),
    "one busy hour": changed(hourly_fraction=[0.0] * 23 + [1.0]),
    "pauses of an age": changed(task={"pause_s": 1e12, "sequential_call_count": 3}),
    "a wide fan": changed(task={"fan_out_count": 500}),
    "gaps all alike": changed(arrival={"kind": "gamma", "scv_ratio": 1e-9}),
    "hardly any load allowed": ruled(max_utilisation_fraction=1e-9),
    "a thousand spares": ruled(spare_unit_count=1000),
    "the widest spread": ruled(accepted_p95_to_p50_ratio=1000, accepted_derate_ratio=1e-300),
    "no spread": ruled(accepted_p95_to_p50_ratio=1.0),
    "twelve workloads": crowded(12),
}
REFUSED = {
    "peak_rate_req_per_s": changed(peak_rate_req_per_s=1e300),
    "task.fan_out_count": changed(task={"fan_out_count": 10**9}),
    "task.sequential_call_count": changed(task={"sequential_call_count": 10**15}),
    "policy.spare_unit_count": ruled(spare_unit_count=10**18),
    "policy.accepted_p95_to_p50_ratio": ruled(accepted_p95_to_p50_ratio=1e300),
    "hourly_fraction": changed(hourly_fraction=[0.0] * 24),
    "workloads": crowded(40),
}


def draft_with(change):
    draft = workbench.worked_example()
    draft["workloads"] = draft["workloads"][2:4]
    change(draft)
    return draft


@pytest.mark.parametrize("name", PLANNED)
def test_an_extreme_scenario_is_planned_in_finite_numbers(name):
    started = time.perf_counter()
    seen = workbench.view(draft_with(PLANNED[name]))
    json.dumps(plan_as_json(seen.plan), allow_nan=False)
    assert seen.plan.totals.cost_usd_per_month >= 0
    assert "e+" not in seen.plan.sentence
    assert time.perf_counter() - started < MOST_S


@pytest.mark.parametrize("address", REFUSED)
def test_an_impossible_scenario_is_refused_at_its_address(address):
    with pytest.raises(InputProblems) as caught:
        workbench.scenario_of(draft_with(REFUSED[address]))
    assert any(address in problem.path for problem in caught.value.problems)
    assert all(problem.cure for problem in caught.value.problems)
