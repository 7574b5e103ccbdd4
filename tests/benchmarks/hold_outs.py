"""How a fit foretells loads and lengths it has not seen, on every measured curve of a file."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from models.batched_fit import errors, scheduler_of, signed_errors
from models.calibration import FittedLaw, Limits, fit_step_law
from models.load_points import LoadPoint, usable_points
from models.measurements import SourcedMeasurement
from models.step_law import extrapolation_band
from models.tiers import Offer
from models.tokens import Roofline, roofline
from tests.benchmarks.curve_file import configurations, offer_of

FEWEST_FOR_INNER = 3  # loads: one to leave out between two
FEWEST_FOR_HALVES = 4
COVERAGE_RANGE = (0.75, 0.90)


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldOut:
    """Errors on one source's left-out points by question, and whether each lay in its 80 % band."""

    source: str
    question: str
    error_fraction: float
    in_band: bool | None = None


def hold_outs(points: Sequence[SourcedMeasurement]) -> Iterator[HoldOut]:
    """Every hold-out of every configuration, in a fixed order."""
    for (source, *_), rows in configurations(points).items():
        usable, _ = usable_points(rows)
        if not usable:
            continue
        label = f"{source} (static batch)" if usable[0].kind == "static" else source
        offer = offer_of(rows)
        bounds, limits = roofline(offer), unlimited(offer)
        for curve in curves(usable):
            yield from _left_out_loads(label, curve, bounds, limits)
            yield from _upper_half(label, curve, bounds, limits)
        yield from _left_out_lengths(label, usable, bounds, limits)


def unlimited(offer: Offer) -> Limits:
    """No limit but the token budget, under the engine's own scheduler."""
    infinite = float("inf")
    return Limits(
        slot_count=infinite,
        kv_capacity_tok=infinite,
        token_budget_tok=8192.0,
        scheduler=scheduler_of(offer),
    )


def curves(points: Sequence[LoadPoint]) -> list[list[LoadPoint]]:
    """The points of each combination of lengths."""
    found: dict[tuple[float, float], list[LoadPoint]] = defaultdict(list)
    for point in points:
        found[point.shape].append(point)
    return [found[shape] for shape in sorted(found)]


def _left_out_loads(
    label: str, curve: list[LoadPoint], bounds: Roofline | None, limits: Limits
) -> Iterator[HoldOut]:
    loads = sorted({point.load for point in curve})
    if len(loads) < FEWEST_FOR_INNER:
        return
    for load in loads[1:-1]:
        yield from _banded(
            label, "left-out load", curve, [p for p in curve if p.load == load], bounds, limits
        )


def _upper_half(
    label: str, curve: list[LoadPoint], bounds: Roofline | None, limits: Limits
) -> Iterator[HoldOut]:
    loads = sorted({point.load for point in curve})
    if len(loads) < FEWEST_FOR_HALVES:
        return
    middle = loads[(len(loads) - 1) // 2]
    yield from _banded(label, "upper half", curve, [p for p in curve if p.load > middle], bounds, limits)


def _banded(
    label: str,
    question: str,
    curve: list[LoadPoint],
    out: list[LoadPoint],
    bounds: Roofline | None,
    limits: Limits,
) -> Iterator[HoldOut]:
    kept = [point for point in curve if point not in out]
    law = fit_step_law(kept, limits, bounds)
    highest = max(point.held_count or point.load for point in kept)
    for point in out:
        for error in _speed_errors(law, limits, [point]):
            band = extrapolation_band(point.held_count or point.load, highest)
            # The band says where the truth lies against the fit; the error is fit against truth.
            truth = 1.0 / (1.0 + error) - 1.0
            inside = None if band is None else band[0] <= truth <= band[1]
            yield HoldOut(source=label, question=question, error_fraction=abs(error), in_band=inside)


def _speed_errors(law: FittedLaw, limits: Limits, points: Sequence[LoadPoint]) -> list[float]:
    """Signed errors of time per token; of whole latency where that is all the points show."""
    found = signed_errors(law, limits, points, "tpot_s")
    return found or signed_errors(law, limits, points, "e2e_s")


def _left_out_lengths(
    label: str, points: Sequence[LoadPoint], bounds: Roofline | None, limits: Limits
) -> Iterator[HoldOut]:
    shapes = sorted({point.shape for point in points})
    for shape in shapes if len(shapes) > 1 else []:
        law = fit_step_law([point for point in points if point.shape != shape], limits, bounds)
        out = [point for point in points if point.shape == shape]
        for error in _speed_errors(law, limits, out):
            yield HoldOut(source=label, question="left-out lengths", error_fraction=abs(error))
        for error in errors(law, limits, out, "ttft_s"):
            yield HoldOut(source=label, question="left-out lengths, TTFT", error_fraction=error)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """What a question's median may be, over all sources that run an engine under load."""

    question: str
    median_fraction: float


BARS = (
    Bar(question="left-out load", median_fraction=0.03),
    Bar(question="upper half", median_fraction=0.09),
    Bar(question="left-out lengths", median_fraction=0.08),
    Bar(question="left-out lengths, TTFT", median_fraction=0.20),
)


def hold_out_table(found: Sequence[HoldOut]) -> list[str]:
    """One line per question and source: points, median, p90, and share inside the band."""
    lines = [
        f"{'question':<24} {'source':<44} {'points':>6} {'median':>7} {'bar':>5} {'p90':>7} {'in band':>7}"
    ]
    for bar in BARS:
        asked = [each for each in found if each.question == bar.question]
        served = [each for each in asked if "static" not in each.source]
        if served:
            lines.append(_line(bar, "all but static batches", served))
        for source in sorted({each.source for each in asked}):
            lines.append(_line(bar, source, [each for each in asked if each.source == source]))
    return lines


def coverage_lines(found: Sequence[HoldOut]) -> list[str]:
    """Share of all left-out points within the band that says four times in five."""
    banded = [each.in_band for each in found if each.in_band is not None and "static" not in each.source]
    if not banded:
        return []
    share, (low, high) = float(np.mean(banded)), COVERAGE_RANGE
    over = "" if low <= share <= high else "  over"
    return [
        f"80 % bands hold {share:.0%} of {len(banded)} left-out points (bar {low:.0%} to {high:.0%}){over}"
    ]


def _line(bar: Bar, source: str, found: Sequence[HoldOut]) -> str:
    median, p90 = np.quantile([each.error_fraction for each in found], [0.5, 0.9])
    banded = [each.in_band for each in found if each.in_band is not None]
    covered = f"{np.mean(banded):7.0%}" if banded else "      -"
    over = "  over" if median > bar.median_fraction and "static" not in source else ""
    return (
        f"{bar.question:<24} {source:<44} {len(found):>6} {median:7.1%} {bar.median_fraction:5.0%}"
        f" {p90:7.1%} {covered}{over}"
    )
