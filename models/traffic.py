"""Tasks of one kind as a system sees them come in: how many, how long, in which order of importance."""

from dataclasses import dataclass

from models.lengths import TokenLengths
from models.performance import Load, RequestClass
from models.workloads import Arrival

STEADY_ARRIVAL = Arrival()


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """Tasks of one kind.

    rate_req_per_s         tasks per second; a task makes sequential x fan-out calls
    hourly_fraction        for a profile: 24 shares of the rate, which is then the peak rate
    joint_tok              pairs of input and output length, each equally likely; else drawn apart
    cached_input_fraction  share of the prompt that needs no prefill but is still read when decoding
    high_share_fraction    share of tasks served before the others, without interrupting any
    patience_mean_s        mean time a call waits before it gives up (exponential); None: for ever
    """

    rate_req_per_s: float
    input_tok: TokenLengths
    output_tok: TokenLengths
    arrival: Arrival = STEADY_ARRIVAL
    hourly_fraction: tuple[float, ...] = ()
    joint_tok: tuple[tuple[int, int], ...] = ()
    cached_input_fraction: float = 0.0
    sequential_call_count: int = 1
    pause_s: float = 0.0
    fan_out_count: int = 1
    high_share_fraction: float = 0.0
    patience_mean_s: float | None = None

    @property
    def call_count_per_task(self) -> int:
        """Calls that one task makes."""
        return self.sequential_call_count * self.fan_out_count

    @property
    def shape_of_day(self) -> tuple[float, ...]:
        """Shares of the rate, each for an equal part of the time; just 1 where the rate is the mean."""
        return self.hourly_fraction if self.arrival.kind == "profile" else (1.0,)

    @property
    def mean_call_rate_req_per_s(self) -> float:
        """Calls per second, mean over the day."""
        shape = self.shape_of_day
        return self.rate_req_per_s * self.call_count_per_task * sum(shape) / len(shape)

    @property
    def load(self) -> Load:
        """The same calls as the formulas take them, at their mean rate; lengths drawn apart."""
        only = RequestClass(
            name="all",
            rate_req_per_s=self.mean_call_rate_req_per_s,
            input_tok=self.input_tok,
            output_tok=self.output_tok,
            cached_input_fraction=self.cached_input_fraction,
            sequential_call_count=self.sequential_call_count,
            pause_s=self.pause_s,
            fan_out_count=self.fan_out_count,
        )
        return Load(classes=(only,), arrival=self.arrival)
