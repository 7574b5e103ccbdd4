"""What does a token cost at this load? Solid where every target holds, dotted where it does not."""

from collections.abc import Mapping, Sequence

from app.charts.picture import Line, Picture
from app.formatting import show
from models.curves import LoadPoint

KEY = "cost"


def rows(curves: Mapping[str, Sequence[LoadPoint]], order: Sequence[str] = ()) -> Picture:
    """USD per million output tokens against the offered rate; curves by tier label."""
    lines = [line for label, curve in curves.items() for line in _lines(label, curve)]
    return Picture(
        key=KEY,
        title="What does a million output tokens cost at this load? (dotted: a target is missed or unknown)",
        alt=_alt(lines),
        x_name="offered_rate_req_per_s",
        y_name="cost_usd_per_mtok_output",
        x_log=True,
        y_log=True,
        lines=tuple(lines),
        order=tuple(order),
        named_below=True,
        dash_by_group=False,
    )


def _lines(label: str, curve: Sequence[LoadPoint]) -> list[Line]:
    """The parts of a curve where the targets hold, and those where they do not, joined without gaps."""
    priced = [
        (each.offered_rate_req_per_s, each.cost_usd_per_mtok_output, each.targets_hold)
        for each in curve
        if each.cost_usd_per_mtok_output
    ]
    lines: list[Line] = []
    start = 0
    for index in range(1, len(priced) + 1):
        if index < len(priced) and priced[index][2] == priced[start][2]:
            continue
        part = priced[start : min(index + 1, len(priced))]
        lines.append(
            Line(
                name=label,
                group=label,
                x=tuple(x for x, _, _ in part),
                y=tuple(float(y) for _, y, _ in part),
                style="solid" if priced[start][2] else "dot",
                labelled=index == len(priced),
            )
        )
        start = index
    return lines


def _alt(lines: Sequence[Line]) -> str:
    solid = [line for line in lines if line.style == "solid" and line.y]
    if not solid:
        return "No tier meets the targets at any load shown."
    cheapest = min(solid, key=lambda line: min(line.y))
    return (
        f"Cost per million output tokens against load. Cheapest with all targets held: {cheapest.name}, "
        f"{show('cost_usd_per_mtok_output', min(cheapest.y))}."
    )
