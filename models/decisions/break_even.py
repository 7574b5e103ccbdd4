"""At which price two ways of serving the same work cost the same, or a faster one pays for itself.

The break-even multiple m* of a faster tier: it pays while its price is less than m* times the slow one's,
m* = 1 + (value of the fast answer - value of the slow answer) / cost of the slow answer. It needs no price
of the fast tier, so it answers while nobody has published one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from models.value import turns_per_day

SWEPT_MULTIPLES = (1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0)


def break_even_multiple(value_gain_usd: float, slow_cost_usd: float) -> float:
    """m*: the price multiple at which a faster tier stops paying; below 1 where faster is worth less.

    Both in USD per task; slow_cost_usd > 0.
    """
    return 1.0 + value_gain_usd / slow_cost_usd


def loop_multiple(value_usd_per_turn: float, slow_s: float, fast_s: float, slow_cost_usd: float) -> float:
    """m* of a loop that turns as often as the day allows: more turns, each paid for and worth V0.

    Solves n_fast (V0 - m c) = n_slow (V0 - c) for m, with n the turns a day; needs a turn worth its cost.
    """
    turn_ratio = turns_per_day(slow_s) / turns_per_day(fast_s)
    return break_even_multiple((value_usd_per_turn - slow_cost_usd) * (1.0 - turn_ratio), slow_cost_usd)


def newsvendor_fraction(under_usd: float, over_usd: float) -> float:
    """Share of possible demands that the cheapest capacity covers: Cu / (Cu + Co) (Edgeworth 1888)."""
    return under_usd / (under_usd + over_usd)


def weighted_quantile(values: Sequence[float], weights: Sequence[float], fraction: float) -> float:
    """The smallest value with at least that share of the weight at or below it."""
    ranked = sorted(zip(values, weights, strict=True))
    wanted, reached = fraction * sum(weights), 0.0
    for value, weight in ranked:
        reached += weight
        if reached >= wanted * (1.0 - 1e-12):
            return value
    return ranked[-1][0]


@dataclass(frozen=True, slots=True, kw_only=True)
class PricedMultiple:
    """One price multiple of a faster tier: its cost a task, and what is left after the value it adds."""

    price_ratio: float
    cost_usd_per_task: float
    net_gain_usd_per_task: float


def multiple_sweep(
    value_gain_usd: float, slow_cost_usd: float, multiples: Sequence[float] = SWEPT_MULTIPLES
) -> tuple[PricedMultiple, ...]:
    """What a faster tier would gain or lose per task at each price multiple; zero at m*."""
    return tuple(
        PricedMultiple(
            price_ratio=multiple,
            cost_usd_per_task=multiple * slow_cost_usd,
            net_gain_usd_per_task=value_gain_usd - (multiple - 1.0) * slow_cost_usd,
        )
        for multiple in multiples
    )
