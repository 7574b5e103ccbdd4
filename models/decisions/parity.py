"""Are two tiers the same? Quality, latency and failures on the same items, and what it takes to know.

Quality. Pass or fail: exact McNemar test on the items where the two differ (McNemar 1947), and the interval
of Bonett and Price (2012) for the difference of two paired proportions. Scores: paired t interval, Wilcoxon's
signed-rank test (1945) and a bootstrap of the mean difference. The candidate is *not worse* where the lower
end of the interval lies above minus the margin (one-sided), *equivalent* where the whole two-sided interval
lies within the margin (two one-sided tests, Schuirmann 1987), *worse* where its upper end lies below minus
the margin, and otherwise undecided: then the number of pairs that a verdict would take is given.

Latency. Differences of quantiles with bootstrap bands, and the two-sample Kolmogorov-Smirnov test. Failures
are compared as pass or fail. p-values of all tests are adjusted together (Holm 1979).

Range. At least 10 pairs; intervals assume that items are independent. Not modelled: drift over time, judges
that disagree, items that were chosen after the fact.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import stats

FloatArray = NDArray[np.float64]
Verdict = Literal["equivalent", "not worse", "worse", "undecided"]

FEWEST_PAIRS = 10
BOOTSTRAP_COUNT = 2000
QUANTILES = (0.5, 0.9, 0.95)
POWER_FRACTION = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Margin:
    """What counts as the same: the largest loss that does not matter, and the error accepted.

    score      in the unit of the scores; a share of items for pass or fail
    alpha_fraction   chance of calling a worse tier not worse, 0 to 0.5
    """

    score: float
    alpha_fraction: float = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Candidate minus baseline of one measure, its interval at twice alpha, and what follows.

    p_value             that the two differ, before adjusting; None where nothing differs
    needed_pair_count   pairs that would give a verdict four times in five, if the difference is as seen; None
                        where the difference itself is beyond the margin
    """

    measure: str
    pair_count: int
    baseline_mean: float
    candidate_mean: float
    difference: float
    low: float
    high: float
    test: str
    p_value: float | None
    verdict: Verdict
    needed_pair_count: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuantileShift:
    """How much later the candidate is at one quantile, in seconds, with its bootstrap band."""

    quantile: float
    baseline_s: float
    candidate_s: float
    difference_s: float
    low_s: float
    high_s: float


def compare_pass_fail(
    measure: str, baseline: FloatArray, candidate: FloatArray, margin: Margin
) -> Comparison:
    """Paired pass (1) or fail (0): exact McNemar, Bonett-Price interval; arrays of one length."""
    count = len(baseline)
    gained = int(((baseline == 0) & (candidate == 1)).sum())
    lost = int(((baseline == 1) & (candidate == 0)).sum())
    p_value = None
    if gained + lost:
        p_value = float(stats.binomtest(min(gained, lost), gained + lost, 0.5).pvalue)
    low, high = paired_share_interval(gained, lost, count, margin.alpha_fraction)
    difference = (gained - lost) / count
    spread = (gained + lost) / count - difference**2
    return _comparison(
        measure, baseline, candidate, difference, (low, high), "McNemar, exact", p_value, spread, margin
    )


def paired_share_interval(
    gained_count: int, lost_count: int, pair_count: int, alpha_fraction: float
) -> tuple[float, float]:
    """Interval of a difference of paired shares at confidence 1 - 2 alpha (Bonett and Price 2012)."""
    gain, loss = (gained_count + 1.0) / (pair_count + 2.0), (lost_count + 1.0) / (pair_count + 2.0)
    middle = gain - loss
    error = math.sqrt((gain + loss - middle**2) / (pair_count + 2.0))
    reach = float(stats.norm.ppf(1.0 - alpha_fraction)) * error
    return max(middle - reach, -1.0), min(middle + reach, 1.0)


def compare_scores(measure: str, baseline: FloatArray, candidate: FloatArray, margin: Margin) -> Comparison:
    """Paired scores, higher is better: t interval of the mean difference, Wilcoxon's test for p."""
    differences = candidate - baseline
    count, mean = len(differences), float(differences.mean())
    deviation = float(differences.std(ddof=1))
    reach = float(stats.t.ppf(1.0 - margin.alpha_fraction, count - 1)) * deviation / math.sqrt(count)
    p_value = float(stats.wilcoxon(differences).pvalue) if np.any(differences != 0.0) else None
    return _comparison(
        measure,
        baseline,
        candidate,
        mean,
        (mean - reach, mean + reach),
        "Wilcoxon signed rank",
        p_value,
        deviation**2,
        margin,
    )


def bootstrap_interval(
    baseline: FloatArray, candidate: FloatArray, alpha_fraction: float, seed: int
) -> tuple[float, float]:
    """Percentile bootstrap of the mean difference at confidence 1 - 2 alpha; items drawn in pairs."""
    differences = candidate - baseline
    picks = np.random.default_rng(seed).integers(0, len(differences), (BOOTSTRAP_COUNT, len(differences)))
    means = differences[picks].mean(axis=1)
    low, high = np.quantile(means, (alpha_fraction, 1.0 - alpha_fraction))
    return float(low), float(high)


def _comparison(
    measure: str,
    baseline: FloatArray,
    candidate: FloatArray,
    difference: float,
    interval: tuple[float, float],
    test: str,
    p_value: float | None,
    variance: float,
    margin: Margin,
) -> Comparison:
    low, high = interval
    verdict = verdict_of(low, high, margin.score)
    return Comparison(
        measure=measure,
        pair_count=len(baseline),
        baseline_mean=float(baseline.mean()),
        candidate_mean=float(candidate.mean()),
        difference=difference,
        low=low,
        high=high,
        test=test,
        p_value=p_value,
        verdict=verdict,
        needed_pair_count=needed_pairs(difference, variance, margin),
    )


def verdict_of(low: float, high: float, margin_score: float) -> Verdict:
    """What an interval of candidate minus baseline says against a margin > 0."""
    if high < -margin_score:
        return "worse"
    if low <= -margin_score:
        return "undecided"
    return "equivalent" if high < margin_score else "not worse"


def needed_pairs(difference: float, variance: float, margin: Margin) -> int | None:
    """Pairs for a one-sided verdict at 80 % power: (z_a + z_b)^2 var / (margin + difference)^2."""
    room = margin.score + difference
    if room <= 0:
        return None
    reach = float(stats.norm.ppf(1.0 - margin.alpha_fraction) + stats.norm.ppf(POWER_FRACTION))
    return max(FEWEST_PAIRS, math.ceil(reach**2 * variance / room**2))


def quantile_shifts(
    baseline_s: FloatArray, candidate_s: FloatArray, alpha_fraction: float, seed: int
) -> tuple[QuantileShift, ...]:
    """Differences of latency quantiles with bootstrap bands at confidence 1 - 2 alpha; drawn in pairs."""
    count = len(baseline_s)
    picks = np.random.default_rng(seed).integers(0, count, (BOOTSTRAP_COUNT, count))
    shifts = np.quantile(candidate_s[picks], QUANTILES, axis=1) - np.quantile(
        baseline_s[picks], QUANTILES, axis=1
    )
    bands = np.quantile(shifts, (alpha_fraction, 1.0 - alpha_fraction), axis=1)
    before, after = np.quantile(baseline_s, QUANTILES), np.quantile(candidate_s, QUANTILES)
    return tuple(
        QuantileShift(
            quantile=quantile,
            baseline_s=float(before[i]),
            candidate_s=float(after[i]),
            difference_s=float(after[i] - before[i]),
            low_s=float(bands[0, i]),
            high_s=float(bands[1, i]),
        )
        for i, quantile in enumerate(QUANTILES)
    )


def same_distribution_p_value(baseline_s: FloatArray, candidate_s: FloatArray) -> float:
    """Two-sample Kolmogorov-Smirnov test that both latencies have one distribution."""
    return float(stats.ks_2samp(baseline_s, candidate_s).pvalue)


def holm(p_values: list[float | None]) -> list[float | None]:
    """p-values adjusted for being several (Holm 1979), in the order given; missing ones stay missing."""
    known = sorted((value, index) for index, value in enumerate(p_values) if value is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    running = 0.0
    for rank, (value, index) in enumerate(known):
        running = max(running, min(1.0, value * (len(known) - rank)))
        adjusted[index] = running
    return adjusted
