"""Stored points sorted into curves: one system at one shape of request, from one file, at several loads."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from models.measurements import Measurement, SourcedMeasurement

LOADS = ("concurrency_count", "offered_rate_req_per_s")
METRICS = {
    "Time per output token": ("tpot_s", "middle"),
    "Time to first token, p50": ("ttft_s", "p50"),
    "Time to first token, p95": ("ttft_s", "p95"),
    "End-to-end latency, p95": ("e2e_s", "p95"),
    "Output throughput": ("output_rate_tok_per_s", ""),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredCurve:
    """Points of one file that differ in load alone.

    name    what tells it from the other curves at hand
    load    which load they were measured at: concurrency or offered rate
    points  rising in load; of points at one load, all are there
    """

    name: str
    load: str
    points: tuple[Measurement, ...]

    def values(self, metric: str) -> dict[float, float]:
        """The metric by load; the mean of points measured at one load, none where it is missing."""
        by_load: dict[float, list[float]] = {}
        for point in self.points:
            value = value_of(point, metric)
            if value is not None:
                by_load.setdefault(getattr(point, self.load), []).append(value)
        return {load: sum(found) / len(found) for load, found in sorted(by_load.items())}


def value_of(point: Measurement, metric: str) -> float | None:
    """A metric of `METRICS` at one point; None where it is missing or zero."""
    field, statistic = METRICS[metric]
    value = getattr(point, field)
    value = getattr(value, statistic) if statistic else value
    return value or None


def measured_curves(measurements: Sequence[SourcedMeasurement]) -> tuple[MeasuredCurve, ...]:
    """The curves among the points, those with most points first; points without a load belong to none."""
    placed = [(key, each) for each in measurements if (key := _key(each)) is not None]
    placed.sort(key=lambda pair: tuple(str(part) for part in pair[0]))
    groups = [(key, [each for _, each in group]) for key, group in groupby(placed, key=lambda pair: pair[0])]
    parts = [_parts(key) for key, _ in groups]
    telling = [place for place in range(len(PARTS)) if len({each[place] for each in parts}) > 1] or [0]
    curves = []
    for (key, group), words in zip(groups, parts, strict=True):
        name = " · ".join(words[place] for place in telling if words[place]) or words[0]
        if parts.count(words) > 1:  # two files of one name
            name += f" ({key[1].rpartition(':')[2][:6]})"
        points = sorted((each.measurement for each in group), key=lambda point: getattr(point, key[-1]))
        curves.append(MeasuredCurve(name=name, load=key[-1], points=tuple(points)))
    return tuple(sorted(curves, key=lambda curve: (-len(curve.points), curve.name)))


PARTS = ("file", "tier", "model", "accelerators", "precision", "engine", "shape", "load")


def _key(each: SourcedMeasurement) -> tuple[str, ...] | None:
    point = each.measurement
    load = next((name for name in LOADS if getattr(point, name)), None)
    if point.load_kind == "rate" and point.offered_rate_req_per_s:
        load = "offered_rate_req_per_s"
    if load is None:
        return None
    lengths = [f"{round(length):,}" if length else "?" for length in (point.isl_tok, point.osl_tok)]
    count = f"{point.accelerator_count} x " if point.accelerator_count else ""
    return (
        each.source_label,
        each.source_id,
        point.tier or "",
        point.model or "",
        f"{count}{point.accelerator}" if point.accelerator else "",
        point.precision or "",
        point.engine or "",
        "/".join(lengths),
        load,
    )


def _parts(key: tuple[str, ...]) -> tuple[str, ...]:
    file, _, tier, model, accelerators, precision, engine, shape, load = key
    kind = "by concurrency" if load == LOADS[0] else "by rate"
    return (file, tier, model, accelerators, precision, engine, f"{shape} tokens", kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class RatioRow:
    """One load that every curve was measured at: each curve's value, and its ratio to the first one's."""

    load: float
    values: tuple[float, ...]
    ratios: tuple[float, ...]


def ratios_at_equal_loads(curves: Sequence[MeasuredCurve], metric: str) -> tuple[RatioRow, ...]:
    """The curves beside each other at the loads that all of them were measured at; nothing between them is
    interpolated. Empty for fewer than two curves, or where they share no load."""
    values = [curve.values(metric) for curve in curves]
    if len(values) < 2 or len({curve.load for curve in curves}) > 1:
        return ()
    shared = sorted(set.intersection(*(set(each) for each in values)))
    return tuple(
        RatioRow(
            load=load,
            values=tuple(each[load] for each in values),
            ratios=tuple(each[load] / values[0][load] for each in values),
        )
        for load in shared
    )
