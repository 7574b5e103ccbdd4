"""Token-length distributions of prompts and answers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

LengthKind = Literal["fixed", "lognormal", "empirical"]
NORMAL_QUANTILE_95 = 1.6448536269514722
MAX_TOKEN_COUNT = 10_485_760  # the longest context any catalogued model states


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenLengths:
    """How many tokens a prompt or an answer has: whole numbers from `clip_tok[0]` (>= 1) upward.

    fixed      every request has `value_tok`
    lognormal  mean and coefficient of variation `cv_ratio` *before* rounding and clipping
    empirical  `values_tok`, each equally likely
    """

    kind: LengthKind
    value_tok: float | None = None
    mean_before_clip_tok: float | None = None
    cv_ratio: float | None = None
    values_tok: tuple[int, ...] = field(default=(), repr=False)
    clip_tok: tuple[int, int] = (1, MAX_TOKEN_COUNT)

    def quantile(self, fraction: NDArray[np.float64]) -> NDArray[np.float64]:
        """Lengths in tokens at the given fractions (0, 1), any shape, rounded and clipped."""
        low, high = self.clip_tok
        if self.kind == "fixed":
            raw = np.full(np.shape(fraction), float(self.value_tok or 0))
        elif self.kind == "lognormal":
            mu, sigma = self.log_parameters
            raw = np.exp(mu + sigma * ndtri(fraction))
        else:
            ordered = np.sort(np.asarray(self.values_tok, dtype=np.float64))
            index = np.minimum((np.asarray(fraction) * len(ordered)).astype(int), len(ordered) - 1)
            raw = ordered[index]
        clipped: NDArray[np.float64] = np.clip(np.rint(raw), low, high)
        return clipped

    def scaled(self, ratio: float) -> "TokenLengths":
        """The same spread around lengths that many times as long; the clip stays."""
        return replace(
            self,
            value_tok=None if self.value_tok is None else self.value_tok * ratio,
            mean_before_clip_tok=None
            if self.mean_before_clip_tok is None
            else self.mean_before_clip_tok * ratio,
            values_tok=tuple(max(round(each * ratio), 1) for each in self.values_tok),
        )

    @property
    def log_parameters(self) -> tuple[float, float]:
        """Mean and standard deviation of the logarithm, for a lognormal."""
        if self.mean_before_clip_tok is None or self.cv_ratio is None:
            raise ValueError(f"a {self.kind} length has no lognormal parameters")
        variance = math.log1p(self.cv_ratio**2)
        return math.log(self.mean_before_clip_tok) - variance / 2, math.sqrt(variance)

    @property
    def mean_tok(self) -> float:
        """Mean length in tokens, after rounding and clipping."""
        return _mean_tok(self)

    @property
    def spread_tok(self) -> float:
        """Standard deviation in tokens, after rounding and clipping."""
        return _spread_tok(self)


@lru_cache(maxsize=1024)
def _mean_tok(lengths: TokenLengths) -> float:
    return float(np.mean(lengths.quantile(_EVEN_FRACTIONS)))


@lru_cache(maxsize=1024)
def _spread_tok(lengths: TokenLengths) -> float:
    return float(np.std(lengths.quantile(_EVEN_FRACTIONS)))


# Midpoints of 16,384 equal-probability bins: fine enough for the mean of a lognormal with cv 3.
_EVEN_FRACTIONS = (np.arange(16384) + 0.5) / 16384


def fixed_lengths(value_tok: float, clip_tok: tuple[int, int] = (1, MAX_TOKEN_COUNT)) -> TokenLengths:
    """Every request has the same length."""
    return TokenLengths(kind="fixed", value_tok=value_tok, clip_tok=clip_tok)


def lognormal_lengths(
    mean_tok: float, cv_ratio: float, clip_tok: tuple[int, int] = (1, MAX_TOKEN_COUNT)
) -> TokenLengths:
    """Lognormal lengths by mean and coefficient of variation, before rounding and clipping."""
    return TokenLengths(kind="lognormal", mean_before_clip_tok=mean_tok, cv_ratio=cv_ratio, clip_tok=clip_tok)


def lognormal_from_percentiles(
    p50_tok: float, p95_tok: float, clip_tok: tuple[int, int] = (1, MAX_TOKEN_COUNT)
) -> TokenLengths:
    """Lognormal lengths through a median and a 95th percentile (p95 >= p50 > 0)."""
    sigma = math.log(p95_tok / p50_tok) / NORMAL_QUANTILE_95
    return lognormal_lengths(p50_tok * math.exp(sigma**2 / 2), math.sqrt(math.expm1(sigma**2)), clip_tok)


def empirical_lengths(
    values_tok: Sequence[int], clip_tok: tuple[int, int] = (1, MAX_TOKEN_COUNT)
) -> TokenLengths:
    """Lengths drawn from a list, each value equally likely."""
    return TokenLengths(
        kind="empirical", values_tok=tuple(int(value) for value in values_tok), clip_tok=clip_tok
    )
