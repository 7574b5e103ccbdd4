"""One pool of batched accelerators under one kind of traffic, with days, priorities and patience.

Two priorities share out the wait of the common queue: with W0 = W (1 - rho), those
served first wait W0 / (1 - rho_high), the others W0 / ((1 - rho_high)(1 - rho)) (A. Cobham 1954).
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from models.abandonment import impatient_pool
from models.architectures import batched_accelerator
from models.arrival_states import arrival_states
from models.batched_operation import SteadyState, class_latencies, siblings_s
from models.first_token import mean_itl_s, mean_wait_s, prefill_stage
from models.latency_sample import sample_pool, sample_requests
from models.performance import Load, OperatingPoint
from models.prediction import CallSample, Prediction, good_fraction
from models.processor_sharing import SharedReplica, share
from models.request_mix import mix_of
from models.systems import BatchedPool
from models.task_time import task_sample
from models.traffic import Traffic
from models.workloads import Arrival, Target


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
    if load.rate_req_per_s >= highest:
        return _saturated(load.rate_req_per_s, highest)
    point = batched_accelerator.operate(
        pool.replica,
        _as_given(traffic),
        count,
        point_count=point_count,
        routing=pool.routing,
        scheduler=pool.scheduler,
    )
    states = _states(pool, replica, traffic)
    if 0.0 < traffic.high_share_fraction < 1.0:
        states = _by_priority(states, traffic.high_share_fraction, point)
        latencies = class_latencies(states, load.classes, count, pool.replica.overhead_s, point_count)
        point = replace(point, latencies=latencies)
    good = _good_fraction(states, pool, traffic, targets, point_count)
    return Prediction(point=point, goodput_req_per_s=load.rate_req_per_s * good)


def _saturated(rate: float, highest: float) -> Prediction:
    point = OperatingPoint(stable=False, utilisation_fraction=rate / highest, max_rate_req_per_s=highest)
    return Prediction(point=point, backlog_growth_req_per_s=rate - highest)


def _arrival(traffic: Traffic) -> Arrival:
    return replace(traffic.arrival, hourly_fraction=traffic.hourly_fraction)


def _as_given(traffic: Traffic) -> Load:
    """The calls at the rate that is given: for a profile that of the peak."""
    arrival, load = _arrival(traffic), traffic.load
    classes = tuple(
        replace(each, rate_req_per_s=each.rate_req_per_s / arrival.mean_to_given_ratio)
        for each in load.classes
    )
    return Load(classes=classes, arrival=arrival)


def _states(pool: BatchedPool, replica: SharedReplica, traffic: Traffic) -> list[SteadyState]:
    return arrival_states(
        replica,
        _arrival(traffic),
        traffic.load.classes,
        traffic.mean_call_rate_req_per_s,
        pool.replica_count,
        pool.routing,
    )


def _by_priority(states: list[SteadyState], high_share: float, point: OperatingPoint) -> list[SteadyState]:
    """Each state as those served first see it, and as the others do."""
    utilisation = point.utilisation_fraction or 0.0
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
