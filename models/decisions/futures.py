"""Plans put through futures they were not made for: what each would cost if demand came differently."""

import math
from dataclasses import dataclass, replace

import numpy as np

from models.commitments import replica_usd_per_month
from models.decisions.growth import scaled
from models.decisions.regret import RegretTable, regret_table
from models.desk import Desk, Performances, PoolPlanner, desk_for, place
from models.performance import CannotServe
from models.placement import Group
from models.pools import plan_pool
from models.scenario import DemandScenario, Scenario


@dataclass(frozen=True, slots=True)
class Candidate:
    """A plan as it would be bought: its pools, and the replicas of each (None where paid per token)."""

    groups: tuple[Group, ...]
    replica_counts: tuple[int | None, ...]


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
    named = {
        _candidate(desk): future.name for desk, future in zip(reversed(desks), reversed(futures), strict=True)
    }
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
    return replace(scenario, demands=tuple(scaled(each, future.rate_ratio) for each in scenario.demands))


def _candidate(desk: Desk) -> Candidate:
    groups = tuple(sorted(place(desk).groups))
    return Candidate(groups, tuple(desk.placed_pool(group).replica_count for group in groups))


def _placed_count(candidate: Candidate) -> int:
    return sum(group.workload_set.bit_count() for group in candidate.groups)


def cost_usd_per_month(candidate: Candidate, desk: Desk, shortage_price_ratio: float) -> float:
    """A candidate's bill in the future of a desk; infinite where one of its pools cannot serve it at all."""
    return sum(
        _pool_usd(desk, group, count, shortage_price_ratio)
        for group, count in zip(candidate.groups, candidate.replica_counts, strict=True)
    )


def _pool_usd(desk: Desk, group: Group, bought_count: int | None, shortage_price_ratio: float) -> float:
    pool = desk.pool(group.offer_id, group.workload_set)
    if isinstance(pool, CannotServe):
        return math.inf
    if pool.replica_count is None or bought_count is None:
        return pool.cost_usd
    missing = max(pool.replica_count - bought_count, 0)
    usd = replica_usd_per_month(desk.offers[group.offer_id])
    return bought_count * usd + missing * usd * shortage_price_ratio
