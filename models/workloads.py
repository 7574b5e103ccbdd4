"""What people ask for: the shape of one kind of work, its targets, and how much of it arrives when."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from models.evidence import Evidence
from models.lengths import TokenLengths

WorkloadKind = Literal["operations", "finance", "support_voice", "commerce", "research", "other"]
TargetMetric = Literal["ttft_s", "itl_s", "tpot_s", "e2e_s", "task_s"]
ArrivalKind = Literal["poisson", "gamma", "mmpp", "sine", "profile"]
ValueKind = Literal["half_life", "deadline", "conversion", "waiting_time", "patience", "iterations"]
ValueMetric = Literal["ttft_s", "e2e_s", "task_s"]

HOURS_PER_DAY = 24
METRIC_WORDS = {"ttft_s": "TTFT", "itl_s": "ITL", "tpot_s": "TPOT", "e2e_s": "E2E", "task_s": "task time"}
ALL_DAY = (1.0,) * HOURS_PER_DAY


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A promise: this quantile of this latency stays within `limit_s`."""

    metric: TargetMetric
    quantile: float
    limit_s: float

    @property
    def name(self) -> str:
        """The target in words: `TTFT p95 within 0.3 s`."""
        return f"{METRIC_WORDS[self.metric]} p{self.quantile * 100:g} within {self.limit_s:g} s"


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """How requests come in around their rate; see `operate` for the meaning of each field.

    hourly_fraction  of a profile: 24 shares of the rate, hour 0 first; the rate is then the peak rate.
                     Empty: one hour of a day, at that hour's rate
    """

    kind: ArrivalKind = "poisson"
    scv_ratio: float = 1.0
    burst_fraction: float = 0.0
    burst_ratio: float = 1.0
    cycle_s: float = 0.0
    amplitude_fraction: float = 0.0
    period_s: float = 0.0
    hourly_fraction: tuple[float, ...] = ()

    @property
    def mean_to_given_ratio(self) -> float:
        """Mean rate over the rate that is given: below 1 for a profile, which gives its peak."""
        if self.kind != "profile" or not self.hourly_fraction:
            return 1.0
        return sum(self.hourly_fraction) / len(self.hourly_fraction)

    @property
    def peak_to_mean_ratio(self) -> float:
        """Highest rate of a swing or profile over its mean; 1 for arrivals without either."""
        if self.kind == "sine":
            return 1.0 + self.amplitude_fraction
        if self.kind == "profile" and self.hourly_fraction:
            return max(self.hourly_fraction) / self.mean_to_given_ratio
        return 1.0


POISSON = Arrival()


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """What an answer is worth and how that decays with one latency; only the fields of its kind are set."""

    kind: ValueKind
    value_usd_per_task: float | None = None
    half_life_s: float | None = None
    deadline_s: float | None = None
    residual_value_fraction: float | None = None
    waiting_usd_per_h: float | None = None
    patience_mean_s: float | None = None
    loss_fraction_per_100_ms: float | None = None
    loss_fraction_at_2_s: float | None = None
    metric: ValueMetric = "task_s"


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """One kind of request. No rate: a shape is reusable.

    models                 ids of the models that are good enough for this work (the quality gate)
    input_tok, output_tok  whole prompt (cached part included) and answer, in tokens per call
    cached_input_fraction  share of the prompt served from the prefix cache, 0 to 1
    sequential_call_count  calls one after another in a task, with `pause_s` between them
    fan_out_count          calls at once in a task; the task waits for the slowest
    attempt_count          mean attempts a task takes; resolved_fraction of the tasks end well (None: unknown)
    human_usd_per_task     what a person costs who takes over a task that failed
    """

    name: str
    kind: WorkloadKind
    models: tuple[str, ...]
    input_tok: TokenLengths
    output_tok: TokenLengths
    cached_input_fraction: float = 0.0
    sequential_call_count: int = 1
    pause_s: float = 0.0
    fan_out_count: int = 1
    attempt_count: float = 1.0
    resolved_fraction: float | None = None
    human_usd_per_task: float = 0.0
    targets: tuple[Target, ...] = ()
    value: Value | None = None
    evidence: Mapping[str, Evidence] = field(default_factory=dict, hash=False)

    @property
    def call_count_per_task(self) -> int:
        """Calls to the model that one task makes."""
        return self.sequential_call_count * self.fan_out_count


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """How much of a workload arrives: tasks per second at the peak, and the shape of the day.

    hourly_fraction  24 shares of the peak rate, hour 0 first
    """

    workload: Workload
    peak_rate_req_per_s: float
    arrival: Arrival = POISSON
    hourly_fraction: tuple[float, ...] = ALL_DAY

    def scaled(self, rate_ratio: float) -> "Demand":
        """The same work at another level, or a share of it picked at random."""
        return replace(self, peak_rate_req_per_s=self.peak_rate_req_per_s * rate_ratio)

    @property
    def peak_call_rate_req_per_s(self) -> float:
        """Calls per second at the peak hour: tasks times calls per task."""
        return self.peak_rate_req_per_s * self.workload.call_count_per_task

    @property
    def mean_to_peak_fraction(self) -> float:
        """Mean rate over the day as a share of the peak rate."""
        return sum(self.hourly_fraction) / HOURS_PER_DAY
