"""What a plan costs: machines by the hour, tokens by the million, and the part that buys no work."""

import math
from collections.abc import Sequence

import numpy as np

from models.lengths import TokenLengths
from models.request_mix import length_moments
from models.tiers import OffPeakRule, TokenPrice
from models.workloads import HOURS_PER_DAY, Demand

HOURS_PER_MONTH = 730.5  # 365.25 d / 12
SECONDS_PER_HOUR = 3600.0
TOK_PER_MTOK = 1e6


def calls_per_month(demand: Demand) -> float:
    """Calls of a workload in an average month, its daily shape applied."""
    return demand.peak_call_rate_req_per_s * demand.mean_to_peak_fraction * HOURS_PER_MONTH * SECONDS_PER_HOUR


def usd_per_request(
    price: TokenPrice, input_tok: float, output_tok: float, cached_input_fraction: float = 0.0
) -> float:
    """One request at per-token prices: fresh input, cached input and output, each at its own price.

    input_tok counts the whole prompt, cached part included; reasoning tokens are inside output_tok. Where
    the price has one for writing to a cache, all fresh input is taken to be written and pays it in place of
    the input price, as price lists have it (1.25 times input); a long prompt pays its own rates, or the
    write price where that is higher.
    """
    rule = price.long_context
    rates = price if rule is None or input_tok <= rule.above_tok else rule
    cached_tok = input_tok * cached_input_fraction
    cached_usd = rates.cached_input_usd_per_mtok
    if cached_usd is None:
        cached_usd = rates.input_usd_per_mtok
    fresh_usd = rates.input_usd_per_mtok
    if price.cache_write_usd_per_mtok is not None:
        long = rates is not price
        fresh_usd = max(fresh_usd, price.cache_write_usd_per_mtok) if long else price.cache_write_usd_per_mtok
    return (
        (input_tok - cached_tok) * fresh_usd
        + cached_tok * cached_usd
        + output_tok * rates.output_usd_per_mtok
    ) / TOK_PER_MTOK


def mean_usd_per_request(
    price: TokenPrice, input_tok: TokenLengths, output_tok: TokenLengths, cached_input_fraction: float
) -> float:
    """The mean bill of a request over its prompt lengths: under a long-prompt rule the mean length lies."""
    if price.long_context is None:
        return usd_per_request(price, input_tok.mean_tok, output_tok.mean_tok, cached_input_fraction)
    bills = [
        usd_per_request(price, float(each), output_tok.mean_tok, cached_input_fraction)
        for each in length_moments(input_tok).bins_tok
    ]
    return float(np.mean(bills))


def tokens_usd_per_month(price: TokenPrice, demand: Demand) -> float:
    """A workload's tokens in an average month at their prices, hour by hour; commitments left out."""
    workload = demand.workload
    usd = mean_usd_per_request(price, workload.input_tok, workload.output_tok, workload.cached_input_fraction)
    return calls_per_month(demand) * usd * _time_of_day_ratio(price.off_peak, demand.hourly_fraction)


def _time_of_day_ratio(rule: OffPeakRule | None, hourly_fraction: Sequence[float]) -> float:
    """Bill of a day over what it would be without the off-peak rule."""
    if rule is None:
        return 1.0
    hours = range(HOURS_PER_DAY)
    paid = sum(
        hourly_fraction[hour] * (rule.price_ratio if _is_off_peak(rule, hour) else 1.0) for hour in hours
    )
    return paid / sum(hourly_fraction)


def _is_off_peak(rule: OffPeakRule, hour: int) -> bool:
    if rule.from_h <= rule.to_h:
        return rule.from_h <= hour < rule.to_h
    return hour >= rule.from_h or hour < rule.to_h


def usd_per_mtok(usd_per_h: float, rate_tok_per_s: float) -> float:
    """Hourly cost over million tokens an hour; the denominator is whatever the rate counts."""
    return usd_per_h / (rate_tok_per_s * SECONDS_PER_HOUR) * TOK_PER_MTOK


def usd_per_resolved_task(
    usd_per_attempt: float, attempt_count: float, resolved_fraction: float, human_usd: float
) -> float:
    """The bill of all attempts, and of people who take over what fails, over the tasks resolved.

    (USD an attempt x attempts + human cost x share that fails) / share resolved; attempt_count is the mean
    number of attempts, resolved_fraction lies in (0, 1].
    """
    return (usd_per_attempt * attempt_count + human_usd * (1.0 - resolved_fraction)) / resolved_fraction


def per_unit(usd: float, unit_count: float) -> float | None:
    """Money per unit; None where there is no unit to divide by."""
    return usd / unit_count if unit_count > 0 and math.isfinite(unit_count) else None
