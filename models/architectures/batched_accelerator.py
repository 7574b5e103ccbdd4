"""GPUs and the like with continuous batching: requests share the steps of a replica.

Step law. One engine step that decodes b sequences, reads kv context tokens and prefills p prompt tokens
takes `alpha + beta b^exponent + gamma kv + delta p` seconds. Its coefficients are fitted to measured
sweeps over concurrency or rate and over lengths (see `calibration`); measured curves are concave, the
exponent's median over public curves is 0.77. Without measurements they follow from memory bandwidth
and compute, grade E.

Capacity. With n_s steps per request and B slots a replica sustains at most B / (n_s T(B)) requests/s,
T(B) the step with all slots taken and their prefill spread over it: an identity, not an approximation.
B is the slots allowed or what the KV cache holds when each request reserves prompt and answer; a budget
of tokens per step bounds the prompts in the same way. What fits a cache varies with the requests' sizes:
they wait before the mean number is in it.

Occupancy. A pool is a birth-death chain on the requests in it (limited processor sharing: Avi-Itzhak and
Halfin 1988; Zhang, Dai and Zwart 2011), under join-shortest-queue as one chain, under blind routing as
one chain per replica. Requests beyond the slots wait, P(full) / (mu(K) - lambda) on average, corrected
for the spread of lengths and arrivals.

Latency. TTFT = slot wait + running step + prompts served beside one's own + own prefill + overhead;
E2E = TTFT + (n - 1) ITL, with ITL from Little's law. Percentiles come from one fixed quasi-random sample.
Tasks add calls and pauses; a fan-out waits for its slowest call. Engines that work on prompts in steps of
their own (SGLang) pay such a step for each decode step in which a request left.

Arrivals. A swing of the load that stays below 90 % of capacity is a mixture of steady states; one that
comes nearer is followed in time (forward equations), so that a peak's backlog counts. Bursts of random
length are solved with the pool as one larger chain; gamma arrivals enter by variability and bunching.

Range. Against an iteration-level simulation of the same assumptions, at utilisation up to 0.9: mean ITL
and E2E within 3 %, mean TTFT within 10 %, E2E p95 within 5 %, p99 within 10 %, TTFT p95 and p99 within 25
%. Against real hardware the step law dominates: expect 10 to 25 %. Weak, and flagged: utilisation above
0.95, prompts longer than a step's budget or prefill above 30 % of the time, bursts shorter than a step, 8
slots or fewer (32 with heavy-tailed answers), a KV cache of very different sizes, answers of exactly
equal length on a busy pool (they herd, the longer the more), anything outside the measured domain. Slots
that nobody states make saturation a band, not a number.

Not modelled: preemption and recomputation when the KV cache overflows, prefix-cache misses, imbalance
between experts, retries, failures in mid-request. How the accelerators of a replica split their work
(tensor, pipeline, expert parallel) is in the measurements; without any, a stated split enters the roofline
by what the accelerators exchange (see `parallel`), and an unstated one as the latency of its all-reduces.
Speculative decoding is in the measurements, or a switch of the tier that works it in by formula (see
`speed_switches`).
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from models import batched_fit
from models.arrival_states import arrival_states
from models.batched_operation import SteadyState, class_latencies
from models.batched_validity import Circumstances, domain_notices, validity_notices
from models.fit_quality import assess_fit
from models.measurements import SourcedMeasurement
from models.performance import (
    BatchedPerformance,
    CannotServe,
    FitQuality,
    Load,
    OperatingPoint,
    RequestClass,
    Scheduler,
)
from models.request_mix import mix_of
from models.saturation import saturation_band
from models.shared_replica import Routing, SharedReplica, share
from models.steady_points import Lengths, closed_point, law_of
from models.step_law import extrapolation_band
from models.tiers import Offer

KEY = "batched_accelerator"
LABEL = "Batched accelerator"
READS = (
    "accelerator",
    "accelerator_count_per_replica",
    "split",
    "link",
    "engine",
    "precision",
    "slot_count",
    "failure_unit",
    "price",
    "availability",
)

LIGHT_UTILISATION = 1e-6  # stands for "no load" where a class has no rate yet
SATURATED = 1.0 - 1e-9


def fit(offer: Offer, measurements: Sequence[SourcedMeasurement]) -> BatchedPerformance | CannotServe:
    """One replica's step law and limits from measurements of the offer's configuration.

    The measurements are of one replica (the whole measured system is one model copy). The more loads
    and lengths they cover the more is fitted and the less is assumed; with none, the roofline of the
    accelerator and the model, grade E, or `CannotServe` where those facts are missing.
    """
    return batched_fit.fit(offer, measurements)


def assess(offer: Offer, measurements: Sequence[SourcedMeasurement]) -> FitQuality | None:
    """How well the fit predicts loads and lengths it has not seen; None without a usable measurement.

    Fits again for each left-out load and shape: some tenths of a second.
    """
    return assess_fit(offer, measurements)


def max_rate(
    performance: BatchedPerformance, load: Load, replica_count: int, *, scheduler: Scheduler | None = None
) -> float:
    """Requests/s that `replica_count` replicas sustain at the load's mix; 0 where not one request fits."""
    replica = share(performance, mix_of(_with_rates(load)), scheduler)
    return 0.0 if replica is None else replica.max_rate_req_per_s * replica_count


def operate(
    performance: BatchedPerformance,
    load: Load,
    replica_count: int,
    *,
    point_count: int = 2048,
    routing: Routing = "join_shortest_queue",
    scheduler: Scheduler | None = None,
) -> OperatingPoint:
    """What the pool does under the load; past saturation stable=False and no latency.

    A profile's load is at its peak rate; utilisation is that of the mean rate. A swing whose peak passes
    saturation is followed in time, as long as the mean rate can be served.

    point_count is a power of two: 2,048 on a page, 16,384 in a report.
    """
    classes = _with_rates(load)
    replica = share(performance, mix_of(classes), scheduler)
    if replica is None:
        return OperatingPoint(
            stable=False,
            utilisation_fraction=None,
            max_rate_req_per_s=0.0,
            notices=("The KV cache of one replica cannot hold a single request of this size.",),
        )
    max_rate_req_per_s = replica.max_rate_req_per_s * replica_count
    mean_rate = load.rate_req_per_s * load.arrival.mean_to_given_ratio
    utilisation = mean_rate / max_rate_req_per_s
    if utilisation >= SATURATED:
        return OperatingPoint(
            stable=False,
            utilisation_fraction=utilisation,
            max_rate_req_per_s=max_rate_req_per_s,
            notices=(_backlog_notice(mean_rate - max_rate_req_per_s),),
        )
    rate = mean_rate or max_rate_req_per_s * LIGHT_UTILISATION
    states = arrival_states(replica, load.arrival, classes, rate, replica_count, routing)
    busy_slots = _mean([state.held.busy_slot_count for state in states], states, by_time=True) / replica_count
    outside = domain_notices(performance, classes, busy_slots)
    return OperatingPoint(
        stable=True,
        utilisation_fraction=utilisation,
        max_rate_req_per_s=max_rate_req_per_s,
        slot_occupancy_fraction=busy_slots / replica.slot_count,
        busy_fraction=_mean([state.held.busy_fraction for state in states], states, by_time=True),
        mean_busy_slot_count_per_replica=busy_slots,
        wait_probability_fraction=_mean([state.held.full_probability for state in states], states),
        latencies=class_latencies(states, classes, replica_count, performance.overhead_s, point_count),
        inside_domain=not outside,
        notices=(
            *outside,
            *_slots_notice(performance, replace(load, classes=classes), replica_count, scheduler),
            *_validity(performance, load, states, replica, replica_count, utilisation),
        ),
    )


def closed_loop(
    performance: BatchedPerformance, concurrency_count: float, isl_tok: float, osl_tok: float
) -> tuple[float, float, float]:
    """Median TTFT and TPOT in seconds and output tokens/s of one replica with N requests in flight.

    What a benchmark at that concurrency with these lengths would show: the fit's own view of its data.
    """
    lengths = Lengths(isl_tok=np.array([isl_tok]), osl_tok=np.array([osl_tok]))
    point = closed_point(law_of(performance), np.array([concurrency_count]), lengths)
    rate = float(point.request_rate_req_per_s[0])
    return float(point.ttft_s[0]), float(point.tpot_s[0]), rate * osl_tok


def band(performance: BatchedPerformance, concurrency_count: float) -> tuple[float, float] | None:
    """The fit's prediction band at a concurrency, as ratios below and above (four times in five).

    (-0.06, 0.06) inside the measured loads, wider beyond; None beyond eight times the highest measured
    load, and where nothing was measured.
    """
    if performance.domain is None:
        return None
    return extrapolation_band(concurrency_count, performance.domain.concurrency_high_count)


def _with_rates(load: Load) -> tuple[RequestClass, ...]:
    """The classes of the load; equal light rates where none has any yet."""
    if load.rate_req_per_s > 0:
        return load.classes
    return tuple(replace(each, rate_req_per_s=1.0) for each in load.classes)


def _mean(values: Sequence[float], states: Sequence[SteadyState], *, by_time: bool = False) -> float:
    """Mean over phases, by requests or by time."""
    weights = [state.time_fraction if by_time else state.weight for state in states]
    return sum(w * value for w, value in zip(weights, values, strict=True)) / sum(weights)


def _validity(
    performance: BatchedPerformance,
    load: Load,
    states: Sequence[SteadyState],
    replica: SharedReplica,
    replica_count: int,
    utilisation_fraction: float,
) -> tuple[str, ...]:
    return validity_notices(
        Circumstances(
            utilisation_fraction=utilisation_fraction,
            prefill_fraction=_mean([state.held.prefill_fraction for state in states], states, by_time=True),
            replica=replica,
            replica_count=replica_count,
            arrival=load.arrival,
            is_cache_limited=replica.slot_count < min(performance.slot_count, performance.token_budget_tok),
        )
    )


def _slots_notice(
    performance: BatchedPerformance, load: Load, replica_count: int, scheduler: Scheduler | None
) -> tuple[str, ...]:
    """Between which rates the pool saturates, where nobody says how many slots it has."""
    if performance.slot_range_count is None:
        return ()
    low, high = (rate * replica_count for rate in saturation_band(performance, load, scheduler=scheduler))
    fewest, most = performance.slot_range_count
    return (
        f"Slots are not stated ({fewest} to {most} are usual): saturation lies between {low:.3g} and"
        f" {high:.3g} requests/s, four times in five.",
    )


def _backlog_notice(growth_req_per_s: float) -> str:
    return (
        "Saturated: more is asked than the replicas can serve; the backlog grows by"
        f" {max(growth_req_per_s, 0.0):.3g} requests/s and there is no latency to give."
    )
