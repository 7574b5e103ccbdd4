"""Figures that can hardly be, each against a bound with its reason; they are kept as they are and said.

Bounds are generous: an honest file of a slow or a very fast system stays within them.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from operator import attrgetter

from data.columns import LATENCIES
from data.names import accelerator_id, model_id
from data.tables import toml_table
from models.measurements import Measurement
from models.problems import Problem
from models.quantities import quantity
from models.tokens import FLOP_PER_WEIGHT_AND_TOKEN
from models.units import unit_of

CENTRAL = ("mean", "p50")  # tails of honest runs beyond their load reach anything
FIRST_DAY = date(2022, 1, 1)
LONGEST_ZONE = timedelta(days=1)  # a day that has begun elsewhere is not in the future
CHECK_UNIT = "Check the unit of the column: the file may hold milliseconds where it says seconds, or reverse."
CHECK_COUNT = "Check the column, and leave the cell empty where nothing was counted."
CHECK_RATE = "Check whether it is tokens or requests, per second or per minute, and of which system."


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """The range in which a figure of a quantity can be believed, why, and what to do outside it."""

    name: str
    low: float | None = None
    high: float | None = None
    reason: str
    cure: str


BOUNDS: tuple[Bound, ...] = (
    Bound(name="ttft_s", low=1e-4, reason="the network alone takes longer", cure=CHECK_UNIT),
    Bound(
        name="ttft_s",
        high=30.0,
        reason="nobody waits that long, so the system was far beyond its load or the unit is wrong",
        cure=CHECK_UNIT,
    ),
    Bound(name="itl_s", low=5e-5, reason="no system gives one user 20,000 tokens/s", cure=CHECK_UNIT),
    Bound(name="itl_s", high=10.0, reason="no service is used that is so slow", cure=CHECK_UNIT),
    Bound(name="tpot_s", high=10.0, reason="no service is used that is so slow", cure=CHECK_UNIT),
    Bound(name="e2e_s", low=1e-4, reason="the network alone takes longer", cure=CHECK_UNIT),
    Bound(name="e2e_s", high=7200.0, reason="clients and proxies give up before two hours", cure=CHECK_UNIT),
    Bound(
        name="isl_tok", low=1, high=2e7, reason="no model reads more than 10 million tokens", cure=CHECK_COUNT
    ),
    Bound(name="osl_tok", low=1, high=2e6, reason="no model answers with a million tokens", cure=CHECK_COUNT),
    Bound(
        name="concurrency_count",
        low=1e-3,
        high=1e6,
        reason="a run needs requests in flight",
        cure=CHECK_COUNT,
    ),
    Bound(name="batch_count", low=1, high=1e6, reason="a batch has requests", cure=CHECK_COUNT),
    Bound(name="request_count", low=1, high=1e11, reason="a run has requests", cure=CHECK_COUNT),
    Bound(
        name="accelerator_count", low=1, high=100_000, reason="a system has accelerators", cure=CHECK_COUNT
    ),
    Bound(
        name="duration_s",
        low=1e-3,
        high=366 * 86_400.0,
        reason="a run takes longer than a millisecond and less than a year",
        cure=CHECK_UNIT,
    ),
    Bound(
        name="request_rate_req_per_s",
        high=1e6,
        reason="no service of language models finishes a million requests in a second",
        cure=CHECK_RATE,
    ),
    Bound(
        name="offered_rate_req_per_s",
        high=1e6,
        reason="no client sends a million requests in a second",
        cure=CHECK_RATE,
    ),
    Bound(
        name="output_rate_tok_per_s",
        high=1e8,
        reason="it would take some 10,000 accelerators at 10,000 tokens/s each",
        cure=CHECK_RATE,
    ),
    Bound(
        name="total_rate_tok_per_s",
        high=1e9,
        reason="it would take some 10,000 accelerators at 100,000 tokens/s each",
        cure=CHECK_RATE,
    ),
)


BOUNDED = tuple(
    (f"{bound.name}.{statistic}" if statistic else bound.name, bound)
    for bound in BOUNDS
    for statistic in (CENTRAL if bound.name in LATENCIES else ("",))
)
BOUNDED_FIGURES = attrgetter(*(name for name, _ in BOUNDED))
LIMITS = tuple(
    (-math.inf if bound.low is None else bound.low, math.inf if bound.high is None else bound.high)
    for _, bound in BOUNDED
)


def implausibilities(measurement: Measurement, path: str, today: date | None = None) -> tuple[Problem, ...]:
    """A warning for each figure outside its bound, with the figure, the bound and what to do."""
    found = [
        *(problem for bound in _bounds_broken(measurement) for problem in _outside(measurement, bound, path)),
        *_beyond_roofline(measurement, path),
        *_wrong_day(measurement.measured_on, path, today or datetime.now(UTC).date()),
    ]
    return tuple(found)


def _bounds_broken(measurement: Measurement) -> tuple[Bound, ...]:
    """All bounds where a figure lies outside one of them; none for most rows, which is found at once."""
    for value, (low, high) in zip(BOUNDED_FIGURES(measurement), LIMITS, strict=True):
        if value is not None and not low <= value < high:
            return BOUNDS
    return ()


def _outside(measurement: Measurement, bound: Bound, path: str) -> Iterator[Problem]:
    """At most one warning a quantity: a wrong unit is wrong in all its statistics."""
    for label, value in _figures(measurement, bound.name):
        if bound.high is not None and value >= bound.high:
            side, limit = "at or above", bound.high
        elif bound.low is not None and value < bound.low:
            side, limit = "below", bound.low
        else:
            continue
        unit = unit_of(bound.name)
        message = f"{label} is {_short(value)} {unit}, {side} {_short(limit)} {unit}: {bound.reason}"
        yield Problem(path=path, message=" ".join(message.split()), cure=bound.cure, severity="warning")
        return


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 10_000 else f"{value:.4g}"


def _figures(measurement: Measurement, name: str) -> Iterator[tuple[str, float]]:
    label = quantity(name).label
    value = getattr(measurement, name)
    if name not in LATENCIES:
        if value is not None:
            yield label, float(value)
        return
    for statistic in CENTRAL:
        figure = getattr(value, statistic)
        if figure is not None:
            yield f"{label} ({statistic})", figure


def _beyond_roofline(row: Measurement, path: str) -> Iterator[Problem]:
    """Output tokens per second against arithmetic: each token passes through every active weight.

    Two operations a weight and token (Kaplan et al., 2020, section 2.1) at the peak of the accelerator's
    fastest format; attention, prompts and all waiting come on top, so that no system reaches it.
    """
    rate, count = row.output_rate_tok_per_s, row.accelerator_count
    most_of_one = most_output_rate_per_accelerator(row.accelerator, row.model)
    if rate is None or not count or most_of_one is None:
        return
    most = count * most_of_one
    if rate > most:
        yield Problem(
            path=path,
            message=f"output throughput is {rate:,.0f} tokens/s, and {count} x {row.accelerator} can compute "
            f"{most:,.0f} tokens/s of {row.model} at their peak",
            cure=CHECK_RATE,
            severity="warning",
        )


@lru_cache(maxsize=1024)
def most_output_rate_per_accelerator(accelerator: str | None, model: str | None) -> float | None:
    """Tokens per second that one accelerator can compute at its peak; None where either is not known."""
    flop_per_s = _peak_flop_per_s().get(accelerator_id(accelerator) or "")
    weights = _active_parameter_counts().get(model_id(model) or "")
    if flop_per_s is None or weights is None:
        return None
    return flop_per_s / (FLOP_PER_WEIGHT_AND_TOKEN * weights)


def day_is_plausible(day: date, today: date) -> bool:
    """Whether models can have been measured on that day."""
    return FIRST_DAY <= day <= today + LONGEST_ZONE


@lru_cache(maxsize=1)
def _peak_flop_per_s() -> dict[str, float]:
    listed = toml_table("accelerators.toml")["accelerator"]
    return {
        each["id"]: max(each["dense_flop_per_s"].values()) for each in listed if each.get("dense_flop_per_s")
    }


@lru_cache(maxsize=1)
def _active_parameter_counts() -> dict[str, float]:
    listed = toml_table("models.toml")["model"]
    return {
        each["id"]: each["active_parameter_count"] for each in listed if each.get("active_parameter_count")
    }


def _wrong_day(day: date | None, path: str, today: date) -> Iterator[Problem]:
    if day is None or day_is_plausible(day, today):
        return
    future = day > today
    why = f"after today, {today}" if future else f"before {FIRST_DAY}, when nobody served such models"
    yield Problem(
        path=path,
        message=f"it was measured on {day}, {why}",
        cure="Check the order of day, month and year in the file.",
        severity="warning",
    )
