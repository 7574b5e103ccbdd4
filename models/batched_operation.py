"""From a load on a batched accelerator to what its users see: one operating point."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from models.arrival_phases import Phase
from models.first_token import (
    PrefillStage,
    mean_beside_s,
    mean_itl_s,
    mean_own_prefill_s,
    mean_prefill_s,
    mean_slot_wait_s,
    mean_step_wait_s,
    mean_wait_s,
    prefill_stage,
)
from models.latency_sample import PoolSample, sample_pool, sample_requests
from models.percentiles import QUANTILES, UNKNOWN, Percentiles
from models.performance import ClassLatency, FirstTokenParts, RequestClass
from models.processor_sharing import Occupancy, Routing, SharedReplica, occupancy
from models.request_mix import length_moments
from models.task_time import task_sample

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class SteadyState:
    """A pool in one phase of its arrivals.

    weight         share of all requests that arrive in this phase
    time_fraction  share of time that it lasts
    wait_s   mean time from arrival to the step that starts one's prompt
    itl_s    mean gap between tokens; None where no request has a second token
    burst_s  mean seconds that prompts add because arrivals come in bursts shorter than a step
    """

    weight: float
    time_fraction: float
    held: Occupancy
    stage: PrefillStage
    wait_s: float
    itl_s: float | None
    burst_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseSample:
    """One class's requests and tokens in one phase, in seconds, and the means known exactly."""

    weight: float
    ttft_s: FloatArray
    e2e_s: FloatArray
    tpot_s: FloatArray
    mean_ttft_s: float
    mean_e2e_s: float


def steady_state(
    replica: SharedReplica, rate_req_per_s: float, replica_count: int, phase: Phase, routing: Routing
) -> SteadyState:
    """The pool in one phase; the phase's rate must be above zero and sustainable."""
    held = occupancy(
        replica,
        rate_req_per_s * phase.rate_ratio,
        replica_count,
        arrival_scv_ratio=phase.scv_ratio,
        routing=routing,
    )
    stage = prefill_stage(held, replica_count, routing)
    return SteadyState(
        weight=phase.time_fraction * phase.rate_ratio,
        time_fraction=phase.time_fraction,
        held=held,
        stage=stage,
        wait_s=mean_wait_s(stage, held),
        itl_s=mean_itl_s(stage, held, replica_count),
    )


def mean_latencies_s(state: SteadyState, each: RequestClass, replica_count: int) -> tuple[float, float]:
    """Mean TTFT and E2E in seconds of one class, network overhead excluded."""
    fresh = length_moments(each.input_tok, each.cached_input_fraction)
    prefill_s = mean_prefill_s(state.stage, state.held, fresh.mean, fresh.bins_tok)
    ttft_s = state.wait_s + prefill_s + siblings_s(state, each, replica_count)
    decode_tok = length_moments(each.output_tok).mean - 1.0
    return ttft_s, ttft_s + decode_tok * (state.itl_s or 0.0)


def first_token_parts(
    states: Sequence[SteadyState], each: RequestClass, replica_count: int, overhead_s: float
) -> FirstTokenParts:
    """The mean TTFT of a class term by term, over the phases by how many requests arrive in each."""
    fresh = length_moments(each.input_tok, each.cached_input_fraction)
    weights = np.array([state.weight for state in states])
    terms = np.array(
        [
            (
                mean_slot_wait_s(state.held),
                mean_step_wait_s(state.stage, state.held),
                mean_beside_s(state.stage, state.held) + siblings_s(state, each, replica_count),
                mean_own_prefill_s(state.stage, state.held, fresh.mean, fresh.bins_tok),
            )
            for state in states
        ]
    )
    slot_wait_s, step_wait_s, beside_s, own_prefill_s = (float(x) for x in weights @ terms / weights.sum())
    return FirstTokenParts(
        slot_wait_s=slot_wait_s,
        step_wait_s=step_wait_s,
        beside_s=beside_s,
        own_prefill_s=own_prefill_s,
        overhead_s=overhead_s,
    )


def siblings_s(state: SteadyState, each: RequestClass, replica_count: int) -> float:
    """Mean seconds that prompts of the same fan-out or burst add: they share one's own steps."""
    prompts = max(each.fan_out_count / replica_count, 1.0)
    replica = state.held.replica
    prompt_tok = length_moments(each.input_tok, each.cached_input_fraction).mean
    others_tok = (prompts - 1.0) * prompt_tok
    beside_tok = min(others_tok, (others_tok + replica.token_budget_tok) / 2.0)
    return state.burst_s + replica.step.delta_s_per_input_tok * beside_tok


def class_latencies(
    states: Sequence[SteadyState],
    classes: Sequence[RequestClass],
    replica_count: int,
    overhead_s: float,
    point_count: int,
) -> tuple[ClassLatency, ...]:
    """The latencies each class sees over all phases, network overhead included."""
    pools = [sample_pool(state.held, state.stage, state.itl_s or 0.0, point_count) for state in states]
    itl_s = _gap_percentiles(states, pools)
    return tuple(
        replace(
            _class_latency(
                itl_s,
                [
                    _phase_sample(state, pool, each, replica_count, overhead_s)
                    for state, pool in zip(states, pools, strict=True)
                ],
                each,
                point_count,
            ),
            ttft_parts=first_token_parts(states, each, replica_count, overhead_s),
        )
        for each in classes
    )


def _gap_percentiles(states: Sequence[SteadyState], pools: Sequence[PoolSample]) -> Percentiles:
    """Gaps between tokens, which all classes of a pool share."""
    weights = np.array([state.weight for state in states])
    samples = [
        pool.itl_s if state.itl_s is not None else pool.itl_s[:0]
        for state, pool in zip(states, pools, strict=True)
    ]
    return _pooled(samples, weights / weights.sum(), [state.itl_s for state in states])


def _class_latency(
    itl_s: Percentiles, samples: Sequence[PhaseSample], each: RequestClass, point_count: int
) -> ClassLatency:
    weights = np.array([sample.weight for sample in samples])
    weights = weights / weights.sum()
    e2e_s = _resampled([sample.e2e_s for sample in samples], weights, point_count)
    mean_e2e_s = float(weights @ np.array([sample.mean_e2e_s for sample in samples]))
    task_s = task_sample(e2e_s, each.sequential_call_count, each.pause_s, each.fan_out_count)
    known_task_mean = (
        each.sequential_call_count * mean_e2e_s + (each.sequential_call_count - 1) * each.pause_s
        if each.fan_out_count == 1
        else float(task_s.mean())
    )
    e2e = _pooled([s.e2e_s for s in samples], weights, [s.mean_e2e_s for s in samples])
    return ClassLatency(
        name=each.name,
        ttft_s=_pooled([s.ttft_s for s in samples], weights, [s.mean_ttft_s for s in samples]),
        itl_s=itl_s,
        tpot_s=_pooled([s.tpot_s for s in samples], weights, None),
        e2e_s=e2e,
        task_s=e2e if task_s is e2e_s else _pooled([task_s], np.ones(1), [known_task_mean]),
    )


def _phase_sample(
    state: SteadyState, pool: PoolSample, each: RequestClass, replica_count: int, overhead_s: float
) -> PhaseSample:
    requests = sample_requests(pool, each)
    mean_ttft_s, mean_e2e_s = mean_latencies_s(state, each, replica_count)
    shift_s = overhead_s + siblings_s(state, each, replica_count)
    return PhaseSample(
        weight=state.weight,
        ttft_s=requests.ttft_s + shift_s,
        e2e_s=requests.e2e_s + shift_s,
        tpot_s=requests.tpot_s,
        mean_ttft_s=mean_ttft_s + overhead_s,
        mean_e2e_s=mean_e2e_s + overhead_s,
    )


def _pooled(
    samples: Sequence[FloatArray], weights: FloatArray, means: Sequence[float | None] | None
) -> Percentiles:
    """Percentiles of a weighted mixture; means known better than the sample's take their place."""
    if any(len(sample) == 0 for sample in samples):
        return UNKNOWN
    if means is None:
        means = [float(sample.mean()) for sample in samples]
    mean = sum(float(w) * m for w, m in zip(weights, means, strict=True) if m is not None)
    p50, p90, p95, p99 = (float(value) for value in _quantiles(samples, weights))
    return Percentiles(mean=mean, p50=p50, p90=p90, p95=p95, p99=p99)


def _quantiles(samples: Sequence[FloatArray], weights: FloatArray) -> FloatArray:
    if len(samples) == 1:
        return _sample_quantiles(samples[0])
    return _mixture_at(np.asarray(QUANTILES), samples, weights)


def _sample_quantiles(sample: FloatArray) -> FloatArray:
    """Linear interpolation between order statistics (Hyndman and Fan 1996, type 7), after one sort."""
    ordered = np.sort(sample)
    position = np.asarray(QUANTILES) * (len(ordered) - 1)
    below = position.astype(np.int64)
    above = np.minimum(below + 1, len(ordered) - 1)
    values: FloatArray = ordered[below] + (position - below) * (ordered[above] - ordered[below])
    return values


def _resampled(samples: Sequence[FloatArray], weights: FloatArray, point_count: int) -> FloatArray:
    """One equally weighted sample of a mixture, ascending for several phases."""
    if len(samples) == 1:
        return samples[0]
    return _mixture_at((np.arange(point_count) + 0.5) / point_count, samples, weights)


def _mixture_at(fractions: FloatArray, samples: Sequence[FloatArray], weights: FloatArray) -> FloatArray:
    """Values of a weighted mixture of samples at the given fractions."""
    pooled = np.concatenate(samples)
    mass = np.concatenate([np.full(len(s), w / len(s)) for s, w in zip(samples, weights, strict=True)])
    order = np.argsort(pooled)
    middles = np.cumsum(mass[order]) - mass[order] / 2.0
    values: FloatArray = np.interp(fractions, middles, pooled[order])
    return values
