"""A pool whose load jumps between two rates: bursts and lulls of random length.

The pool's chain together with the phase of its arrivals is one larger chain, solved for its stationary
state (Markov-modulated queue: M. F. Neuts 1981). Bursts may be short or long and may ask for more than the
pool sustains, as long as the mean does not.
"""

import numpy as np
from numpy.typing import NDArray

from models.arrival_phases import burst_rate_ratios
from models.batched_operation import SteadyState
from models.pool_chain import PoolChain, flows, grid_of, spreads_at, state_of
from models.processor_sharing import members_of
from models.shared_replica import Routing, SharedReplica
from models.workloads import Arrival

FloatArray = NDArray[np.float64]

BACKLOG_BURSTS = 12.0  # room for the backlog of a burst so many times longer than the mean one
SETTLED = 1e6  # a step so many cycles long ends in the stationary state


def modulated_states(
    replica: SharedReplica,
    arrival: Arrival,
    mean_rate_req_per_s: float,
    replica_count: int,
    routing: Routing,
    *,
    arrival_scv_ratio: float = 1.0,
) -> list[SteadyState]:
    """The pool in lulls and in bursts; the mean rate is above zero and below what the pool sustains."""
    members, mean_rate, scv = members_of(mean_rate_req_per_s, replica_count, arrival_scv_ratio, routing)
    rates = mean_rate * np.array(burst_rate_ratios(arrival))
    shares = np.array([1.0 - arrival.burst_fraction, arrival.burst_fraction])
    excess = max(float(rates[1]) - members * replica.full_rate_req_per_s, 0.0)
    chain = PoolChain(
        replica=replica,
        members=members,
        replica_count=replica_count,
        routing=routing,
        scv_ratio=scv,
        grid=grid_of(replica, members, excess * arrival.cycle_s * shares[1] * BACKLOG_BURSTS),
    )
    joint = _stationary(chain, rates, shares, arrival.cycle_s)
    return [
        state_of(chain, rates[phase : phase + 1], joint[phase : phase + 1] / joint[phase].sum(), float(share))
        for phase, share in enumerate(shares)
    ]


def _stationary(chain: PoolChain, rates: FloatArray, shares: FloatArray, cycle_s: float) -> FloatArray:
    """Joint probabilities, one row per phase: one implicit step of very many cycles from anywhere."""
    from scipy.linalg import solve_banded

    spreads = spreads_at(chain, rates)
    step_s = cycle_s * SETTLED
    size = len(chain.grid.count)
    bands = np.zeros((5, 2 * size))  # states interleaved: both phases of one count side by side
    bands[2] = 1.0
    for phase, rate in enumerate(rates):
        up, down = flows(chain, float(rate), float(np.interp(rate, *spreads)))
        leave = 1.0 / (shares[phase] * cycle_s)
        own = slice(phase, None, 2)
        bands[2, own] += step_s * (leave + np.append(up, 0.0) + np.append(0.0, down))
        bands[0, own][1:] = -step_s * down
        bands[4, own][:-1] = -step_s * up
        bands[3 if phase == 0 else 1, own] = -step_s * leave
    start = np.outer(np.full(size, 1.0 / size), shares).ravel()
    for _ in range(2):
        start = np.maximum(solve_banded((2, 2), bands, start, check_finite=False), 0.0)
        start /= start.sum()
    joint: FloatArray = start.reshape(size, 2).T
    return joint
