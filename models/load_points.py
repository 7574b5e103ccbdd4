"""Which benchmark rows a fit may rest on, and in what form.

A row must say its load and its lengths and show some latency. It must also be a steady state: closed
loads obey Little's law, open loads finish what is offered; a drain after saturation is neither.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from models.measurements import Measurement, SourcedMeasurement
from models.steady_points import Lengths

FloatArray = NDArray[np.float64]
PointKind = Literal["closed", "open", "static"]

LITTLE_TOLERANCE = 0.10
STEADY_FRACTION = 0.95  # finished over offered below this: the backlog was growing
USABLE_QUALITIES = ("ok", "repeat")
QUEUED_TTFT_FRACTION = 0.5  # TTFT above this share of E2E, and
QUEUED_TTFT_RATIO = 4.0  # so many times that of the lightest load: requests waited for slots


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadPoint:
    """One usable row: load in requests in flight, requests/s or batch, by kind; latencies in seconds."""

    kind: PointKind
    load: float
    isl_tok: float
    osl_tok: float
    ttft_s: float | None
    tpot_s: float | None
    e2e_s: float | None
    request_rate_req_per_s: float | None
    source: SourcedMeasurement

    @property
    def shape(self) -> tuple[float, float]:
        """Input and output length: what must differ to tell prompt from decode cost."""
        return self.isl_tok, self.osl_tok

    @property
    def held_count(self) -> float | None:
        """Requests in flight: given, or by Little's law."""
        if self.kind != "open":
            return self.load
        return None if self.e2e_s is None else self.load * self.e2e_s


@dataclass(frozen=True, slots=True, kw_only=True)
class PointTable:
    """Points of one kind as arrays; NaN where a row does not say."""

    kind: PointKind
    load: FloatArray
    lengths: Lengths
    ttft_s: FloatArray
    tpot_s: FloatArray
    e2e_s: FloatArray
    request_rate_req_per_s: FloatArray


def usable_points(measurements: Sequence[SourcedMeasurement]) -> tuple[list[LoadPoint], list[str]]:
    """The rows a fit may use, in the order given, and a notice for each reason rows were left out."""
    points: list[LoadPoint] = []
    left_out: dict[str, int] = {}
    for each in measurements:
        point = _point(each)
        reason = point if isinstance(point, str) else _unsteady(point, each.measurement)
        if reason is None and not isinstance(point, str):
            points.append(point)
        elif reason is not None:
            left_out[reason] = left_out.get(reason, 0) + 1
    queued = _queued(points)
    if queued:
        left_out["most of the time to first token was waiting for a slot"] = len(queued)
        points = [point for point in points if point not in queued]
    notices = [
        f"{count} of {len(measurements)} rows left out: {reason}." for reason, count in left_out.items()
    ]
    if any(p.tpot_s is not None and p.source.measurement.tpot_s.middle is None for p in points):
        notices.append("Some rows give only the gap between chunks; it stands for the time per token there.")
    return points, notices


def _point(each: SourcedMeasurement) -> LoadPoint | str:
    """The row as a load point, or why it cannot be one."""
    row = each.measurement
    if each.quality not in USABLE_QUALITIES:
        return f"marked {each.quality}"
    if row.request_count is not None and (row.error_count or 0) >= row.request_count > 0:
        return "every request failed"
    load = _load(row)
    if load is None or load[1] <= 0:
        return "no steady load given"
    if row.isl_tok is None or row.osl_tok is None or row.osl_tok < 1 or row.isl_tok < 1:
        return "no token lengths given"
    rate = row.request_rate_req_per_s
    if rate is None and row.output_rate_tok_per_s is not None:
        rate = row.output_rate_tok_per_s / row.osl_tok
    tpot_s = row.tpot_s.middle if row.tpot_s.middle is not None else row.itl_s.middle
    if tpot_s is None and row.e2e_s.middle is None:
        return "neither time per token nor end-to-end latency given"
    return LoadPoint(
        kind=load[0],
        load=load[1],
        isl_tok=row.isl_tok,
        osl_tok=row.osl_tok,
        ttft_s=row.ttft_s.middle,
        tpot_s=tpot_s,
        e2e_s=row.e2e_s.middle,
        request_rate_req_per_s=rate,
        source=each,
    )


def _load(row: Measurement) -> tuple[PointKind, float] | None:
    """Kind and size of the load; a row that names no kind is taken by the load it gives."""
    stated: tuple[tuple[PointKind, tuple[str, ...], float | None], ...] = (
        ("closed", ("concurrency", "users"), row.concurrency_count),
        ("open", ("rate",), row.offered_rate_req_per_s),
        ("static", ("batch",), row.batch_count),
    )
    for kind, names, load in stated:
        if load is not None and (row.load_kind is None or row.load_kind in names):
            return kind, load
    return None


def _unsteady(point: LoadPoint, row: Measurement) -> str | None:
    """Why the row is not a steady state, or None."""
    rate = point.request_rate_req_per_s
    if rate is None:
        return None
    if point.kind == "open" and rate < STEADY_FRACTION * point.load:
        return "saturated: fewer requests finished than were sent"
    mean_e2e_s = row.e2e_s.mean if row.e2e_s.mean is not None else row.e2e_s.p50
    if point.kind == "closed" and mean_e2e_s is not None:
        in_flight = rate * mean_e2e_s
        if abs(in_flight / point.load - 1.0) > LITTLE_TOLERANCE:
            return "rate times latency is not the concurrency (Little's law)"
    return None


def _queued(points: Sequence[LoadPoint]) -> list[LoadPoint]:
    """Closed loads at which requests mostly waited for a slot: they show the slots, not the step."""
    lightest: dict[tuple[float, float], LoadPoint] = {}
    for point in points:
        if point.ttft_s is not None and point.load < lightest.get(point.shape, point).load + 1e-12:
            lightest[point.shape] = point
    return [
        point
        for point in points
        if point.kind == "closed"
        and point.ttft_s is not None
        and point.e2e_s is not None
        and point.ttft_s > QUEUED_TTFT_FRACTION * point.e2e_s
        and point.ttft_s > QUEUED_TTFT_RATIO * (lightest[point.shape].ttft_s or point.ttft_s)
    ]


def tables(points: Sequence[LoadPoint]) -> list[PointTable]:
    """The points as arrays, one table per kind."""
    return [
        _table(kind, [point for point in points if point.kind == kind])
        for kind in sorted({point.kind for point in points})
    ]


def _table(kind: PointKind, points: Sequence[LoadPoint]) -> PointTable:
    def column(name: str) -> FloatArray:
        return np.array([np.nan if (v := getattr(p, name)) is None else v for p in points], dtype=float)

    return PointTable(
        kind=kind,
        load=column("load"),
        lengths=Lengths(isl_tok=column("isl_tok"), osl_tok=column("osl_tok")),
        ttft_s=column("ttft_s"),
        tpot_s=column("tpot_s"),
        e2e_s=column("e2e_s"),
        request_rate_req_per_s=column("request_rate_req_per_s"),
    )
