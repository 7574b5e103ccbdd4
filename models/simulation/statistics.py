"""Figures with 95 % confidence intervals from batches of one long run.

The measured calls are cut by arrival into batches of equal size; a figure of the whole run is uncertain
by the spread of the batches' figures over the square root of their number (batch means: A. M. Law and
W. D. Kelton 2000, Simulation Modeling and Analysis, section 9.5.3).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.percentiles import QUANTILE_BY_FIELD, QUANTILES
from models.simulation.layout import (
    BIN_COUNT,
    BINS_PER_OCTAVE_BITS,
    LOWEST_EXPONENT,
)

FloatArray = NDArray[np.float64]
BATCH_COUNT = 30
STUDENT_97_5 = 2.0452296421327034  # Student's t, 29 degrees of freedom, 0.975 (any table)


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A simulated figure and half the width of its 95 % confidence interval (None: too few data)."""

    value: float
    half_width: float | None

    def scaled(self, ratio: float) -> "Estimate":
        """The same figure in another unit."""
        half = self.half_width
        return Estimate(value=self.value * ratio, half_width=None if half is None else half * ratio)


Figures = dict[str, Estimate]  # mean, p50, p90, p95, p99


def estimate(value: float, batch_values: Sequence[float] | FloatArray) -> Estimate:
    """A figure of the whole run with the spread of its batches."""
    spread = np.asarray(batch_values, dtype=np.float64)
    if len(spread) != BATCH_COUNT or not np.isfinite(spread).all():
        return Estimate(value=value, half_width=None)
    half = STUDENT_97_5 * float(spread.std(ddof=1)) / math.sqrt(BATCH_COUNT)
    return Estimate(value=value, half_width=half)


def figures_of(values: FloatArray, batch: NDArray[np.int64]) -> Figures | None:
    """Mean and percentiles of a sample whose entries belong to batches 0 .. BATCH_COUNT - 1.

    None where the sample is empty.
    """
    if len(values) == 0:
        return None
    parts = [values[batch == index] for index in range(BATCH_COUNT)]
    return _figures(values, parts, lambda sample: float(sample.mean()), _quantiles)


def gap_figures(bins: NDArray[np.int64], sums_s: FloatArray, counts: NDArray[np.int64]) -> Figures | None:
    """Mean (exact) and percentiles (to 0.1 %) of counted gaps; one row per batch. None without gaps."""
    if counts.sum() == 0:
        return None
    batches = range(len(counts))
    found = {
        "mean": estimate(
            float(sums_s.sum() / counts.sum()),
            [float(sums_s[index] / counts[index]) if counts[index] else math.nan for index in batches],
        )
    }
    whole = bin_quantiles(bins.sum(axis=0))
    parts = [bin_quantiles(bins[index]) for index in batches]
    for place, name in enumerate(QUANTILE_BY_FIELD):
        found[name] = estimate(float(whole[place]), [float(part[place]) for part in parts])
    return found


def bin_quantiles(bins: NDArray[np.int64]) -> FloatArray:
    """The kept quantiles of counted gaps in seconds, in straight lines within a bin; NaN without gaps."""
    total = int(bins.sum())
    if total == 0:
        return np.full(len(QUANTILES), np.nan)
    cumulative = np.cumsum(bins)
    wanted = np.array(QUANTILES) * total
    place = np.searchsorted(cumulative, wanted)
    inside = (wanted - (cumulative[place] - bins[place])) / bins[place]
    low, high = _bin_edge(place), _bin_edge(place + 1)
    values: FloatArray = low + inside * (high - low)
    return values


def _bin_edge(place: NDArray[np.int64]) -> FloatArray:
    octave, within = np.divmod(np.minimum(place, BIN_COUNT), 1 << BINS_PER_OCTAVE_BITS)
    edge: FloatArray = np.ldexp(1.0 + within / (1 << BINS_PER_OCTAVE_BITS), octave + LOWEST_EXPONENT)
    return edge


def _quantiles(sample: FloatArray) -> FloatArray:
    quantiles: FloatArray = np.quantile(sample, QUANTILES)
    return quantiles


def _figures(
    whole: FloatArray,
    parts: Sequence[FloatArray],
    mean: Callable[[FloatArray], float],
    quantiles: Callable[[FloatArray], FloatArray],
) -> Figures:
    filled = all(len(part) > 0 for part in parts)
    found = {"mean": estimate(mean(whole), [mean(part) for part in parts] if filled else [])}
    of_whole = quantiles(whole)
    of_parts = [quantiles(part) for part in parts] if filled else []
    for place, name in enumerate(QUANTILE_BY_FIELD):
        found[name] = estimate(float(of_whole[place]), [float(part[place]) for part in of_parts])
    return found
