"""How many requests a KV cache holds when they differ in size: a number that varies, not a limit.

The head of the queue waits until its whole prompt and answer fit. Some sets of requests fill the cache
long before the mean number is in it, so waits begin earlier, and a large request keeps its share for as
long as its answer is long.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from models.request_mix import RequestMix

FloatArray = NDArray[np.float64]

FEWEST_DEVIATION_COUNT = 1.0  # requests; a number that varies less is a limit
REACH_DEVIATIONS = 5.0  # beyond so many every request is blocked


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheLimit:
    """Requests that fit one replica's cache: about normal, as a sum of many sizes (renewal theory,
    D. R. Cox 1962, section 3.3).

    work_scv_ratio  squared coefficient of variation of a request's size times its stay
    """

    mean_count: float
    deviation_count: float
    work_scv_ratio: float

    def served_count(self, present_count: FloatArray) -> FloatArray:
        """Mean requests in slots of those present, E min(k, B); any shape; the mean for very many."""
        below_zero = self._waiting_count(np.zeros(1))[0]  # B is never negative, a normal may be
        served = present_count - self._waiting_count(present_count) + below_zero
        scaled: FloatArray = served * self.mean_count / (self.mean_count + below_zero)
        return scaled

    def _waiting_count(self, present_count: FloatArray) -> FloatArray:
        """E max(k - B, 0) of a normal B."""
        z = (present_count - self.mean_count) / self.deviation_count
        density = np.exp(-(z**2) / 2.0) / math.sqrt(2.0 * math.pi)
        waiting: FloatArray = self.deviation_count * (density + z * ndtr(z))
        return waiting

    def blocked_chance(self, present_count: FloatArray) -> FloatArray:
        """Probability that one more does not fit beside those present; any shape."""
        chance: FloatArray = ndtr((present_count + 0.5 - self.mean_count) / self.deviation_count)
        return chance

    @property
    def highest_count(self) -> float:
        """Requests present with which hardly any further one fits."""
        return self.mean_count + REACH_DEVIATIONS * self.deviation_count


def cache_limit(mean_count: float, mix: RequestMix) -> CacheLimit | None:
    """The limit that sizes of this mix make; None where they are so alike that it is a plain number."""
    variance = max(mix.held_square / mix.held_tok**2 - 1.0, 0.0)
    deviation = math.sqrt(mean_count * variance)
    if deviation < FEWEST_DEVIATION_COUNT:
        return None
    work_tok = mix.held_tok * mix.output_tok
    return CacheLimit(
        mean_count=mean_count,
        deviation_count=deviation,
        work_scv_ratio=max(mix.work_square / work_tok**2 - 1.0, 0.0),
    )
