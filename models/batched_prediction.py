"""One pool of batched accelerators under one kind of traffic, with days, priorities and patience.

A day's profile is a mixture of its hours, each as if it lasted (pointwise stationary: L. Green and
P. Kolesar 1991). Two priorities share out the wait of the common queue: with W0 = W (1 - rho), those
served first wait W0 / (1 - rho_high), the others W0 / ((1 - rho_high)(1 - rho)) (A. Cobham 1954).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from models.abandonment import impatient_pool
from models.architectures import batched_accelerator
from models.arrival_phases import STEADY, Phase, phases_of
from models.batched_operation import SteadyState, class_latencies, mean_latencies_s, siblings_s, steady_state
from models.first_token import mean_itl_s, mean_wait_s, prefill_stage
from models.latency_sample import sample_pool, sample_requests
from models.performance import OperatingPoint
from models.prediction import CallSample, Prediction, good_fraction
from models.processor_sharing import SharedReplica, share
from models.request_mix import mix_of
from models.systems import BatchedPool
from models.task_time import task_sample
from models.traffic import Traffic
from models.workloads import Target

STATIONARY_PEAK = 0.95  # an hour nearer to saturation never becomes stationary


def predict(pool: BatchedPool, traffic: Traffic, targets: Sequence[Target], point_count: int) -> Prediction:
    """What the formulas say; `point_count` (a power of two) points in the percentiles' sample."""
    load, count = traffic.load, pool.replica_count
    replica = share(pool.replica, mix_of(load.classes), pool.scheduler)
    if replica is None:
        point = batched_accelerator.operate(pool.replica, load, count, scheduler=pool.scheduler)
        return Prediction(point=point, backlog_growth_req_per_s=load.rate_req_per_s)
    if traffic.patience_mean_s is not None:
        return _impatient(pool, replica, traffic, targets, point_count)
    highest = replica.max_rate_req_per_s * count
    peak = (
        load.rate_req_per_s
        * max(traffic.shape_of_day)
        * len(traffic.shape_of_day)
        / sum(traffic.shape_of_day)
    )
    if load.rate_req_per_s >= highest or (len(traffic.shape_of_day) > 1 and peak > STATIONARY_PEAK * highest):
        return _saturated(load.rate_req_per_s, peak, highest)
    point = batched_accelerator.operate(
        pool.replica,
        load,
        count,
        point_count=point_count,
        routing=pool.routing,
        scheduler=pool.scheduler,
    )
    states = _by_priority(_states(pool, replica, traffic), traffic.high_share_fraction, point)
    if len(states) > 1:
        latencies = class_latencies(states, load.classes, count, pool.replica.overhead_s, point_count)
        point = replace(point, latencies=latencies, **_over_time(states, replica, count))
    good = _good_fraction(states, pool, traffic, targets, point_count)
    return Prediction(point=point, goodput_req_per_s=load.rate_req_per_s * good)


def _over_time(states: Sequence[SteadyState], replica: SharedReplica, replica_count: int) -> dict[str, Any]:
    """What the pool does on average; time in no state is time without calls."""
    hours = np.array([state.time_fraction for state in states])
    busy = float(hours @ np.array([state.held.busy_slot_count for state in states])) / replica_count
    calls = np.array([state.weight for state in states])
    full = np.array([state.held.full_probability for state in states])
    return {
        "mean_busy_slot_count_per_replica": busy,
        "slot_occupancy_fraction": busy / replica.slot_count,
        "busy_fraction": float(hours @ np.array([state.held.busy_fraction for state in states])),
        "wait_probability_fraction": float(calls @ full / calls.sum()),
    }


def _saturated(rate: float, peak_rate: float, highest: float) -> Prediction:
    notices: tuple[str, ...] = ()
    growth = rate - highest
    if growth < 0.0:
        growth = max(peak_rate - highest, 0.0)
        notices = (
            "In the busiest hour more is asked than can be served for long; growth is that hour's."
            " Simulate to see how the day recovers.",
        )
    point = OperatingPoint(
        stable=False,
        utilisation_fraction=rate / highest,
        max_rate_req_per_s=highest,
        notices=notices,
    )
    return Prediction(point=point, backlog_growth_req_per_s=growth)


def _states(pool: BatchedPool, replica: SharedReplica, traffic: Traffic) -> list[SteadyState]:
    """The pool in each phase of its arrivals; a fan-out's calls arrive in one clump."""
    rate, clump = traffic.mean_call_rate_req_per_s, float(traffic.fan_out_count)
    count, routing = pool.replica_count, pool.routing
    if traffic.arrival.kind == "profile":
        phases = _hours(traffic.hourly_fraction)
    else:
        steady = steady_state(replica, rate, count, replace(STEADY, scv_ratio=clump), routing)
        _, latency_s = mean_latencies_s(steady, traffic.load.classes[0], count)
        phases = phases_of(
            traffic.arrival,
            rate_req_per_s=rate,
            latency_s=latency_s,
            utilisation_fraction=rate / (replica.max_rate_req_per_s * count),
        )
    return [
        steady_state(replica, rate, count, replace(phase, scv_ratio=phase.scv_ratio * clump), routing)
        for phase in phases
    ]


def _hours(hourly_fraction: tuple[float, ...]) -> tuple[Phase, ...]:
    """Hours of the same rate together; hours without calls have no call to speak for them."""
    mean = sum(hourly_fraction) / len(hourly_fraction)
    return tuple(
        Phase(rate_ratio=share / mean, time_fraction=hours / len(hourly_fraction), scv_ratio=1.0)
        for share, hours in sorted(Counter(hourly_fraction).items())
        if share > 0.0
    )


def _by_priority(states: list[SteadyState], high_share: float, point: OperatingPoint) -> list[SteadyState]:
    """Each state as those served first see it, and as the others do."""
    if not 0.0 < high_share < 1.0 or point.utilisation_fraction is None:
        return states
    utilisation = point.utilisation_fraction
    first = (1.0 - utilisation) / (1.0 - utilisation * high_share)
    other = 1.0 / (1.0 - utilisation * high_share)
    return [
        _waiting(state, ratio, weight)
        for state in states
        for ratio, weight in ((first, high_share), (other, 1.0 - high_share))
    ]


def _waiting(state: SteadyState, ratio: float, weight: float) -> SteadyState:
    """The state with another wait for a slot, and another weight."""
    held = replace(state.held, wait_if_full_s=state.held.wait_if_full_s * ratio)
    return replace(
        state,
        held=held,
        wait_s=mean_wait_s(state.stage, held),
        weight=state.weight * weight,
        time_fraction=state.time_fraction * weight,
    )


def _impatient(
    pool: BatchedPool, replica: SharedReplica, traffic: Traffic, targets: Sequence[Target], point_count: int
) -> Prediction:
    """Stable at any rate: calls that wait too long leave by themselves."""
    load, count = traffic.load, pool.replica_count
    rate, highest = load.rate_req_per_s, replica.max_rate_req_per_s * count
    impatient = impatient_pool(replica, rate, count, traffic.patience_mean_s or 0.0)
    held = impatient.held
    stage = prefill_stage(held, count, pool.routing)
    state = SteadyState(
        weight=1.0,
        time_fraction=1.0,
        held=held,
        stage=stage,
        wait_s=mean_wait_s(stage, held),
        itl_s=mean_itl_s(stage, held, count),
    )
    notices: tuple[str, ...] = ("Calls that give up are left out of the latencies.",)
    if traffic.arrival.kind != "poisson" or traffic.high_share_fraction > 0.0:
        notices += ("With patience the formulas take Poisson arrivals and one priority; simulate the rest.",)
    point = OperatingPoint(
        stable=True,
        utilisation_fraction=rate / highest,
        max_rate_req_per_s=highest,
        slot_occupancy_fraction=held.busy_slot_count / (count * replica.slot_count),
        busy_fraction=held.busy_fraction,
        mean_busy_slot_count_per_replica=held.busy_slot_count / count,
        wait_probability_fraction=held.full_probability,
        latencies=class_latencies([state], load.classes, count, pool.replica.overhead_s, point_count),
        notices=notices,
    )
    served = rate * (1.0 - impatient.abandonment_fraction)
    return Prediction(
        point=point,
        goodput_req_per_s=served * _good_fraction([state], pool, traffic, targets, point_count),
        abandonment_fraction=impatient.abandonment_fraction,
    )


def _good_fraction(
    states: Sequence[SteadyState],
    pool: BatchedPool,
    traffic: Traffic,
    targets: Sequence[Target],
    point_count: int,
) -> float:
    """Share of calls within every limit, over all states."""
    weights = np.array([state.weight for state in states])
    shares = [_good_in(state, pool, traffic, targets, point_count) for state in states]
    return float(weights @ np.array(shares) / weights.sum())


def _good_in(
    state: SteadyState, pool: BatchedPool, traffic: Traffic, targets: Sequence[Target], point_count: int
) -> float:
    only = traffic.load.classes[0]
    found = sample_requests(sample_pool(state.held, state.stage, state.itl_s or 0.0, point_count), only)
    shift_s = pool.replica.overhead_s + siblings_s(state, only, pool.replica_count)
    gaps = np.where(found.decode_tok > 0, found.decode_tok, np.nan)
    sample = CallSample(
        ttft_s=found.ttft_s + shift_s,
        tpot_s=(found.e2e_s - found.ttft_s) / gaps,
        e2e_s=found.e2e_s + shift_s,
    )
    task_s = task_sample(sample.e2e_s, only.sequential_call_count, only.pause_s, only.fan_out_count)
    return good_fraction(sample, task_s, targets)
