"""What a measurement would be worth: the band of a machine's speed today, and with more loads measured.

The band is the one behind a plan's chances (`models/uncertainty.py`): four times in five the true step times
lie inside it. With hypothetical loads added, the machine is fitted again to what is measured and to points
that its fit of today predicts there, one ladder of loads for each workload's mean lengths. Such points agree
with the fit by construction, so the errors of the new fit are never taken for smaller than the errors of
interpolation between measured loads (`models/step_law.py`), nor than those of today's fit. An estimate: a
measurement may also show that today's middle was wrong.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from models.batched_fit import fit
from models.machines import operate
from models.measurements import Measurement, SourcedMeasurement
from models.percentiles import Percentiles
from models.performance import BatchedPerformance, FitQuality, Load, RequestClass
from models.steady_points import Lengths, closed_point, law_of
from models.step_law import EXTRAPOLATION_BANDS
from models.tiers import Offer
from models.uncertainty import MEDIAN_OF_ABSOLUTE_NORMAL, speed_log_deviation

NORMAL_QUANTILE_80 = 1.2816  # four times in five
INTERPOLATION_FRACTION = EXTRAPOLATION_BANDS[0][2]  # inside the measured loads, four times in five


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """Where the truth lies over what a fit says, four times in five."""

    low_ratio: float
    high_ratio: float

    @property
    def width_ratio(self) -> float:
        """Distance of the ends."""
        return self.high_ratio - self.low_ratio


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuringGain:
    """The band of a machine's step times, today and with the loads measured.

    inside_now, inside_then   whether the plan's lengths and loads lie among those measured
    point_count               measured points that the fit of today rests on
    """

    concurrency_count: tuple[float, ...]
    workloads: tuple[str, ...]
    now: Band
    then: Band
    inside_now: bool
    inside_then: bool
    point_count: int

    @property
    def narrows(self) -> bool:
        """Whether the band shrinks by a tenth or more."""
        return self.then.width_ratio < 0.9 * self.now.width_ratio


def measuring_gain(
    offer: Offer,
    performance: BatchedPerformance,
    measurements: Sequence[SourcedMeasurement],
    load: Load,
    replica_count: int,
    loads: Sequence[float],
) -> MeasuringGain:
    """What measuring every workload of a pool at these requests in flight would do to the band.

    load, replica_count   of the pool as planned; `loads` rising
    """
    imagined = [
        _imagined(performance, each, count, row)
        for row, (each, count) in enumerate(((one, n) for one in load.classes for n in loads), start=1)
    ]
    fitted = fit(offer, (*measurements, *imagined))
    then = (
        replace(performance, quality=None, domain=None)
        if not isinstance(fitted, BatchedPerformance)
        else fitted
    )
    then = replace(then, quality=_no_better(then.quality, performance.quality))
    inside_now = performance.domain is not None and operate(performance, load, replica_count).inside_domain
    inside_then = then.domain is not None and operate(then, load, replica_count).inside_domain
    return MeasuringGain(
        concurrency_count=tuple(loads),
        workloads=tuple(each.name for each in load.classes),
        now=_band(speed_log_deviation(performance, inside_now)),
        then=_band(speed_log_deviation(then, inside_then)),
        inside_now=inside_now,
        inside_then=inside_then,
        point_count=0 if performance.quality is None else performance.quality.point_count,
    )


def _imagined(
    performance: BatchedPerformance, each: RequestClass, count: float, row: int
) -> SourcedMeasurement:
    """What a benchmark with that many requests in flight would show if today's fit were right."""
    isl_tok, osl_tok = each.input_tok.mean_tok, each.output_tok.mean_tok
    lengths = Lengths(isl_tok=np.array([isl_tok]), osl_tok=np.array([osl_tok]))
    seen = closed_point(law_of(performance), np.array([float(count)]), lengths)
    rate = float(seen.request_rate_req_per_s[0])
    return SourcedMeasurement(
        measurement=Measurement(
            isl_tok=isl_tok,
            osl_tok=osl_tok,
            load_kind="concurrency",
            concurrency_count=float(count),
            ttft_s=Percentiles(p50=float(seen.ttft_s[0])),
            tpot_s=Percentiles(p50=float(seen.tpot_s[0])),
            e2e_s=Percentiles(p50=float(seen.e2e_s[0]), mean=float(seen.e2e_s[0])),
            request_rate_req_per_s=rate,
            output_rate_tok_per_s=rate * osl_tok,
        ),
        source_id="imagined",
        source_label="imagined",
        row_number=row,
    )


def _no_better(quality: FitQuality | None, today: FitQuality | None) -> FitQuality | None:
    """The fit's quality with errors no smaller than those of interpolation and of today's fit."""
    if quality is None:
        return None
    interpolation = INTERPOLATION_FRACTION / NORMAL_QUANTILE_80 * MEDIAN_OF_ABSOLUTE_NORMAL
    known = [interpolation, quality.residual_fraction, today.residual_fraction if today else None]
    return replace(quality, residual_fraction=max(each for each in known if each is not None))


def _band(log_deviation: float) -> Band:
    """Where the step times lie against the fit, four times in five."""
    reach = NORMAL_QUANTILE_80 * log_deviation
    return Band(low_ratio=math.exp(-reach), high_ratio=math.exp(reach))
