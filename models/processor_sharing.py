"""How many requests a pool of replicas holds, how fast they move, and how long they wait for a slot.

State-dependent limited processor sharing: the requests in a replica's slots share its steps, each step
takes longer the more of them there are, and requests beyond the slots wait. A pool is one birth-death
chain on the number of requests in it. Sharing makes the means insensitive to the shape of the output
lengths. Sources: B. Avi-Itzhak and S. Halfin 1988 (limited processor sharing); J. Zhang, J. Dai and
B. Zwart 2011 (its diffusion limit); D. Gupta and others 2010 (what two moments cannot say).
"""

import math
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from models.performance import BatchedPerformance, StepLaw
from models.performance import Scheduler as Scheduler
from models.request_mix import RequestMix

FloatArray = NDArray[np.float64]
Count = TypeVar("Count", float, FloatArray)  # one number of requests, or an array of them
Routing = Literal["join_shortest_queue", "round_robin", "random"]

# How strongly the spread of lengths lengthens the wait while the backlog is short; fitted to an
# iteration-level simulation of the same assumptions.
BACKLOG_HALFWAY = 0.09
OWN_QUEUE_SHARE = 0.5  # fitted likewise
EXACT_STATE_COUNT = 16_384  # chains up to this long are summed whole
LIKELY_DEVIATIONS = 12.0  # longer ones within so many standard deviations of the fluid occupancy


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedReplica:
    """One replica as its requests feel it.

    slot_count           requests in it at most, after the KV limit
    step_count           steps a request spends in a slot (n_s): one per token and per further chunk
    decode_fraction      share of those steps in which it decodes
    linear_s             step time per request in a slot for its context and its share of prefill
    chunk_tok            prompt tokens that fit in a step beside half a batch of decodes (C_e)
    """

    step: StepLaw
    mix: RequestMix
    scheduler: Scheduler
    slot_count: int
    token_budget_tok: int
    chunk_tok: float
    step_count: float
    decode_fraction: float
    linear_s: float

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
            return time_s - law.alpha_s * np.expm1(-held_count / self.step_count)
        return time_s

    def departure_rate(self, held_count: FloatArray) -> FloatArray:
        """mu(k): requests per second that one replica finishes while k are in it (k >= 0)."""
        busy = np.minimum(held_count, self.slot_count)
        rate: FloatArray = busy / (self.step_count * self.shared_step_s(busy))
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
    slack_tok = mix.size_square / (2.0 * mix.size_tok)
    fitting = math.floor((kv_capacity_tok - slack_tok) / mix.held_tok)
    if fitting < 1 and kv_capacity_tok >= mix.held_tok:
        fitting = 1
    return max(min(slot_count, fitting), 0)


def share(
    performance: BatchedPerformance, mix: RequestMix, scheduler: Scheduler | None = None
) -> SharedReplica | None:
    """The replica as this mix of requests loads it; None where the KV cache holds not one of them.

    The performance's own scheduler unless another is asked for.
    """
    scheduler = performance.scheduler if scheduler is None else scheduler
    slot_count = slots_within_kv(
        min(performance.slot_count, performance.token_budget_tok), performance.kv_capacity_tok, mix
    )
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
    return SharedReplica(
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Occupancy:
    """How many requests are in the pool: `probability[j]` of `count[j]`, all slots taken "or more".

    busy_slot_count   mean requests in slots, whole pool
    full_probability  share of arrivals that find every slot taken
    wait_if_full_s    mean wait of those
    departure_rate    requests per second that the pool finishes, by state
    per_replica_rate  arrivals per second and replica
    member_count      replicas that the chain describes: the pool, or one where routing is blind
    """

    count: FloatArray
    probability: FloatArray
    departure_rate: FloatArray
    busy_slot_count: float
    full_probability: float
    wait_if_full_s: float
    per_replica_rate: float
    member_count: int
    replica: SharedReplica

    @property
    def capacity_count(self) -> int:
        """Slots of all replicas in the chain."""
        return self.member_count * self.replica.slot_count

    @property
    def held_per_replica(self) -> FloatArray:
        """Requests in slots of one replica, by state."""
        return np.minimum(self.count / self.member_count, self.replica.slot_count)

    @property
    def idle_chance(self) -> FloatArray:
        """Probability, by state, that an arrival is sent to an idle replica.

        Certain with fewer requests than replicas. With somewhat more, a replica that has just finished
        its only request is the shortest queue until the next arrival.
        """
        members = self.member_count
        alone = np.clip(2.0 * members - self.count, 0.0, members)
        leaving = alone / (self.replica.step_count * self.replica.shared_step_s(1.0))
        share = np.minimum(leaving / np.maximum(self.departure_rate, leaving + 1e-300), 1.0)
        chance: FloatArray = np.where(self.count < members, 1.0, (1.0 - 1.0 / members) * share)
        return chance

    @property
    def busy_fraction(self) -> float:
        """Share of time a replica runs a step; near 1 already at light load, so never utilisation."""
        idle = np.maximum(self.member_count - self.count, 0.0) / self.member_count
        return 1.0 - mean_over(self.probability, idle)

    @property
    def prefill_fraction(self) -> float:
        """rho_p: share of a replica's time that prefill takes."""
        replica = self.replica
        return self.per_replica_rate * replica.step.delta_s_per_input_tok * replica.mix.prompt_tok


def mean_over(probability: FloatArray, values: FloatArray) -> float:
    """Mean of values over states; a plain sum, as threaded dot products stall on a busy machine."""
    return float((probability * values).sum())


def occupancy(
    replica: SharedReplica,
    rate_req_per_s: float,
    replica_count: int,
    *,
    arrival_scv_ratio: float = 1.0,
    routing: Routing = "join_shortest_queue",
) -> Occupancy:
    """The stationary chain of a pool; the rate must be above zero and below what the pool sustains.

    Under join-shortest-queue k requests spread evenly, so the pool finishes at the rate of r replicas
    with q+1 and c-r with q requests. Blind routing leaves each replica a queue of its own.
    """
    members, rate, scv = _members(rate_req_per_s, replica_count, arrival_scv_ratio, routing)
    per_replica = rate / members
    capacity = members * replica.slot_count
    spread = _variance_factor(replica, per_replica, members, scv)
    first, last = _likely_states(replica, per_replica, members, spread)
    count = np.arange(first, last + 1, dtype=np.float64)
    death = _pool_departure_rate(replica, count, members)
    log_weight = np.zeros(len(count))
    log_weight[1:] = np.cumsum(math.log(rate) - np.log(death[1:])) / spread
    weight = np.exp(log_weight - log_weight.max())
    excess = members * replica.full_rate_req_per_s - rate
    if last == capacity:
        weight[-1] /= -math.expm1(-math.log1p(excess / rate) * 2.0 / (1.0 + scv))
    probability = weight / weight.sum()
    return Occupancy(
        count=count,
        probability=probability,
        departure_rate=death,
        busy_slot_count=mean_over(probability, count) * replica_count / members,
        full_probability=float(probability[-1]) if last == capacity else 0.0,
        wait_if_full_s=_wait_factor(replica, per_replica, excess, scv)
        * (1.0 / excess + _own_queue_s(replica, rate, members)),
        per_replica_rate=per_replica,
        member_count=members,
        replica=replica,
    )


def _own_queue_s(replica: SharedReplica, rate_req_per_s: float, members: int) -> float:
    """Further mean wait because a request queues at one replica, not for the first slot of any.

    Half the difference between queues that are always level and one queue for all; nothing for one
    replica.
    """
    single = replica.full_rate_req_per_s
    log_load = math.log(rate_req_per_s / (members * single))
    level = 1.0 / -math.expm1(members * log_load)
    pooled = 1.0 / (members * -math.expm1(log_load))
    return OWN_QUEUE_SHARE * (level - pooled) / single


def _likely_states(
    replica: SharedReplica, per_replica_rate: float, members: int, spread: float
) -> tuple[int, int]:
    """First and last state worth a place in the chain; all of them unless they are very many."""
    capacity = members * replica.slot_count
    if capacity <= EXACT_STATE_COUNT:
        return 0, capacity
    middle = fluid_occupancy(replica, per_replica_rate)
    step = max(middle * 1e-3, 1e-6)
    rates = replica.departure_rate(np.array([middle - step, min(middle + step, replica.slot_count)]))
    restoring = max(float(rates[1] - rates[0]) / (2.0 * step), per_replica_rate / replica.slot_count * 1e-6)
    reach = LIKELY_DEVIATIONS * math.sqrt(spread * members * per_replica_rate / restoring) + 64.0
    return (
        max(math.floor(members * middle - reach), 0),
        min(math.ceil(members * middle + reach), capacity),
    )


def _members(
    rate_req_per_s: float, replica_count: int, arrival_scv_ratio: float, routing: Routing
) -> tuple[int, float, float]:
    """Replicas in the chain, its arrival rate and its arrival variability."""
    if routing == "join_shortest_queue" or replica_count == 1:
        return replica_count, rate_req_per_s, arrival_scv_ratio
    rate = rate_req_per_s / replica_count
    if routing == "round_robin":
        return 1, rate, arrival_scv_ratio / replica_count
    return 1, rate, 1.0 + (arrival_scv_ratio - 1.0) / replica_count


def _pool_departure_rate(replica: SharedReplica, count: FloatArray, members: int) -> FloatArray:
    if members == 1:
        return replica.departure_rate(count)
    single = replica.departure_rate(np.arange(replica.slot_count + 2, dtype=np.float64))
    quotient, fuller = np.divmod(count.astype(np.int64), members)
    rate: FloatArray = fuller * single[quotient + 1] + (members - fuller) * single[quotient]
    return rate


def _variance_factor(
    replica: SharedReplica, per_replica_rate: float, members: int, arrival_scv_ratio: float
) -> float:
    """z: how much wider the occupancy spreads than that of a plain birth-death chain.

    Each arrival stalls everybody in its replica for its prefill, so arrivals come in clumps.
    """
    mix = replica.mix
    prefill = min(per_replica_rate * replica.step.delta_s_per_input_tok * mix.prompt_tok, 0.999)
    clump = prefill / (1.0 - prefill)
    stalls = (2.0 + 2.0 * clump + clump**2 * (1.0 + mix.prompt_scv_ratio)) / 2.0 * (1.0 - prefill) - 1.0
    fluid = members * fluid_occupancy(replica, per_replica_rate)
    damping = fluid / (fluid + max(arrival_scv_ratio, 1.0))
    bursts = (arrival_scv_ratio - 1.0) / (1.0 + mix.output_scv_ratio) * damping
    return 1.0 + stalls + bursts


def fluid_occupancy(replica: SharedReplica, per_replica_rate: float) -> float:
    """Requests on one replica at which it finishes as many as arrive; all slots where it cannot."""
    low, high = 0.0, float(replica.slot_count)
    for _ in range(40):
        middle = (low + high) / 2.0
        if middle < per_replica_rate * replica.step_count * replica.shared_step_s(middle):
            low = middle
        else:
            high = middle
    return high


def _wait_factor(
    replica: SharedReplica, per_replica_rate: float, excess_rate: float, arrival_scv_ratio: float
) -> float:
    """v: mean wait of those who find all slots taken, over that of an exponential queue."""
    mix = replica.mix
    prefill = per_replica_rate * replica.step.delta_s_per_input_tok * mix.prompt_tok
    spread = (
        arrival_scv_ratio + (1.0 - prefill) ** 2 * mix.output_scv_ratio + prefill**2 * mix.prompt_scv_ratio
    ) / 2.0
    full_step_s = replica.shared_step_s(float(replica.slot_count))
    backlog = 1.0 / (excess_rate * replica.step_count * full_step_s)
    halfway = BACKLOG_HALFWAY * (1.0 + mix.output_scv_ratio)
    return 1.0 + (spread - 1.0) * backlog / (backlog + halfway)
