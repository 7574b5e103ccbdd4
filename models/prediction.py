"""What the formulas say about a system at one point, and the share of calls that keep every promise."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from models.percentiles import UNKNOWN, percentiles_of
from models.performance import ClassLatency, OperatingPoint, RequestClass
from models.task_time import task_sample
from models.workloads import Target

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """An operating point with what only a single kind of traffic has.

    goodput_req_per_s         calls per second within all targets at once; None when unstable
    abandonment_fraction      share of calls that give up; None where nobody does
    backlog_growth_req_per_s  how fast the backlog grows; None when stable
    """

    point: OperatingPoint
    goodput_req_per_s: float | None = None
    abandonment_fraction: float | None = None
    backlog_growth_req_per_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallSample:
    """Calls of the same weight in seconds; `tpot_s` NaN for calls of one token. Arrays of one shape."""

    ttft_s: FloatArray
    tpot_s: FloatArray
    e2e_s: FloatArray


def with_overhead(sample: CallSample, overhead_s: float) -> CallSample:
    """The calls with network and tokenizer time before their first token."""
    return replace(sample, ttft_s=sample.ttft_s + overhead_s, e2e_s=sample.e2e_s + overhead_s)


def latency_of(
    only: RequestClass, sample: CallSample, itl_s: FloatArray, itl_mean_s: float
) -> tuple[ClassLatency, FloatArray]:
    """What one class sees over a sample of its calls, and its task times in seconds.

    itl_s       gaps between tokens, equally weighted
    itl_mean_s  their mean, known better than by the sample
    """
    task_s = task_sample(sample.e2e_s, only.sequential_call_count, only.pause_s, only.fan_out_count)
    several = ~np.isnan(sample.tpot_s)
    latency = ClassLatency(
        name=only.name,
        ttft_s=percentiles_of(sample.ttft_s),
        itl_s=replace(percentiles_of(itl_s), mean=itl_mean_s) if several.any() else UNKNOWN,
        tpot_s=percentiles_of(sample.tpot_s[several]),
        e2e_s=percentiles_of(sample.e2e_s),
        task_s=percentiles_of(task_s),
    )
    return latency, task_s


def good_fraction(sample: CallSample, task_s: FloatArray, targets: Sequence[Target]) -> float:
    """Share of calls within every limit at once, not the product of the shares.

    A limit on gaps is held against a call's mean gap. A limit on tasks is held against task times, drawn
    apart from the calls: the smaller of the two shares.
    """
    good = np.ones(len(sample.ttft_s), dtype=np.bool_)
    tasks = np.ones(len(task_s), dtype=np.bool_)
    for target in targets:
        if target.metric == "task_s":
            tasks &= task_s <= target.limit_s
        else:
            name = "tpot_s" if target.metric == "itl_s" else target.metric
            good &= ~(getattr(sample, name) > target.limit_s)
    return min(float(good.mean()), float(tasks.mean()) if len(tasks) else 1.0)
