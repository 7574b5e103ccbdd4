"""What a log of requests says about demand: how much arrives and when, how bursty, how long the texts are."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

CALENDAR_S = (1e9, 1e10)  # epochs of 2001 to 2286


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenSample:
    """Lengths seen in a log.

    mean_tok, cv_ratio   of all of them
    bins_tok             means of equally filled bins, shortest first: up to 200 whole numbers whose mean is
                         the sample's but for rounding
    """

    mean_tok: float
    cv_ratio: float
    bins_tok: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogWindow:
    """Requests that began in one stretch of a log.

    Latencies are of its successes, within about 1 % (a digest of the sample); None where none is known.
    """

    start_s: float
    request_count: int
    error_count: int
    ttft_s_p50: float | None
    ttft_s_p95: float | None
    e2e_s_p50: float | None
    e2e_s_p95: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestDemand:
    """The demand in one log. What needs a clock is None where the log has no times.

    request_count, error_count   requests after repeats were removed, and those that failed
    input_tok, output_tok        of successful requests
    cached_input_fraction        cached over all input tokens
    first_start_s                on the log's clock; an epoch where it has a calendar
    span_s                       last start - first start
    mean_rate_req_per_s          over that span
    peak_rate_req_per_s          in the busiest whole stretch of `peak_window_s`, of those the span holds
    hourly_fraction              24 shares of the busiest hour of the day, UTC, hour 0 first; needs a
                                 calendar clock and a span of nearly a day
    dispersion_ratio             variability of counts in stretches of `dispersion_window_s`, which is the
                                 mean E2E where that is known; 1 for Poisson arrivals
    windows                      the log in up to 60 stretches of `window_s`
    """

    request_count: int
    error_count: int
    input_tok: TokenSample | None = None
    output_tok: TokenSample | None = None
    cached_input_fraction: float | None = None
    first_start_s: float | None = None
    span_s: float | None = None
    mean_rate_req_per_s: float | None = None
    peak_rate_req_per_s: float | None = None
    peak_window_s: float | None = None
    hourly_fraction: tuple[float, ...] | None = None
    dispersion_ratio: float | None = None
    dispersion_window_s: float | None = None
    window_s: float | None = None
    windows: tuple[LogWindow, ...] = ()

    @property
    def has_calendar(self) -> bool:
        """Whether its clock tells the hour of the day; others count from zero."""
        return self.first_start_s is not None and CALENDAR_S[0] <= self.first_start_s < CALENDAR_S[1]


def demand_as_json(demand: RequestDemand) -> dict[str, Any]:
    """The record as plain values, for the store and `import --json`."""
    return asdict(demand)


def demand_of_json(document: Mapping[str, Any]) -> RequestDemand:
    """The inverse of `demand_as_json`."""
    plain = dict(document)
    for name in ("input_tok", "output_tok"):
        sample = plain[name]
        if sample is not None:
            plain[name] = TokenSample(**{**sample, "bins_tok": tuple(sample["bins_tok"])})
    if plain["hourly_fraction"] is not None:
        plain["hourly_fraction"] = tuple(plain["hourly_fraction"])
    plain["windows"] = tuple(LogWindow(**window) for window in plain["windows"])
    return RequestDemand(**plain)
