"""Steady stretches of an arrival process, and calls sampled over all of them.

For systems without a solver of their own in time: swings and bursts are taken as a mixture of steady
states (pointwise stationary approximation), which needs the highest of them to be sustainable. A load is
therefore held against its highest rate, on the safe side.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from models.arrival_phases import STEADY, Phase, burst_rate_ratios, phases_of
from models.fixed_sample import shuffles
from models.performance import ClassLatency, Load, RequestClass
from models.prediction import CallSample, latency_of, with_overhead
from models.workloads import Arrival

FloatArray = NDArray[np.float64]
ORDER_COUNT = 8  # the last of so many fixed orders: the first belong to stages and tasks


def steady_phases(arrival: Arrival) -> tuple[Phase, ...]:
    """The phases of an arrival process, undamped: bursts at their high and low rate, swings in steps."""
    if arrival.kind == "mmpp" and arrival.burst_ratio > 1.0 and 0.0 < arrival.burst_fraction < 1.0:
        low, high = burst_rate_ratios(arrival)
        return (
            replace(STEADY, rate_ratio=high, time_fraction=arrival.burst_fraction),
            replace(STEADY, rate_ratio=low, time_fraction=1.0 - arrival.burst_fraction),
        )
    return tuple(phase for phase in phases_of(arrival, 0.0) if phase.rate_ratio > 0.0)


def highest_ratio(phases: Sequence[Phase]) -> float:
    """The highest phase's rate over the mean rate."""
    return max(phase.rate_ratio for phase in phases)


def classes_in(phase: Phase, classes: Sequence[RequestClass]) -> tuple[RequestClass, ...]:
    """The classes at the rates of a phase."""
    return tuple(replace(each, rate_req_per_s=each.rate_req_per_s * phase.rate_ratio) for each in classes)


def mean_rates(load: Load) -> tuple[RequestClass, ...]:
    """The classes at their mean rates; equal rates where none has any yet."""
    if load.rate_req_per_s <= 0:
        return tuple(replace(each, rate_req_per_s=1.0) for each in load.classes)
    ratio = load.arrival.mean_to_given_ratio
    return tuple(replace(each, rate_req_per_s=each.rate_req_per_s * ratio) for each in load.classes)


def mixed(values: Sequence[FloatArray], weights: Sequence[float]) -> FloatArray:
    """One equally weighted sample of a mixture: each point is taken from one of the parts' samples.

    values  samples of one shape, point by point of the same request; weights: of the parts
    """
    if len(values) == 1:
        return values[0]
    point_count = len(values[0])
    shares = np.cumsum(np.asarray(weights) / sum(weights))
    even = (np.arange(point_count) + 0.5) / point_count
    turn = shuffles(point_count, ORDER_COUNT)[-1]
    part = np.minimum(np.searchsorted(shares, even[turn]), len(values) - 1)
    chosen: FloatArray = np.stack(values)[part, np.arange(point_count)]
    return chosen


def mixed_calls(parts: Sequence[CallSample], weights: Sequence[float]) -> CallSample:
    """Calls of all phases, each phase by its share of the calls."""
    return CallSample(
        ttft_s=mixed([each.ttft_s for each in parts], weights),
        tpot_s=mixed([each.tpot_s for each in parts], weights),
        e2e_s=mixed([each.e2e_s for each in parts], weights),
    )


def time_mean(phases: Sequence[Phase], values: Sequence[float]) -> float:
    """Mean over the phases by how long they last."""
    total = sum(phase.time_fraction for phase in phases)
    return sum(phase.time_fraction * value for phase, value in zip(phases, values, strict=True)) / total


def mixed_latency(
    each: RequestClass,
    phases: Sequence[Phase],
    parts: Sequence[tuple[CallSample, FloatArray, float]],
    overhead_s: float,
) -> ClassLatency:
    """One class's latencies over all phases, `overhead_s` seconds of network and tokenizer included.

    parts  of each phase: calls, gaps between tokens, and the mean gap
    """
    weights = [phase.time_fraction * phase.rate_ratio for phase in phases]
    sample = with_overhead(mixed_calls([part[0] for part in parts], weights), overhead_s)
    itl_s = mixed([part[1] for part in parts], weights)
    mean_s = sum(w * part[2] for w, part in zip(weights, parts, strict=True)) / sum(weights)
    return latency_of(each, sample, itl_s, mean_s)[0]
