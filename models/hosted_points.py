"""Which of a hosted tier's measured points speaks for a load: nearest lengths, then a load that covers it."""

import math
from collections.abc import Sequence

from models.performance import HostedPerformance, HostedPoint, Load, RequestClass

UNKNOWN_DISTANCE = 10.0  # as if four orders of magnitude away
LENGTH_TOLERANCE = 1.25


def point_for(
    performance: HostedPerformance, load: Load, each: RequestClass
) -> tuple[HostedPoint, tuple[str, ...]]:
    """The measured point for a class, and what of it lies outside the measurements.

    Of the measured lengths the nearest (in ratio), of its loads the smallest that covers the calls in flight.
    """
    shape = _nearest_shape(performance.points, each)
    of_shape = [point for point in performance.points if (point.isl_tok, point.osl_tok) == shape]
    outside = _length_notices(performance.points, each)
    loaded = [point for point in of_shape if point.concurrency_count is not None]
    if not loaded:
        return of_shape[0], outside
    for point in loaded:
        in_flight = sum(any_.rate_req_per_s * (_e2e_mean_s(point, any_) or 0.0) for any_ in load.classes)
        if in_flight <= (point.concurrency_count or 0.0):
            return point, outside
    return loaded[-1], (*outside, f"{each.name}: more calls are in flight than anybody measured.")


Shape = tuple[float | None, float | None]


def _nearest_shape(points: Sequence[HostedPoint], each: RequestClass) -> Shape:
    """The measured mean lengths that differ least in ratio; unknown lengths count as far."""
    wanted = (each.input_tok.mean_tok, each.output_tok.mean_tok)

    def distance(shape: Shape) -> float:
        return sum(
            UNKNOWN_DISTANCE if known is None else abs(math.log(known / mean))
            for known, mean in zip(shape, wanted, strict=True)
        )

    return min(((point.isl_tok, point.osl_tok) for point in points), key=distance)


def _length_notices(points: Sequence[HostedPoint], each: RequestClass) -> tuple[str, ...]:
    """Mean lengths beyond those measured, where any were."""
    found = []
    for what, mean, known in (
        ("input", each.input_tok.mean_tok, [point.isl_tok for point in points if point.isl_tok]),
        ("output", each.output_tok.mean_tok, [point.osl_tok for point in points if point.osl_tok]),
    ):
        if known and not min(known) / LENGTH_TOLERANCE <= mean <= max(known) * LENGTH_TOLERANCE:
            found.append(
                f"{each.name}: mean {what} of {mean:.0f} tokens is outside the measured "
                f"{min(known):.0f} to {max(known):.0f}."
            )
    return tuple(found)


def _e2e_mean_s(point: HostedPoint, each: RequestClass) -> float | None:
    if point.ttft_s.middle is None or point.tpot_s.middle is None:
        return None
    return point.ttft_s.middle + (each.output_tok.mean_tok - 1) * point.tpot_s.middle
