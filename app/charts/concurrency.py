"""What does each user get as more share the machine? Measured points, the fit, its band, ceilings."""

from collections.abc import Mapping, Sequence

import numpy as np

from app.charts.envelope import envelope
from app.charts.labels import offer_label
from app.charts.picture import Band, Dots, Limit, Line, Picture
from app.formatting import show
from models.architectures import batched_accelerator
from models.knee import knee
from models.measurements import Measurement, SourcedMeasurement
from models.performance import BatchedPerformance, CannotServe, PipelinePerformance, TierPerformance
from models.tiers import Offer

KEY = "concurrency"
POINT_COUNT = 60
METRICS = ("stream_rate_tok_per_s", "output_rate_tok_per_s", "tpot_s", "ttft_s")
SHAPE_TOLERANCE_RATIO = 1.15
Shape = tuple[float, float]


def shapes(measurements: Sequence[SourcedMeasurement]) -> tuple[Shape, ...]:
    """Combinations of mean input and output length among the points: own ones first, then most points."""
    counts: dict[Shape, int] = {}
    own: set[Shape] = set()
    for each in measurements:
        point = each.measurement
        if point.isl_tok and point.osl_tok and point.concurrency_count:
            shape = (round(point.isl_tok), round(point.osl_tok))
            counts[shape] = counts.get(shape, 0) + 1
            own |= set() if each.built_in else {shape}
    return tuple(sorted(counts, key=lambda shape: (shape not in own, -counts[shape], shape)))


def rows(
    offers: Sequence[Offer],
    performances: Mapping[str, TierPerformance | CannotServe],
    measurements: Mapping[str, Sequence[SourcedMeasurement]],
    metric: str,
    shape: Shape,
    order: Sequence[str] = (),
) -> Picture:
    """One metric against concurrency, for requests of about one shape (input and output tokens)."""
    lines, bands, dots = [], [], []
    ceilings: dict[float, list[str]] = {}
    for offer in offers:
        label = offer_label(offer, offers)
        measured = [each for each in measurements[offer.id] if _near(each.measurement, shape)]
        dots += _dots(label, measured, metric)
        performance = performances[offer.id]
        if isinstance(performance, BatchedPerformance):
            line, band = _fit(label, performance, metric, shape)
            lines.append(line)
            bands.append(band)
            dots += _knee(label, performance, metric, shape)
        elif isinstance(performance, PipelinePerformance):
            ends, between = envelope(label, performance, metric, shape)
            lines += ends
            bands += between
        dots += _published_median(offer, label, metric)
        ceiling = offer.tier.speed.stream_rate_ceiling_tok_per_s if offer.tier.speed else None
        if ceiling is not None and metric == "stream_rate_tok_per_s":
            ceilings.setdefault(ceiling, []).append(label)
    return Picture(
        key=KEY,
        title=_title(metric),
        alt=_alt(lines, dots, metric),
        x_name="concurrency_count",
        y_name=metric,
        x_log=True,
        y_log=metric.endswith("_tok_per_s"),
        lines=tuple(lines),
        bands=tuple(bands),
        dots=tuple(dots),
        limits=tuple(
            Limit(name=f"{' and '.join(labels)}, vendor's ceiling, never typical", y=ceiling)
            for ceiling, labels in ceilings.items()
        ),
        order=tuple(order),
    )


def _knee(label: str, performance: BatchedPerformance, metric: str, shape: Shape) -> list[Dots]:
    """Where throughput turns flat and only the wait grows on, if that lies within the measured loads."""
    count = knee(performance, *shape)
    if count is None:
        return []
    return [
        Dots(
            name=f"{label}, knee",
            group=label,
            x=(count,),
            y=(_predicted(performance, metric, count, shape),),
            notes=("beyond, throughput is flat and the first token waits longer",),
            diamond=True,
        )
    ]


def _published_median(offer: Offer, label: str, metric: str) -> list[Dots]:
    """The median speed somebody measured on a hosted tier with one stream; nobody published a curve."""
    rate = offer.tier.speed.stream_rate_tok_per_s if offer.tier.speed else None
    if rate is None or metric not in ("stream_rate_tok_per_s", "tpot_s"):
        return []
    return [
        Dots(
            name=f"{label}, median",
            group=label,
            x=(1.0,),
            y=(rate if metric == "stream_rate_tok_per_s" else 1.0 / rate,),
            notes=("single stream; no curve is published",),
        )
    ]


def _near(point: Measurement, shape: Shape) -> bool:
    """Whether a point's lengths are within 15 % of a shape; unknown lengths count as any."""
    pairs = zip((point.isl_tok, point.osl_tok), shape, strict=True)
    return all(
        known is None or 1 / SHAPE_TOLERANCE_RATIO <= known / wanted <= SHAPE_TOLERANCE_RATIO
        for known, wanted in pairs
    )


def _dots(label: str, measured: Sequence[SourcedMeasurement], metric: str) -> list[Dots]:
    found = []
    for own in (False, True):
        points = [
            (each.measurement.concurrency_count, value, each)
            for each in measured
            if each.built_in is not own
            and each.measurement.concurrency_count
            and (value := measured_value(each.measurement, metric)) is not None
        ]
        if points:
            found.append(
                Dots(
                    name=f"{label}, {'your own' if own else 'published'}",
                    group=label,
                    x=tuple(float(x) for x, _, _ in points),
                    y=tuple(y for _, y, _ in points),
                    notes=tuple(f"{each.source_label}, row {each.row_number}" for _, _, each in points),
                    own=own,
                )
            )
    return found


def measured_value(point: Measurement, metric: str) -> float | None:
    """One metric of a measured point; stream speed is the inverse of TPOT."""
    if metric == "stream_rate_tok_per_s":
        tpot_s = point.tpot_s.middle
        return None if not tpot_s else 1.0 / tpot_s
    if metric == "output_rate_tok_per_s":
        return point.output_rate_tok_per_s
    return point.tpot_s.middle if metric == "tpot_s" else point.ttft_s.middle


def _fit(label: str, performance: BatchedPerformance, metric: str, shape: Shape) -> tuple[Line, Band]:
    """The fitted curve over the slots, and its band: wider the further beyond the measured loads."""
    grid = [float(count) for count in np.geomspace(1.0, performance.slot_count, POINT_COUNT)]
    values, within, low, high = [], [], [], []
    for count in grid:
        value = _predicted(performance, metric, count, shape)
        values.append(value)
        around = batched_accelerator.band(performance, count)
        if around is None:
            continue
        below, above = 1 + around[0], 1 + around[1]
        # The band is that of latency: a rate is its inverse, so its band turns over.
        if metric.endswith("_tok_per_s"):
            below, above = 1 / above, 1 / below
        low.append(value * below)
        high.append(value * above)
        within.append(count)
    line = Line(name=label, group=label, x=tuple(grid), y=tuple(values))
    return line, Band(group=label, x=tuple(within), low=tuple(low), high=tuple(high))


def _predicted(performance: BatchedPerformance, metric: str, count: float, shape: Shape) -> float:
    ttft_s, tpot_s, output_rate = batched_accelerator.closed_loop(performance, count, *shape)
    return {
        "stream_rate_tok_per_s": 1.0 / tpot_s,
        "output_rate_tok_per_s": output_rate,
        "tpot_s": tpot_s,
        "ttft_s": ttft_s,
    }[metric]


def _title(metric: str) -> str:
    return {
        "stream_rate_tok_per_s": "What does each user get as more share one replica?",
        "output_rate_tok_per_s": "How much does one replica produce as more share it?",
        "tpot_s": "How long does each output token take as more share one replica?",
        "ttft_s": "How long until the first token as more share one replica?",
    }[metric]


def _alt(lines: Sequence[Line], dots: Sequence[Dots], metric: str) -> str:
    """What the curves say at their ends, and what is known of tiers without a curve."""
    fitted = {line.group for line in lines}
    ends = [
        f"{line.name}: {show(metric, line.y[0])} alone, "
        f"{show(metric, line.y[-1])} at {line.x[-1]:.0f} concurrent"
        for line in lines
    ]
    lone = [f"{each.name}: {show(metric, each.y[0])}" for each in dots if each.group not in fitted]
    return f"{_title(metric)} {'; '.join((*ends, *lone)) or 'Nothing is fitted or published'}."
