"""What a tier can do, and what it does at one load."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from models.evidence import Evidence
from models.lengths import TokenLengths
from models.percentiles import UNKNOWN, Percentiles
from models.workloads import POISSON, Arrival

Scheduler = Literal["mixed", "prefill_first"]
FirstToken = Literal["after_prefill", "after_transfer"]
AFTER_PREFILL: FirstToken = "after_prefill"
EnvelopeEnd = Literal["pessimistic", "central", "optimistic"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepLaw:
    """Time of one engine step: `alpha + beta b^exponent + gamma kv + delta p`.

    b sequences decoded, kv context tokens read, p prompt tokens prefilled in the step.
    """

    alpha_s: float
    beta_s_per_seq: float
    exponent: float = 1.0
    gamma_s_per_context_tok: float = 0.0
    delta_s_per_input_tok: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FitQuality:
    """How well a fit holds. Errors are absolute relative medians (0.03 = 3 %), None where not testable."""

    point_count: int
    shape_count: int
    residual_fraction: float | None = None
    leave_one_load_out_fraction: float | None = None
    leave_one_shape_out_fraction: float | None = None
    top_load_fraction: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """The region the measurements cover; outside it an answer is flagged, not silently given."""

    concurrency_low_count: float
    concurrency_high_count: float
    isl_low_tok: float | None = None
    isl_high_tok: float | None = None
    osl_low_tok: float | None = None
    osl_high_tok: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchedPerformance:
    """One replica of a batched accelerator: its step law, its limits, and how both are known.

    slot_count        sequences decoded together at most
    slot_range_count  fewest and most slots the engine may have, where they are neither stated nor shown
    kv_capacity_tok   tokens of KV cache that fit beside the weights, None where not limiting
    token_budget_tok  most tokens one step may process (chunked prefill)
    overhead_s        network and tokenizer time in each TTFT, outside the engine
    scheduler         prompts share steps with answers, or are worked on first in steps of their own
    """

    step: StepLaw
    slot_count: int
    kv_capacity_tok: float | None = None
    token_budget_tok: int = 8192
    overhead_s: float = 0.0
    domain: Domain | None = None
    quality: FitQuality | None = None
    evidence: Mapping[str, Evidence] = field(default_factory=dict, hash=False)
    notices: tuple[str, ...] = ()
    slot_range_count: tuple[int, int] | None = None
    scheduler: Scheduler = "mixed"


@dataclass(frozen=True, slots=True, kw_only=True)
class HostedPoint:
    """What one stream of a hosted tier got; load and mean lengths None where a source does not name them."""

    concurrency_count: float | None
    isl_tok: float | None = None
    osl_tok: float | None = None
    ttft_s: Percentiles = UNKNOWN
    tpot_s: Percentiles = UNKNOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class HostedPerformance:
    """What a stream of a hosted tier gets, as far as anybody published or measured it.

    points         by rising concurrency; a single point without a load where only a median is published
    fallback       what a stream gets of the tier that serves `fallback_fraction` of the requests instead
    tpot_floor_s   what the vendor's ceiling implies at best, for the dashed line; sizes nothing
    """

    points: tuple[HostedPoint, ...]
    tpot_floor_s: float | None = None
    fallback: HostedPoint | None = None
    fallback_fraction: float = 0.0
    request_limit_per_min: float | None = None
    token_limit_per_min: float | None = None
    evidence: Mapping[str, Evidence] = field(default_factory=dict, hash=False)
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelinePerformance:
    """One pipeline of wafers: how long a token takes, and how many sequences fly at full speed.

    unloaded_token_s            time of a token when nobody else is there
    free_sequence_count         sequences served without delay; None: as many as the KV memory holds
    bottleneck_s_per_input_tok  time a prompt token occupies the slowest stage; None: as an answer token does
    slot_count                  sequences at most, where anybody says; else what the memory holds
    end                         which end of what is possible this is; None where it was measured
    other_end                   the same at the other end, for asking whether a decision holds there too
    """

    unloaded_token_s: float
    free_sequence_count: float | None
    slot_count: int
    kv_capacity_tok: float | None = None
    bottleneck_s_per_input_tok: float | None = None
    overhead_s: float = 0.0
    end: EnvelopeEnd | None = None
    other_end: "PipelinePerformance | None" = None
    domain: Domain | None = None
    quality: FitQuality | None = None
    evidence: Mapping[str, Evidence] = field(default_factory=dict, hash=False)
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TandemPerformance:
    """One prefill worker, its link, and one decode replica of disaggregated pools.

    decode        one decode replica; its step has no prompt cost
    alpha_s, delta_s_per_input_tok   seconds of a prompt on a worker: `alpha + delta P`
    base_s, bytes_per_tok, bandwidth_byte_per_s, overlap_fraction   the hand-over on a worker's own link
    worker_count  prefill workers; None: as many as sit at the same load as the decode replicas
    """

    decode: BatchedPerformance
    alpha_s: float
    delta_s_per_input_tok: float
    bytes_per_tok: float
    bandwidth_byte_per_s: float
    base_s: float = 0.0
    overlap_fraction: float = 0.0
    first_token: FirstToken = AFTER_PREFILL
    worker_count: int | None = None
    overhead_s: float = 0.0
    other_end: "TandemPerformance | None" = None
    evidence: Mapping[str, Evidence] = field(default_factory=dict, hash=False)
    notices: tuple[str, ...] = ()

    @property
    def kv_capacity_tok(self) -> float | None:
        """KV cache of a decode replica, in tokens."""
        return self.decode.kv_capacity_tok

    @property
    def quality(self) -> FitQuality | None:
        """How well the decode replica's fit holds."""
        return self.decode.quality


MachinePerformance = BatchedPerformance | PipelinePerformance | TandemPerformance
TierPerformance = MachinePerformance | HostedPerformance


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestClass:
    """One workload's calls as a tier sees them.

    rate_req_per_s         calls per second, all sequential and parallel calls counted
    cached_input_fraction  share of the prompt that needs no prefill but is still read when decoding
    """

    name: str
    rate_req_per_s: float
    input_tok: TokenLengths
    output_tok: TokenLengths
    cached_input_fraction: float = 0.0
    sequential_call_count: int = 1
    pause_s: float = 0.0
    fan_out_count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """All that is asked of one pool at one time."""

    classes: tuple[RequestClass, ...]
    arrival: Arrival = POISSON

    @property
    def rate_req_per_s(self) -> float:
        """Calls per second of all classes together."""
        return sum(each.rate_req_per_s for each in self.classes)


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstTokenParts:
    """What a mean time to first token is made of, in seconds; the parts add up to it.

    slot_wait_s    until a slot is free
    step_wait_s    until the step under way ends, with prompts that are ahead
    beside_s       prompts served in the same steps
    own_prefill_s  the steps of one's own prompt, less its cached tokens
    overhead_s     network and gateway
    """

    slot_wait_s: float
    step_wait_s: float
    beside_s: float
    own_prefill_s: float
    overhead_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassLatency:
    """The latencies one class of requests sees, in seconds; `ttft_parts` where steps are modelled."""

    name: str
    ttft_s: Percentiles = UNKNOWN
    itl_s: Percentiles = UNKNOWN
    tpot_s: Percentiles = UNKNOWN
    e2e_s: Percentiles = UNKNOWN
    task_s: Percentiles = UNKNOWN
    ttft_parts: FirstTokenParts | None = None

    def at(self, metric: str, quantile: float) -> float | None:
        """One latency by metric name and quantile; None where unknown."""
        percentiles: Percentiles = getattr(self, metric)
        return percentiles.at(quantile)


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatingPoint:
    """What a pool does under a load. Past saturation there is no latency, only a growing backlog.

    utilisation_fraction     offered rate over the highest rate the pool can serve (may exceed 1)
    max_rate_req_per_s       that highest rate, at this mix; None where nothing limits or nobody knows
    latencies                one entry per class of the load; empty when unstable
    inside_domain            whether the answer is within what was measured
    """

    stable: bool
    utilisation_fraction: float | None
    max_rate_req_per_s: float | None
    slot_occupancy_fraction: float | None = None
    busy_fraction: float | None = None
    mean_busy_slot_count_per_replica: float | None = None
    wait_probability_fraction: float | None = None
    latencies: tuple[ClassLatency, ...] = ()
    inside_domain: bool = True
    notices: tuple[str, ...] = ()

    def of(self, name: str) -> ClassLatency:
        """The latencies of the class of that name."""
        return next(each for each in self.latencies if each.name == name)


@dataclass(frozen=True, slots=True, kw_only=True)
class CannotServe:
    """An offer that cannot be planned with, and what would change that; a value, not an error."""

    binding_constraint: str
    reasons: tuple[str, ...]
    would_fit_if: str
