"""What the machines that are planned would do at another load, or with a unit lost: which promises hold?"""

from dataclasses import dataclass, replace

from models.curves import operate_offer
from models.desk import Desk
from models.performance import CannotServe, OperatingPoint, TandemPerformance
from models.placement import Group
from models.plans import TargetResult
from models.pool_loads import load_of
from models.pools import spare_replicas
from models.sizing import target_results

NOTHING_LEFT = OperatingPoint(stable=False, utilisation_fraction=None, max_rate_req_per_s=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadState:
    """One workload's promises under another load; utilisation is its pool's, above 1 when it is overrun."""

    workload: str
    tier_label: str
    utilisation_fraction: float | None
    stable: bool
    targets: tuple[TargetResult, ...]

    @property
    def holds(self) -> bool:
        """Whether its pool keeps up and every promise is kept."""
        return self.stable and all(result.holds for result in self.targets)


def at_load(desk: Desk, groups: tuple[Group, ...], rate_ratio: float) -> tuple[WorkloadState, ...]:
    """All workloads with every rate multiplied, on the replicas as planned, spares at work."""
    return tuple(
        state
        for group in groups
        for state in _states(desk, group, rate_ratio, desk.placed_pool(group).replica_count)
    )


def with_unit_lost(desk: Desk, group: Group) -> tuple[WorkloadState, ...] | None:
    """The workloads of one pool with one failure unit gone (of a pair, the decode half's); None if per token.

    With no replica left nothing is served: no latency, and no promise kept.
    """
    count = desk.placed_pool(group).replica_count
    if count is None:
        return None
    one_unit = replace(desk.scenario.policy, spare_unit_count=1)
    return _states(desk, group, 1.0, count - spare_replicas(desk.offers[group.offer_id], one_unit))


def _states(
    desk: Desk, group: Group, rate_ratio: float, replica_count: int | None
) -> tuple[WorkloadState, ...]:
    offer, performance = desk.offers[group.offer_id], desk.performances[group.offer_id]
    if isinstance(performance, CannotServe):
        raise RuntimeError(f"placed on {group.offer_id}, which cannot serve it")
    demands = tuple(each.scaled(rate_ratio) for each in desk.demands(group.workload_set))
    hour = desk.placed_pool(group).busiest_hour_h
    if replica_count is not None and replica_count < 1:
        point = NOTHING_LEFT
    else:
        workers = desk.placed_pool(group).prefill_worker_count
        if isinstance(performance, TandemPerformance):
            performance = replace(performance, worker_count=workers)
        point = operate_offer(performance, load_of(demands, hour), replica_count or 1)
    results = target_results(point, {each.workload.name: each.workload.targets for each in demands})
    return tuple(
        WorkloadState(
            workload=each.workload.name,
            tier_label=offer.tier.label,
            utilisation_fraction=point.utilisation_fraction,
            stable=point.stable,
            targets=results[each.workload.name],
        )
        for each in demands
    )
