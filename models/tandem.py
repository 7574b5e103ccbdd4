"""Disaggregated pools: prompts are worked on in one pool, handed over, and decoded in another.

Prefill workers are an M/G/c queue with service `alpha + delta P`, transfer links another with
`base + s_per_tok P`; whoever waits does so exponentially (Erlang C with the correction of A. M. Lee and
P. A. Longton 1959). The decode pool shares its steps among n - 1 tokens per call and has no prompts of
its own; its arrivals are taken as Poisson. The gap between the first two tokens holds the hand-over:
it counts in TPOT and E2E, not in ITL, which is the decode steps' alone.

The tandem sustains what its tightest stage does.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from models.first_token import mean_wait_s, prefill_stage
from models.fixed_sample import shuffles, uniforms
from models.latency_sample import OWN_PROMPT, sample_pool, sample_requests
from models.performance import OperatingPoint, RequestClass
from models.prediction import CallSample, Prediction, good_fraction, latency_of
from models.processor_sharing import Occupancy, SharedReplica, occupancy, slots_within_kv
from models.queueing import erlang_c, mgc_wait
from models.request_mix import RequestMix, length_moments, mix_of
from models.systems import AFTER_TRANSFER, TandemPools
from models.traffic import Traffic
from models.workloads import Target

FloatArray = NDArray[np.float64]
UNBOUNDED_TOK = 1e15  # of a budget no step can use up


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """Servers that take one call each: `base_s + s_per_tok P` seconds, first come first served."""

    server_count: int
    base_s: float
    s_per_tok: float

    def service_s(self, prompt_tok: FloatArray) -> FloatArray:
        """Seconds of service for prompts of these lengths."""
        return self.base_s + self.s_per_tok * prompt_tok

    def max_rate_req_per_s(self, mean_prompt_tok: float) -> float:
        """Calls per second that all servers sustain; infinite where service takes no time."""
        service_s = self.base_s + self.s_per_tok * mean_prompt_tok
        return self.server_count / service_s if service_s > 0.0 else float("inf")

    def wait_s(self, rate_req_per_s: float, prompt_tok: FloatArray, draw: FloatArray) -> FloatArray:
        """Waits in seconds at the uniform draws: none, or exponential; the rate must be sustainable.

        prompt_tok  equally likely prompts of all calls that share the servers
        """
        service_s = self.service_s(prompt_tok)
        mean_s = float(service_s.mean())
        if mean_s <= 0.0:
            return np.zeros_like(draw)
        scv = float(service_s.var()) / mean_s**2
        mean_wait_s = mgc_wait(rate_req_per_s, mean_s, self.server_count, service_scv_ratio=scv) or 0.0
        waiting = erlang_c(rate_req_per_s * mean_s, self.server_count)
        wait_s: FloatArray = np.where(
            draw < waiting, -np.log(draw / max(waiting, 1e-300)) * mean_wait_s / max(waiting, 1e-300), 0.0
        )
        return wait_s


def stages_of(pools: TandemPools) -> tuple[Stage, Stage]:
    """The prefill workers and the transfer links."""
    prefill, transfer = pools.prefill, pools.transfer
    return (
        Stage(
            server_count=prefill.worker_count,
            base_s=prefill.alpha_s,
            s_per_tok=prefill.delta_s_per_input_tok,
        ),
        Stage(server_count=transfer.link_count, base_s=transfer.base_s, s_per_tok=transfer.s_per_tok),
    )


def whole_prompts(classes: tuple[RequestClass, ...]) -> RequestMix:
    """The calls as the links see them: what a cache spared the prefill is handed over all the same."""
    return mix_of(tuple(replace(each, cached_input_fraction=0.0) for each in classes))


def stage_rates_req_per_s(
    pools: TandemPools, classes: tuple[RequestClass, ...], replica: SharedReplica
) -> tuple[float, float, float]:
    """Calls per second that the prefill workers, the links and the decode pool sustain, each by itself."""
    prefill, transfer = stages_of(pools)
    return (
        prefill.max_rate_req_per_s(replica.mix.prompt_tok),
        transfer.max_rate_req_per_s(whole_prompts(classes).prompt_tok),
        replica.full_rate_req_per_s * pools.replica_count,
    )


def decode_replica(pools: TandemPools, mix: RequestMix) -> SharedReplica | None:
    """One decode replica as its calls feel it: n - 1 steps each, no prompts; None where none fits."""
    performance = pools.replica
    slots = slots_within_kv(pools.slot_count, performance.kv_capacity_tok, mix)
    if slots < 1:
        return None
    law = replace(performance.step, delta_s_per_input_tok=0.0)
    step_count = max(mix.decode_tok, 1e-9)
    return SharedReplica(
        step=law,
        mix=mix,
        slot_count=slots,
        token_budget_tok=performance.token_budget_tok,
        chunk_tok=UNBOUNDED_TOK,
        step_count=step_count,
        decode_fraction=1.0,
        linear_s=law.gamma_s_per_context_tok * mix.context_tok / step_count,
    )


def predict(pools: TandemPools, traffic: Traffic, targets: Sequence[Target], point_count: int) -> Prediction:
    """What the formulas say about the pools in a row; arrivals are taken as Poisson at their mean rate."""
    load = traffic.load
    rate, mix = load.rate_req_per_s, mix_of(load.classes)
    replica = decode_replica(pools, mix)
    if replica is None:
        return _stuck(rate)
    prefill, _ = stages_of(pools)
    highest = min(stage_rates_req_per_s(pools, load.classes, replica))
    if rate >= highest:
        point = OperatingPoint(stable=False, utilisation_fraction=rate / highest, max_rate_req_per_s=highest)
        return Prediction(point=point, backlog_growth_req_per_s=rate - highest)
    held = occupancy(replica, rate, pools.replica_count, routing=pools.routing)
    sample, itl_s, itl_mean_s = sample_calls(pools, load.classes, held, load.classes[0], point_count)
    latency, task_s = latency_of(load.classes[0], sample, itl_s, itl_mean_s)
    busy_slots = held.busy_slot_count / pools.replica_count
    point = OperatingPoint(
        stable=True,
        utilisation_fraction=rate / highest,
        max_rate_req_per_s=highest,
        slot_occupancy_fraction=busy_slots / replica.slot_count,
        busy_fraction=held.busy_fraction,
        mean_busy_slot_count_per_replica=busy_slots,
        wait_probability_fraction=erlang_c(
            rate * float(prefill.service_s(np.array([mix.prompt_tok]))[0]), prefill.server_count
        ),
        latencies=(latency,),
        notices=("Slots and busy time are the decode pool's; the waiting probability the prefill pool's.",),
    )
    return Prediction(point=point, goodput_req_per_s=rate * good_fraction(sample, task_s, targets))


def _stuck(rate_req_per_s: float) -> Prediction:
    notice = "The KV cache of one decode replica cannot hold a single request of this size."
    point = OperatingPoint(stable=False, utilisation_fraction=None, max_rate_req_per_s=0.0, notices=(notice,))
    return Prediction(point=point, backlog_growth_req_per_s=rate_req_per_s)


def sample_calls(
    pools: TandemPools,
    classes: tuple[RequestClass, ...],
    held: Occupancy,
    only: RequestClass,
    point_count: int,
) -> tuple[CallSample, FloatArray, float]:
    """One class's calls through the stages that all classes share; gaps between tokens, and their mean.

    classes  at the rates that `held` belongs to
    """
    rate, mix = sum(each.rate_req_per_s for each in classes), held.replica.mix
    itl_s = held.busy_slot_count / (rate * max(mix.decode_tok, 1e-9))
    stage = prefill_stage(held, pools.replica_count, pools.routing)
    pool = sample_pool(held, stage, itl_s, point_count)
    found = sample_requests(pool, only)
    decode_s = _scaled(found.e2e_s - found.ttft_s, mix.decode_tok * itl_s)
    join_s = _scaled(pool.before_s, mean_wait_s(stage, held))
    draws = uniforms(point_count)
    bins = length_moments(only.input_tok).bins_tok
    whole_tok = bins[(draws[OWN_PROMPT] * len(bins)).astype(np.int64)]
    fresh_bins = length_moments(only.input_tok, only.cached_input_fraction).bins_tok
    fresh_tok = fresh_bins[(draws[OWN_PROMPT] * len(fresh_bins)).astype(np.int64)]
    prefill, transfer = stages_of(pools)
    first, second = shuffles(point_count, 2)
    even = (np.arange(point_count) + 0.5) / point_count
    ready_s = prefill.wait_s(rate, mix.prompt_bins_tok, even[first]) + prefill.service_s(fresh_tok)
    whole_bins_tok = whole_prompts(classes).prompt_bins_tok
    hand_over_s = transfer.wait_s(rate, whole_bins_tok, even[second]) + transfer.service_s(whole_tok)
    several = found.decode_tok > 0
    is_late = pools.first_token == AFTER_TRANSFER
    ttft_s = ready_s + (hand_over_s if is_late else 0.0)
    rest_s = np.where(several, join_s + decode_s + (0.0 if is_late else hand_over_s), 0.0)
    tpot_s = np.where(several, rest_s / np.where(several, found.decode_tok, 1.0), np.nan)
    overhead_s = pools.replica.overhead_s
    sample = CallSample(ttft_s=ttft_s + overhead_s, tpot_s=tpot_s, e2e_s=ttft_s + rest_s + overhead_s)
    return sample, pool.itl_s, itl_s


def _scaled(sample: FloatArray, mean: float) -> FloatArray:
    """The sample with the mean that is known exactly."""
    own = float(sample.mean())
    return sample * (mean / own) if own > 0.0 else sample
