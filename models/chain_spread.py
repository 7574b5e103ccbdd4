"""What a plain birth-death chain leaves out: stalls by prompts, spread of lengths, queues of one's own.

Factors on the spread of the number of requests and on their wait, by closed formulas whose few constants
were fitted to an iteration-level simulation of the same assumptions.
"""

import math

from models.shared_replica import SharedReplica

# How strongly the spread of lengths lengthens the wait while the backlog is short; fitted.
BACKLOG_HALFWAY = 0.09
OWN_QUEUE_SHARE = 0.5  # fitted likewise


def variance_factor(
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


def wait_factor(
    replica: SharedReplica, per_replica_rate: float, excess_rate: float, arrival_scv_ratio: float
) -> float:
    """v: mean wait of those who find all slots taken, over that of an exponential queue."""
    mix = replica.mix
    prefill = per_replica_rate * replica.step.delta_s_per_input_tok * mix.prompt_tok
    spread = (
        arrival_scv_ratio + (1.0 - prefill) ** 2 * replica.work_scv_ratio + prefill**2 * mix.prompt_scv_ratio
    ) / 2.0
    full_step_s = replica.shared_step_s(float(replica.slot_count))
    backlog = 1.0 / (excess_rate * replica.step_count * full_step_s)
    halfway = BACKLOG_HALFWAY * (1.0 + mix.output_scv_ratio)
    return 1.0 + (spread - 1.0) * backlog / (backlog + halfway)


def own_queue_s(replica: SharedReplica, rate_req_per_s: float, members: int) -> float:
    """Further mean wait because a request queues at one replica, not for the first slot of any.

    Half the difference between queues that are always level and one queue for all; nothing for one
    replica.
    """
    single = replica.full_rate_req_per_s
    log_load = math.log(rate_req_per_s / (members * single))
    level = 1.0 / -math.expm1(members * log_load)
    pooled = 1.0 / (members * -math.expm1(log_load))
    return OWN_QUEUE_SHARE * (level - pooled) / single
