"""Disaggregated pools serving a set of workloads: the cheapest pair of sizes that holds every target."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from models.architectures import disaggregated_pools
from models.cost import HOURS_PER_MONTH
from models.machine_bill import replica_usd_per_h, spare_replicas, spare_workers, worker_usd_per_h
from models.performance import CannotServe, Load, OperatingPoint, TandemPerformance
from models.pool_loads import load_of, targets_of
from models.pool_plan import PoolPlan
from models.scenario import Policy
from models.sizing import MAX_REPLICA_COUNT, MOST_OVER_FLOOR_RATIO, Miss, first_miss, refusal_of
from models.tiers import Offer
from models.workloads import HOURS_PER_DAY, Demand

NOT_SCALED = "Disaggregated pools do not follow the load here: both halves run all day at the peak's size."
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Prefill workers and decode replicas."""

    worker_count: int
    replica_count: int


Lacking = Callable[[Pair], Miss | None]


@lru_cache(maxsize=8192)
def operate_pair(
    performance: TandemPerformance, load: Load, worker_count: int, replica_count: int
) -> OperatingPoint:
    """What the pools do at these sizes, kept by value."""
    sized = replace(performance, worker_count=worker_count)
    return disaggregated_pools.operate(sized, load, replica_count)


def tandem_floor_usd(
    offer: Offer, performance: TandemPerformance, demands: Sequence[Demand], policy: Policy
) -> float:
    """A cheap lower bound of the bill: what throughput alone asks of each half."""
    load = _busiest_load(performance, demands)
    floor = None if load is None else _floor(performance, load[1], policy)
    return math.inf if floor is None else _usd_per_month(offer, _with_spares(offer, floor, policy))


def tandem_pool(
    offer: Offer, performance: TandemPerformance, demands: Sequence[Demand], policy: Policy
) -> PoolPlan | CannotServe:
    """Size both halves for the busiest hour at least cost, or say why no size serves the workloads."""
    busiest = _busiest_load(performance, demands)
    floor = None if busiest is None else _floor(performance, busiest[1], policy)
    if busiest is None or floor is None:
        return CannotServe(
            binding_constraint="KV memory",
            reasons=("one request does not fit into the KV cache of a decode replica",),
            would_fit_if="prompts were shorter, or a decode replica had more memory",
        )
    hour, load = busiest
    if max(floor.worker_count, floor.replica_count) > MAX_REPLICA_COUNT:
        return CannotServe(
            binding_constraint="capacity",
            reasons=(f"would need more than the {MAX_REPLICA_COUNT:,} replicas planned for",),
            would_fit_if="the rate were lower, or the requests shorter",
        )
    targets = targets_of(demands)

    def lacking(pair: Pair) -> Miss | None:
        return first_miss(operate_pair(performance, load, pair.worker_count, pair.replica_count), targets)

    sized = cheapest_pair(lacking, floor, worker_usd_per_h(offer), replica_usd_per_h(offer))
    if isinstance(sized, Miss):
        return refusal_of(sized)
    return _priced(offer, performance, demands, policy, hour, load, floor, sized, lacking)


def cheapest_pair(
    lacking: Lacking, floor: Pair, usd_per_worker: float, usd_per_replica: float
) -> Pair | Miss:
    """The cheapest sizes, both at least the floor's, at which nothing is lacking; else the last miss.

    More of either half never makes anything lack, so the sizes that serve end in a falling edge, which is
    walked from its fewest workers on while more of them may still pay.
    """
    most = Pair(
        worker_count=floor.worker_count * MOST_OVER_FLOOR_RATIO,
        replica_count=floor.replica_count * MOST_OVER_FLOOR_RATIO,
    )
    miss = lacking(most)
    if miss is not None:
        return miss

    def fewest_replicas(workers: int, low: int, high: int) -> int:
        return _fewest(lambda count: lacking(Pair(worker_count=workers, replica_count=count)), low, high)

    least = fewest_replicas(most.worker_count, floor.replica_count, most.replica_count)
    workers = _fewest(
        lambda count: lacking(Pair(worker_count=count, replica_count=most.replica_count)),
        floor.worker_count,
        most.worker_count,
    )
    replicas, best = most.replica_count, (math.inf, 0, 0)
    while workers * usd_per_worker + least * usd_per_replica < best[0] * (1 - ROUNDING):
        replicas = fewest_replicas(workers, least, replicas)
        best = min(best, (workers * usd_per_worker + replicas * usd_per_replica, workers, replicas))
        if replicas == least or workers >= most.worker_count:
            break
        workers += 1
    return Pair(worker_count=best[1], replica_count=best[2])


def _fewest(lacks: Callable[[int], Miss | None], low: int, high: int) -> int:
    """The smallest number from low on at which nothing is lacking; at high nothing is."""
    bad, good, step = low - 1, low, 1
    while good < high and lacks(good) is not None:
        bad, good, step = good, min(good + step, high), step * 2
    while good - bad > 1:
        middle = (bad + good) // 2
        if lacks(middle) is None:
            good = middle
        else:
            bad = middle
    return good


def _busiest_load(performance: TandemPerformance, demands: Sequence[Demand]) -> tuple[int, Load] | None:
    """The hour in which the tighter half has most to do, and its load; None where a request fits nowhere."""
    used = []
    for hour in range(HOURS_PER_DAY):
        load = load_of(demands, hour)
        rates = disaggregated_pools.stage_rates(performance, load, 1, 1)
        if rates is None:
            return None
        used.append(max(load.rate_req_per_s / rate for rate in rates))
    hour = used.index(max(used))
    return hour, load_of(demands, hour)


def _floor(performance: TandemPerformance, load: Load, policy: Policy) -> Pair | None:
    """The fewest of each half that carry the rate at the allowed utilisation."""
    rates = disaggregated_pools.stage_rates(performance, load, 1, 1)
    if rates is None:
        return None
    workers, replicas = (
        max(1, math.ceil(load.rate_req_per_s / (rate * policy.max_utilisation_fraction) - ROUNDING))
        for rate in rates
    )
    return Pair(worker_count=workers, replica_count=replicas)


def _with_spares(offer: Offer, pair: Pair, policy: Policy) -> Pair:
    return Pair(
        worker_count=pair.worker_count + spare_workers(offer, policy),
        replica_count=pair.replica_count + spare_replicas(offer, policy),
    )


def _usd_per_month(offer: Offer, pair: Pair) -> float:
    workers_usd: float = pair.worker_count * worker_usd_per_h(offer)
    replicas_usd: float = pair.replica_count * replica_usd_per_h(offer)
    return (workers_usd + replicas_usd) * HOURS_PER_MONTH


def _priced(
    offer: Offer,
    performance: TandemPerformance,
    demands: Sequence[Demand],
    policy: Policy,
    hour: int,
    load: Load,
    floor: Pair,
    sized: Pair,
    lacking: Lacking,
) -> PoolPlan:
    deployed = _with_spares(offer, sized, policy)
    binding = _binding(lacking, floor, sized)
    working, cost = _usd_per_month(offer, sized), _usd_per_month(offer, deployed)
    busy = [_busy_usd_per_h(offer, performance, demand) for demand in demands]
    shares = tuple(each / sum(busy) for each in busy)
    return PoolPlan(
        busiest_hour_h=hour,
        load=load,
        point=operate_pair(performance, load, sized.worker_count, sized.replica_count),
        binding_constraint="throughput" if binding is None else binding.constraint,
        binding_workload="" if binding is None else binding.workload,
        replica_count=deployed.replica_count,
        spare_replica_count=deployed.replica_count - sized.replica_count,
        prefill_worker_count=deployed.worker_count,
        spare_prefill_worker_count=deployed.worker_count - sized.worker_count,
        share_fraction=shares,
        cost_usd=cost,
        idle_usd=max(0.0, working - sum(busy) * HOURS_PER_MONTH),
        redundancy_usd=cost - working,
        cost_usd_by_workload=tuple(cost * share for share in shares),
        notices=(NOT_SCALED,) if policy.autoscale.enabled else (),
    )


def _binding(lacking: Lacking, floor: Pair, sized: Pair) -> Miss | None:
    """What a worker or a decode replica fewer would miss; None where throughput alone binds."""
    lesser = (
        Pair(worker_count=sized.worker_count - 1, replica_count=sized.replica_count),
        Pair(worker_count=sized.worker_count, replica_count=sized.replica_count - 1),
    )
    allowed = [
        pair
        for pair in lesser
        if pair.worker_count >= floor.worker_count and pair.replica_count >= floor.replica_count
    ]
    return next((miss for pair in allowed if (miss := lacking(pair)) is not None), None)


def _busy_usd_per_h(offer: Offer, performance: TandemPerformance, demand: Demand) -> float:
    """What a day's mean work costs by the hour: the parts of a worker and of a replica it keeps busy."""
    load = load_of([demand])
    rates = disaggregated_pools.stage_rates(performance, load, 1, 1)
    if rates is None:
        raise RuntimeError("pools that hold no request were priced")
    mean_rate = load.rate_req_per_s * demand.mean_to_peak_fraction
    workers_usd: float = mean_rate / rates[0] * worker_usd_per_h(offer)
    replicas_usd: float = mean_rate / rates[1] * replica_usd_per_h(offer)
    return workers_usd + replicas_usd
