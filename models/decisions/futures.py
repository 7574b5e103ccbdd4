"""Plans put through futures they were not made for: what each would cost if demand came differently."""

import math
from dataclasses import dataclass, replace

import numpy as np

from models.decisions.regret import RegretTable, regret_table
from models.desk import Desk, Performances, PoolPlanner, desk_for, place
from models.performance import CannotServe
from models.placement import Group
from models.pools import plan_pool
from models.scenario import DemandScenario, Scenario


@dataclass(frozen=True, slots=True)
class Candidate:
    """A plan as it would be bought: its pools, and the bill of each (None where paid per token)."""

    groups: tuple[Group, ...]
    bought_usd: tuple[float | None, ...]


def least_regret(
    scenario: Scenario,
    performances: Performances,
    shortage_price_ratio: float,
    pool_planner: PoolPlanner = plan_pool,
) -> RegretTable | None:
    """The cheapest plan of each future of the outlook, put through all of them; None with fewer than two.

    shortage_price_ratio >= 1: what a machine had in a hurry costs over its usual price. A plan that serves
    fewer workloads than another future's plan would is no candidate.
    """
    futures = scenario.outlook.scenarios
    if len(futures) < 2:
        return None
    desks = [desk_for(in_future(scenario, future), performances, pool_planner) for future in futures]
    named: dict[Candidate, str] = {}
    for desk, future in zip(desks, futures, strict=True):
        named.setdefault(_candidate(desk), future.name)
    most = max(map(_placed_count, named))
    named = {candidate: name for candidate, name in named.items() if _placed_count(candidate) == most}
    cost_usd = np.array(
        [[cost_usd_per_month(each, desk, shortage_price_ratio) for desk in desks] for each in named]
    )
    return regret_table(
        list(named.values()), [each.name for each in futures], [each.weight for each in futures], cost_usd
    )


def in_future(scenario: Scenario, future: DemandScenario) -> Scenario:
    """The scenario with all rates as one future has them."""
    return replace(scenario, demands=tuple(each.scaled(future.rate_ratio) for each in scenario.demands))


def _candidate(desk: Desk) -> Candidate:
    groups = tuple(sorted(place(desk).groups))
    pools = [desk.placed_pool(group) for group in groups]
    return Candidate(groups, tuple(None if each.replica_count is None else each.cost_usd for each in pools))


def _placed_count(candidate: Candidate) -> int:
    return sum(group.workload_set.bit_count() for group in candidate.groups)


def cost_usd_per_month(candidate: Candidate, desk: Desk, shortage_price_ratio: float) -> float:
    """A candidate's bill in the future of a desk; infinite where one of its pools cannot serve it at all."""
    return sum(
        _pool_usd(desk, group, bought, shortage_price_ratio)
        for group, bought in zip(candidate.groups, candidate.bought_usd, strict=True)
    )


def _pool_usd(desk: Desk, group: Group, bought_usd: float | None, shortage_price_ratio: float) -> float:
    """Machines are paid as bought, what is missing at its premium; tokens as they are used."""
    pool = desk.pool(group.offer_id, group.workload_set)
    if isinstance(pool, CannotServe):
        return math.inf
    if bought_usd is None:
        return pool.cost_usd
    return bought_usd + max(pool.cost_usd - bought_usd, 0.0) * shortage_price_ratio
