"""Own machines for the base, another tier for the peak: a pool kept small, and what finds it full moves on.

A gateway counts the calls in flight on the pool and sends a call elsewhere once so many are there. What moves
on is bursty (`overflow`), comes at the day's busy hours, and is often a small part of all calls.

Arrivals are taken as Poisson within the hour: burstier ones move on more.
Not modelled: retries, and calls that come back; lengths are taken as independent of the hour.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from models.desk import Desk, runs_one_pool
from models.overflow import Overflow, overflow
from models.performance import CannotServe
from models.placement import Group
from models.pool_plan import PoolPlan
from models.routing.choices import paid_anyway_usd, pool_of
from models.workloads import POISSON, Demand

BASE_STEP_COUNT = 20  # shares of the peak that a base is tried for: 5 % apart


@dataclass(frozen=True, slots=True, kw_only=True)
class Bursting:
    """A pool's base on its own offer and the rest on another, beside the pool that serves all.

    base_fraction          share of the peak rate that the base is sized for
    place_count            calls in flight on the base before the next one moves on
    overflow_fraction      share of a month's calls that moves on, and at the busiest hour
    peakedness_ratio       variance over mean of the calls moved on in flight: 1 is Poisson
    saved_usd_per_month    what the pair costs less than the pool; negative where it costs more
    """

    offer_id: str
    workloads: tuple[str, ...]
    overflow_offer_id: str
    base_fraction: float
    replica_count: int
    whole_replica_count: int
    place_count: int
    overflow_fraction: float
    peak_overflow_fraction: float
    peakedness_ratio: float
    base_cost_usd_per_month: float
    overflow_cost_usd_per_month: float
    saved_usd_per_month: float


def bursting(desk: Desk, group: Group, groups: tuple[Group, ...]) -> Bursting | None:
    """The cheapest base and overflow of a planned pool; None where no other offer keeps its promises.

    groups  all pools of the plan: a rate-limited offer that runs already takes nothing more
    The machines must have promises to keep at a load: a tier paid per token has no base.
    """
    whole = desk.pool(group.offer_id, group.workload_set)
    if isinstance(whole, CannotServe) or whole.replica_count is None:
        return None
    demands = desk.demands(group.workload_set)
    running = {each.offer_id for each in groups}
    others = [
        offer_id
        for offer_id in desk.offers
        if offer_id != group.offer_id and not (offer_id in running and runs_one_pool(desk, offer_id))
    ]
    found = [
        made
        for base_fraction, base in _bases(desk, group.offer_id, demands, whole)
        for other in others
        if (made := _pair(desk, group.offer_id, other, demands, whole, base_fraction, base)) is not None
    ]
    return max(found, key=lambda each: (each.saved_usd_per_month, each.overflow_offer_id), default=None)


def all_bursting(desk: Desk, groups: tuple[Group, ...]) -> tuple[Bursting, ...]:
    """For each pool of machines in a plan, its cheapest base and overflow, where there is one."""
    found = (bursting(desk, group, groups) for group in groups)
    return tuple(each for each in found if each is not None)


def _bases(
    desk: Desk, offer_id: str, demands: tuple[Demand, ...], whole: PoolPlan
) -> Iterator[tuple[float, PoolPlan]]:
    """Smaller pools, each with the largest share of the peak that so many replicas carry."""
    fewest = whole.replica_count or 0
    for step in range(BASE_STEP_COUNT - 1, 0, -1):
        fraction = step / BASE_STEP_COUNT
        base = pool_of(desk, offer_id, tuple(_clipped(each, fraction) for each in demands))
        if isinstance(base, CannotServe) or base.replica_count is None or base.replica_count >= fewest:
            continue
        fewest = base.replica_count
        yield fraction, base


def _clipped(demand: Demand, fraction: float) -> Demand:
    """What a base takes of a day: no hour more than a share of the peak."""
    return replace(
        demand.scaled(fraction),
        hourly_fraction=tuple(min(each / fraction, 1.0) for each in demand.hourly_fraction),
    )


def _pair(
    desk: Desk,
    offer_id: str,
    other_id: str,
    demands: tuple[Demand, ...],
    whole: PoolPlan,
    base_fraction: float,
    base: PoolPlan,
) -> Bursting | None:
    """One base with one tier behind it; None where that tier does not keep the promises."""
    held_s = _mean_held_s(base, demands)
    if held_s is None:
        return None
    places = math.floor(sum(each.peak_call_rate_req_per_s for each in demands) * base_fraction * held_s)
    by_hour = [_hour(demands, hour, held_s, places) for hour in range(len(demands[0].hourly_fraction))]
    if max(each.mean_busy_count for each in by_hour) <= 0.0:
        return None
    moved = tuple(_moved(each, by_hour) for each in demands)
    beyond = pool_of(desk, other_id, moved)
    if isinstance(beyond, CannotServe):
        return None
    calls = [
        sum(d.peak_call_rate_req_per_s * d.hourly_fraction[h] for d in demands) for h in range(len(by_hour))
    ]
    busiest = max(range(len(by_hour)), key=lambda hour: by_hour[hour].mean_busy_count)
    base_usd = base.cost_usd - paid_anyway_usd(desk, offer_id, base)
    beyond_usd = beyond.cost_usd - paid_anyway_usd(desk, other_id, beyond)
    whole_usd = whole.cost_usd - paid_anyway_usd(desk, offer_id, whole)
    return Bursting(
        offer_id=offer_id,
        workloads=tuple(each.workload.name for each in demands),
        overflow_offer_id=other_id,
        base_fraction=base_fraction,
        replica_count=base.replica_count or 0,
        whole_replica_count=whole.replica_count or 0,
        place_count=places,
        overflow_fraction=sum(
            rate * each.overflow_fraction for rate, each in zip(calls, by_hour, strict=True)
        )
        / sum(calls),
        peak_overflow_fraction=by_hour[busiest].overflow_fraction,
        peakedness_ratio=by_hour[busiest].peakedness_ratio,
        base_cost_usd_per_month=base_usd,
        overflow_cost_usd_per_month=beyond_usd,
        saved_usd_per_month=whole_usd - base_usd - beyond_usd,
    )


def _mean_held_s(base: PoolPlan, demands: tuple[Demand, ...]) -> float | None:
    """Seconds that a call of the pool's mix is in flight, at the load the base is sized for."""
    rates = [each.peak_call_rate_req_per_s for each in demands]
    means = [base.point.of(each.workload.name).e2e_s.mean for each in demands]
    if any(mean is None for mean in means):
        return None
    return sum(rate * (mean or 0.0) for rate, mean in zip(rates, means, strict=True)) / sum(rates)


def _hour(demands: tuple[Demand, ...], hour: int, held_s: float, places: int) -> Overflow:
    """What moves on in one hour; nothing in an hour without calls."""
    rate = sum(each.peak_call_rate_req_per_s * each.hourly_fraction[hour] for each in demands)
    if rate <= 0.0:
        return Overflow(overflow_fraction=0.0, mean_busy_count=0.0, peakedness_ratio=1.0)
    return overflow(rate * held_s, places)


def _moved(demand: Demand, by_hour: list[Overflow]) -> Demand:
    """The part of a workload that moves on, as bursty as it is in the hour in which most does."""
    shares = [
        shape * each.overflow_fraction for shape, each in zip(demand.hourly_fraction, by_hour, strict=True)
    ]
    most = max(shares)
    busiest = max(by_hour, key=lambda each: each.mean_busy_count)
    arrival = busiest.arrival if demand.arrival == POISSON else demand.arrival
    return replace(
        demand.scaled(most), arrival=arrival, hourly_fraction=tuple(each / most for each in shares)
    )
