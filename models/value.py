"""What an answer is worth as it ages, and what is lost while somebody waits for it.

Half-life: V0 2^(-t/h). Deadline: V0 until D, then the residual share. Waiting: an hour of waiting costs w.
Patience: the caller is still there with probability e^(-t/m) (Palm 1957, as in Erlang-A). Conversion: sales
kept after a delay, from page-load studies, so an analogy for chats: a curve that saturates, through the
losses at 0.1 s and at 2 s, and flat beyond 2 s, where nobody measured. Iterations: how often a loop turns in
a day; each turn is worth V0.

The value lost is integrated over the whole latency distribution, never taken at its mean: a deadline is
missed by the tail. Between known percentiles the distribution is log-linear in the normal quantile; where
only a median is published its tail is unknown, and so is the value lost.
"""

import math
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from models.cost import SECONDS_PER_HOUR
from models.percentiles import Percentiles, quantile_function
from models.workloads import Value

FloatArray = NDArray[np.float64]

SECONDS_PER_DAY = 86_400.0
CONVERSION_STEP_S = 0.1
CONVERSION_END_S = 2.0  # the longest delay that the studies cover; the curve is flat beyond
MIDPOINT_COUNT = 2000  # equally likely latencies; the mean of a lognormal with sigma 1 within 0.2 %
_MIDPOINTS = (np.arange(MIDPOINT_COUNT) + 0.5) / MIDPOINT_COUNT
BISECTION_COUNT = 80


def value_usd(value: Value, latency_s: FloatArray) -> FloatArray:
    """What a task that took `latency_s` is worth, in USD; an array of the same shape, latencies >= 0.

    A cost of waiting is negative value. For `iterations`: the worth of a turn of the loop, however long.
    """
    worth: FloatArray = _CURVES[value.kind](value, np.asarray(latency_s, dtype=np.float64))
    return worth


def value_at_once_usd(value: Value) -> float:
    """What an answer without any delay would be worth, in USD per task."""
    return float(value_usd(value, np.zeros(1))[0])


def expected_value_usd(value: Value, latency_s: Percentiles) -> float | None:
    """Mean worth of a task over the latency distribution, in USD; None where it or its tail is unknown."""
    worth = _worth_over(value, latency_s)
    return None if worth is None else float(worth.mean())


def lost_usd_per_task(value: Value, latency_s: Percentiles) -> float | None:
    """Value that a task loses to latency on average, in USD; >= 0, None where tail or worth is not known.

    Turns of a loop lose no value one by one: they become fewer; see `turns_per_day`.
    """
    worth = _worth_over(value, latency_s)
    if worth is None or value.kind == "iterations":
        return None
    return float((value_at_once_usd(value) - worth).mean())


def _worth_over(value: Value, latency_s: Percentiles) -> FloatArray | None:
    """The worth at equally likely latencies."""
    nothing_to_lose = value.kind != "waiting_time" and value.value_usd_per_task is None
    if nothing_to_lose or latency_s.p50 is None or latency_s.p95 is None:
        return None
    return value_usd(value, quantile_function(latency_s, _MIDPOINTS))


def turns_per_day(loop_s: float) -> int:
    """How often a loop that takes so long turns in a day; loop_s > 0."""
    return math.floor(SECONDS_PER_DAY / loop_s)


def _half_life(value: Value, latency_s: FloatArray) -> FloatArray:
    return _worth(value) * 2.0 ** (-latency_s / _given(value.half_life_s))


def _deadline(value: Value, latency_s: FloatArray) -> FloatArray:
    late = value.residual_value_fraction or 0.0
    return _worth(value) * np.where(latency_s <= _given(value.deadline_s), 1.0, late)


def _conversion(value: Value, latency_s: FloatArray) -> FloatArray:
    return _worth(value) * conversion_fraction(
        latency_s, _given(value.loss_fraction_per_100_ms), value.loss_fraction_at_2_s
    )


def conversion_fraction(
    delay_s: FloatArray, loss_fraction_per_100_ms: float, loss_fraction_at_2_s: float | None
) -> FloatArray:
    """Share of conversions kept after a delay: 1 - L (1 - e^(-t/tau)), flat beyond 2 s.

    The curve passes through both losses. With the first alone it compounds, (1 - loss)^(t / 0.1 s), which
    fits one published pair of figures and overstates another: give both where you have them.
    """
    delay_s = np.minimum(delay_s, CONVERSION_END_S)
    if loss_fraction_at_2_s is None:
        kept: FloatArray = (1.0 - loss_fraction_per_100_ms) ** (delay_s / CONVERSION_STEP_S)
        return kept
    rate_per_s = _saturation_rate_per_s(loss_fraction_at_2_s / loss_fraction_per_100_ms)
    most = loss_fraction_at_2_s / -math.expm1(-CONVERSION_END_S * rate_per_s)
    saturating: FloatArray = 1.0 + most * np.expm1(-delay_s * rate_per_s)
    return saturating


def _saturation_rate_per_s(loss_ratio: float) -> float:
    """1/tau at which the loss at 2 s is so many times that at 0.1 s; the ratio lies between 1 and 20."""
    low, high = 1e-9, 1e3
    for _ in range(BISECTION_COUNT):
        middle = math.sqrt(low * high)
        ratio = math.expm1(-CONVERSION_END_S * middle) / math.expm1(-CONVERSION_STEP_S * middle)
        low, high = (middle, high) if ratio > loss_ratio else (low, middle)
    return math.sqrt(low * high)


def _waiting(value: Value, latency_s: FloatArray) -> FloatArray:
    return (value.value_usd_per_task or 0.0) - _given(value.waiting_usd_per_h) * latency_s / SECONDS_PER_HOUR


def _patience(value: Value, latency_s: FloatArray) -> FloatArray:
    return _worth(value) * np.exp(-latency_s / _given(value.patience_mean_s))


def _iterations(value: Value, latency_s: FloatArray) -> FloatArray:
    return np.full_like(latency_s, _worth(value))


def _worth(value: Value) -> float:
    return _given(value.value_usd_per_task)


def _given(figure: float | None) -> float:
    """A figure that the kind of value needs; reading a scenario refuses a value without it."""
    if figure is None:
        raise ValueError("this kind of value needs a figure that is not given")
    return figure


_CURVES: Mapping[str, Callable[[Value, FloatArray], FloatArray]] = {
    "half_life": _half_life,
    "deadline": _deadline,
    "conversion": _conversion,
    "waiting_time": _waiting,
    "patience": _patience,
    "iterations": _iterations,
}
