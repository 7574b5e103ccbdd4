"""Requests that a hosted tier hands to a slower one: latency is a mixture of both, and so is the bill.

The tail of a mixture is the slower tier's even where few requests go there. It needs the whole distribution
of both: where only medians are known, no percentile of the mixture is, not even the median.
"""

import numpy as np
from numpy.typing import NDArray

from models.cost import tokens_usd_per_month
from models.percentiles import UNKNOWN, Percentiles, percentiles_of, quantile_function
from models.performance import ClassLatency
from models.tiers import Fallback, TokenPrice
from models.workloads import Demand

FloatArray = NDArray[np.float64]
SAMPLE_COUNT = 8192  # p99 of a mixture within 1 %
METRICS = ("ttft_s", "itl_s", "tpot_s", "e2e_s", "task_s")


def mixed_latency(asked: ClassLatency, served_instead: ClassLatency, fraction: float) -> ClassLatency:
    """What a class sees when that share of its requests, 0 to 1, is served by the other tier."""
    ttft_s, itl_s, tpot_s, e2e_s, task_s = (
        mixed_percentiles(getattr(asked, metric), getattr(served_instead, metric), fraction)
        for metric in METRICS
    )
    return ClassLatency(
        name=asked.name, ttft_s=ttft_s, itl_s=itl_s, tpot_s=tpot_s, e2e_s=e2e_s, task_s=task_s
    )


def mixed_percentiles(asked: Percentiles, instead: Percentiles, fraction: float) -> Percentiles:
    """Mean and percentiles of a mixture of two; unknown unless both are known beyond their medians."""
    if fraction <= 0.0:
        return asked
    if fraction >= 1.0:
        return instead
    if not _has_tail(asked) or not _has_tail(instead):
        return UNKNOWN
    served = round(SAMPLE_COUNT * fraction)
    sample = np.concatenate(
        [
            quantile_function(asked, _middles(SAMPLE_COUNT - served)),
            quantile_function(instead, _middles(served)),
        ]
    )
    return percentiles_of(sample)


def _has_tail(known: Percentiles) -> bool:
    return known.p50 is not None and known.p95 is not None


def _middles(count: int) -> FloatArray:
    middles: FloatArray = (np.arange(count) + 0.5) / max(count, 1)
    return middles


def billed_usd_per_month(price: TokenPrice, fallback: Fallback | None, demand: Demand) -> float:
    """A workload's tokens in a month, each request at the price of the tier that serves it."""
    own_usd = tokens_usd_per_month(price, demand)
    if fallback is None or fallback.price is None:
        return own_usd
    share = fallback.probability_fraction
    return (1.0 - share) * own_usd + share * tokens_usd_per_month(fallback.price, demand)
