"""One offer serving one set of workloads: its load by the hour, its size, its spares and its bill."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from models.architectures import batched_accelerator, hosted_api
from models.autoscaling import ScaledDay, scaled_day
from models.cost import (
    HOURS_PER_MONTH,
    calls_per_month,
    usd_per_request,
)
from models.performance import (
    BatchedPerformance,
    CannotServe,
    HostedPerformance,
    Load,
    OperatingPoint,
    RequestClass,
    TierPerformance,
)
from models.scenario import Policy
from models.sizing import MAX_REPLICA_COUNT, Sizing, first_miss, size
from models.tiers import HourlyPrice, Offer, TokenPrice
from models.workloads import HOURS_PER_DAY, METRIC_WORDS, Arrival, Demand, Target


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolPlan:
    """A sized and priced pool; money is USD per month.

    share_fraction   each workload's part of the work, in the order of the demands
    replica_count    spares included; None where the tier is paid per token
    """

    busiest_hour_h: int | None
    load: Load
    point: OperatingPoint
    binding_constraint: str
    binding_workload: str
    replica_count: int | None
    spare_replica_count: int
    share_fraction: tuple[float, ...]
    cost_usd: float
    idle_usd: float
    redundancy_usd: float
    cost_usd_by_workload: tuple[float, ...]


def request_class(demand: Demand, hour: int | None = None) -> RequestClass:
    """A workload's calls as a tier sees them, at one hour of the day or, without one, at its peak."""
    workload = demand.workload
    shape = 1.0 if hour is None else demand.hourly_fraction[hour]
    return RequestClass(
        name=workload.name,
        rate_req_per_s=demand.peak_call_rate_req_per_s * shape,
        input_tok=workload.input_tok,
        output_tok=workload.output_tok,
        cached_input_fraction=workload.cached_input_fraction,
        sequential_call_count=workload.sequential_call_count,
        pause_s=workload.pause_s,
        fan_out_count=workload.fan_out_count,
    )


def load_of(demands: Sequence[Demand], hour: int | None = None) -> Load:
    """What a set of workloads asks of a pool in one hour."""
    classes = tuple(request_class(demand, hour) for demand in demands)
    return Load(classes=classes, arrival=_joint_arrival(demands, classes))


def _joint_arrival(demands: Sequence[Demand], classes: Sequence[RequestClass]) -> Arrival:
    """One arrival process for several streams joined.

    Renewal streams: the rate-weighted mean of their squared coefficients of variation (Whitt 1983, The
    Queueing Network Analyzer, asymptotic method). A modulated stream among them speaks for all.
    """
    modulated = [demand.arrival for demand in demands if demand.arrival.kind not in ("poisson", "gamma")]
    if modulated:
        return max(modulated, key=lambda each: (each.burst_ratio, each.amplitude_fraction, each.kind))
    rate = sum(each.rate_req_per_s for each in classes)
    if rate <= 0 or all(demand.arrival.scv_ratio == 1.0 for demand in demands):
        return Arrival()
    pairs = zip(classes, demands, strict=True)
    scv_ratio = sum(each.rate_req_per_s * demand.arrival.scv_ratio for each, demand in pairs) / rate
    return Arrival(kind="gamma", scv_ratio=scv_ratio)


def targets_of(demands: Sequence[Demand], slack_ratio: float = 1.0) -> dict[str, tuple[Target, ...]]:
    """Every workload's promises, by workload name; with slack, their limits that much wider."""
    return {
        demand.workload.name: tuple(
            replace(target, limit_s=target.limit_s * slack_ratio) for target in demand.workload.targets
        )
        for demand in demands
    }


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
        return _hosted_pool(offer, performance, demands, policy)
    return _machine_pool(offer, performance, demands, policy, fewest_replica_count)


def monthly_floor_usd(
    offer: Offer, performance: TierPerformance, demands: Sequence[Demand], policy: Policy
) -> float:
    """A cheap lower bound of a pool's bill: what throughput alone would cost, targets left aside."""
    if not isinstance(performance, BatchedPerformance) or not isinstance(offer.tier.price, HourlyPrice):
        return 0.0
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
    if not isinstance(performance, BatchedPerformance) or policy.autoscale.enabled:
        return True
    bought = bound_usd / (replica_usd_per_h(offer) * HOURS_PER_MONTH)
    count = min(math.floor(bought + 1e-9) - spare_replicas(offer, policy), MAX_REPLICA_COUNT)
    if count < 1:
        return False
    load = load_of(demands, _busiest_hour(_work_by_hour(performance, demands)))
    highest = batched_accelerator.max_rate(performance, load, 1) * policy.max_utilisation_fraction
    if load.rate_req_per_s > count * highest * (1 + 1e-9):
        return False
    point = operate_machines(performance, load, count, point_count=ROUGH_POINT_COUNT)
    return first_miss(point, targets_of(demands, ROUGH_SLACK_RATIO)) is None


def _busiest_hour(work: Sequence[Sequence[float]]) -> int:
    """The hour in which the workloads together bring most work."""
    used = [sum(each) for each in work]
    return used.index(max(used))


def replica_usd_per_h(offer: Offer) -> float:
    """Rent of one replica for an hour."""
    price, count = offer.tier.price, offer.tier.accelerator_count_per_replica
    if not isinstance(price, HourlyPrice) or count is None:
        raise ValueError(f"tier {offer.tier.id} is not rented by the hour")
    return price.usd_per_accelerator_h * count


def spare_replicas(offer: Offer, policy: Policy) -> int:
    """Replicas lost with the failure units that the policy wants to survive.

    A node or rack holds as many accelerators as its fast link joins; all replicas on it fail together.
    """
    per_replica = offer.tier.accelerator_count_per_replica or 1
    domain = offer.accelerator.scale_up_domain_count if offer.accelerator else None
    per_unit = 1
    if offer.tier.failure_unit in ("node", "rack") and domain is not None:
        per_unit = max(1, domain // per_replica)
    return policy.spare_unit_count * per_unit


def _work_by_hour(performance: BatchedPerformance, demands: Sequence[Demand]) -> list[list[float]]:
    """For each hour, the replicas' worth of work each workload brings; infinite where it does not fit."""
    peaks = [_work_at_peak(performance, demand) for demand in demands]
    return [
        [peak * demand.hourly_fraction[hour] for peak, demand in zip(peaks, demands, strict=True)]
        for hour in range(HOURS_PER_DAY)
    ]


# A pool's behaviour depends on its machines and load alone: other rules or prices need no new working out.
ROUGH_POINT_COUNT = 512  # percentiles within a few per cent, at half the time
ROUGH_SLACK_RATIO = 1.05
operate_machines = lru_cache(maxsize=16_384)(batched_accelerator.operate)


@lru_cache(maxsize=1024)
def _work_at_peak(performance: BatchedPerformance, demand: Demand) -> float:
    """A workload's peak rate over the highest rate of one replica that serves nothing else."""
    highest = batched_accelerator.max_rate(performance, load_of([demand]), 1)
    return demand.peak_call_rate_req_per_s / highest if highest > 0 else math.inf


def _machine_pool(
    offer: Offer,
    performance: BatchedPerformance,
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
        batched_accelerator.max_rate(performance, load, 1) * policy.max_utilisation_fraction,
        fewest_replica_count,
    )
    if isinstance(peak, CannotServe):
        return peak
    spare = spare_replicas(offer, policy)
    deployed = peak.replica_count + spare
    point = operate_machines(performance, load, deployed)
    usd_per_h = replica_usd_per_h(offer)
    days = HOURS_PER_MONTH / HOURS_PER_DAY
    working = HOURS_PER_MONTH * peak.replica_count * usd_per_h
    if policy.autoscale.enabled:
        day = _scaled_day(used, peak, policy)
        working = day.replica_h * days * usd_per_h
        calls_per_work = load.rate_req_per_s / used[busiest]
        point = replace(point, notices=(*point.notices, *_shortage(day, calls_per_work)))
    redundancy = spare * HOURS_PER_MONTH * usd_per_h
    busy = sum(used) * days * usd_per_h
    total_work = sum(used)
    shares = tuple(sum(hour[index] for hour in work) / total_work for index in range(len(demands)))
    cost = working + redundancy
    return PoolPlan(
        busiest_hour_h=busiest,
        load=load,
        point=point,
        binding_constraint=peak.binding_constraint,
        binding_workload=peak.binding_workload,
        replica_count=deployed,
        spare_replica_count=spare,
        share_fraction=shares,
        cost_usd=cost,
        idle_usd=max(0.0, working - busy),
        redundancy_usd=redundancy,
        cost_usd_by_workload=tuple(cost * share for share in shares),
    )


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


def _hosted_pool(
    offer: Offer, performance: HostedPerformance, demands: Sequence[Demand], policy: Policy
) -> PoolPlan | CannotServe:
    price = offer.tier.price
    if not isinstance(price, TokenPrice):
        raise ValueError(f"tier {offer.tier.id} is not paid per token")
    peak_load = load_of(demands)
    point = hosted_api.operate(performance, peak_load)
    refusal = _hosted_refusal(point, demands, policy)
    if refusal is not None:
        return refusal
    costs = tuple(
        calls_per_month(demand)
        * usd_per_request(
            price,
            demand.workload.input_tok.mean_tok,
            demand.workload.output_tok.mean_tok,
            demand.workload.cached_input_fraction,
        )
        for demand in demands
    )
    total = sum(costs)
    return PoolPlan(
        busiest_hour_h=None,
        load=peak_load,
        point=point,
        binding_constraint="rate limit" if (point.utilisation_fraction or 0.0) > 0.5 else "price",
        binding_workload="",
        replica_count=None,
        spare_replica_count=0,
        share_fraction=tuple(cost / total if total > 0 else 1.0 / len(costs) for cost in costs),
        cost_usd=total,
        idle_usd=0.0,
        redundancy_usd=0.0,
        cost_usd_by_workload=costs,
    )


def _hosted_refusal(point: OperatingPoint, demands: Sequence[Demand], policy: Policy) -> CannotServe | None:
    """Why a hosted tier cannot serve a load: a rate limit, a target missed, or a latency nobody published."""
    used = point.utilisation_fraction
    if used is not None and used > policy.max_utilisation_fraction:
        return CannotServe(
            binding_constraint="rate limit",
            reasons=(f"the peak uses {used:.0%} of the supplier's rate limit",),
            would_fit_if=f"the limit were {used / policy.max_utilisation_fraction:.2g} times as high",
        )
    miss = first_miss(point, targets_of(demands))
    if miss is None:
        return None
    name, constraint = miss.target.name, miss.constraint
    if miss.predicted_s is not None:
        return CannotServe(
            binding_constraint=constraint,
            reasons=(f"{name}: {miss.predicted_s:.3g} s",),
            would_fit_if=f"the limit were at least {miss.predicted_s:.3g} s",
        )
    metric = METRIC_WORDS[miss.target.metric]
    return CannotServe(
        binding_constraint="evidence",
        reasons=(f"{name}: {metric} p{miss.target.quantile * 100:g} is not published",),
        would_fit_if=_cure_for_unknown(point, miss.target),
    )


def _cure_for_unknown(point: OperatingPoint, target: Target) -> str:
    """What would make an unknown percentile known: a measurement, or a spread where a median is known."""
    median = point.latencies[0].at(target.metric, 0.5) if point.latencies else None
    if median is None:
        return "you import a measurement of it"
    return "you import a measurement of it, or accept a spread (policy: accepted_p95_to_p50_ratio)"
