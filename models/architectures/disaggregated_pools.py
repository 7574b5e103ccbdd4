"""Two pools in a row: prompts are worked on in one, their KV cache is handed over, answers decode in another.

Prefill. Each worker takes one prompt at a time, first come first served: `alpha + delta P` seconds. Its
queue is M/G/c (Erlang C with the correction of A. M. Lee and P. A. Longton 1959).

Hand-over. The cache of a prompt, P tokens at the model's KV bytes per token, travels over the worker's own
link: `base + bytes P / bandwidth`, less what overlaps prefill. 4,000 tokens at 327,680 bytes are 1.31 GB:
26 ms over 400 Gb/s, 1.5 ms over NVLink 5 one way.

Decode. Batched steps without prompts, n - 1 tokens a call; a decode half known only by a speed is an
envelope as on wafers (sequences take turns, or all that the memory holds fly free). TTFT = wait + prefill
(+ hand-over if the first token waits for it); the gap to the second token holds the hand-over, which
counts in TPOT and E2E and not in ITL.

Sizing. A load needs p workers and d decode replicas. More of either never hurts, so the cheapest pair is
found along the edge of what holds every target: the fewest decode replicas for each number of workers.
Where one number is asked for (curves, comparisons), workers are as many as sit at the same load as the
decode replicas. A unit of each half is kept spare. Autoscaling is not applied.

Load. Swings and bursts are a mixture of steady stretches; capacity is held against the highest of them.

Range. Against a simulation of the same pools, up to a utilisation of 0.9: mean ITL and E2E within 2 %, mean
TTFT 5 %, TTFT p95 12 %, p99 20 %.

Not modelled: prefill in batches, shared links, a scheduler that moves machines between the halves, prefix
caches beyond what the workload states.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from models import tandem_fit
from models.arrival_mixing import (
    classes_in,
    highest_ratio,
    mean_rates,
    mixed_latency,
    steady_phases,
    time_mean,
)
from models.arrival_phases import Phase
from models.batched_validity import domain_notices
from models.measurements import SourcedMeasurement
from models.performance import (
    CannotServe,
    ClassLatency,
    EnvelopeEnd,
    Load,
    OperatingPoint,
    RequestClass,
    TandemPerformance,
)
from models.processor_sharing import Occupancy, occupancy
from models.request_mix import mix_of
from models.systems import PrefillPool, TandemPools, TransferLinks
from models.tandem import decode_replica, sample_calls, stage_rates_req_per_s
from models.tiers import Offer

KEY = "disaggregated_pools"
LABEL = "Disaggregated pools"
READS = (
    "accelerator",
    "accelerator_count_per_replica",
    "precision",
    "slot_count",
    "failure_unit",
    "prefill",
    "link",
    "step",
    "speed",
    "price",
    "availability",
)
PESSIMISTIC: EnvelopeEnd = "pessimistic"
SATURATED = 1.0 - 1e-9
MOST_WORKERS_PER_REPLICA = 64
LIGHT_UTILISATION = 1e-6  # stands for "no load" where a class has no rate yet


def fit(
    offer: Offer,
    measurements: Sequence[SourcedMeasurement],
    *,
    accepted_derate_ratio: float | None = None,
    envelope_end: EnvelopeEnd = PESSIMISTIC,
) -> TandemPerformance | CannotServe:
    """One worker, its link and one decode replica, from statements, measurements or rooflines."""
    return tandem_fit.fit(offer, measurements, accepted_derate_ratio, envelope_end)


def stage_rates(
    performance: TandemPerformance, load: Load, worker_count: int, replica_count: int
) -> tuple[float, float] | None:
    """Mean requests/s that the workers with their links and the decode replicas sustain, each by itself.

    At the load's mix, held against its highest rate; None where a decode replica holds no request.
    """
    classes = mean_rates(load)
    pools = system_of(performance, worker_count, replica_count)
    replica = decode_replica(pools, mix_of(classes))
    if replica is None:
        return None
    prompt, hand_over, decode = stage_rates_req_per_s(pools, classes, replica)
    peak = highest_ratio(steady_phases(load.arrival))
    return min(prompt, hand_over) / peak, decode / peak


def balanced_workers(performance: TandemPerformance, load: Load, replica_count: int) -> int:
    """Workers that carry what so many decode replicas do: both halves at about the same load.

    At most 64 a replica: answers of hardly more than one token leave the decode half idle.
    """
    rates = stage_rates(performance, load, 1, replica_count)
    most = MOST_WORKERS_PER_REPLICA * replica_count
    return 1 if rates is None else max(1, math.ceil(min(rates[1] / rates[0], most) - 1e-9))


def max_rate(performance: TandemPerformance, load: Load, replica_count: int) -> float:
    """Mean requests/s that the tighter half sustains; 0 where not one request fits."""
    workers = performance.worker_count or balanced_workers(performance, load, replica_count)
    rates = stage_rates(performance, load, workers, replica_count)
    return 0.0 if rates is None else min(rates)


def operate(
    performance: TandemPerformance, load: Load, replica_count: int, *, point_count: int = 2048
) -> OperatingPoint:
    """What both pools do under the load; past saturation stable=False and no latency.

    replica_count: of the decode pool. Slots and busy time are the decode pool's. Utilisation is that of
    the tighter half, at the highest rate of the arrivals. point_count is a power of two.
    """
    workers = performance.worker_count or balanced_workers(performance, load, replica_count)
    pools, classes = system_of(performance, workers, replica_count), mean_rates(load)
    highest = max_rate(replace(performance, worker_count=workers), load, replica_count)
    if highest <= 0.0:
        return OperatingPoint(
            stable=False,
            utilisation_fraction=None,
            max_rate_req_per_s=0.0,
            notices=("The KV cache of one decode replica cannot hold a single request of this size.",),
        )
    asked = load.rate_req_per_s * load.arrival.mean_to_given_ratio
    if asked / highest >= SATURATED:
        return OperatingPoint(
            stable=False,
            utilisation_fraction=asked / highest,
            max_rate_req_per_s=highest,
            notices=("More is asked than a half can serve at its highest rate: there is no latency.",),
        )
    if asked <= 0:
        light = highest * LIGHT_UTILISATION / sum(each.rate_req_per_s for each in classes)
        classes = tuple(replace(each, rate_req_per_s=each.rate_req_per_s * light) for each in classes)
    states = [_state(pools, classes, phase) for phase in steady_phases(load.arrival)]
    phases, helds = [phase for phase, _, _ in states], [held for _, _, held in states]
    busy_slots = time_mean(phases, [held.busy_slot_count for held in helds]) / replica_count
    outside = domain_notices(performance.decode, classes, busy_slots)
    slot_count = helds[0].replica.slot_count
    return OperatingPoint(
        stable=True,
        utilisation_fraction=asked / highest,
        max_rate_req_per_s=highest,
        slot_occupancy_fraction=busy_slots / slot_count,
        busy_fraction=time_mean(phases, [held.busy_fraction for held in helds]),
        mean_busy_slot_count_per_replica=busy_slots,
        latencies=tuple(
            _latency(performance, pools, states, each, point_count) for each in range(len(classes))
        ),
        inside_domain=not outside,
        notices=outside,
    )


State = tuple[Phase, tuple[RequestClass, ...], Occupancy]


def system_of(performance: TandemPerformance, worker_count: int, replica_count: int) -> TandemPools:
    """The pools at these sizes, for formula and simulation; each worker sends over a link of its own."""
    return TandemPools(
        prefill=PrefillPool(
            worker_count=worker_count,
            alpha_s=performance.alpha_s,
            delta_s_per_input_tok=performance.delta_s_per_input_tok,
        ),
        transfer=TransferLinks(
            link_count=worker_count,
            base_s=performance.base_s,
            bytes_per_tok=performance.bytes_per_tok,
            bandwidth_byte_per_s=performance.bandwidth_byte_per_s,
            overlap_fraction=performance.overlap_fraction,
        ),
        replica=performance.decode,
        replica_count=replica_count,
        first_token=performance.first_token,
    )


def _state(pools: TandemPools, classes: tuple[RequestClass, ...], phase: Phase) -> State:
    """The decode pool in one steady stretch of the arrivals."""
    now = classes_in(phase, classes)
    replica = decode_replica(pools, mix_of(now))
    if replica is None:
        raise RuntimeError("a decode replica that holds no request was to be operated")
    rate = sum(each.rate_req_per_s for each in now)
    return phase, now, occupancy(replica, rate, pools.replica_count, arrival_scv_ratio=phase.scv_ratio)


def _latency(
    performance: TandemPerformance, pools: TandemPools, states: Sequence[State], index: int, point_count: int
) -> ClassLatency:
    """One class's latencies over all stretches."""
    parts = [sample_calls(pools, now, held, now[index], point_count) for _, now, held in states]
    # The decode replica's own overhead is already in the sample.
    extra_s = performance.overhead_s - performance.decode.overhead_s
    return mixed_latency(states[0][1][index], [phase for phase, _, _ in states], parts, extra_s)
