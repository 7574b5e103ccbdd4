"""Callers who give up: a queue that sheds load by itself, so it is stable at any rate.

Beyond the slots each waiting call leaves at rate 1 / patience (Erlang-A: C. Palm 1957; O. Garnett,
A. Mandelbaum and M. Reiman 2002). A call that finds j others waiting is served before it gives up with
probability mu / (mu + (j + 1) theta), mu the rate at which a full pool finishes calls; if it is, it
has waited sum over i = 0 .. j of 1 / (mu + (i + 1) theta) on average.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from models.processor_sharing import EXACT_STATE_COUNT, Occupancy, SharedReplica, occupancy

FloatArray = NDArray[np.float64]
NEGLIGIBLE = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class ImpatientPool:
    """A pool whose waiting calls give up.

    held                  what the calls that are served find
    abandonment_fraction  share of all calls that give up
    """

    held: Occupancy
    abandonment_fraction: float


def impatient_pool(
    replica: SharedReplica, rate_req_per_s: float, replica_count: int, patience_mean_s: float
) -> ImpatientPool:
    """The stationary pool as one chain (join-shortest-queue); any rate above zero.

    ValueError beyond `EXACT_STATE_COUNT` slots in all.
    """
    capacity = replica_count * replica.slot_count
    if capacity > EXACT_STATE_COUNT:
        raise ValueError(f"{capacity} slots are more than {EXACT_STATE_COUNT}")
    plain = replace(replica, cache=None)  # states up to all slots taken
    patient = occupancy(plain, replica.full_rate_req_per_s * replica_count / 2.0, replica_count)
    per_replica = np.arange(replica.slot_count + 2, dtype=np.float64)
    single = replica.departure_rate(per_replica)
    count = np.arange(1, capacity + 1)
    quotient, fuller = np.divmod(count, replica_count)
    finish = fuller * single[quotient + 1] + (replica_count - fuller) * single[quotient]
    full_rate = float(finish[-1])
    queue = np.arange(1, _longest_queue(rate_req_per_s, full_rate, patience_mean_s) + 1)
    death = np.concatenate((finish, full_rate + queue / patience_mean_s))
    log_weight = np.concatenate((np.zeros(1), np.cumsum(np.log(rate_req_per_s) - np.log(death))))
    weight = np.exp(log_weight - log_weight.max())
    probability = weight / weight.sum()
    waiting = probability[capacity:]
    ahead = np.arange(len(waiting))
    served = full_rate / (full_rate + (ahead + 1) / patience_mean_s)
    wait_s = np.cumsum(1.0 / (full_rate + (ahead + 1) / patience_mean_s))
    full = float(waiting @ served)
    abandonment = float(waiting @ (1.0 - served))
    lumped = np.append(probability[:capacity], full)
    return ImpatientPool(
        held=replace(
            patient,
            probability=lumped / lumped.sum(),
            busy_slot_count=float(np.minimum(np.arange(len(probability)), capacity) @ probability),
            full_probability=full / (1.0 - abandonment),
            wait_if_full_s=float((waiting * served) @ wait_s) / full if full > 0.0 else 0.0,
            per_replica_rate=rate_req_per_s * (1.0 - abandonment) / replica_count,
        ),
        abandonment_fraction=abandonment,
    )


def _longest_queue(rate_req_per_s: float, full_rate: float, patience_mean_s: float) -> int:
    """A queue so long that longer ones have no weight: its death rate is far above the arrivals'."""
    balanced = max(rate_req_per_s - full_rate, 0.0) * patience_mean_s
    spread = np.sqrt(rate_req_per_s * patience_mean_s)
    return int(balanced + 12.0 * spread - 2.0 * np.log(NEGLIGIBLE))
