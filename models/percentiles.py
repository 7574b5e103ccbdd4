"""Mean and percentiles of one latency, as measured or as predicted."""

import math
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from models.lengths import NORMAL_QUANTILE_95

# Standard normal quantiles of the percentiles we keep (any table of the normal distribution).
NORMAL_QUANTILE = {"p50": 0.0, "p90": 1.2815515655446, "p95": NORMAL_QUANTILE_95, "p99": 2.3263478740408408}
BEYOND_P99 = 4.0  # normal quantile up to which the last known slope is continued
QUANTILE_BY_FIELD = {"p50": 0.50, "p90": 0.90, "p95": 0.95, "p99": 0.99}
QUANTILES = tuple(QUANTILE_BY_FIELD.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Percentiles:
    """Mean and percentiles of one quantity, in that quantity's unit; None where not known."""

    mean: float | None = None
    p50: float | None = None
    p90: float | None = None
    p95: float | None = None
    p99: float | None = None

    @property
    def known(self) -> bool:
        """Whether any of the five figures is known."""
        figures = (self.mean, self.p50, self.p90, self.p95, self.p99)
        return any(value is not None for value in figures)

    @property
    def middle(self) -> float | None:
        """The median, or the mean where no median is known."""
        return self.p50 if self.p50 is not None else self.mean

    def at(self, quantile: float) -> float | None:
        """The value at one of the quantiles 0.50, 0.90, 0.95, 0.99; None where not known."""
        for name, known_quantile in QUANTILE_BY_FIELD.items():
            if abs(known_quantile - quantile) < 1e-9:
                value: float | None = getattr(self, name)
                return value
        raise ValueError(f"no percentile kept for quantile {quantile}; use 0.5, 0.9, 0.95 or 0.99")

    def as_dict(self) -> dict[str, float | None]:
        """The five figures by name, for JSON."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def scaled(self, ratio: float) -> "Percentiles":
        """The same figures in another unit or at another speed."""
        return Percentiles(
            **{name: None if value is None else value * ratio for name, value in self.as_dict().items()}
        )


UNKNOWN = Percentiles()


def percentiles_of(sample: NDArray[np.float64]) -> Percentiles:
    """Mean and percentiles of an equally weighted sample; unknown where it is empty."""
    if len(sample) == 0:
        return UNKNOWN
    p50, p90, p95, p99 = (float(value) for value in np.quantile(sample, QUANTILES))
    return Percentiles(mean=float(sample.mean()), p50=p50, p90=p90, p95=p95, p99=p99)


def quantile_function(known: Percentiles, fraction: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values at the given fractions, log-linear in the normal quantile between the known percentiles.

    Needs the median and one higher percentile; exact for a lognormal. Below the median the distribution is
    mirrored; beyond the highest known percentile its last slope goes on.
    """
    pairs = [(normal, getattr(known, name)) for name, normal in NORMAL_QUANTILE.items()]
    normals = [normal for normal, value in pairs if value is not None and value > 0]
    logs = [math.log(value) for _, value in pairs if value is not None and value > 0]
    slope = (logs[-1] - logs[-2]) / (normals[-1] - normals[-2])
    logs.append(logs[-1] + slope * (BEYOND_P99 - normals[-1]))
    normals.append(BEYOND_P99)
    mirrored = [2 * logs[0] - value for value in logs[:0:-1]]
    grid = [-normal for normal in normals[:0:-1]] + normals
    values: NDArray[np.float64] = np.exp(np.interp(ndtri(fraction), grid, mirrored + logs))
    return values
