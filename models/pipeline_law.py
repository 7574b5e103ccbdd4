"""A pipeline that tokens flow through, as on wafers: full speed until its slowest stage is busy.

Each token of each sequence passes every stage. With L0 the time of a pass through the empty pipeline and
s the time it occupies the slowest stage, b sequences see a token every `max(L0, b s)` seconds: L0 / s of
them fly free, and no more than 1 / s tokens a second come out. A prompt occupies the slowest stage for
D seconds; a token that meets it is late, by h(D) = D^2 / (2 L0) per pass if D < L0, else D - L0 / 2:
`ITL = max(L0, b s) / (1 - rate E[h(D)])`. Occupancy is that of shared slots with this law.

Public facts give a ceiling of 1 / L0 and no curve: the law bounds what may be hoped for, an envelope of
several stage times is the honest answer, and one measured load test replaces it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.first_token import noticing_s
from models.fixed_sample import uniforms
from models.latency_sample import OWN_OUTPUT, OWN_PROMPT, STATE, WAIT
from models.performance import OperatingPoint, RequestClass, StepLaw
from models.prediction import CallSample, Prediction, good_fraction, latency_of
from models.processor_sharing import Count, Occupancy, SharedReplica, occupancy, slots_within_kv
from models.request_mix import RequestMix, length_moments, mix_of
from models.systems import Pipeline, PipelinePool
from models.traffic import Traffic
from models.workloads import Target

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineReplica(SharedReplica):
    """One pipeline as its calls feel it.

    stall_fraction  share of time by which prompts delay the tokens that fly free
    """

    pipeline: Pipeline
    stall_fraction: float

    def decode_step_s(self, held_count: Count) -> Count:
        """Seconds between the tokens of one of `held_count` sequences, prompts left out; any shape."""
        return _larger(self.pipeline.unloaded_token_s, held_count * self.pipeline.bottleneck_s_per_tok)

    def shared_step_s(self, held_count: Count) -> Count:
        """The same with the prompts: stalls while tokens fly free, their occupancy when they queue."""
        free_s = self.pipeline.unloaded_token_s / (1.0 - self.stall_fraction)
        return _larger(free_s, held_count * self.linear_s)

    def gap_s(self, held_count: Count) -> Count:
        """Seconds between two tokens of one of `held_count` sequences; any shape.

        Its own prompt is over by then: it is left out by the part of the pipeline that a sequence fills,
        wholly where one fills it all (within 10 % of simulation while prompts take below 30 % of the time).
        """
        free_s = self.pipeline.unloaded_token_s / (1.0 - self.stall_fraction)
        stage_s = self.pipeline.bottleneck_s_per_tok
        others: Count = np.maximum(held_count - stage_s / self.pipeline.unloaded_token_s, 0.0)
        return _larger(free_s, held_count * stage_s + others * (self.linear_s - stage_s))


def _larger(floor_s: float, time_s: Count) -> Count:
    larger: Count = np.maximum(floor_s, time_s)
    return larger


def stall_s(pipeline: Pipeline, prompt_bins_tok: FloatArray) -> float:
    """E[h(D)]: seconds that one prompt takes from the tokens flying free, mean."""
    busy_s = pipeline.bottleneck_s_per_input_tok * prompt_bins_tok
    free_s = pipeline.unloaded_token_s
    return float(np.where(busy_s < free_s, busy_s**2 / (2.0 * free_s), busy_s - free_s / 2.0).mean())


def pipeline_replica(pipeline: Pipeline, mix: RequestMix, rate_req_per_s: float) -> PipelineReplica | None:
    """One pipeline under its own share of the calls; None where the KV cache holds not one of them."""
    slots = slots_within_kv(pipeline.slot_count, pipeline.kv_capacity_tok, mix)
    if slots < 1:
        return None
    prompt_s = pipeline.bottleneck_s_per_input_tok * mix.prompt_tok
    return PipelineReplica(
        step=StepLaw(
            alpha_s=pipeline.unloaded_token_s,
            beta_s_per_seq=pipeline.bottleneck_s_per_tok,
            delta_s_per_input_tok=pipeline.bottleneck_s_per_input_tok,
        ),
        mix=mix,
        slot_count=slots,
        token_budget_tok=slots,
        chunk_tok=float("inf"),
        step_count=mix.output_tok,
        decode_fraction=1.0,
        linear_s=pipeline.bottleneck_s_per_tok + prompt_s / mix.output_tok,
        pipeline=pipeline,
        stall_fraction=min(rate_req_per_s * stall_s(pipeline, mix.prompt_bins_tok), 0.999),
    )


def predict(pool: PipelinePool, traffic: Traffic, targets: Sequence[Target], point_count: int) -> Prediction:
    """What the law says about pipelines side by side; arrivals are taken as Poisson at their mean rate."""
    load = traffic.load
    rate, mix = load.rate_req_per_s, mix_of(load.classes)
    empty = pipeline_replica(pool.pipeline, mix, 0.0)
    if empty is None:
        return _saturated(rate, 0.0, ("The KV cache cannot hold a single request of this size.",))
    highest = highest_rate_req_per_s(pool, empty)
    if rate >= highest:
        return _saturated(rate, highest, ())
    replica = pipeline_replica(pool.pipeline, mix, rate / pool.replica_count) or empty
    held = occupancy(replica, rate, pool.replica_count, routing=pool.routing)
    sample, itl_s, itl_mean_s = sample_calls(replica, held, load.classes[0], point_count)
    latency, task_s = latency_of(load.classes[0], sample, itl_s, itl_mean_s)
    busy_slots = held.busy_slot_count / pool.replica_count
    point = OperatingPoint(
        stable=True,
        utilisation_fraction=rate / highest,
        max_rate_req_per_s=highest,
        slot_occupancy_fraction=busy_slots / replica.slot_count,
        busy_fraction=held.busy_fraction,
        mean_busy_slot_count_per_replica=busy_slots,
        wait_probability_fraction=held.full_probability,
        latencies=(latency,),
        notices=("No load curve of a wafer-scale system is public: read this as the law's answer, no more.",),
    )
    return Prediction(point=point, goodput_req_per_s=rate * good_fraction(sample, task_s, targets))


def highest_rate_req_per_s(pool: PipelinePool, replica: PipelineReplica) -> float:
    """The rate all pipelines sustain; slots held longer by stalls lower it, so it is found by trial."""
    pipeline, mix = pool.pipeline, replica.mix
    stage_limit = 1.0 / (replica.linear_s * mix.output_tok)
    slot_limit = replica.slot_count / (
        mix.output_tok * pipeline.unloaded_token_s
        + replica.slot_count * stall_s(pipeline, mix.prompt_bins_tok)
    )
    return pool.replica_count * min(stage_limit, slot_limit)


def _saturated(rate: float, highest: float, notices: tuple[str, ...]) -> Prediction:
    point = OperatingPoint(
        stable=False,
        utilisation_fraction=rate / highest if highest > 0.0 else None,
        max_rate_req_per_s=highest,
        notices=notices,
    )
    return Prediction(point=point, backlog_growth_req_per_s=rate - highest)


def sample_calls(
    replica: PipelineReplica, held: Occupancy, only: RequestClass, point_count: int
) -> tuple[CallSample, FloatArray, float]:
    """One class's calls through the pipeline that all share; gaps between tokens, and their mean."""
    draws = uniforms(point_count)
    cumulative = np.cumsum(held.probability)
    state = np.minimum(np.searchsorted(cumulative, draws[STATE] * cumulative[-1]), len(cumulative) - 1)
    prompts, answers = (
        length_moments(only.input_tok, only.cached_input_fraction).bins_tok,
        length_moments(only.output_tok).bins_tok,
    )
    per_token_s = replica.pipeline.bottleneck_s_per_input_tok
    own_s = per_token_s * prompts[(draws[OWN_PROMPT] * len(prompts)).astype(np.int64)]
    decode_tok = answers[(draws[OWN_OUTPUT] * len(answers)).astype(np.int64)] - 1.0
    token_s = replica.decode_step_s(held.held_per_replica[state])
    full = held.count[state] >= held.capacity_count
    slot_wait_s = np.where(full, -np.log(draws[WAIT]) * held.wait_if_full_s, 0.0)
    behind_s = _behind_s(held, per_token_s * replica.mix.prompt_bins_tok)
    stage_s = replica.pipeline.bottleneck_s_per_tok
    in_service_s = held.per_replica_rate * replica.mix.output_tok * stage_s**2 / 2.0
    ttft_s = slot_wait_s + behind_s + in_service_s + own_s + token_s
    gaps_s = replica.gap_s(held.held_per_replica)
    weight = held.probability * held.held_per_replica / replica.shared_step_s(held.held_per_replica)
    itl_mean_s = float(weight @ gaps_s) / float(weight.sum())
    by_weight = np.cumsum(weight)
    met = np.minimum(np.searchsorted(by_weight, draws[STATE] * by_weight[-1]), len(by_weight) - 1)
    e2e_s = ttft_s + decode_tok * _own_gap_s(gaps_s[state], itl_mean_s, decode_tok, replica.mix.decode_tok)
    tpot_s = np.where(decode_tok > 0, (e2e_s - ttft_s) / np.maximum(decode_tok, 1.0), np.nan)
    return CallSample(ttft_s=ttft_s, tpot_s=tpot_s, e2e_s=e2e_s), gaps_s[met], itl_mean_s


def _behind_s(held: Occupancy, work_s: FloatArray) -> float:
    """Mean seconds that a prompt waits for those before it in the slowest stage.

    Pollaczek and Khinchine's mean on one pipeline; where several are to choose from, the part of a long
    prompt's work that is met before routing stops choosing its pipeline (as `first_token`, fitted there).
    """
    noticed_s = work_s
    if held.member_count > 1:
        noticed_s = np.minimum(work_s, noticing_s(held.member_count, held.per_replica_rate, 0.0))
    met_s = float((noticed_s * (work_s - noticed_s / 2.0)).mean())
    return held.per_replica_rate * met_s / (1.0 - held.prefill_fraction)


def _own_gap_s(
    found_s: FloatArray, mean_s: float, decode_tok: FloatArray, mean_decode_tok: float
) -> FloatArray:
    """A call's mean gap: what it finds on arrival, forgotten within the length of a mean call.

    The variance of a mean over a stretch y of an exponentially correlated process: 2 (y - 1 + e^-y) / y^2.
    """
    stretch = np.maximum(decode_tok / max(mean_decode_tok, 1e-9), 1e-6)
    kept = np.sqrt(2.0 * (stretch + np.expm1(-stretch)) / stretch**2)
    centred_s = found_s - found_s.mean()
    gap_s: FloatArray = mean_s + kept * centred_s
    return gap_s
