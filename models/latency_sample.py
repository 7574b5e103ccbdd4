"""The spread of latencies: one fixed sample of requests sent through a pool whose occupancy is known.

Every point is a request that arrives at random: it finds some number of others, waits for a slot or for
the running step, shares steps with prompts that come in meanwhile, and decodes among the others. TTFT,
ITL, TPOT and E2E percentiles come from the same points, so they hold together.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from models.first_token import PrefillStage, apart_fraction
from models.fixed_sample import compound_poisson, normals, uniforms
from models.lengths import TokenLengths
from models.performance import RequestClass
from models.processor_sharing import Occupancy, mean_over
from models.request_mix import fresh_tok, length_moments

FloatArray = NDArray[np.float64]

# Rows of the fixed uniforms, one meaning each.
STATE, WAIT, PROMPT_RUNNING, RUNNING_SIZE, OWN_PROMPT = range(5)
OWN_OUTPUT, SLOWNESS, TOKEN_STATE, FINDS_IDLE, FINDS_FULL, QUEUE = range(5, 11)
# Tables of fixed Poisson streams, one meaning each.
RUNNING, COMPANY, DECODING, TOKEN_STEP, QUEUED = range(5)
REST_FRACTIONS = (np.arange(8) + 0.5) / 8  # of a prompt's work, already done when a request comes
REST_BIN_COUNT = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolSample:
    """What sample requests find in the pool, whatever their own lengths; arrays of one shape, seconds.

    step_s      decode step while the request is prefilled
    before_s    from arrival to the step that starts its prompt
    company_s   other prompts in that step
    itl_s       gaps between tokens, one per sampled token
    """

    held: Occupancy
    stage: PrefillStage
    step_s: FloatArray
    before_s: FloatArray
    company_s: FloatArray
    itl_s: FloatArray
    mean_itl_s: float
    step_scv_ratio: float


def sample_pool(held: Occupancy, stage: PrefillStage, mean_itl_s: float, point_count: int) -> PoolSample:
    """Send `point_count` (a power of two) requests into the pool."""
    draws = uniforms(point_count)
    cumulative = np.cumsum(held.probability)
    state = np.minimum(np.searchsorted(cumulative, draws[STATE] * cumulative[-1]), len(cumulative) - 1)
    step_s = held.replica.decode_step_s(held.held_per_replica)[state]
    full = draws[FINDS_FULL] < held.full_chance[state]
    idle = draws[FINDS_IDLE] < held.idle_chance[state]
    running_s = _running_step_s(held, stage, step_s, draws)
    rest_s = running_s * draws[WAIT] ** (2.0 / stage.lateness - 1.0) + _queued_s(held, stage, draws)
    company_s = _company_s(held, stage, running_s)
    before_s = np.where(full, _slot_wait_s(held, state, draws[WAIT]), np.where(idle, 0.0, rest_s))
    itl_s, step_scv = _token_gaps(held, point_count, draws[TOKEN_STATE])
    return PoolSample(
        held=held,
        stage=stage,
        step_s=step_s,
        before_s=before_s,
        company_s=np.where(idle, 0.0, company_s),
        itl_s=itl_s,
        mean_itl_s=mean_itl_s,
        step_scv_ratio=step_scv,
    )


def _slot_wait_s(held: Occupancy, state: NDArray[np.int64], draw: FloatArray) -> FloatArray:
    """Waits of requests that find all slots taken: so many departures, one after another.

    In a stationary queue they add up to an exponential; with q requests ahead they are an Erlang of
    q + 1 (cube-root normal: E. B. Wilson and M. M. Hilferty 1931).
    """
    if held.wait_ratio is None:
        exponential_s: FloatArray = -np.log(draw) * held.wait_if_full_s
        return exponential_s
    departures = np.maximum(held.count[state] - held.capacity_count, 0.0) + 1.0
    cube_root = 1.0 - 1.0 / (9.0 * departures) + ndtri(draw) / (3.0 * np.sqrt(departures))
    wait_s: FloatArray = held.wait_if_full_s * held.wait_ratio[state] * np.maximum(cube_root, 0.0) ** 3
    return wait_s


def _running_step_s(
    held: Occupancy, stage: PrefillStage, step_s: FloatArray, draws: FloatArray
) -> FloatArray:
    """The step that runs when a request arrives: long steps are met more often than short ones."""
    delta_s, mix = held.replica.step.delta_s_per_input_tok, held.replica.mix
    if held.replica.scheduler == "prefill_first":
        return _running_apart_s(held, stage, step_s, draws)
    expected = held.per_replica_rate * step_s / (1.0 - stage.prefill_fraction)
    ordinary_s = step_s + delta_s * compound_poisson(expected, mix.prompt_bins_tok, RUNNING)
    noticed = stage.noticed_work_s
    prompt_running = _prompt_running_probability(held, stage)
    cumulative = np.cumsum(noticed)
    picked = np.searchsorted(cumulative, draws[RUNNING_SIZE] * cumulative[-1])
    work_s = stage.prompt_work_s[np.minimum(picked, len(noticed) - 1)]
    running_s: FloatArray = ordinary_s + np.where(draws[PROMPT_RUNNING] < prompt_running, work_s, 0.0)
    return running_s


def _prompt_running_probability(held: Occupancy, stage: PrefillStage) -> float:
    """Chance that a request meets work on a prompt besides what its running step had gathered."""
    noticed_fraction = held.per_replica_rate * float(stage.noticed_work_s.mean())
    return noticed_fraction / (noticed_fraction + 1.0 - stage.work_fraction)


def _queued_s(held: Occupancy, stage: PrefillStage, draws: FloatArray) -> FloatArray:
    """Prompts queued behind the running one: a geometric number of rests of work (Pollaczek and Khinchine).

    The wait of an M/G/1 queue is a sum of N equilibrium rests, P(N >= n) = rho^n (V. E. Benes 1957); the
    first is in the running step. A geometric number is a Poisson one whose mean is exponential.
    """
    if held.replica.scheduler == "prefill_first":
        return np.zeros_like(draws[QUEUE])
    rho = stage.work_fraction
    expected = np.where(
        draws[PROMPT_RUNNING] < _prompt_running_probability(held, stage),
        -np.log(draws[QUEUE]) * rho / (1.0 - rho),
        0.0,
    )
    return compound_poisson(expected, _rest_bins_s(stage), QUEUED)


def _rest_bins_s(stage: PrefillStage) -> FloatArray:
    """Rest of a prompt's work that an arrival meets, as ascending bins of equal probability, seconds."""
    work, noticed = stage.prompt_work_s, stage.noticed_work_s
    rests = work[:, None] - noticed[:, None] * REST_FRACTIONS
    weights = np.repeat(noticed, len(REST_FRACTIONS))
    order = np.argsort(rests.ravel())
    middles = np.cumsum(weights[order]) - weights[order] / 2.0
    at = (np.arange(REST_BIN_COUNT) + 0.5) / REST_BIN_COUNT * float(weights.sum())
    bins: FloatArray = np.interp(at, middles, rests.ravel()[order])
    return bins


def _running_apart_s(
    held: Occupancy, stage: PrefillStage, step_s: FloatArray, draws: FloatArray
) -> FloatArray:
    """The running step where it is either a decode step or one of prompts alone."""
    law, bins = held.replica.step, held.replica.mix.prompt_bins_tok
    prompt_step_s = law.alpha_s + law.delta_s_per_input_tok * bins
    cumulative = np.cumsum(prompt_step_s)
    picked = np.searchsorted(cumulative, draws[RUNNING_SIZE] * cumulative[-1])
    prompts = draws[PROMPT_RUNNING] < apart_fraction(held, stage.step_s)
    running_s: FloatArray = np.where(prompts, prompt_step_s[np.minimum(picked, len(bins) - 1)], step_s)
    return running_s


def _company_s(held: Occupancy, stage: PrefillStage, running_s: FloatArray) -> FloatArray:
    """Prompts that came in during the running step and share the next one, within its budget."""
    replica = held.replica
    expected = stage.company_fraction * held.per_replica_rate * running_s
    tokens = compound_poisson(expected, replica.mix.prompt_bins_tok, COMPANY)
    company_s: FloatArray = replica.step.delta_s_per_input_tok * np.minimum(tokens, replica.chunk_tok)
    return company_s


def _token_gaps(held: Occupancy, point_count: int, draw: FloatArray) -> tuple[FloatArray, float]:
    """Gaps between tokens, and the squared coefficient of variation of the mean step between states."""
    replica = held.replica
    in_slots = held.held_per_replica
    shared_s = replica.shared_step_s(in_slots)
    weight = held.probability * in_slots / shared_s
    cumulative = np.cumsum(weight)
    state = np.minimum(np.searchsorted(cumulative, draw * cumulative[-1]), len(cumulative) - 1)
    step_s = replica.decode_step_s(in_slots)[state]
    delta_s = replica.step.delta_s_per_input_tok
    bins = replica.mix.prompt_bins_tok
    longest_s = step_s + delta_s * np.maximum(replica.token_budget_tok - in_slots[state], 0.0)
    before_s = shared_s[state]
    first_s = np.minimum(
        step_s + delta_s * compound_poisson(held.per_replica_rate * before_s, bins, TOKEN_STEP), longest_s
    )
    order = np.roll(first_s, 1)
    gaps_s: FloatArray = np.minimum(
        step_s
        + delta_s * compound_poisson(held.per_replica_rate * (order + before_s) / 2.0, bins, TOKEN_STEP),
        longest_s,
    )
    mean_s = mean_over(weight, shared_s) / float(cumulative[-1])
    square = mean_over(weight, shared_s**2) / float(cumulative[-1])
    return gaps_s, max(square / mean_s**2 - 1.0, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestSample:
    """The latencies of one class at the sample's points, in seconds; `decode_tok` is n - 1."""

    ttft_s: FloatArray
    e2e_s: FloatArray
    decode_tok: FloatArray

    @property
    def tpot_s(self) -> FloatArray:
        """Per request with at least two tokens."""
        several = self.decode_tok > 0
        gaps: FloatArray = (self.e2e_s[several] - self.ttft_s[several]) / self.decode_tok[several]
        return gaps


def sample_requests(pool: PoolSample, each: RequestClass) -> RequestSample:
    """One class's own lengths on what its requests find in the pool; overhead excluded."""
    point_count = len(pool.step_s)
    draws = uniforms(point_count)
    inputs = fresh_tok(_lengths_at(each.input_tok, draws[OWN_PROMPT]), each.cached_input_fraction)
    decode_tok = _lengths_at(each.output_tok, draws[OWN_OUTPUT]) - 1.0
    replica = pool.held.replica
    beside_s = replica.step.alpha_s if replica.scheduler == "prefill_first" else pool.step_s
    own_s = beside_s * np.ceil(inputs / replica.chunk_tok) + replica.step.delta_s_per_input_tok * inputs
    ttft_s = pool.before_s + own_s + pool.company_s
    return RequestSample(
        ttft_s=ttft_s, e2e_s=ttft_s + _decode_time_s(pool, decode_tok), decode_tok=decode_tok
    )


def _lengths_at(lengths: TokenLengths, fraction: FloatArray) -> FloatArray:
    bins = length_moments(lengths).bins_tok
    return bins[(fraction * len(bins)).astype(np.int64)]


def _decode_time_s(pool: PoolSample, decode_tok: FloatArray) -> FloatArray:
    """From the first token to the last: steps that drift with the pool, and prompts that stall them."""
    held, stage, replica = pool.held, pool.stage, pool.held.replica
    share = min(stage.prefill_fraction, 0.999)
    plain_s = decode_tok * pool.mean_itl_s
    relaxation = replica.step.alpha_s * (1.0 - share) / (replica.step_count * stage.step_s**2)
    ages = np.maximum(relaxation * plain_s, 1e-9)
    averaged = 2.0 * (ages + np.expm1(-ages)) / ages**2
    sigma_square = np.log1p(pool.step_scv_ratio * averaged)
    slowness = np.exp(np.sqrt(sigma_square) * normals(len(decode_tok), SLOWNESS) - sigma_square / 2.0)
    clump = _stall_clump(held, share)
    stalls_tok = clump * compound_poisson(
        held.per_replica_rate * plain_s / clump, replica.mix.prompt_bins_tok, DECODING
    )
    decode_s: FloatArray = (
        plain_s * (1.0 - share) * slowness + replica.step.delta_s_per_input_tok * stalls_tok
    )
    return decode_s


def _stall_clump(held: Occupancy, prefill_fraction: float) -> float:
    """Variance of the prompt tokens that stall a decoding request, over that of a Poisson stream.

    More prompts come in while prompts stall it: the variance of a delay cycle (R. W. Conway, W. L. Maxwell
    and L. W. Miller 1967, chapter 8). With answers of equal length, those who come in during one's stay
    are those present when it ends, and join-shortest-queue keeps their number level over the replicas.
    """
    mix, members = held.replica.mix, held.member_count
    apart = mix.output_scv_ratio / (1.0 + mix.output_scv_ratio)
    level = 1.0 / members + (1.0 - 1.0 / members) * apart
    cycle = 1.0 / (1.0 - prefill_fraction) ** 2
    return (level * cycle + mix.prompt_scv_ratio) / (1.0 + mix.prompt_scv_ratio)
