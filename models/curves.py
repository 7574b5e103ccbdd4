"""How an offer answers as its load rises: operating points along a ladder of rates."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from models.architectures import hosted_api
from models.cost import (
    SECONDS_PER_HOUR,
    TOK_PER_MTOK,
    calls_per_month,
    mean_usd_per_request,
    usd_per_mtok,
)
from models.fallback import billed_usd_per_month
from models.machines import pool_usd_per_h
from models.performance import HostedPerformance, Load, OperatingPoint, TierPerformance
from models.pool_loads import load_of
from models.pools import operate_machines
from models.sizing import first_miss
from models.tiers import MachinePrice, Offer, TokenPrice
from models.workloads import ALL_DAY, Demand

LADDER_COUNT = 28
LOWEST_SHARE = 0.01
EDGE_STEP_COUNT = 7  # halvings of a ladder step: the edge within 0.2 %
HIGHEST_SHARE = 0.985  # of the highest sustainable rate: beyond, the backlog grows


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadPoint:
    """One load and what an offer does there.

    targets_hold               whether every target of the workload is kept
    cost_usd_per_mtok_output   the bill of the replicas over their output, idle time included
    """

    offered_rate_req_per_s: float
    point: OperatingPoint
    targets_hold: bool
    cost_usd_per_mtok_output: float | None


def load_curve(
    offer: Offer,
    performance: TierPerformance,
    demand: Demand,
    replica_count: int,
    rates_req_per_s: Sequence[float] | None = None,
) -> tuple[LoadPoint, ...]:
    """Operating points of a fixed number of replicas serving one workload at rising rates.

    Without rates, a ladder from 1 % to 98.5 % of the highest sustainable rate; a hosted tier without
    limits is shown from a hundredth to ten times the workload's own rate.
    """
    if rates_req_per_s is not None:
        return tuple(_load_point(offer, performance, demand, replica_count, rate) for rate in rates_req_per_s)
    ladder = [
        _load_point(offer, performance, demand, replica_count, rate)
        for rate in _ladder(performance, demand, replica_count)
    ]
    return _with_edge(offer, performance, demand, replica_count, ladder)


def _with_edge(
    offer: Offer,
    performance: TierPerformance,
    demand: Demand,
    replica_count: int,
    ladder: Sequence[LoadPoint],
) -> tuple[LoadPoint, ...]:
    """The ladder with the load at which the targets stop holding found closely, where they hold at all."""
    held = [each for each in ladder if each.targets_hold]
    beyond = [each for each in ladder if not each.targets_hold]
    if not held or not beyond:
        return tuple(ladder)
    low, high = held[-1], beyond[0]
    for _ in range(EDGE_STEP_COUNT):
        middle = (low.offered_rate_req_per_s * high.offered_rate_req_per_s) ** 0.5
        point = _load_point(offer, performance, demand, replica_count, middle)
        low, high = (point, high) if point.targets_hold else (low, point)
    rates = {each.offered_rate_req_per_s: each for each in (*ladder, low, high)}
    return tuple(rates[rate] for rate in sorted(rates))


def _ladder(performance: TierPerformance, demand: Demand, replica_count: int) -> Sequence[float]:
    own_rate = demand.peak_call_rate_req_per_s
    limit = operate_offer(performance, load_of([demand]), replica_count).max_rate_req_per_s
    top = limit * HIGHEST_SHARE if limit is not None else own_rate * 10
    return [float(rate) for rate in np.geomspace(top * LOWEST_SHARE, top, LADDER_COUNT)]


def operate_offer(performance: TierPerformance, load: Load, replica_count: int) -> OperatingPoint:
    """What so many replicas of an offer do under a load; a hosted tier has none and ignores their number."""
    if isinstance(performance, HostedPerformance):
        return hosted_api.operate(performance, load)
    return operate_machines(performance, load, replica_count)


def _load_point(
    offer: Offer, performance: TierPerformance, demand: Demand, replica_count: int, rate: float
) -> LoadPoint:
    load = load_of([demand])
    scaled = replace(load, classes=(replace(load.classes[0], rate_req_per_s=rate),))
    point = operate_offer(performance, scaled, replica_count)
    targets = {demand.workload.name: demand.workload.targets}
    return LoadPoint(
        offered_rate_req_per_s=rate,
        point=point,
        targets_hold=point.stable and first_miss(point, targets) is None,
        cost_usd_per_mtok_output=_usd_per_mtok_output(offer, performance, demand, replica_count, rate),
    )


def _usd_per_mtok_output(
    offer: Offer, performance: TierPerformance, demand: Demand, replica_count: int, rate: float
) -> float | None:
    """The whole bill over output tokens at that rate all day; None where no price is known."""
    workload, price = demand.workload, offer.tier.price
    output_tok = workload.output_tok.mean_tok
    if isinstance(price, MachinePrice) and not isinstance(performance, HostedPerformance):
        usd_per_h = pool_usd_per_h(offer, performance, load_of([demand]), replica_count)
        return usd_per_mtok(usd_per_h, rate * output_tok)
    if isinstance(price, TokenPrice):
        steady = replace(demand.scaled(rate / demand.peak_call_rate_req_per_s), hourly_fraction=ALL_DAY)
        usd = max(billed_usd_per_month(price, offer.tier.fallback, steady), price.minimum_usd_per_month)
        return usd / (calls_per_month(steady) * output_tok) * TOK_PER_MTOK
    return None


def break_even_rate_req_per_s(
    machine: Offer, performance: TierPerformance, hosted: Offer, demand: Demand, replica_count: int
) -> float | None:
    """The rate from which rented replicas cost less than paying per token, whatever their capacity.

    Equation: replicas x USD per hour / (3600 x USD per request). None where a price is missing.
    """
    price = hosted.tier.price
    if not isinstance(machine.tier.price, MachinePrice) or not isinstance(price, TokenPrice):
        return None
    if isinstance(performance, HostedPerformance):
        return None
    workload = demand.workload
    per_request = mean_usd_per_request(
        price, workload.input_tok, workload.output_tok, workload.cached_input_fraction
    )
    usd_per_h = pool_usd_per_h(machine, performance, load_of([demand]), replica_count)
    return usd_per_h / (SECONDS_PER_HOUR * per_request)
