"""Which plan to regret least when nobody knows how demand will develop.

Each future has its own cheapest plan. Every one of these candidates is then put through every future: its
machines are paid whether used or not, tokens as used, and machines that are missing are had in a hurry, at a
premium. Regret is what a candidate costs more than the best candidate of that future (Savage 1951); the
least-regret plan has the smallest worst regret, beside the one with the smallest expected cost.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class RegretTable:
    """Costs and regrets in USD a month, one row a candidate and one column a future; infinite: impossible.

    least_regret_index, least_expected_index   rows; the first of equals
    expected_usd                               each candidate's mean cost over the weighted futures
    """

    candidates: tuple[str, ...]
    futures: tuple[str, ...]
    future_weight: tuple[float, ...]
    cost_usd: tuple[tuple[float, ...], ...]
    regret_usd: tuple[tuple[float, ...], ...]
    expected_usd: tuple[float, ...]
    least_regret_index: int
    least_expected_index: int


def regret_table(
    candidates: Sequence[str], futures: Sequence[str], weights: Sequence[float], cost_usd: FloatArray
) -> RegretTable:
    """Regrets of a cost matrix of shape (candidates, futures); weights are of any sum above 0.

    A future in which no candidate can serve has no regret to compare and counts as none.
    """
    best = cost_usd.min(axis=0)
    possible = np.isfinite(best)
    regret = np.zeros_like(cost_usd)
    regret[:, possible] = cost_usd[:, possible] - best[possible]
    share = np.asarray(weights, dtype=float) / float(np.sum(weights))
    expected = np.array([_expected(row, share) for row in cost_usd])
    return RegretTable(
        candidates=tuple(candidates),
        futures=tuple(futures),
        future_weight=tuple(float(each) for each in share),
        cost_usd=_rows(cost_usd),
        regret_usd=_rows(regret),
        expected_usd=tuple(float(each) for each in expected),
        least_regret_index=int(np.argmin(regret.max(axis=1))),
        least_expected_index=int(np.argmin(expected)),
    )


def _expected(cost_usd: FloatArray, share: FloatArray) -> float:
    return float("inf") if np.isinf(cost_usd[share > 0]).any() else float(cost_usd @ share)


def _rows(matrix: FloatArray) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(float(value) for value in row) for row in matrix)
