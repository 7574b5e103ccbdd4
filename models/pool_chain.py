"""A pool's chain with a queue of its own states, for loads that change while requests are in it.

Between two states the flow keeps the drift of the chain and the ratio of its stationary probabilities
(exponential fitting: D. L. Scharfetter and H. K. Gummel 1969), so a constant rate gives back the
stationary chain.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.batched_operation import SteadyState
from models.chain_spread import own_queue_s, variance_factor, wait_factor
from models.first_token import mean_itl_s, mean_wait_s, prefill_stage
from models.processor_sharing import Occupancy, pool_departure_rate
from models.shared_replica import Routing, SharedReplica

FloatArray = NDArray[np.float64]

HELD_STATE_COUNT = 4_096  # states up to all slots taken; larger pools are followed in coarser strides
QUEUE_STATE_COUNT = 3_000  # states beyond
CLOSE_TO_SATURATION = 0.98  # where corrections that grow without bound are read off
SPREAD_POINT_COUNT = 9  # rates at which the spread is worked out; straight lines between


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """States kept: requests held, rising, `stride[j]` between the j-th and the next."""

    count: FloatArray
    stride: FloatArray
    departure_rate: FloatArray
    first_full: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolChain:
    """A pool as the chain sees it: what does not change with the rate."""

    replica: SharedReplica
    members: int
    replica_count: int
    routing: Routing
    scv_ratio: float
    grid: Grid

    @property
    def full_rate(self) -> float:
        """Requests per second that all members finish with all slots taken."""
        return self.members * self.replica.full_rate_req_per_s


def grid_of(replica: SharedReplica, members: int, backlog_count: float) -> Grid:
    """States for all slots and for a backlog of so many requests."""
    capacity = members * replica.slot_count
    stride = math.ceil(capacity / HELD_STATE_COUNT)
    held = np.append(np.arange(0.0, capacity, stride), float(capacity))
    queue_stride = max(math.ceil(backlog_count / QUEUE_STATE_COUNT), stride)
    count = np.append(held, capacity + queue_stride * np.arange(1.0, QUEUE_STATE_COUNT + 1.0))
    return Grid(
        count=count,
        stride=np.diff(count),
        departure_rate=pool_departure_rate(replica, np.minimum(count, capacity), members),
        first_full=len(held) - 1,
    )


def spreads_at(chain: PoolChain, rates: FloatArray) -> tuple[FloatArray, FloatArray]:
    """How much wider than a plain chain the number held spreads, at some rates."""
    highest = CLOSE_TO_SATURATION * chain.full_rate
    some = np.linspace(min(rates.min(), highest), min(rates.max(), highest), SPREAD_POINT_COUNT)
    found = [
        variance_factor(chain.replica, float(each) / chain.members, chain.members, chain.scv_ratio)
        for each in some
    ]
    return some, np.array(found)


def _queue_spread(chain: PoolChain, rate: float) -> float:
    """How much longer the wait is than that of a plain chain."""
    near = min(rate, CLOSE_TO_SATURATION * chain.full_rate)
    return wait_factor(chain.replica, near / chain.members, chain.full_rate - near, chain.scv_ratio)


def flows(chain: PoolChain, rate: float, spread: float) -> tuple[FloatArray, FloatArray]:
    """Rates up and down between each state and the next."""
    grid, full_rate = chain.grid, chain.full_rate
    wider = np.full(len(grid.stride), spread)
    queued = _queue_spread(chain, rate)
    wider[grid.first_full :] = queued
    drift = (rate - grid.departure_rate[1:]) / grid.stride
    log_ratio = grid.stride * np.log(rate / grid.departure_rate[1:]) / wider
    level = np.abs(log_ratio) < 1e-9
    slope = np.where(level, 1.0, -np.expm1(-np.where(level, 1.0, log_ratio)))
    up = np.where(level, wider * rate / grid.stride**2, drift / slope)
    down = up - drift
    # Longer waits are fewer: as many requests find all slots taken as in the plain chain.
    first = grid.first_full
    up[first] = down[first] * _entry_ratio(rate / full_rate, queued, float(grid.stride[first]))
    return up, down


def _entry_ratio(load: float, spread: float, stride: float) -> float:
    """Probability of the first queued state over that of all slots just taken."""
    if abs(load - 1.0) < 1e-9:
        return stride / spread
    return float(load * np.expm1(stride * math.log(load) / spread) / (load - 1.0))


def state_of(
    chain: PoolChain, rates: FloatArray, probabilities: FloatArray, time_fraction: float
) -> SteadyState:
    """One stretch of even steps: what its arrivals find, and how fast the pool works meanwhile.

    rates          arrivals per second of the chain, one per step
    probabilities  of each state, one row per step
    """
    held = _occupancy(chain, rates, probabilities)
    stage = prefill_stage(held, chain.replica_count, chain.routing)
    return SteadyState(
        weight=float(rates.mean()) * time_fraction,
        time_fraction=time_fraction,
        held=held,
        stage=stage,
        wait_s=mean_wait_s(stage, held),
        itl_s=mean_itl_s(stage, held, chain.replica_count),
    )


def _occupancy(chain: PoolChain, rates: FloatArray, probabilities: FloatArray) -> Occupancy:
    grid, members = chain.grid, chain.members
    found = (rates[:, None] * probabilities).sum(axis=0) / rates.sum()
    over_time = probabilities.mean(axis=0)
    finished = float((over_time * grid.departure_rate).sum())
    wait_s = _state_waits_s(chain, float(rates.mean()))
    full = float(found[grid.first_full :].sum())
    mean_wait = float((found * wait_s).sum()) / full if full > 0.0 else 0.0
    busy = np.minimum(grid.count, grid.count[grid.first_full])
    return Occupancy(
        count=grid.count,
        probability=found,
        departure_rate=grid.departure_rate,
        busy_slot_count=float((over_time * busy).sum()) * chain.replica_count / members,
        full_probability=full,
        wait_if_full_s=mean_wait,
        wait_ratio=wait_s / mean_wait if mean_wait > 0.0 else None,
        per_replica_rate=finished / members,
        member_count=members,
        replica=chain.replica,
    )


def _state_waits_s(chain: PoolChain, rate: float) -> FloatArray:
    """Mean wait for a slot of a request that finds each state; 0 while a slot is free."""
    grid = chain.grid
    near = min(rate, CLOSE_TO_SATURATION * chain.full_rate)
    own_s = _queue_spread(chain, rate) * own_queue_s(chain.replica, near, chain.members)
    ahead = grid.count - grid.count[grid.first_full]
    wait_s: FloatArray = np.where(ahead >= 0.0, (ahead + 1.0) / chain.full_rate + own_s, 0.0)
    return wait_s
