"""What the calls of a load have in common: the moments of their lengths that a shared machine feels.

Calls of several classes share the same slots, so the pool feels their mixture, weighted by rate; each
class then sees its own lengths on that pool.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from models.lengths import TokenLengths
from models.performance import RequestClass

FloatArray = NDArray[np.float64]

BIN_COUNT = 2048  # equal-probability bins that stand for a length distribution
ROUNDING_TOK = 1e-9  # answers of one token have no further ones, whatever a weighted sum says
POINTS_PER_BIN = 8  # quantiles averaged in each bin; moments use all of them


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthMoments:
    """Means of the powers of one length, in tokens, and its ascending equal-probability bins."""

    mean: float
    square: float
    cube: float
    fourth: float
    bins_tok: FloatArray


@lru_cache(maxsize=512)
def length_moments(lengths: TokenLengths, cached_fraction: float = 0.0) -> LengthMoments:
    """Moments and bins of a length after rounding and clipping, less the cached part of a prompt."""
    count = BIN_COUNT * POINTS_PER_BIN
    values = lengths.quantile((np.arange(count) + 0.5) / count)
    if cached_fraction > 0.0:
        values = fresh_tok(values, cached_fraction)
    return LengthMoments(
        mean=float(values.mean()),
        square=float((values**2).mean()),
        cube=float((values**3).mean()),
        fourth=float((values**4).mean()),
        bins_tok=values.reshape(BIN_COUNT, POINTS_PER_BIN).mean(axis=1),
    )


def fresh_tok(input_tok: FloatArray, cached_input_fraction: float) -> FloatArray:
    """Prompt tokens that need prefill; even a wholly cached prompt has its last token computed."""
    return np.maximum(input_tok * (1.0 - cached_input_fraction), 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestMix:
    """The pooled calls of a load; every figure is a mean over calls.

    prompt_tok, prompt_square   prompt tokens that need prefill (P), and their mean square
    prompt_bins_tok             the distribution of P as ascending equal-probability bins
    output_tok, output_square   tokens generated (n >= 1), and their mean square
    context_tok                 context tokens read over a call's life: (n-1) I + n (n-1) / 2
    held_tok                    KV tokens held, time-weighted: E[n (I + n)] / E[n], I the whole prompt
    held_square                 mean square of that: E[n (I + n)^2] / E[n]
    work_square                 mean square of the tokens held times the stay: E[n^2 (I + n)^2]
    size_tok, size_square       I + n and its mean square
    """

    prompt_tok: float
    prompt_square: float
    prompt_bins_tok: FloatArray
    output_tok: float
    output_square: float
    context_tok: float
    held_tok: float
    held_square: float
    work_square: float
    size_tok: float
    size_square: float

    @property
    def decode_tok(self) -> float:
        """Tokens after the first: decode steps of a call, mean."""
        further = self.output_tok - 1.0
        return further if further > ROUNDING_TOK else 0.0

    @property
    def context_per_step_tok(self) -> float:
        """Context tokens that a decoding call reads in one step, mean over its steps."""
        return self.context_tok / self.decode_tok if self.decode_tok > 0 else 0.0

    @property
    def output_scv_ratio(self) -> float:
        """Squared coefficient of variation of the output length."""
        return max(self.output_square / self.output_tok**2 - 1.0, 0.0)

    @property
    def prompt_scv_ratio(self) -> float:
        """Squared coefficient of variation of the fresh prompt length."""
        return max(self.prompt_square / self.prompt_tok**2 - 1.0, 0.0)


def mix_of(classes: tuple[RequestClass, ...]) -> RequestMix:
    """The mixture of the classes, weighted by their rates (at least one rate above zero)."""
    total = sum(each.rate_req_per_s for each in classes)
    present = tuple(each for each in classes if each.rate_req_per_s > 0)
    return _mix(
        tuple((each.input_tok, each.output_tok, each.cached_input_fraction) for each in present),
        tuple(each.rate_req_per_s / total for each in present),
    )


@lru_cache(maxsize=512)
def _mix(
    lengths: tuple[tuple[TokenLengths, TokenLengths, float], ...], weights: tuple[float, ...]
) -> RequestMix:
    parts = [_single(*each) for each in lengths]
    if len(parts) == 1:
        return parts[0]
    names = (
        "prompt_tok",
        "prompt_square",
        "output_tok",
        "output_square",
        "context_tok",
        "size_tok",
        "size_square",
        "work_square",
    )
    means = {
        name: sum(weight * float(getattr(part, name)) for weight, part in zip(weights, parts, strict=True))
        for name in names
    }
    stays = [w * part.output_tok / means["output_tok"] for w, part in zip(weights, parts, strict=True)]
    means |= {
        name: sum(stay * float(getattr(part, name)) for stay, part in zip(stays, parts, strict=True))
        for name in ("held_tok", "held_square")
    }
    bins = _pooled_bins([part.prompt_bins_tok for part in parts], weights)
    return RequestMix(prompt_bins_tok=bins, **means)


@lru_cache(maxsize=512)
def _single(inputs: TokenLengths, outputs: TokenLengths, cached_input_fraction: float) -> RequestMix:
    """One class; input and output lengths are independent."""
    prompt, output = length_moments(inputs), length_moments(outputs)
    fresh = length_moments(inputs, cached_input_fraction)
    return RequestMix(
        prompt_tok=fresh.mean,
        prompt_square=fresh.square,
        prompt_bins_tok=fresh.bins_tok,
        output_tok=output.mean,
        output_square=output.square,
        context_tok=(output.mean - 1.0) * prompt.mean + (output.square - output.mean) / 2.0,
        held_tok=prompt.mean + output.square / output.mean,
        held_square=prompt.square + (2.0 * prompt.mean * output.square + output.cube) / output.mean,
        work_square=prompt.square * output.square + 2.0 * prompt.mean * output.cube + output.fourth,
        size_tok=prompt.mean + output.mean,
        size_square=prompt.square + 2.0 * prompt.mean * output.mean + output.square,
    )


def _pooled_bins(bins: list[FloatArray], weights: tuple[float, ...]) -> FloatArray:
    values = np.concatenate(bins)
    mass = np.repeat(np.asarray(weights) / BIN_COUNT, BIN_COUNT)
    order = np.argsort(values, kind="stable")
    middles = np.cumsum(mass[order]) - mass[order] / 2.0
    pooled: FloatArray = np.interp((np.arange(BIN_COUNT) + 0.5) / BIN_COUNT, middles, values[order])
    return pooled
