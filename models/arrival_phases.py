"""Slow swings of the load as a mixture of steady stretches.

A rate that changes slowly against the time a request takes, and stays below saturation, is a mixture of
steady states (pointwise stationary approximation: L. Green and P. Kolesar 1991).
"""

import math
from collections import Counter
from dataclasses import dataclass, replace

from models.workloads import Arrival

SINE_PHASE_COUNT = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """A steady stretch: its rate over the mean rate, its share of time, and its arrival variability."""

    rate_ratio: float
    time_fraction: float
    scv_ratio: float


STEADY = Phase(rate_ratio=1.0, time_fraction=1.0, scv_ratio=1.0)


def phases_of(arrival: Arrival, latency_s: float) -> tuple[Phase, ...]:
    """The phases of an arrival process for requests that take about `latency_s` seconds each.

    The hours of a `profile` are phases; one without hours is one of them, at that hour's rate. Swings are
    damped by the memory of the requests in progress. Valid where the peak stays well below saturation;
    `transient` follows swings that do not, `modulated` bursts of random length.
    """
    if arrival.kind == "gamma":
        return (replace(STEADY, scv_ratio=arrival.scv_ratio),)
    if arrival.kind == "sine":
        return _sine_phases(_damped(arrival, latency_s))
    if arrival.kind == "profile" and arrival.hourly_fraction:
        return _hours(arrival)
    return (STEADY,)


def _hours(arrival: Arrival) -> tuple[Phase, ...]:
    """Hours of the same rate together; hours without requests have none to speak for them."""
    hours = len(arrival.hourly_fraction)
    return tuple(
        Phase(rate_ratio=share / arrival.mean_to_given_ratio, time_fraction=count / hours, scv_ratio=1.0)
        for share, count in sorted(Counter(arrival.hourly_fraction).items())
        if share > 0.0
    )


def _damped(arrival: Arrival, latency_s: float) -> float:
    """Amplitude of a swing after an exponential memory of `latency_s` (modified offered load)."""
    turn = 2.0 * math.pi * latency_s / arrival.period_s
    return arrival.amplitude_fraction / math.sqrt(1.0 + turn**2)


def _sine_phases(amplitude_fraction: float) -> tuple[Phase, ...]:
    """Half a swing in even steps; the other half mirrors it."""
    angles = [math.pi * ((index + 0.5) / SINE_PHASE_COUNT - 0.5) for index in range(SINE_PHASE_COUNT)]
    return tuple(
        Phase(
            rate_ratio=1.0 + amplitude_fraction * math.sin(angle),
            time_fraction=1.0 / SINE_PHASE_COUNT,
            scv_ratio=1.0,
        )
        for angle in angles
    )


def burst_rate_ratios(arrival: Arrival) -> tuple[float, float]:
    """Low and high rate of a two-rate process over its mean rate."""
    low = 1.0 / (1.0 - arrival.burst_fraction + arrival.burst_fraction * arrival.burst_ratio)
    return low, low * arrival.burst_ratio
