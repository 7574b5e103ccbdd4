"""The weakest link of a plan, and what measuring it would be worth."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from app.benchmarks import concurrency_ladder
from app.formatting import number, percent
from app.workbench import View, desk_of
from models.desk import Desk, settled
from models.evidence import Grade, weakest
from models.measurements import SourcedMeasurement
from models.measuring_gain import Band, MeasuringGain, measuring_gain
from models.performance import BatchedPerformance, HostedPerformance, Load
from models.placement import Group
from models.plans import Allocation
from models.sentences import listed
from models.tiers import Offer

ENOUGH_REQUEST_COUNT = 1000
NORMAL_QUANTILE_90 = 1.645  # two-sided, nine times in ten
ESTIMATE = (
    "An estimate: measured points are imagined where today's fit says, the machine is fitted again, and its "
    "errors are never taken for smaller than those of interpolation. The band is that of the step times, "
    "four times in five; a measurement may also move its middle."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """What one pool of the plan rests on, and what a measurement would make of it.

    gain   None for tiers whose band cannot be foretold
    text   the finding in a sentence
    """

    tier_label: str
    workloads: tuple[str, ...]
    grade: Grade | None
    gain: MeasuringGain | None
    text: str


def links_of(seen: View) -> tuple[Link, ...]:
    """Every pool of the plan, the one with most to gain first."""
    desk, groups = settled(seen.scenario, tuple(seen.performances.items()), desk_of(seen).plan_pool)
    found = [_link(seen, desk, group) for group in groups]
    return tuple(sorted(found, key=lambda link: -_spread(link)))


def weakest_link(seen: View) -> Link | None:
    """The pool whose speed is known worst; None where the plan places nothing."""
    links = links_of(seen)
    return links[0] if links else None


def _spread(link: Link) -> float:
    """How badly the speed is known: what has no band at all comes first."""
    return math.inf if link.gain is None else link.gain.now.width_ratio


def _link(seen: View, desk: Desk, group: Group) -> Link:
    offer, performance = desk.offers[group.offer_id], desk.performances[group.offer_id]
    names = tuple(demand.workload.name for demand in desk.demands(group.workload_set))
    evidence = () if not hasattr(performance, "evidence") else tuple(performance.evidence.values())
    grade, gain = weakest(evidence), None
    if isinstance(performance, BatchedPerformance):
        pool = desk.placed_pool(group)
        count = pool.replica_count or 1
        served = [each for each in seen.plan.allocations if each.workload in names]
        loads = concurrency_ladder(_in_flight(served, count)).loads
        gain = _gain(offer, performance, seen.measurements[offer.id], pool.load, count, loads)
        text = _machine_text(offer, names, grade, gain)
    elif isinstance(performance, HostedPerformance):
        text = _hosted_text(offer, performance)
    else:
        text = (
            f"{offer.tier.label}: planned between two ends of what is possible. Measured at three loads or "
            "more it is fitted instead; how far that narrows the answer cannot be said before."
        )
    return Link(tier_label=offer.tier.label, workloads=names, grade=grade, gain=gain, text=text)


@lru_cache(maxsize=64)
def _gain(
    offer: Offer,
    performance: BatchedPerformance,
    measurements: tuple[SourcedMeasurement, ...],
    load: Load,
    replica_count: int,
    loads: tuple[float, ...],
) -> MeasuringGain:
    return measuring_gain(offer, performance, measurements, load, replica_count, loads)


def _in_flight(served: Sequence[Allocation], replica_count: int) -> float | None:
    """Requests that a pool has in flight on one replica, by Little's law; None where a latency is unknown."""
    latencies = [each.e2e_s.mean or each.e2e_s.p50 for each in served]
    if not served or None in latencies:
        return None
    rates = [each.offered_rate_req_per_s for each in served]
    return sum(r * s for r, s in zip(rates, latencies, strict=True) if s is not None) / replica_count


def _machine_text(offer: Offer, names: Sequence[str], grade: Grade | None, gain: MeasuringGain) -> str:
    """`Measure voice at 1, 2, 4, 8 in flight on one replica of X: the band shrinks from x to y.`"""
    loads = ", ".join(number(each) for each in gain.concurrency_count)
    where = "among the measured ones" if gain.inside_now else "outside the measured ones"
    today = f"{gain.point_count} points, evidence {grade}; the plan's lengths and loads lie {where}"
    if gain.point_count == 0:
        today = "nothing measured"
    now, then = _band(gain.now), _band(gain.then)
    change = (
        f"the band of its step times shrinks; today {now}, then about {then}"
        if gain.narrows
        else f"the band of its step times stays at {now}, but the evidence becomes your own"
    )
    return (
        f"{offer.tier.label} ({today}). Measure {listed(list(names))} at {loads} requests in flight on one "
        f"replica: {change}."
    )


def _band(band: Band) -> str:
    return f"-{percent(1.0 - band.low_ratio)} to +{percent(band.high_ratio - 1.0)}"


def _hosted_text(offer: Offer, performance: HostedPerformance) -> str:
    """What a measured sample says of a tier whose spread nobody publishes."""
    known = any(point.ttft_s.p95 is not None for point in performance.points)
    today = "its spread is measured" if known else "nobody publishes its spread, so it has no p95"
    reach = NORMAL_QUANTILE_90 * math.sqrt(0.95 * 0.05 / ENOUGH_REQUEST_COUNT) * 100
    return (
        f"{offer.tier.label} ({today}). Measure {ENOUGH_REQUEST_COUNT:,} requests: what is then its p95 lies "
        f"between the true p{95 - reach:.1f} and p{95 + reach:.1f}, nine times in ten."
    )
