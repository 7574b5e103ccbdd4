"""What the Routing page and the gateway file ask of a view: the mix in words, its rivals, its failures."""

from functools import lru_cache

from app.charts.labels import offer_label
from app.workbench import View, desk_of
from models.desk import PoolPlanner, desk_for, settled
from models.performance import CannotServe, TierPerformance
from models.routing.bursting import Bursting, all_bursting
from models.routing.outage import Outage, may_fail, outage
from models.routing.routing import (
    Routed,
    Routing,
    RoutingRunnerUp,
    SwitchPoint,
    TierChoice,
    route,
    runner_up,
    switch_point,
)
from models.scenario import Scenario


def routing_of(seen: View) -> Routing:
    """The cheapest routing of shares of workloads, kept by value; some seconds when first asked for."""
    return _routing(seen.scenario, tuple(seen.performances.items()), desk_of(seen).plan_pool)


@lru_cache(maxsize=32)
def _routing(
    scenario: Scenario,
    performances: tuple[tuple[str, TierPerformance | CannotServe], ...],
    pool_planner: PoolPlanner,
) -> Routing:
    return route(desk_for(scenario, dict(performances), pool_planner))


def label_of(seen: View, offer_id: str) -> str:
    """An offer as charts and tables name it."""
    return offer_label(seen.offer(offer_id), seen.scenario.offers)


def part_text(routed: Routed) -> str:
    """Which prompts of a workload a share is: empty for any."""
    if routed.above_tok is None:
        return ""
    return f"{'up to' if routed.part == 'short' else 'above'} {routed.above_tok:,.0f} tokens"


def second_best(seen: View) -> RoutingRunnerUp | None:
    """The cheapest routing that gives up a tier now used."""
    return runner_up(routing_of(seen))


def switch_points(seen: View) -> list[SwitchPoint]:
    """For every offer that may be bought, the price multiple that changes the routing; used ones first."""
    routing = routing_of(seen)
    sold = {each.offer_id for each in routing.choices.columns}
    sold |= {each.offer_id for each in routing.choices.streams}
    points = [switch_point(routing, offer_id) for offer_id in sold]
    return sorted(points, key=lambda each: (not each.used, each.offer_id))


def bases(seen: View) -> tuple[Bursting, ...]:
    """For each pool of machines in the plan, a smaller one with another tier for its peaks; kept by value."""
    return _bases(seen.scenario, tuple(seen.performances.items()), desk_of(seen).plan_pool)


@lru_cache(maxsize=32)
def _bases(
    scenario: Scenario,
    performances: tuple[tuple[str, TierPerformance | CannotServe], ...],
    pool_planner: PoolPlanner,
) -> tuple[Bursting, ...]:
    desk, groups = settled(scenario, performances, pool_planner)
    return all_bursting(desk, groups)


def failures(seen: View) -> list[str]:
    """Names of what may be taken away."""
    return list(may_fail(desk_of(seen), routing_of(seen)))


def hour_without(seen: View, lost_name: str) -> Outage:
    """The hour at peak without a tier or supplier."""
    return outage(desk_of(seen), routing_of(seen), lost_name)


def tier_choices(seen: View, workload: str) -> list[TierChoice]:
    """Every tier that could serve a workload whole and alone, with a known median answer time."""
    desk, found = desk_of(seen), []
    index = next(at for at, each in enumerate(seen.scenario.demands) if each.workload.name == workload)
    for offer in seen.scenario.offers:
        pool = desk.pool(offer.id, 1 << index)
        if isinstance(pool, CannotServe):
            continue
        e2e_s = pool.point.of(workload).e2e_s.middle
        if e2e_s is not None:
            label = label_of(seen, offer.id)
            found.append(TierChoice(label=label, e2e_s=e2e_s, cost_usd_per_month=pool.cost_usd))
    return sorted(found, key=lambda each: (each.cost_usd_per_month, each.e2e_s))
