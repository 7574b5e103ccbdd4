"""What an arrival process makes of a pool: the states it goes through, and how many requests meet each.

Bursts of random length are one larger chain. Swings that stay below 90 % of what the pool sustains are a
mixture of steady states; those that come nearer or pass it leave a backlog, which is followed in time.
"""

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from models.arrival_phases import STEADY, phases_of
from models.batched_operation import SteadyState, mean_latencies_s, steady_state
from models.modulated import modulated_states
from models.performance import RequestClass
from models.shared_replica import Routing, SharedReplica
from models.short_bursts import burst_s
from models.transient import transient_states
from models.workloads import Arrival

FloatArray = NDArray[np.float64]

QUASI_STATIONARY_PEAK = 0.90  # of capacity; up to here a mixture of steady states holds
SECONDS_PER_DAY = 86_400.0
STEPS_PER_SWING = 200
STEPS_PER_HOUR = 20


def is_followed(arrival: Arrival, utilisation_fraction: float) -> bool:
    """Whether a swing comes so near to saturation, at this mean utilisation, that it is followed in time."""
    return (
        arrival.peak_to_mean_ratio > 1.0
        and arrival.peak_to_mean_ratio * utilisation_fraction > QUASI_STATIONARY_PEAK
    )


def arrival_states(
    replica: SharedReplica,
    arrival: Arrival,
    classes: tuple[RequestClass, ...],
    mean_rate_req_per_s: float,
    replica_count: int,
    routing: Routing,
) -> list[SteadyState]:
    """The pool's states under arrivals of this mean rate, above zero and below what the pool sustains.

    Only the ratios of the classes' rates matter. A fan-out's calls arrive in one clump.
    """
    total = sum(each.rate_req_per_s for each in classes)
    clump = sum(each.rate_req_per_s * each.fan_out_count for each in classes) / total
    utilisation = mean_rate_req_per_s / (replica.max_rate_req_per_s * replica_count)
    if is_followed(arrival, utilisation):
        rates, step_s = _rates(arrival, mean_rate_req_per_s)
        return transient_states(replica, rates, step_s, replica_count, routing, arrival_scv_ratio=clump)
    if arrival.kind == "mmpp" and arrival.burst_ratio != 1.0:
        return modulated_states(
            replica, arrival, mean_rate_req_per_s, replica_count, routing, arrival_scv_ratio=clump
        )
    steady = steady_state(
        replica, mean_rate_req_per_s, replica_count, replace(STEADY, scv_ratio=clump), routing
    )
    if arrival.kind == "poisson":
        return [steady]
    latency_s = sum(
        each.rate_req_per_s * mean_latencies_s(steady, each, replica_count)[1] for each in classes
    )
    phases = phases_of(arrival, latency_s / total)
    states = [
        steady_state(
            replica,
            mean_rate_req_per_s,
            replica_count,
            replace(phase, scv_ratio=phase.scv_ratio * clump),
            routing,
        )
        for phase in phases
    ]
    if arrival.kind != "gamma":
        return states
    return [
        replace(state, burst_s=burst_s(state, mean_rate_req_per_s, arrival.scv_ratio, replica_count))
        for state in states
    ]


def _rates(arrival: Arrival, mean_rate_req_per_s: float) -> tuple[FloatArray, float]:
    """The rate in even steps over one period, and their length in seconds."""
    if arrival.kind == "profile":
        shape = np.repeat(np.array(arrival.hourly_fraction), STEPS_PER_HOUR)
        return mean_rate_req_per_s * shape / shape.mean(), SECONDS_PER_DAY / len(shape)
    turn = 2.0 * math.pi * (np.arange(STEPS_PER_SWING) + 0.5) / STEPS_PER_SWING
    swing: FloatArray = 1.0 + arrival.amplitude_fraction * np.sin(turn)
    return mean_rate_req_per_s * swing, arrival.period_s / STEPS_PER_SWING
