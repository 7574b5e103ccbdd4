"""Measured points and fitted curves as JSON and as a short table of text."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from app.formatting import show
from app.plan_json import plain
from app.workbench import TierCurve
from models.architectures import batched_accelerator
from models.performance import BatchedPerformance, CannotServe

GRID_COUNT = 24


def curves_as_json(found: Sequence[TierCurve]) -> dict[str, Any]:
    """Every curve: its measured points, its fit, and the fitted values with their 80 % band."""
    return {"curves": [_curve(each) for each in found]}


def _curve(each: TierCurve) -> dict[str, Any]:
    document: dict[str, Any] = {
        "tier_id": each.offer.tier.id,
        "model_id": each.offer.model.id,
        "measured": [
            plain(point.measurement) | {"source_id": point.source_id, "row_number": point.row_number}
            for point in each.measurements
        ],
        "fit": None,
        "fitted": [],
    }
    if isinstance(each.performance, BatchedPerformance):
        document["fit"] = plain(each.performance)
        document["fitted"] = [
            _fitted(each.performance, shape, float(count))
            for shape in each.shapes
            for count in np.geomspace(1.0, each.performance.slot_count, GRID_COUNT)
        ]
    elif isinstance(each.performance, CannotServe):
        document["problem"] = "; ".join(each.performance.reasons)
    return document


def _fitted(performance: BatchedPerformance, shape: tuple[float, float], count: float) -> dict[str, Any]:
    ttft_s, tpot_s, output_rate = batched_accelerator.closed_loop(performance, count, *shape)
    around = batched_accelerator.band(performance, count)
    return {
        "concurrency_count": count,
        "isl_tok": shape[0],
        "osl_tok": shape[1],
        "ttft_s": ttft_s,
        "tpot_s": tpot_s,
        "tpot_low_s": None if around is None else tpot_s * (1 + around[0]),
        "tpot_high_s": None if around is None else tpot_s * (1 + around[1]),
        "output_rate_tok_per_s": output_rate,
    }


def curves_as_text(found: Sequence[TierCurve]) -> str:
    """One line a curve: how many points, and what a user gets alone and at the highest load."""
    return "\n".join(_line(each) for each in found) or "No curve."


def _line(each: TierCurve) -> str:
    head = f"{each.offer.id}: {len(each.measurements)} points"
    if not isinstance(each.performance, BatchedPerformance) or not each.shapes:
        why = each.performance.reasons if isinstance(each.performance, CannotServe) else ("no shape known",)
        return f"{head}; {'; '.join(why)}"
    top = float(each.performance.slot_count)
    alone, crowded = (
        1.0 / batched_accelerator.closed_loop(each.performance, count, *each.shapes[0])[1]
        for count in (1.0, top)
    )
    return (
        f"{head}; {show('stream_rate_tok_per_s', alone)} alone, "
        f"{show('stream_rate_tok_per_s', crowded)} at {top:.0f} concurrent"
    )
