"""Mean and percentiles of one latency, as measured or as predicted."""

from dataclasses import astuple, dataclass, fields

import numpy as np
from numpy.typing import NDArray

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
        return any(value is not None for value in astuple(self))

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
