"""What a benchmark of one replica shows at a steady load: the step law seen through a load generator.

Three kinds of load. Closed: N requests are always in flight, a finished one is replaced at once. Open:
requests arrive at a rate. Static: a batch is prefilled and decoded together. Lengths are taken as equal,
as benchmark prompts nearly are, and TTFT as its median. Arrays hold one entry per load point.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.performance import BatchedPerformance, Scheduler, StepLaw

FloatArray = NDArray[np.float64]
MEDIAN_COMPANY = 0.5  # of the mean time that other prompts add to one's own step; it is skewed
MOST_SLOTS = 1e5  # where nothing limits a replica; far beyond any engine
NEWTON_STEPS = 12  # from above on a convex function: quadratic convergence


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicaLaw:
    """The step law of one replica with its limits; overhead_s is outside the engine."""

    step: StepLaw
    slot_count: float
    kv_capacity_tok: float
    token_budget_tok: float
    overhead_s: float
    scheduler: Scheduler = "mixed"

    @property
    def separate_fraction(self) -> float:
        """1 where prompts have steps of their own, 0 where they share those of the answers."""
        return 1.0 if self.scheduler == "prefill_first" else 0.0


def law_of(performance: BatchedPerformance) -> ReplicaLaw:
    """The law and limits of a replica whose performance is known."""
    capacity_tok = performance.kv_capacity_tok
    return ReplicaLaw(
        step=performance.step,
        slot_count=float(performance.slot_count),
        kv_capacity_tok=math.inf if capacity_tok is None else capacity_tok,
        token_budget_tok=float(performance.token_budget_tok),
        overhead_s=performance.overhead_s,
        scheduler=performance.scheduler,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SteadyPoint:
    """Medians at steady load, arrays of one shape: seconds and requests per second."""

    ttft_s: FloatArray
    tpot_s: FloatArray
    e2e_s: FloatArray
    request_rate_req_per_s: FloatArray
    held_count: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Lengths:
    """Prompt and answer lengths of each load point, in tokens."""

    isl_tok: FloatArray
    osl_tok: FloatArray

    @property
    def decode_tok(self) -> FloatArray:
        """Tokens after the first, at least a tenth of one so that ratios stay finite."""
        return np.maximum(self.osl_tok - 1.0, 0.1)

    @property
    def context_tok(self) -> FloatArray:
        """Context read by one decoding sequence in one step, mean over its life."""
        return self.isl_tok + self.osl_tok / 2.0

    def chunk_count(self, law: ReplicaLaw) -> FloatArray:
        """Steps that a prompt needs under the token budget."""
        return np.ceil(self.isl_tok / law.token_budget_tok)

    def slots(self, law: ReplicaLaw) -> FloatArray:
        """Requests one replica holds at once, by slots and KV cache."""
        by_memory = np.maximum(law.kv_capacity_tok / (self.isl_tok + self.osl_tok), 1.0)
        return np.minimum(min(law.slot_count, MOST_SLOTS), by_memory)


def decode_step_s(law: StepLaw, held_count: FloatArray, lengths: Lengths) -> FloatArray:
    """A(b): a step that decodes and prefills nothing."""
    time_s: FloatArray = (
        law.alpha_s
        + law.beta_s_per_seq * held_count**law.exponent
        + law.gamma_s_per_context_tok * lengths.context_tok * held_count
    )
    return time_s


def slot_time_s(law: ReplicaLaw, held_count: FloatArray, lengths: Lengths) -> FloatArray:
    """Seconds a request stays in a slot while `held_count` share the replica: n_s T(b)."""
    own_s, steps, share = _slot_terms(law, lengths)
    step = law.step
    # With steps of their own, prompts follow each decode step in which a request left.
    prompt_steps = -law.separate_fraction * np.expm1(-held_count / steps)
    time_s: FloatArray = (
        steps
        * (step.alpha_s * (1.0 + prompt_steps) + step.beta_s_per_seq * (held_count * share) ** step.exponent)
        + held_count * own_s
    )
    return time_s


def _slot_terms(law: ReplicaLaw, lengths: Lengths) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Seconds of context and prefill a request causes, its steps, and the share of them it decodes in."""
    steps = np.maximum(lengths.osl_tok - 1.0 + (1.0 - law.separate_fraction) * lengths.chunk_count(law), 1.0)
    own_s = (
        law.step.gamma_s_per_context_tok * lengths.context_tok * lengths.decode_tok
        + law.step.delta_s_per_input_tok * lengths.isl_tok
    )
    return own_s, steps, lengths.decode_tok / steps


def closed_point(law: ReplicaLaw, concurrency_count: FloatArray, lengths: Lengths) -> SteadyPoint:
    """N requests always in flight; those beyond the slots wait their turn."""
    held = np.minimum(concurrency_count, lengths.slots(law))
    slot_s = slot_time_s(law, held, lengths)
    rate = held / slot_s
    queued_s = np.maximum(concurrency_count / rate - slot_s, 0.0)
    return _seen(law, held, rate, queued_s, lengths)


def open_point(law: ReplicaLaw, rate_req_per_s: FloatArray, lengths: Lengths) -> SteadyPoint:
    """Requests at a rate below what the slots sustain; held b solves b = rate * n_s T(b) (Newton)."""
    most = lengths.slots(law)
    held = most.copy()
    for _ in range(NEWTON_STEPS):
        excess = held - rate_req_per_s * slot_time_s(law, held, lengths)
        slope = 1.0 - rate_req_per_s * _slot_time_slope_s(law, held, lengths)
        below = (excess > 0.0) & (slope > 0.0)
        held = np.where(below, np.maximum(held - excess / np.where(below, slope, 1.0), 1e-9), held)
    rate = np.minimum(rate_req_per_s, most / slot_time_s(law, most, lengths))
    return _seen(law, held, rate, np.zeros_like(held), lengths)


def _slot_time_slope_s(law: ReplicaLaw, held_count: FloatArray, lengths: Lengths) -> FloatArray:
    """How much longer a request stays per further request held."""
    own_s, steps, share = _slot_terms(law, lengths)
    power = law.step.exponent
    slope: FloatArray = own_s + steps * law.step.beta_s_per_seq * power * share**power * held_count ** (
        power - 1.0
    )
    slope += law.separate_fraction * law.step.alpha_s * np.exp(-held_count / steps)
    return slope


def static_point(law: ReplicaLaw, batch_count: FloatArray, lengths: Lengths) -> SteadyPoint:
    """A batch prefilled together, then decoded to the end."""
    step = law.step
    prefill_s = (
        step.alpha_s * lengths.chunk_count(law) + step.delta_s_per_input_tok * lengths.isl_tok * batch_count
    )
    tpot_s = decode_step_s(step, batch_count, lengths)
    e2e_s = prefill_s + tpot_s * lengths.decode_tok
    return SteadyPoint(
        ttft_s=prefill_s,
        tpot_s=tpot_s,
        e2e_s=e2e_s,
        request_rate_req_per_s=batch_count / e2e_s,
        held_count=batch_count,
    )


def _seen(
    law: ReplicaLaw, held: FloatArray, rate: FloatArray, queued_s: FloatArray, lengths: Lengths
) -> SteadyPoint:
    step_s = decode_step_s(law.step, held, lengths)
    beside_s = law.step.alpha_s if law.scheduler == "prefill_first" else step_s
    prompt_s = law.step.delta_s_per_input_tok * lengths.isl_tok
    share = np.minimum(rate * prompt_s, 0.95)
    residual_s = _median_residual_s(step_s, step_s + prompt_s, share)
    company_s = MEDIAN_COMPANY * share * prompt_s
    prefill_s = beside_s * lengths.chunk_count(law) + prompt_s
    slot_s = held / rate
    tpot_s = np.maximum((slot_s - prefill_s) / lengths.decode_tok, step_s)
    ttft_s = law.overhead_s + queued_s + residual_s + company_s + prefill_s
    return SteadyPoint(
        ttft_s=ttft_s,
        tpot_s=tpot_s,
        e2e_s=ttft_s + tpot_s * lengths.decode_tok,
        request_rate_req_per_s=rate,
        held_count=held,
    )


def _median_residual_s(short_s: FloatArray, long_s: FloatArray, long_fraction: FloatArray) -> FloatArray:
    """Median wait for the running step, which is a long one for a share of the time."""
    within = 0.5 / ((1.0 - long_fraction) / short_s + long_fraction / long_s)
    beyond = long_s * (1.0 - 0.5 / np.maximum(long_fraction, 0.5))
    median_s: FloatArray = np.where(within <= short_s, within, np.maximum(beyond, short_s))
    return median_s
