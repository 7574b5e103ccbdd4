"""The range of a plan's bill: demand, the speed of its machines and their prices may all turn out otherwise.

1. Demand: the scenarios of the outlook, by weight; as stated where there are none. Common to all pools.
2. Speed: the logarithm of each pool's step time is normal, as wide as its fit shows (see `uncertainty`).
   Machines are paid as planned; what demand and speed need beyond them is had in a hurry, at a premium.
3. Price: where the evidence of a price has a low and a high, they are taken for its P10 and P90, lognormal
   on each side of the price. A price without a range is taken to hold.

Nothing is drawn that the evidence does not give: a plan on list prices without ranges, at one demand, on
tiers paid per token has one bill. Speeds of pools and prices of tiers are independent.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from models.desk import Desk
from models.percentiles import NORMAL_QUANTILE
from models.performance import CannotServe, HostedPerformance, TierPerformance
from models.placement import Group
from models.tiers import Price
from models.uncertainty import BASE, speed_log_deviation, with_speed

FloatArray = NDArray[np.float64]
DRAW_COUNT = 8000  # the share of bills below P10 within 0.7 points
SPEED_COUNT = 15  # equally likely speeds of a pool: steps of a replica are found between them
MAIN_FIGURE = {
    "hourly": "usd_per_accelerator_h",
    "owned": "purchase_usd_per_accelerator",
    "per_token": "output_usd_per_mtok",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BillRange:
    """P10, P50 and P90 of a bill in USD a month; None where it falls among futures that cannot be served.

    drawn   what had a range to draw from: demand, speeds and prices, in words
    """

    p10_usd: float | None
    p50_usd: float | None
    p90_usd: float | None
    drawn: tuple[str, ...]


def bill_range(
    desk: Desk, groups: Sequence[Group], shortage_price_ratio: float, fixed_usd: float = 0.0
) -> BillRange:
    """The range of the bill of a placement as planned; the scenario's seed makes it repeatable.

    shortage_price_ratio >= 1: what a machine had in a hurry costs over its usual price.
    fixed_usd: paid whatever happens, such as commitments that the plan does not use.
    """
    generator = np.random.default_rng(desk.scenario.seed)
    futures = desk.scenario.outlook.scenarios or (BASE,)
    weights = np.array([each.weight for each in futures])
    future = generator.choice(len(futures), size=DRAW_COUNT, p=weights / weights.sum())
    priced = {tier_id: generator.standard_normal(DRAW_COUNT) for tier_id in sorted(_tiers_of(desk, groups))}
    bills = np.full(DRAW_COUNT, fixed_usd, dtype=np.float64)
    for group in groups:
        tier = desk.offers[group.offer_id].tier
        ratios = speed_ratios(desk, group)
        usd = np.array(
            [
                [pool_usd(desk, group, each.rate_ratio, ratio, shortage_price_ratio) for ratio in ratios]
                for each in futures
            ]
        )
        drawn_usd = usd[future, generator.integers(len(ratios), size=DRAW_COUNT)]
        bills += drawn_usd * price_ratio(tier.price, priced[tier.id])
    return _range_of(bills, _drawn(desk, groups))


def pool_usd(
    desk: Desk, group: Group, rate_ratio: float, time_ratio: float, shortage_price_ratio: float
) -> float:
    """A placed pool's bill at another demand and step time; infinite where it cannot serve at all."""
    offer, performance = desk.offers[group.offer_id], desk.performances[group.offer_id]
    if isinstance(performance, CannotServe):
        raise RuntimeError(f"placed on {group.offer_id}, which cannot serve it")
    bought = desk.placed_pool(group)
    demands = tuple(each.scaled(rate_ratio) for each in desk.demands(group.workload_set))
    needed = desk.plan_pool(offer, slowed(performance, time_ratio), demands, desk.scenario.policy, 1)
    if isinstance(needed, CannotServe):
        return math.inf
    if bought.replica_count is None:
        return needed.cost_usd
    return bought.cost_usd + max(needed.cost_usd - bought.cost_usd, 0.0) * shortage_price_ratio


def slowed(performance: TierPerformance, time_ratio: float) -> TierPerformance:
    """A tier whose every step takes so many times as long; one paid per token as it is."""
    if isinstance(performance, HostedPerformance):
        return performance
    return with_speed(performance, time_ratio)


def log_deviation(desk: Desk, group: Group) -> float:
    """How widely a pool's speed may vary; 0 for a tier paid per token, whose bill does not depend on it."""
    performance = desk.performances[group.offer_id]
    if isinstance(performance, CannotServe | HostedPerformance):
        return 0.0
    return speed_log_deviation(performance, desk.placed_pool(group).point.inside_domain)


def speed_ratios(desk: Desk, group: Group) -> list[float]:
    """Equally likely step times of a pool over the fitted one."""
    deviation = log_deviation(desk, group)
    if deviation == 0.0:
        return [1.0]
    middles = (np.arange(SPEED_COUNT) + 0.5) / SPEED_COUNT
    return [math.exp(deviation * float(normal)) for normal in ndtri(middles)]


def price_ends(price: Price | None) -> tuple[float, float] | None:
    """Lowest and highest price over the price, where its evidence gives both; at most and at least 1."""
    if price is None:
        return None
    evidence, value = price.evidence, getattr(price, MAIN_FIGURE[price.basis])
    if evidence.low is None or evidence.high is None or not evidence.low or not value:
        return None
    return min(evidence.low / value, 1.0), max(evidence.high / value, 1.0)


def price_ratio(price: Price | None, normal: FloatArray) -> FloatArray:
    """The price over itself at standard normal draws: low at the 10th percentile, high at the 90th."""
    ends = price_ends(price)
    if ends is None:
        return np.ones_like(normal)
    low, high = (math.log(end) / NORMAL_QUANTILE["p90"] for end in ends)
    ratio: FloatArray = np.exp(np.where(normal < 0, -low, high) * normal)
    return ratio


def _tiers_of(desk: Desk, groups: Sequence[Group]) -> set[str]:
    return {desk.offers[group.offer_id].tier.id for group in groups}


def _drawn(desk: Desk, groups: Sequence[Group]) -> tuple[str, ...]:
    """What had a range."""
    found = ["demand"] if len(desk.scenario.outlook.scenarios) > 1 else []
    offers = [desk.offers[group.offer_id] for group in groups]
    found += [
        f"speed of {offer.tier.label}"
        for group, offer in zip(groups, offers, strict=True)
        if log_deviation(desk, group) > 0
    ]
    found += [f"price of {offer.tier.label}" for offer in offers if price_ends(offer.tier.price) is not None]
    return tuple(dict.fromkeys(found))


def _range_of(bills: FloatArray, drawn: tuple[str, ...]) -> BillRange:
    ends = [float(np.quantile(bills, share, method="higher")) for share in (0.1, 0.5, 0.9)]
    low, middle, high = (end if math.isfinite(end) else None for end in ends)
    return BillRange(p10_usd=low, p50_usd=middle, p90_usd=high, drawn=drawn)
