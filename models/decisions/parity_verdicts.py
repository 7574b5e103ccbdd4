"""Everything that paired results of two tiers allow to be compared, in one go."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from models.decisions.parity import (
    FEWEST_PAIRS,
    Comparison,
    Margin,
    QuantileShift,
    bootstrap_interval,
    compare_pass_fail,
    compare_scores,
    holm,
    quantile_shifts,
    same_distribution_p_value,
)

Pairs = Mapping[str, tuple[Sequence[float], Sequence[float]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parity:
    """What paired results say of two tiers.

    adjusted_p_values  in the order of the comparisons, that of the latency distributions last
    score_bootstrap    90 % interval of the mean difference of scores without any assumption on their shape
    """

    comparisons: tuple[Comparison, ...]
    adjusted_p_values: tuple[float | None, ...]
    shifts: tuple[QuantileShift, ...]
    score_bootstrap: tuple[float, float] | None

    @property
    def shown(self) -> bool:
        """Whether something was compared and nothing came out worse or undecided."""
        good = [each.verdict in ("equivalent", "not worse") for each in self.comparisons]
        return bool(good) and all(good)


def compare_all(pairs: Pairs, pass_margin: Margin, score_margin: Margin, seed: int) -> Parity:
    """Compare by measure: `passed` and `failed` (1 or 0), `score` (higher is better), `latency_s`.

    Each measure holds the baseline's and the candidate's values, item by item; measures with fewer than ten
    pairs are left out.
    """
    usable = {
        measure: (np.asarray(before, dtype=np.float64), np.asarray(after, dtype=np.float64))
        for measure, (before, after) in pairs.items()
        if len(before) >= FEWEST_PAIRS
    }
    if "failed" in usable:
        # More failures are worse, so what is compared is the share that did not fail.
        before, after = usable["failed"]
        usable["failed"] = (1.0 - before, 1.0 - after)
    planned: tuple[tuple[str, str, Callable[..., Comparison], Margin], ...] = (
        ("passed", "Passed", compare_pass_fail, pass_margin),
        ("score", "Score", compare_scores, score_margin),
        ("failed", "Did not fail", compare_pass_fail, pass_margin),
    )
    comparisons = tuple(
        compare(title, *usable[measure], margin)
        for measure, title, compare, margin in planned
        if measure in usable
    )
    latency, alpha = usable.get("latency_s"), pass_margin.alpha_fraction
    p_values = [each.p_value for each in comparisons]
    if latency is not None:
        p_values.append(same_distribution_p_value(*latency))
    scores = usable.get("score")
    return Parity(
        comparisons=comparisons,
        adjusted_p_values=tuple(holm(p_values)),
        shifts=() if latency is None else quantile_shifts(*latency, alpha, seed),
        score_bootstrap=None
        if scores is None
        else bootstrap_interval(*scores, score_margin.alpha_fraction, seed),
    )
