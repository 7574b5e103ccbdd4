"""How do measured runs compare? One metric against load, one line per run of one system at one shape."""

from collections.abc import Mapping, Sequence

from app.charts.picture import Dots, Line, Picture
from app.formatting import show
from models.quantities import quantity

KEY = "comparison"
Curve = Sequence[tuple[float, float]]


def rows(curves: Mapping[str, Curve], metric: str, load: str, words: str) -> Picture:
    """Measured points joined in order of load; `metric` and `load` are glossary names, `words` what of the
    metric is drawn."""
    drawn = {name: sorted(points) for name, points in curves.items() if points}
    lines = tuple(
        Line(name=name, group=name, x=_loads(points), y=_values(points))
        for name, points in drawn.items()
        if len(points) > 1
    )
    dots = tuple(
        Dots(
            name=name,
            group=name,
            x=_loads(points),
            y=_values(points),
            notes=tuple(show(load, x) for x in _loads(points)),
            own=True,
        )
        for name, points in drawn.items()
    )
    ends = "; ".join(
        f"{each.name}: {show(metric, each.y[0])} at {each.x[0]:g}, "
        f"{show(metric, each.y[-1])} at {each.x[-1]:g}"
        for each in dots
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
        dots=dots,
    )


def _loads(points: Curve) -> tuple[float, ...]:
    return tuple(float(load) for load, _ in points)


def _values(points: Curve) -> tuple[float, ...]:
    return tuple(float(value) for _, value in points)
