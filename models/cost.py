"""What a plan costs: machines by the hour, tokens by the million, and the part that buys no work."""

import math

from models.tiers import TokenPrice
from models.workloads import Demand

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

    input_tok counts the whole prompt, cached part included; reasoning tokens are inside output_tok.
    """
    cached_tok = input_tok * cached_input_fraction
    cached_price = price.cached_input_usd_per_mtok
    if cached_price is None:
        cached_price = price.input_usd_per_mtok
    return (
        (input_tok - cached_tok) * price.input_usd_per_mtok
        + cached_tok * cached_price
        + output_tok * price.output_usd_per_mtok
    ) / TOK_PER_MTOK


def usd_per_mtok(usd_per_h: float, rate_tok_per_s: float) -> float:
    """Hourly cost over million tokens an hour; the denominator is whatever the rate counts."""
    return usd_per_h / (rate_tok_per_s * SECONDS_PER_HOUR) * TOK_PER_MTOK


def per_unit(usd: float, unit_count: float) -> float | None:
    """Money per unit; None where there is no unit to divide by."""
    return usd / unit_count if unit_count > 0 and math.isfinite(unit_count) else None
