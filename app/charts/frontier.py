"""What does speed cost? Stream speed against the output tokens that a dollar buys."""

from collections.abc import Mapping, Sequence

from app.charts.picture import Dots, Line, Picture
from app.formatting import show
from models.decisions.frontier import Frontier

KEY = "frontier"


def rows(found: Mapping[str, Frontier], order: Sequence[str] = ()) -> Picture:
    """A line for machines, from many users to one; a dot for what is paid per token. By tier label."""
    lines, dots = [], []
    for name, each in found.items():
        x = tuple(point.stream_rate_tok_per_s for point in each.points)
        y = tuple(point.output_tok_per_usd for point in each.points)
        if len(each.points) > 1:
            lines.append(Line(name=name, group=name, x=x, y=y))
        elif each.points:
            dots.append(Dots(name=name, group=name, x=x, y=y, notes=("paid per token",)))
    return Picture(
        key=KEY,
        title="What does a faster stream cost? (machines never idle)",
        alt=_alt(found),
        x_name="stream_rate_tok_per_s",
        y_name="output_tok_per_usd",
        x_log=True,
        y_log=True,
        lines=tuple(lines),
        dots=tuple(dots),
        order=tuple(order),
        named_below=True,
    )


def _alt(found: Mapping[str, Frontier]) -> str:
    fastest = max(
        ((each.points[-1].stream_rate_tok_per_s, name) for name, each in found.items() if each.points),
        default=None,
    )
    if fastest is None:
        return "No tier has both a known speed and a price."
    return f"The fastest stream is on {fastest[1]}, {show('stream_rate_tok_per_s', fastest[0])}."
