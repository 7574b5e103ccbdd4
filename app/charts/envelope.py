"""The region between the two ends of what an unmeasured pipeline of wafers may do, over concurrency."""

import numpy as np

from app.charts.picture import Band, Line, LineStyle
from models.architectures import wafer_scale_pipeline
from models.performance import PipelinePerformance

POINT_COUNT = 60
HIGHEST_COUNT = 256.0  # concurrency to draw up to
METRICS = ("stream_rate_tok_per_s", "output_rate_tok_per_s", "tpot_s")
Shape = tuple[float, float]


def envelope(
    label: str, performance: PipelinePerformance, metric: str, shape: Shape
) -> tuple[list[Line], list[Band]]:
    """The planned end as a dashed line (solid once measured), and the band to the other end, if any."""
    if metric not in METRICS:
        return [], []
    grid = [float(count) for count in np.geomspace(1.0, HIGHEST_COUNT, POINT_COUNT)]
    own = _values(performance, metric, grid, shape)
    if own is None:
        return [], []
    style: LineStyle = "solid" if performance.end is None else "dash"
    line = Line(name=label, group=label, x=tuple(grid), y=own, style=style)
    other = performance.other_end and _values(performance.other_end, metric, grid, shape)
    if not other:
        return [line], []
    low = tuple(min(pair) for pair in zip(own, other, strict=True))
    high = tuple(max(pair) for pair in zip(own, other, strict=True))
    return [line], [Band(group=label, x=tuple(grid), low=low, high=high)]


def _values(
    performance: PipelinePerformance, metric: str, grid: list[float], shape: Shape
) -> tuple[float, ...] | None:
    found = [wafer_scale_pipeline.closed_loop(performance, count, *shape) for count in grid]
    known = [each for each in found if each is not None]
    if len(known) < len(grid):
        return None
    if metric == "output_rate_tok_per_s":
        return tuple(rate for _, rate in known)
    return tuple(1.0 / tpot if metric == "stream_rate_tok_per_s" else tpot for tpot, _ in known)
