"""How long a plan of five workloads takes: cold, again, and after one workload changed.

Run with `python -m pytest tests/benchmarks/test_bench_planning.py --benchmark-enable`; the table's ratios
are what counts, taken in one run.
"""

import copy
from itertools import count

import pytest

from app import workbench

CACHES = (workbench._plan, workbench._pool, workbench._fit_machines, workbench._fit_hosted)


@pytest.fixture(scope="module")
def draft():
    return workbench.worked_example()


def forget() -> None:
    for cache in CACHES:
        cache.cache_clear()


def test_plan_cold(benchmark, draft) -> None:
    plan = benchmark.pedantic(lambda: workbench.view(draft).plan, setup=forget, rounds=3)
    assert plan.totals.placed_workload_count == len(draft["workloads"])


def test_plan_again(benchmark, draft) -> None:
    first = workbench.view(draft).plan
    assert benchmark(lambda: workbench.view(draft).plan) == first


def test_plan_after_one_workload_changed(benchmark, draft) -> None:
    workbench.view(draft)
    step = count(1)

    def changed():
        fresh = copy.deepcopy(draft)
        fresh["workloads"][2]["peak_rate_req_per_s"] = 12 + 0.01 * next(step)
        return (fresh,), {}

    plan = benchmark.pedantic(lambda fresh: workbench.view(fresh).plan, setup=changed, rounds=5)
    assert plan.totals.placed_workload_count == len(draft["workloads"])
