"""How well a fit predicts what it has not seen: loads and lengths left out, and the highest load."""

from collections.abc import Sequence

import numpy as np

from models.batched_fit import chosen_points, errors, fit_limits, memory_of, tpot_error
from models.calibration import Limits, fit_step_law
from models.load_points import LoadPoint
from models.measurements import SourcedMeasurement
from models.performance import FitQuality
from models.tiers import Offer
from models.tokens import Roofline, roofline


def assess_fit(offer: Offer, measurements: Sequence[SourcedMeasurement]) -> FitQuality | None:
    """Residual and hold-out errors of time per token; None without a usable measurement."""
    points, _ = chosen_points(measurements)
    if not points:
        return None
    limits, bounds = fit_limits(offer, memory_of(offer, points).capacity_tok), roofline(offer)
    highest = max(point.load for point in points)
    top = [point.load == highest for point in points]
    return FitQuality(
        point_count=len(points),
        shape_count=len({point.shape for point in points}),
        residual_fraction=tpot_error(fit_step_law(points, limits, bounds), limits, points),
        leave_one_load_out_fraction=_median(load_errors(points, limits, bounds)),
        leave_one_shape_out_fraction=_median(shape_errors(points, limits, bounds)),
        top_load_fraction=_median(held_out_errors(points, top, limits, bounds)),
    )


def load_errors(points: Sequence[LoadPoint], limits: Limits, bounds: Roofline | None) -> list[float]:
    """Errors at each inner load, fitted without it; loads at the ends would be extrapolated."""
    inner = sorted({point.load for point in points})[1:-1]
    splits = [[point.load == load for point in points] for load in inner]
    return [error for split in splits for error in held_out_errors(points, split, limits, bounds)]


def shape_errors(
    points: Sequence[LoadPoint], limits: Limits, bounds: Roofline | None, name: str = "tpot_s"
) -> list[float]:
    """Errors at each combination of lengths, fitted without it."""
    shapes = sorted({point.shape for point in points})
    splits = [[point.shape == shape for point in points] for shape in shapes]
    return [error for split in splits for error in held_out_errors(points, split, limits, bounds, name)]


def held_out_errors(
    points: Sequence[LoadPoint],
    left_out: Sequence[bool],
    limits: Limits,
    bounds: Roofline | None,
    name: str = "tpot_s",
) -> list[float]:
    """Absolute relative errors on the left-out points, fitted on the others; empty where none remain."""
    kept = [point for point, out in zip(points, left_out, strict=True) if not out]
    held_out = [point for point, out in zip(points, left_out, strict=True) if out]
    if not kept or not held_out:
        return []
    return errors(fit_step_law(kept, limits, bounds), limits, held_out, name)


def _median(values: Sequence[float]) -> float | None:
    return float(np.median(values)) if values else None
