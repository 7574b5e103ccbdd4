"""Where the queueing answer is known to be weak, as data: a condition and what to tell the reader."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from models.arrival_states import is_followed
from models.performance import BatchedPerformance, Domain, PipelinePerformance, RequestClass
from models.request_mix import length_moments
from models.shared_replica import SharedReplica
from models.workloads import Arrival

SHORTEST_FOLLOWED_PERIOD_S = 300.0
HEAVY_TAIL_SCV_RATIO = 1.5**2
MANY_REPLICAS = 16
# A herd grows while its own prefill lasts if more prefill comes to the whole pool than one replica does;
# where TTFT is 10 % off, read off the simulator on 400/100 (2 to 32 replicas) and 1000/200 tokens (4).
HERDING_PREFILL_REPLICAS = 1.5
CACHE_ROUGH_UTILISATION = 0.75


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """What decides whether an answer may be trusted."""

    utilisation_fraction: float
    prefill_fraction: float
    replica: SharedReplica
    replica_count: int
    arrival: Arrival
    is_cache_limited: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Validity:
    """A condition under which the text must be shown."""

    holds: Callable[[Circumstances], bool]
    text: str


VALIDITY = (
    Validity(
        holds=lambda at: at.utilisation_fraction > 0.95,
        text="Above 95 % utilisation latencies swing widely; TTFT may be off by a third.",
    ),
    Validity(
        holds=lambda at: at.prefill_fraction > 0.3,
        text="Prefill takes more than 30 % of the time: TTFT p95 and p99 are rough (25 %).",
    ),
    Validity(
        holds=lambda at: at.replica.mix.prompt_bins_tok[-21] > at.replica.token_budget_tok,
        text="One prompt in a hundred exceeds a step's token budget: TTFT p95 and p99 are rough (25 %).",
    ),
    Validity(
        holds=lambda at: at.arrival.kind == "gamma" and at.arrival.scv_ratio > 1.5,
        text="Bursts shorter than a step: TTFT p95 and p99 are lower bounds, up to 40 % too low.",
    ),
    Validity(
        holds=lambda at: (
            (
                at.replica_count >= MANY_REPLICAS
                or at.replica_count * at.prefill_fraction > HERDING_PREFILL_REPLICAS
            )
            and at.utilisation_fraction > 0.5
            and at.replica.mix.output_scv_ratio < 0.01
        ),
        text="Answers of equal length leave together, and the next ones come together to where they left:"
        " TTFT may be several times higher.",
    ),
    Validity(
        holds=lambda at: at.is_cache_limited and at.utilisation_fraction > CACHE_ROUGH_UTILISATION,
        text="The KV cache limits the requests held, and they differ in size: TTFT may be 5 to 30 % higher.",
    ),
    Validity(
        holds=lambda at: at.replica.slot_count <= 8,
        text="With 8 slots or fewer per replica p99 is rough.",
    ),
    Validity(
        holds=lambda at: (
            at.replica_count == 1
            and at.utilisation_fraction > 0.85
            and at.replica.mix.output_scv_ratio < 0.01
        ),
        text="Answers of equal length on one busy replica leave together: TTFT may be 25 to 35 % higher.",
    ),
    Validity(
        holds=lambda at: (
            is_followed(at.arrival, at.utilisation_fraction)
            and at.arrival.kind == "sine"
            and at.arrival.period_s < SHORTEST_FOLLOWED_PERIOD_S
        ),
        text="The load swings to capacity within minutes: TTFT may be 20 to 40 % higher.",
    ),
    Validity(
        holds=lambda at: at.arrival.peak_to_mean_ratio * at.utilisation_fraction > 1.0,
        text="At the peak more is asked than can be served: a backlog builds up and drains after it;"
        " latencies include it.",
    ),
    Validity(
        holds=lambda at: (
            8 < at.replica.slot_count <= 32
            and at.replica.mix.output_scv_ratio > HEAVY_TAIL_SCV_RATIO
            and at.utilisation_fraction > 0.8
        ),
        text="Few slots and answers of very different length: TTFT p95 and p99 are rough.",
    ),
)


def validity_notices(at: Circumstances) -> tuple[str, ...]:
    """The texts of all conditions that hold."""
    return tuple(each.text for each in VALIDITY if each.holds(at))


def domain_notices(
    performance: BatchedPerformance | PipelinePerformance,
    classes: Sequence[RequestClass],
    busy_per_replica: float,
) -> tuple[str, ...]:
    """What of the load lies outside the measurements; nothing where nothing was measured."""
    domain = performance.domain
    if domain is None:
        return ()
    notices = [text for each in classes for text in _length_notices(domain, each)]
    if busy_per_replica > domain.concurrency_high_count * 1.0001:
        notices.append(
            f"{busy_per_replica:.0f} requests per replica at once;"
            f" measured up to {domain.concurrency_high_count:.0f}."
        )
    return tuple(notices)


def _length_notices(domain: Domain, each: RequestClass) -> list[str]:
    sides = (
        ("input", length_moments(each.input_tok).mean, domain.isl_low_tok, domain.isl_high_tok),
        ("output", length_moments(each.output_tok).mean, domain.osl_low_tok, domain.osl_high_tok),
    )
    return [
        f"{each.name}: mean {side} of {mean:.0f} tokens is outside the measured {low:.0f} to {high:.0f}."
        for side, mean, low, high in sides
        if low is not None and high is not None and not low * 0.999 <= mean <= high * 1.001
    ]
