"""Counters and histograms of serving engines as one measurement: what the server saw, all clients together.

Percentiles from buckets are estimates by linear interpolation (as Prometheus' histogram_quantile); one above
the last finite bucket is unknown, and said so. Server-side TTFT leaves out the network and outer queues.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from models.measurements import Measurement
from models.percentiles import QUANTILE_BY_FIELD, UNKNOWN, Percentiles
from models.problems import Problem

Labels = tuple[tuple[str, str], ...]


@dataclass(slots=True, kw_only=True)
class Histogram:
    """One latency: its sum in seconds, its count, and how many were at or below each bound in seconds."""

    total_s: float = 0.0
    count: float = 0.0
    at_or_below: dict[float, float] = field(default_factory=dict)

    def add(self, other: "Histogram") -> None:
        """Take in another replica's histogram."""
        self.total_s += other.total_s
        self.count += other.count
        for bound, count in other.at_or_below.items():
            self.at_or_below[bound] = self.at_or_below.get(bound, 0.0) + count


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerFigures:
    """What was found: histograms by our latency names, token sums, failures; None where there is none.

    has_window   whether they are of a window, whose length may be unknown, and not since the server started
    """

    latencies: Mapping[str, Histogram]
    input_tok: float | None = None
    output_tok: float | None = None
    request_count: float | None = None
    error_count: float | None = None
    duration_s: float | None = None
    has_window: bool = False
    model: str | None = None
    engine: str | None = None


def measurement_of_server(figures: ServerFigures, path: str) -> tuple[Measurement, list[Problem]]:
    """The figures as a measurement, and what they cannot say."""
    problems: list[Problem] = []
    e2e = figures.latencies.get("e2e_s")
    good = figures.request_count if figures.request_count is not None else e2e.count if e2e else None
    errors = figures.error_count
    duration = figures.duration_s
    found = {name: _percentiles(figures.latencies.get(name), f"{path}, {name}", problems) for name in NAMES}
    isl, osl = _each(figures.input_tok, good), _each(figures.output_tok, good)
    rate = good / duration if good is not None and duration else None
    run = Measurement(
        model=figures.model,
        engine=figures.engine,
        isl_tok=isl,
        osl_tok=osl,
        duration_s=duration,
        request_count=None if good is None else round(good + (errors or 0)),
        error_count=None if errors is None else round(errors),
        ttft_s=found["ttft_s"],
        itl_s=found["itl_s"],
        tpot_s=found["tpot_s"],
        e2e_s=found["e2e_s"],
        request_rate_req_per_s=rate,
        output_rate_tok_per_s=_each(figures.output_tok, duration),
        total_rate_tok_per_s=(
            (figures.input_tok + figures.output_tok) / duration
            if figures.input_tok is not None and figures.output_tok is not None and duration
            else None
        ),
    )
    problems.append(_caveat(path, has_window=figures.has_window or duration is not None))
    return run, problems


NAMES = ("ttft_s", "itl_s", "tpot_s", "e2e_s")


def _each(total: float | None, count: float | None) -> float | None:
    return total / count if total is not None and count else None


def _caveat(path: str, *, has_window: bool) -> Problem:
    since = "of the window given" if has_window else "since the server started, at whatever load it had"
    return Problem(
        path=path,
        message=f"these are the server's own figures {since}; they name no load, and percentiles are "
        "estimates from buckets",
        cure="Plan with a benchmark's result; use this to check it.",
        severity="warning",
    )


def _percentiles(histogram: Histogram | None, path: str, problems: list[Problem]) -> Percentiles:
    if histogram is None or histogram.count <= 0:
        return UNKNOWN
    bounds = sorted(bound for bound in histogram.at_or_below if bound != float("inf"))
    values: dict[str, float | None] = {"mean": histogram.total_s / histogram.count or None}
    above = []
    for name, quantile in QUANTILE_BY_FIELD.items():
        values[name] = _quantile(histogram, bounds, quantile) if bounds else None
        if bounds and values[name] is None:
            above.append(name)
    if above:
        problems.append(
            Problem(
                path=path,
                message=f"{', '.join(above)} at or above {bounds[-1]:g} s, the last finite bucket: unknown",
                cure="Give the server wider buckets.",
                severity="warning",
            )
        )
    return Percentiles(**values)


def _quantile(histogram: Histogram, bounds: Sequence[float], quantile: float) -> float | None:
    """The value below which that share lies, by linear interpolation; None above the last finite bound."""
    rank = quantile * histogram.count
    lower = below = 0.0
    for bound in bounds:
        count = histogram.at_or_below[bound]
        if count >= rank:
            inside = count - below
            return bound if inside <= 0 else lower + (bound - lower) * (rank - below) / inside
        lower, below = bound, count
    return None
