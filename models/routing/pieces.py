"""Parts of a workload that a gateway can tell apart: any share of it, its short prompts, its long ones."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from models.lengths import TokenLengths
from models.tiers import Offer, TokenPrice
from models.workloads import Demand

PromptPart = Literal["any", "short", "long"]
CUT_QUANTILES = (0.5, 0.9)
CUT_BIN_COUNT = 256  # equally likely ranges of prompt lengths, of which a cut takes some
POINTS_PER_BIN = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One part of a workload, as if it were a workload of its own.

    workload_index  whose part it is
    above_tok       where prompts are cut in two; None: not cut, any prompt
    demand          its calls, lengths and promises; each part keeps the whole workload's promises
    """

    workload_index: int
    part: PromptPart
    above_tok: float | None
    demand: Demand

    @property
    def rate_req_per_s(self) -> float:
        """Calls per second at the peak."""
        return self.demand.peak_call_rate_req_per_s


def pieces_of(demands: Sequence[Demand], offers: Sequence[Offer]) -> tuple[Piece, ...]:
    """Every workload whole, then cut at its median and 90th-percentile prompt and at long-prompt prices.

    Where each part keeps a promise for its own share of calls, the workload keeps it as a whole.
    """
    found: list[Piece] = []
    for index, demand in enumerate(demands):
        found.append(Piece(workload_index=index, part="any", above_tok=None, demand=demand))
        for above_tok in _cuts(demand, offers):
            found.extend(_both_sides(index, demand, above_tok))
    return tuple(found)


def _cuts(demand: Demand, offers: Sequence[Offer]) -> list[float]:
    """Prompt lengths that split the workload's calls in two, shortest first."""
    lengths = demand.workload.input_tok
    known = set(np.floor(lengths.quantile(np.array(CUT_QUANTILES))).tolist())
    for offer in offers:
        price = offer.tier.price
        if isinstance(price, TokenPrice) and price.long_context and offer.model.id in demand.workload.models:
            known.add(float(price.long_context.above_tok))
    bins = _bins(lengths)
    return sorted(each for each in known if bins[0] <= each < bins[-1])


def _both_sides(index: int, demand: Demand, above_tok: float) -> tuple[Piece, Piece]:
    bins = _bins(demand.workload.input_tok)
    short, long = bins[bins <= above_tok], bins[bins > above_tok]

    def side(part: PromptPart, lengths: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> Piece:
        kept = replace(
            demand.workload.input_tok,
            kind="empirical",
            value_tok=None,
            mean_before_clip_tok=None,
            cv_ratio=None,
            values_tok=tuple(int(each) for each in lengths),
        )
        whole = demand.scaled(len(lengths) / len(bins))
        own = replace(whole, workload=replace(demand.workload, input_tok=kept))
        return Piece(workload_index=index, part=part, above_tok=above_tok, demand=own)

    return side("short", short), side("long", long)


def _bins(lengths: TokenLengths) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """Mean prompt of each range, rounded up: cut prompts never look shorter than the whole workload's."""
    count = CUT_BIN_COUNT * POINTS_PER_BIN
    every = lengths.quantile((np.arange(count) + 0.5) / count)
    return np.asarray(np.ceil(every.reshape(CUT_BIN_COUNT, POINTS_PER_BIN).mean(axis=1) - 1e-9))
