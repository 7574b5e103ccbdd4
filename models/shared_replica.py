"""One replica as a mix of requests loads it: its slots, its steps, and the rates it sustains."""

import math
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from models.cache_blocking import CacheLimit, cache_limit
from models.performance import BatchedPerformance, Scheduler, StepLaw
from models.request_mix import RequestMix

FloatArray = NDArray[np.float64]
Count = TypeVar("Count", float, FloatArray)  # one number of requests, or an array of them
Routing = Literal["join_shortest_queue", "round_robin", "random"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedReplica:
    """One replica as its requests feel it.

    slot_count           requests in it at most, after the KV limit
    step_count           steps a request spends in a slot (n_s): one per token and per further chunk
    decode_fraction      share of those steps in which it decodes
    linear_s             step time per request in a slot for its context and its share of prefill
    cache                what fits the KV cache where that limits the slots and sizes differ
    chunk_tok            prompt tokens that fit in a step beside half a batch of decodes (C_e)
    """

    step: StepLaw
    mix: RequestMix
    slot_count: int
    token_budget_tok: int
    chunk_tok: float
    step_count: float
    decode_fraction: float
    linear_s: float
    scheduler: Scheduler = "mixed"
    cache: CacheLimit | None = None

    @property
    def work_scv_ratio(self) -> float:
        """Squared coefficient of variation of what a request takes of that which limits the replica."""
        return self.mix.output_scv_ratio if self.cache is None else self.cache.work_scv_ratio

    def decode_step_s(self, held_count: Count) -> Count:
        """A(k): seconds of a step that decodes k requests and prefills nothing; any shape."""
        law = self.step
        context_s = law.gamma_s_per_context_tok * self.mix.context_per_step_tok
        time_s: Count = law.alpha_s + law.beta_s_per_seq * held_count**law.exponent + context_s * held_count
        return time_s

    def shared_step_s(self, held_count: Count) -> Count:
        """T(k): mean seconds of a step with k requests in slots, their prefill spread over all steps."""
        law = self.step
        decoding = held_count * self.decode_fraction
        time_s: Count = law.alpha_s + law.beta_s_per_seq * decoding**law.exponent + self.linear_s * held_count
        if self.scheduler == "prefill_first":
            # A step of prompts alone follows each decode step in which a request left (k / n_s on average).
            prompt_steps: Count = -np.expm1(-held_count / self.step_count)
            time_s += law.alpha_s * prompt_steps
        return time_s

    def departure_rate(self, held_count: FloatArray) -> FloatArray:
        """mu(k): requests per second that one replica finishes while k are in it (k >= 0)."""
        return self.departure_rate_of(np.minimum(held_count, self.slot_count))

    def departure_rate_of(self, busy_count: FloatArray) -> FloatArray:
        """Requests per second that one replica finishes with so many in slots (>= 0)."""
        rate: FloatArray = busy_count / (self.step_count * self.shared_step_s(busy_count))
        return rate

    @property
    def full_rate_req_per_s(self) -> float:
        """Requests per second that one replica finishes with all slots taken."""
        return self.slot_count / (self.step_count * self.shared_step_s(float(self.slot_count)))

    @property
    def budget_rate_req_per_s(self) -> float:
        """Requests per second at which every step is full of tokens, decodes and prompts in proportion."""
        calls = self.token_budget_tok / (self.mix.prompt_tok + self.mix.decode_tok)
        prefill_s = self.step.delta_s_per_input_tok * calls * self.mix.prompt_tok
        return calls / (self.decode_step_s(calls * self.mix.decode_tok) + prefill_s)

    @property
    def max_rate_req_per_s(self) -> float:
        """The highest rate one replica sustains: all slots taken, or every step full of tokens.

        Identities, not approximations: n_s steps of T(B) seconds for each of B requests.
        """
        return min(self.full_rate_req_per_s, self.budget_rate_req_per_s)


def slots_within_kv(slot_count: int, kv_capacity_tok: float | None, mix: RequestMix) -> int:
    """Requests that fit one replica's slots and KV cache when each reserves prompt and answer.

    0 where not even one fits. The head of the queue leaves some cache unused (size-biased half).
    """
    if kv_capacity_tok is None:
        return slot_count
    fitting = math.floor(_mean_fitting(kv_capacity_tok, mix))
    if fitting < 1 and kv_capacity_tok >= mix.held_tok:
        fitting = 1
    return max(min(slot_count, fitting), 0)


def _mean_fitting(kv_capacity_tok: float, mix: RequestMix) -> float:
    slack_tok = mix.size_square / (2.0 * mix.size_tok)
    return (kv_capacity_tok - slack_tok) / mix.held_tok


def share(
    performance: BatchedPerformance, mix: RequestMix, scheduler: Scheduler | None = None
) -> SharedReplica | None:
    """The replica as this mix of requests loads it; None where the KV cache holds not one of them.

    The performance's own scheduler unless another is asked for.
    """
    scheduler = performance.scheduler if scheduler is None else scheduler
    allowed = min(performance.slot_count, performance.token_budget_tok)
    slot_count = slots_within_kv(allowed, performance.kv_capacity_tok, mix)
    if slot_count < 1:
        return None
    chunk_tok = performance.token_budget_tok - slot_count / 2.0
    law = performance.step
    prefill_s = law.delta_s_per_input_tok * mix.prompt_tok
    if scheduler == "prefill_first":
        step_count = max(mix.decode_tok, 1.0)
    else:
        further_chunks = np.maximum(np.ceil(mix.prompt_bins_tok / chunk_tok) - 1.0, 0.0)
        step_count = mix.output_tok + float(further_chunks.mean())
    cache = None
    if performance.kv_capacity_tok is not None and slot_count < allowed:
        fitting = max(_mean_fitting(performance.kv_capacity_tok, mix), float(slot_count))
        cache = cache_limit(fitting, mix)
    return SharedReplica(
        cache=cache,
        step=law,
        mix=mix,
        scheduler=scheduler,
        slot_count=slot_count,
        token_budget_tok=performance.token_budget_tok,
        chunk_tok=chunk_tok,
        step_count=step_count,
        decode_fraction=mix.decode_tok / step_count,
        linear_s=(law.gamma_s_per_context_tok * mix.context_tok + prefill_s) / step_count,
    )
