"""What unsteady arrivals mean for a queue: slow swings become phases, quick ones become variability.

A rate that changes slowly against the time a request takes is a mixture of steady states (pointwise
stationary approximation: L. Green and P. Kolesar 1991). A rate that changes quickly widens the count of
arrivals; its index of dispersion at the time scale of a request takes the place of the squared
coefficient of variation (W. Whitt 1991; Y. He, Y. Liu and W. Whitt 2016).
"""

import math
from collections import Counter
from dataclasses import dataclass, replace

from models.workloads import Arrival

SLOW_BURST_LATENCIES = 10.0  # bursts at least this many request times long are phases
STATIONARY_PEAK = 0.95  # a phase nearer to saturation never becomes stationary
SINE_PHASE_COUNT = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """A steady stretch: its rate over the mean rate, its share of time, and its arrival variability."""

    rate_ratio: float
    time_fraction: float
    scv_ratio: float


STEADY = Phase(rate_ratio=1.0, time_fraction=1.0, scv_ratio=1.0)


def phases_of(
    arrival: Arrival, *, rate_req_per_s: float, latency_s: float, utilisation_fraction: float
) -> tuple[Phase, ...]:
    """The phases of an arrival process for requests that take about `latency_s` seconds each.

    The hours of a `profile` are phases; one without hours is one of them, at that hour's rate. Bursts too
    short or too high to be phases become variability; swings are damped by the memory of the requests in
    progress. Valid where the peak stays well below saturation; `transient` follows those that do not.
    """
    if arrival.kind == "gamma":
        return (replace(STEADY, scv_ratio=arrival.scv_ratio),)
    if arrival.kind == "sine":
        return _sine_phases(_damped(arrival, latency_s))
    if arrival.kind == "profile" and arrival.hourly_fraction:
        return _hours(arrival)
    if arrival.kind != "mmpp" or arrival.burst_ratio == 1.0:
        return (STEADY,)
    _, high = burst_rate_ratios(arrival)
    long_enough = arrival.cycle_s * arrival.burst_fraction >= SLOW_BURST_LATENCIES * latency_s
    if long_enough and high * utilisation_fraction <= STATIONARY_PEAK:
        return _burst_phases(arrival)
    return (replace(STEADY, scv_ratio=burst_dispersion(arrival, rate_req_per_s, latency_s)),)


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


def _burst_phases(arrival: Arrival) -> tuple[Phase, ...]:
    low, high = burst_rate_ratios(arrival)
    fraction = arrival.burst_fraction
    return (
        Phase(rate_ratio=low, time_fraction=1.0 - fraction, scv_ratio=1.0),
        Phase(rate_ratio=high, time_fraction=fraction, scv_ratio=1.0),
    )


def burst_dispersion(arrival: Arrival, rate_req_per_s: float, window_s: float) -> float:
    """Index of dispersion of counts of a two-rate Poisson process over a window (1 for Poisson).

    Source: H. Heffes and D. M. Lucantoni 1986, eq. for the two-state MMPP.
    """
    low, high = burst_rate_ratios(arrival)
    fraction = arrival.burst_fraction
    switching = (1.0 / fraction + 1.0 / (1.0 - fraction)) / arrival.cycle_s
    spread = fraction * (1.0 - fraction) * ((high - low) * rate_req_per_s) ** 2 / rate_req_per_s
    turns = switching * window_s
    return 1.0 + 2.0 * spread / switching * (1.0 + math.expm1(-turns) / turns)
