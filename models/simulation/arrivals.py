"""When simulated tasks arrive: steady, bursty or along a day, all from one stream of random numbers.

A rate that changes is a unit-rate Poisson process read off its own cumulative rate (time change:
E. Çinlar 1975, Introduction to Stochastic Processes, theorem 4.7.4).
"""

import math

import numpy as np
from numpy.typing import NDArray

from models.arrival_phases import burst_rate_ratios
from models.workloads import HOURS_PER_DAY, Arrival

FloatArray = NDArray[np.float64]
SECONDS_PER_HOUR = 3600.0
DAY_COUNT = 20  # so many that the days cut off at either end of a run are whole ones
POINTS_PER_SWING = 8192  # of a sine's cumulative rate, read in straight lines: 1e-7 of a swing


def arrival_times_s(
    arrival: Arrival,
    rate_req_per_s: float,
    count: int,
    generator: np.random.Generator,
    hourly_fraction: tuple[float, ...] = (),
) -> FloatArray:
    """`count` ascending arrival times in seconds, from 0; for a profile the rate is the peak rate."""
    if arrival.kind == "gamma":
        shape = 1.0 / arrival.scv_ratio
        gaps = generator.gamma(shape, arrival.scv_ratio / rate_req_per_s, count)
        times: FloatArray = np.cumsum(gaps)
        return times
    expected = np.cumsum(generator.exponential(1.0, count))
    if arrival.kind == "mmpp":
        return _bursts(arrival, rate_req_per_s, expected, generator)
    if arrival.kind == "sine":
        return _sine(arrival, rate_req_per_s, expected)
    if arrival.kind == "profile":
        return _days(hourly_fraction, rate_req_per_s, expected)
    return expected / rate_req_per_s


def hour_length_s(hourly_fraction: tuple[float, ...], rate_req_per_s: float, count: int) -> float:
    """How long an hour of the profile lasts, so that `count` arrivals make at least `DAY_COUNT` days."""
    return min(SECONDS_PER_HOUR, count / (DAY_COUNT * rate_req_per_s * sum(hourly_fraction)))


def _bursts(
    arrival: Arrival, rate_req_per_s: float, expected: FloatArray, generator: np.random.Generator
) -> FloatArray:
    """Two rates with exponential sojourns, begun in either as often as it holds."""
    low, high = burst_rate_ratios(arrival)
    burst_s = arrival.cycle_s * arrival.burst_fraction
    lull_s = arrival.cycle_s - burst_s
    pieces = 0
    starts_in_burst = generator.random() < arrival.burst_fraction
    lengths, rates = np.zeros(0), np.zeros(0)
    while float(lengths @ rates) <= expected[-1]:
        pieces = 2 * max(pieces, 32)
        in_burst = (np.arange(pieces) % 2 == 0) == starts_in_burst
        lengths = np.concatenate(
            (lengths, generator.exponential(1.0, pieces) * np.where(in_burst, burst_s, lull_s))
        )
        rates = np.concatenate((rates, rate_req_per_s * np.where(in_burst, high, low)))
    return _read_off(expected, lengths, rates)


def _sine(arrival: Arrival, rate_req_per_s: float, expected: FloatArray) -> FloatArray:
    """Rate times 1 + amplitude sin(2 pi t / period)."""
    turn = np.linspace(0.0, 1.0, POINTS_PER_SWING + 1)
    swing = arrival.amplitude_fraction * (1.0 - np.cos(2.0 * math.pi * turn)) / (2.0 * math.pi)
    periods, rest = np.divmod(expected / (rate_req_per_s * arrival.period_s), 1.0)
    times: FloatArray = arrival.period_s * (periods + np.interp(rest, turn + swing, turn))
    return times


def _days(hourly_fraction: tuple[float, ...], peak_rate_req_per_s: float, expected: FloatArray) -> FloatArray:
    hour_s = hour_length_s(hourly_fraction, peak_rate_req_per_s, len(expected))
    per_day = peak_rate_req_per_s * hour_s * sum(hourly_fraction)
    day_count = math.ceil(float(expected[-1]) / per_day)
    rates = peak_rate_req_per_s * np.tile(np.asarray(hourly_fraction), day_count)
    return _read_off(expected, np.full(HOURS_PER_DAY * day_count, hour_s), rates)


def _read_off(expected: FloatArray, lengths_s: FloatArray, rates: FloatArray) -> FloatArray:
    """Times at which the cumulative rate of the pieces reaches the expected counts."""
    ends = np.concatenate((np.zeros(1), np.cumsum(lengths_s)))
    counts = np.concatenate((np.zeros(1), np.cumsum(lengths_s * rates)))
    times: FloatArray = np.interp(expected, counts, ends)
    return times
