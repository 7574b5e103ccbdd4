"""When does a tier stop keeping its promise? One latency against load, with the workload's target lines."""

from collections.abc import Mapping, Sequence

from app.charts.picture import Limit, Line, Picture
from app.formatting import show
from models.curves import LoadPoint
from models.quantities import quantity
from models.workloads import Workload

KEY = "latency"
METRICS = ("ttft_s", "tpot_s", "itl_s", "e2e_s", "task_s")


def rows(
    curves: Mapping[str, Sequence[LoadPoint]],
    workload: Workload,
    metric: str,
    quantile: float,
    order: Sequence[str] = (),
) -> Picture:
    """One latency at one quantile against the offered rate; curves by tier label."""
    lines = []
    for label, curve in curves.items():
        known = [
            (each.offered_rate_req_per_s, value)
            for each in curve
            if each.point.stable
            and (value := each.point.of(workload.name).at(metric, quantile)) is not None
            and value > 0
        ]
        if known:
            lines.append(
                Line(name=label, group=label, x=tuple(x for x, _ in known), y=tuple(y for _, y in known))
            )
    limits = tuple(
        Limit(name=f"target p{target.quantile * 100:g}", y=target.limit_s)
        for target in workload.targets
        if target.metric == metric
    )
    name = quantity(metric).label
    return Picture(
        key=KEY,
        title=f"{name}, p{quantile * 100:g}: when does a tier stop keeping its promise?",
        alt=_alt(lines, metric, name, quantile),
        x_name="offered_rate_req_per_s",
        y_name=metric,
        x_log=True,
        y_log=True,
        lines=tuple(lines),
        limits=limits,
        order=tuple(order),
    )


def _alt(lines: Sequence[Line], metric: str, name: str, quantile: float) -> str:
    if not lines:
        return f"{name} is not known for any of these tiers."
    ends = "; ".join(
        f"{line.name}: {show(metric, line.y[0])} at light load, "
        f"{show(metric, line.y[-1])} at {line.x[-1]:.3g} req/s"
        for line in lines
    )
    return f"{name} p{quantile * 100:g} against offered rate. {ends}."
