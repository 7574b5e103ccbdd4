"""How long routing takes once pools are known: 5 workloads, 12 tiers, against planning them whole.

Run with `python -m pytest tests/benchmarks/test_bench_routing.py --benchmark-enable`; the table's ratios are
what counts. Half of the tiers are machines whose pools may take any workloads together, half of each or one
side of a cut; half are paid per token within a rate limit.
"""

from dataclasses import replace

import pytest

from app import workbench
from models.desk import desk_for, place
from models.percentiles import Percentiles
from models.performance import HostedPerformance, HostedPoint
from models.routing.assignment import cheapest_mix
from models.routing.choices import choices_of
from models.routing.routing import route, runner_up, switch_point

FAST = HostedPoint(
    concurrency_count=None,
    ttft_s=Percentiles(mean=0.1, p50=0.1, p90=0.12, p95=0.15, p99=0.2),
    tpot_s=Percentiles(mean=0.002, p50=0.002, p90=0.003, p95=0.003, p99=0.004),
)


@pytest.fixture(scope="module")
def desk():
    """The worked example's machines and hosted tiers, with cheaper and dearer copies to make twelve."""
    seen = workbench.view(workbench.worked_example())
    offers, known = list(seen.scenario.offers), dict(seen.performances)
    for number in range(12 - len(offers)):
        source = seen.scenario.offers[number]
        price = source.tier.price
        dearer = replace(price, usd_per_accelerator_h=price.usd_per_accelerator_h * (1.1 + number / 10))
        tier = replace(source.tier, id=f"copy_{number}", label=f"Copy {number}", price=dearer)
        offers.append(replace(source, tier=tier))
        known[offers[-1].id] = known[source.id]
    for offer in offers:
        if offer.tier.architecture == "hosted_api":
            known[offer.id] = HostedPerformance(points=(FAST,))
    scenario = replace(seen.scenario, offers=tuple(offers))
    assert (len(scenario.demands), len(scenario.offers)) == (5, 12)
    found = desk_for(scenario, known, workbench._pool)
    route(found)
    return found


def test_place_whole(benchmark, desk) -> None:
    assert benchmark(lambda: place(desk)).cost > 0


def test_route(benchmark, desk) -> None:
    found = benchmark(lambda: route(desk))
    assert found.cost_usd_per_month <= found.whole_cost_usd_per_month * (1 + 1e-9)


def test_one_mix(benchmark, desk) -> None:
    choices = choices_of(desk, place(desk))
    assert len(benchmark(lambda: cheapest_mix(choices)).served) == 5


def test_runner_up_and_switch_points(benchmark, desk) -> None:
    found = route(desk)
    assert benchmark(lambda: (runner_up(found), [switch_point(found, each) for each in desk.offers]))
