"""One offer serving one set of workloads: its load by the hour, its size, its spares and its bill."""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from models import machines
from models.autoscaling import ScaledDay, scaled_day
from models.cost import (
    HOURS_PER_MONTH,
)
from models.hosted_pool import hosted_pool
from models.machine_bill import replica_usd_per_h as replica_usd_per_h
from models.machine_bill import spare_replicas as spare_replicas
from models.performance import (
    CannotServe,
    HostedPerformance,
    MachinePerformance,
    TandemPerformance,
    TierPerformance,
)
from models.pool_loads import load_of, targets_of
from models.pool_plan import PoolPlan
from models.scenario import Policy
from models.sizing import MAX_REPLICA_COUNT, Sizing, first_miss, size
from models.tandem_pool import tandem_floor_usd, tandem_pool
from models.tiers import MachinePrice, Offer
from models.workloads import HOURS_PER_DAY, Demand


def plan_pool(
    offer: Offer,
    performance: TierPerformance,
    demands: tuple[Demand, ...],
    policy: Policy,
    fewest_replica_count: int = 1,
) -> PoolPlan | CannotServe:
    """Size and price an offer for a set of workloads, or say why it cannot serve them.

    fewest_replica_count: known to be needed, for instance by a part of the same set; only saves time.
    """
    if isinstance(performance, HostedPerformance):
        return hosted_pool(offer, performance, demands, policy)
    if isinstance(performance, TandemPerformance):
        return tandem_pool(offer, performance, demands, policy)
    return _machine_pool(offer, performance, demands, policy, fewest_replica_count)


def monthly_floor_usd(
    offer: Offer, performance: TierPerformance, demands: Sequence[Demand], policy: Policy
) -> float:
    """A cheap lower bound of a pool's bill: what throughput alone would cost, targets left aside."""
    if isinstance(performance, HostedPerformance) or not isinstance(offer.tier.price, MachinePrice):
        return 0.0
    if isinstance(performance, TandemPerformance):
        return tandem_floor_usd(offer, performance, demands, policy)
    if policy.autoscale.enabled:
        return 0.0
    used = max(map(sum, _work_by_hour(performance, demands)))
    if math.isinf(used):
        return math.inf
    count = max(1, math.ceil(used / policy.max_utilisation_fraction - 1e-6))
    return (count + spare_replicas(offer, policy)) * replica_usd_per_h(offer) * HOURS_PER_MONTH


def may_cost_at_most(
    offer: Offer,
    performance: TierPerformance,
    demands: tuple[Demand, ...],
    policy: Policy,
    bound_usd: float,
) -> bool:
    """False where even as many machines as the money buys miss a target or the rate; one operating point."""
    if isinstance(performance, HostedPerformance | TandemPerformance) or policy.autoscale.enabled:
        return True
    if math.isinf(bound_usd):
        return True
    bought = bound_usd / (replica_usd_per_h(offer) * HOURS_PER_MONTH)
    count = min(math.floor(bought + 1e-9) - spare_replicas(offer, policy), MAX_REPLICA_COUNT)
    if count < 1:
        return False
    load = load_of(demands, _busiest_hour(_work_by_hour(performance, demands)))
    highest = machines.max_rate(performance, load, 1) * policy.max_utilisation_fraction
    if load.rate_req_per_s > count * highest * (1 + 1e-9):
        return False
    point = operate_machines(performance, load, count, point_count=ROUGH_POINT_COUNT)
    return first_miss(point, targets_of(demands, ROUGH_SLACK_RATIO)) is None


def _busiest_hour(work: Sequence[Sequence[float]]) -> int:
    """The hour in which the workloads together bring most work."""
    used = [sum(each) for each in work]
    return used.index(max(used))


def _work_by_hour(performance: MachinePerformance, demands: Sequence[Demand]) -> list[list[float]]:
    """For each hour, the replicas' worth of work each workload brings; infinite where it does not fit."""
    peaks = [_work_at_peak(performance, demand) for demand in demands]
    return [
        [peak * demand.hourly_fraction[hour] for peak, demand in zip(peaks, demands, strict=True)]
        for hour in range(HOURS_PER_DAY)
    ]


# A pool's behaviour depends on its machines and load alone: other rules or prices need no new working out.
ROUGH_POINT_COUNT = 512  # percentiles within a few per cent, at half the time
ROUGH_SLACK_RATIO = 1.05
operate_machines = lru_cache(maxsize=16_384)(machines.operate)


@lru_cache(maxsize=1024)
def _work_at_peak(performance: MachinePerformance, demand: Demand) -> float:
    """A workload's peak rate over the highest rate of one replica that serves nothing else."""
    highest = machines.max_rate(performance, load_of([demand]), 1)
    return demand.peak_call_rate_req_per_s / highest if highest > 0 else math.inf


def _machine_pool(
    offer: Offer,
    performance: MachinePerformance,
    demands: Sequence[Demand],
    policy: Policy,
    fewest_replica_count: int,
) -> PoolPlan | CannotServe:
    work = _work_by_hour(performance, demands)
    used = [sum(each) for each in work]
    busiest = _busiest_hour(work)
    if math.isinf(used[busiest]):
        return CannotServe(
            binding_constraint="KV memory",
            reasons=("one request does not fit into the KV cache of a replica",),
            would_fit_if="prompts were shorter, or a replica had more memory",
        )

    load = load_of(demands, busiest)
    peak = size(
        lambda load, count: operate_machines(performance, load, count),
        load,
        targets_of(demands),
        machines.max_rate(performance, load, 1) * policy.max_utilisation_fraction,
        fewest_replica_count,
    )
    if isinstance(peak, CannotServe):
        return peak
    spare = spare_replicas(offer, policy)
    most = peak.replica_count
    if policy.autoscale.enabled:
        most = max(most, policy.autoscale.min_replica_count)
    deployed = most + spare
    usd_per_h = replica_usd_per_h(offer)
    days = HOURS_PER_MONTH / HOURS_PER_DAY
    working = HOURS_PER_MONTH * peak.replica_count * usd_per_h
    notices: tuple[str, ...] = ()
    if policy.autoscale.enabled:
        day = _scaled_day(used, peak, policy)
        working = day.replica_h * days * usd_per_h
        calls_per_work = load.rate_req_per_s / used[busiest]
        notices = _shortage(day, calls_per_work)
        if most > peak.replica_count:
            notices = (
                *notices,
                f"The floor of autoscaling keeps {most} replicas; the load needs {peak.replica_count}.",
            )
    redundancy = spare * HOURS_PER_MONTH * usd_per_h
    busy = sum(used) * days * usd_per_h
    total_work = sum(used)
    shares = tuple(sum(hour[index] for hour in work) / total_work for index in range(len(demands)))
    cost = working + redundancy
    return PoolPlan(
        busiest_hour_h=busiest,
        load=load,
        point=peak.point,
        binding_constraint=peak.binding_constraint,
        binding_workload=peak.binding_workload,
        replica_count=deployed,
        spare_replica_count=spare,
        share_fraction=shares,
        cost_usd=cost,
        idle_usd=max(0.0, working - busy),
        redundancy_usd=redundancy,
        cost_usd_by_workload=tuple(cost * share for share in shares),
        notices=notices,
    )


def with_spares(pool: PoolPlan, performance: TierPerformance) -> PoolPlan:
    """The pool as it runs on an ordinary day, its spares at work too; only the pools placed are asked."""
    if isinstance(performance, HostedPerformance) or not pool.spare_replica_count:
        return pool
    if isinstance(performance, TandemPerformance):
        performance = replace(performance, worker_count=pool.prefill_worker_count)
    if pool.replica_count is None:
        raise ValueError("a pool of machines has a number of replicas")
    return replace(pool, point=operate_machines(performance, pool.load, pool.replica_count))


def _scaled_day(used: Sequence[float], peak: Sizing, policy: Policy) -> ScaledDay:
    """The day's replicas when they follow the load; rates are in replicas' worth of work."""
    per_work = peak.replica_count / max(used)
    return scaled_day(
        used,
        lambda work: max(1, math.ceil(work * per_work - 1e-9)),
        lambda count: count / per_work,
        floor_count=policy.autoscale.min_replica_count,
        start_up_s=policy.autoscale.start_up_s,
    )


def _shortage(day: ScaledDay, calls_per_work: float) -> tuple[str, ...]:
    """What is not covered while replicas start."""
    if day.largest_shortage_req_per_s <= 0:
        return ()
    return (
        f"Replicas follow the load: while they start, up to "
        f"{day.largest_shortage_req_per_s * calls_per_work:.3g} requests/s more come in than the running "
        f"ones are sized for ({day.short_request_count * calls_per_work:,.0f} requests a day).",
    )
