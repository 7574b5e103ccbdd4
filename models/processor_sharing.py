"""How many requests a pool of replicas holds, how fast they move, and how long they wait for a slot.

State-dependent limited processor sharing: the requests in a replica's slots share its steps, each step
takes longer the more of them there are, and requests beyond the slots wait. A pool is one birth-death
chain on the number of requests in it. Sharing makes the means insensitive to the shape of the output
lengths. Sources: B. Avi-Itzhak and S. Halfin 1988 (limited processor sharing); J. Zhang, J. Dai and
B. Zwart 2011 (its diffusion limit); D. Gupta and others 2010 (what two moments cannot say).
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.cache_blocking import CacheLimit
from models.chain_spread import fluid_occupancy as fluid_occupancy
from models.chain_spread import own_queue_s, variance_factor, wait_factor
from models.performance import Scheduler as Scheduler
from models.shared_replica import Count as Count
from models.shared_replica import Routing as Routing
from models.shared_replica import SharedReplica as SharedReplica
from models.shared_replica import share as share
from models.shared_replica import slots_within_kv as slots_within_kv

FloatArray = NDArray[np.float64]

EXACT_STATE_COUNT = 16_384  # chains up to this long are summed whole
UNLIKELY_LOG = 60.0  # states this much less likely than the likeliest, as a logarithm, are left out
LIKELY_DEVIATIONS = 12.0  # longer ones within so many standard deviations of the fluid occupancy


@dataclass(frozen=True, slots=True, kw_only=True)
class Occupancy:
    """How many requests are in the pool: `probability[j]` of `count[j]`, all slots taken "or more".

    A stationary pool's waits are exponential; where the queue has states of its own, `wait_ratio` is the
    mean wait in each over `wait_if_full_s`.

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
    wait_ratio: FloatArray | None = None

    @property
    def capacity_count(self) -> int:
        """Slots of all replicas in the chain."""
        return self.member_count * self.replica.slot_count

    @property
    def held_per_replica(self) -> FloatArray:
        """Requests in slots of one replica, by state."""
        if self.followed_cache is not None:
            return self.followed_cache.served_count(self.count / self.member_count)
        return np.minimum(self.count / self.member_count, self.replica.slot_count)

    @property
    def followed_cache(self) -> CacheLimit | None:
        """The cache whose varying limit the states follow; None where they queue behind fixed slots."""
        return self.replica.cache if self.wait_ratio is None else None

    @property
    def full_chance(self) -> FloatArray:
        """Probability, by state, that an arrival has to wait for a slot or for room in the cache."""
        if self.followed_cache is not None:
            return self.followed_cache.blocked_chance(self.count / self.member_count)
        full: FloatArray = (self.count >= self.capacity_count).astype(np.float64)
        return full

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
    members, rate, scv = members_of(rate_req_per_s, replica_count, arrival_scv_ratio, routing)
    per_replica = rate / members
    if replica.cache is not None:
        return _cache_occupancy(replica, replica.cache, rate, members, replica_count, scv)
    capacity = members * replica.slot_count
    spread = variance_factor(replica, per_replica, members, scv)
    first, last = _likely_states(replica, per_replica, members, spread)
    count = np.arange(first, last + 1, dtype=np.float64)
    death = pool_departure_rate(replica, count, members)
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
        wait_if_full_s=wait_factor(replica, per_replica, excess, scv)
        * (1.0 / excess + own_queue_s(replica, rate, members)),
        per_replica_rate=per_replica,
        member_count=members,
        replica=replica,
    )


def _cache_occupancy(
    replica: SharedReplica, cache: CacheLimit, rate: float, members: int, replica_count: int, scv: float
) -> Occupancy:
    """The chain where the KV cache limits: as many are served as fit on average, the others wait.

    Mean wait by Little's law on those who wait, times the factor for the spread of their work.
    """
    per_replica = rate / members
    spread = variance_factor(replica, per_replica, members, scv)
    first, capacity = _likely_states(replica, per_replica, members, spread)
    last = max(math.ceil(members * cache.highest_count), capacity)
    count = np.arange(first, last + 1, dtype=np.float64)
    served = cache.served_count(np.arange(last // members + 2, dtype=np.float64))
    death = _level_rate(replica.departure_rate_of(served), count, members)
    wider = np.where(count[1:] <= members * cache.mean_count, spread, (1.0 + scv) / 2.0)
    log_weight = np.zeros(len(count))
    log_weight[1:] = np.cumsum((math.log(rate) - np.log(death[1:])) / wider)
    likely = np.flatnonzero(log_weight > log_weight.max() - UNLIKELY_LOG)
    kept = slice(int(likely[0]), int(likely[-1]) + 1)
    count, death = count[kept], death[kept]
    weight = np.exp(log_weight[kept] - log_weight.max())
    ratio = min((rate / float(death[-1])) ** (2.0 / (1.0 + scv)), 1.0 - 1e-9)
    weight[-1] /= 1.0 - ratio
    probability = weight / weight.sum()
    in_slots = members * cache.served_count(count / members)
    waiting = mean_over(probability, count - in_slots) + float(probability[-1]) * ratio / (1.0 - ratio)
    full = mean_over(probability, cache.blocked_chance(count / members))
    excess = members * float(replica.departure_rate_of(np.array([cache.mean_count]))[0]) - rate
    wait_s = waiting / rate * wait_factor(replica, per_replica, excess, scv)
    return Occupancy(
        count=count,
        probability=probability,
        departure_rate=death,
        busy_slot_count=mean_over(probability, in_slots) * replica_count / members,
        full_probability=full,
        wait_if_full_s=wait_s / full if full > 0.0 else 0.0,
        per_replica_rate=per_replica,
        member_count=members,
        replica=replica,
    )


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


def members_of(
    rate_req_per_s: float, replica_count: int, arrival_scv_ratio: float, routing: Routing
) -> tuple[int, float, float]:
    """Replicas in the chain, its arrival rate and its arrival variability."""
    if routing == "join_shortest_queue" or replica_count == 1:
        return replica_count, rate_req_per_s, arrival_scv_ratio
    rate = rate_req_per_s / replica_count
    if routing == "round_robin":
        return 1, rate, arrival_scv_ratio / replica_count
    return 1, rate, 1.0 + (arrival_scv_ratio - 1.0) / replica_count


def pool_departure_rate(replica: SharedReplica, count: FloatArray, members: int) -> FloatArray:
    """Requests per second that the members finish together, by requests held, spread evenly."""
    if members == 1:
        return replica.departure_rate(count)
    return _level_rate(
        replica.departure_rate(np.arange(replica.slot_count + 2, dtype=np.float64)), count, members
    )


def _level_rate(single: FloatArray, count: FloatArray, members: int) -> FloatArray:
    """Requests per second of members whose requests are level; `single` is one member's, by its number."""
    quotient, fuller = np.divmod(count.astype(np.int64), members)
    rate: FloatArray = fuller * single[quotient + 1] + (members - fuller) * single[quotient]
    return rate
