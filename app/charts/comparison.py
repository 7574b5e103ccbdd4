"""How do measured runs compare? One metric against load, one line per run of one system at one shape."""

from collections.abc import Mapping, Sequence

from app.charts.picture import Line, Picture
from app.formatting import show
from models.quantities import quantity

KEY = "comparison"
Curve = Sequence[tuple[float, float]]


def rows(curves: Mapping[str, Curve], metric: str, load: str, words: str) -> Picture:
    """Measured points joined in order of load; `metric` and `load` are glossary names, `words` what of the
    metric is drawn."""
    lines = tuple(
        Line(
            name=name,
            group=name,
            x=tuple(float(x) for x, _ in points),
            y=tuple(float(y) for _, y in points),
        )
        for name, points in curves.items()
        if points
    )
    ends = "; ".join(
        f"{line.name}: {show(metric, line.y[0])} at {line.x[0]:g}, "
        f"{show(metric, line.y[-1])} at {line.x[-1]:g}"
        for line in lines
    )
    return Picture(
        key=KEY,
        title=f"{words}: how do the measured runs compare?",
        alt=f"{words} against {quantity(load).label.lower()}. {ends or 'Nothing is measured.'}",
        x_name=load,
        y_name=metric,
        x_log=True,
        y_log=True,
        lines=lines,
    )
