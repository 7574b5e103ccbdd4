"""A pool whose load swings to capacity and beyond: what builds up at the peak and drains after it.

The forward equations of the pool's chain (A. N. Kolmogorov 1931), with the rate of each moment, are
followed through two periods in implicit steps, from the stationary state of the mean rate; the second
period counts. Range: periods of at least 300 s, peaks up to 1.2 times what the pool sustains: mean TTFT
within 13 %, E2E within 6 % of an iteration-level simulation.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.batched_operation import SteadyState
from models.pool_chain import PoolChain, flows, grid_of, spreads_at, state_of
from models.processor_sharing import members_of
from models.shared_replica import Routing, SharedReplica

FloatArray = NDArray[np.float64]
_Factors = tuple[NDArray[Any], ...]

BACKLOG_MARGIN = 1.5  # room beyond the backlog that a fluid would build up
PHASE_COUNT = 20  # stretches of the period with a sample of requests each
STAGE = 1.0 - math.sqrt(0.5)  # of a step, each of two implicit stages
PERIOD_COUNT = 2  # the first one forgets the start


def transient_states(
    replica: SharedReplica,
    rates_req_per_s: FloatArray,
    step_s: float,
    replica_count: int,
    routing: Routing,
    *,
    arrival_scv_ratio: float = 1.0,
) -> list[SteadyState]:
    """The pool along one period of its arrivals, as stretches in time, each with what its arrivals find.

    rates_req_per_s  the pool's arrival rate in even steps of `step_s` over one period; about 200 steps.
                     Their mean must be above zero and below what the pool sustains.
    """
    members, _, scv = members_of(1.0, replica_count, arrival_scv_ratio, routing)
    rates = np.maximum(rates_req_per_s, rates_req_per_s.max() * 1e-9) * members / replica_count
    most = members * replica.full_rate_req_per_s
    backlog = float(np.maximum(rates - most, 0.0).sum()) * step_s
    chain = PoolChain(
        replica=replica,
        members=members,
        replica_count=replica_count,
        routing=routing,
        scv_ratio=scv,
        grid=grid_of(replica, members, backlog * BACKLOG_MARGIN),
    )
    probabilities = list(_followed(chain, rates, step_s))[-len(rates) :]
    share = np.cumsum(rates) / rates.sum()
    phase = np.minimum((share * PHASE_COUNT - 1e-9).astype(int), PHASE_COUNT - 1)
    return [
        state_of(chain, rates[chosen], np.array(probabilities)[chosen], float(chosen.mean()))
        for number in range(PHASE_COUNT)
        if (chosen := phase == number).any()
    ]


def _followed(chain: PoolChain, rates: FloatArray, step_s: float) -> Iterator[FloatArray]:
    """The probability of each state, mean over each step, period after period."""
    spreads = spreads_at(chain, rates)
    factors: dict[float, _Factors] = {}
    probability = _stationary(chain, float(rates.mean()), float(np.interp(rates.mean(), *spreads)))
    for rate in [float(each) for each in rates] * PERIOD_COUNT:
        if rate not in factors:
            up, down = flows(chain, rate, float(np.interp(rate, *spreads)))
            factors[rate] = _factors(step_s * up, step_s * down)
        later = _after(probability, factors[rate])
        mean = np.maximum(probability + later, 0.0)
        yield mean / mean.sum()
        probability = later


def _factors(up: FloatArray, down: FloatArray) -> _Factors:
    """The triangular factors of one implicit stage, for flows in units of the step."""
    from scipy.linalg.lapack import dgttrf

    diagonal = np.ones(len(up) + 1)
    diagonal[:-1] += STAGE * up
    diagonal[1:] += STAGE * down
    *factors, info = dgttrf(-STAGE * up, diagonal, -STAGE * down)
    if info != 0:
        raise ArithmeticError("the forward equations of a chain are never singular")
    return tuple(factors)


def _after(probability: FloatArray, factors: _Factors) -> FloatArray:
    """The probabilities one step later.

    Two implicit stages of second order that damp what is fast (R. Alexander 1977): a single implicit
    step would spread a drifting backlog as much as it moves it. The sum stays 1 and means stay right;
    single states may fall a little below 0.
    """
    from scipy.linalg.lapack import dgttrs

    halfway = dgttrs(*factors, probability)[0]
    onward = probability + (1.0 - STAGE) / STAGE * (halfway - probability)
    after: FloatArray = dgttrs(*factors, onward)[0]
    return after


def _stationary(chain: PoolChain, rate: float, spread: float) -> FloatArray:
    up, down = flows(chain, rate, spread)
    log_weight = np.append(0.0, np.cumsum(np.log(up) - np.log(down)))
    weight = np.exp(log_weight - log_weight.max())
    probability: FloatArray = weight / weight.sum()
    return probability
