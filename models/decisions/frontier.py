"""What speed costs: the stream speed a user gets against the output tokens that a dollar buys."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from models.architectures import batched_accelerator
from models.cost import SECONDS_PER_HOUR, mean_usd_per_request
from models.desk import Performances
from models.performance import BatchedPerformance, HostedPerformance
from models.pools import replica_usd_per_h
from models.tiers import MachinePrice, Offer, TokenPrice
from models.workloads import Demand

POINT_COUNT = 24
BEYOND_MEASURED_RATIO = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontierPoint:
    """One way of running an offer: median stream speed and output tokens per dollar, never idle.

    concurrency_count   requests in flight on one replica; None for a tier paid per token
    """

    stream_rate_tok_per_s: float
    output_tok_per_usd: float
    concurrency_count: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Frontier:
    """An offer's points by rising stream speed."""

    offer: Offer
    points: tuple[FrontierPoint, ...]

    def output_tok_per_usd_at(self, stream_rate_tok_per_s: float) -> float | None:
        """Most output tokens per dollar at no less than a stream speed; None where it is never reached."""
        able = [
            each.output_tok_per_usd
            for each in self.points
            if each.stream_rate_tok_per_s >= stream_rate_tok_per_s
        ]
        return max(able, default=None)


def frontier(offer: Offer, performances: Performances, demand: Demand) -> Frontier:
    """The points of one offer at a workload's mean lengths; empty where speed or price is unknown.

    A replica of machines is shown from one request in flight to twice the highest measured number.
    """
    performance, price = performances.get(offer.id), offer.tier.price
    points: list[FrontierPoint] = []
    if isinstance(performance, BatchedPerformance) and isinstance(price, MachinePrice):
        points = _machine_points(offer, performance, demand)
    elif isinstance(performance, HostedPerformance) and isinstance(price, TokenPrice):
        points = _hosted_points(performance, price, demand)
    return Frontier(offer=offer, points=tuple(sorted(points, key=lambda each: each.stream_rate_tok_per_s)))


def _machine_points(offer: Offer, performance: BatchedPerformance, demand: Demand) -> list[FrontierPoint]:
    workload, usd_per_h = demand.workload, replica_usd_per_h(offer)
    highest = float(performance.slot_count)
    if performance.domain is not None:
        highest = min(highest, performance.domain.concurrency_high_count * BEYOND_MEASURED_RATIO)
    points = []
    for count in np.geomspace(1.0, max(highest, 1.0), POINT_COUNT):
        _, tpot_s, rate = batched_accelerator.closed_loop(
            performance, float(count), workload.input_tok.mean_tok, workload.output_tok.mean_tok
        )
        points.append(
            FrontierPoint(
                stream_rate_tok_per_s=1.0 / tpot_s,
                output_tok_per_usd=rate * SECONDS_PER_HOUR / usd_per_h,
                concurrency_count=float(count),
            )
        )
    return points


def _hosted_points(performance: HostedPerformance, price: TokenPrice, demand: Demand) -> list[FrontierPoint]:
    workload = demand.workload
    usd = mean_usd_per_request(price, workload.input_tok, workload.output_tok, workload.cached_input_fraction)
    if usd <= 0:
        return []
    return [
        FrontierPoint(
            stream_rate_tok_per_s=1.0 / point.tpot_s.middle,
            output_tok_per_usd=workload.output_tok.mean_tok / usd,
            concurrency_count=None,
        )
        for point in performance.points
        if point.tpot_s.middle
    ]


def cheapest_at(found: Sequence[Frontier], stream_rate_tok_per_s: float) -> list[tuple[Frontier, float]]:
    """Offers that give a stream at least that speed, most output tokens per dollar first."""
    able = [
        (each, tok)
        for each in found
        if (tok := each.output_tok_per_usd_at(stream_rate_tok_per_s)) is not None
    ]
    return sorted(able, key=lambda pair: (-pair[1], pair[0].offer.id))
