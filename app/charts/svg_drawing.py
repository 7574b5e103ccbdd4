"""Pictures as vectors for the static report: Matplotlib draws what Plotly shows on screen."""

import io
import re
from collections.abc import Mapping
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from app.charts.labels import log_ticks, shortened, spread_apart
from app.charts.letters import printable
from app.charts.picture import Line, Picture, axis_title
from app.charts.theme import LIGHT, Theme
from app.formatting import number, show

SIZE_INCH = (7.2, 3.5)
LABEL_GAP_FRACTION = 0.06
MATPLOTLIB_DASHES = ("-", (0, (5, 2)), (0, (1.2, 1.4)), "-.", (0, (8, 2)), (0, (8, 2, 1.5, 2)))
HATCHES = ("", "///", "...", "xx")  # parts stay apart where colours do not, as on grey paper
SETTINGS: Any = {
    "svg.hashsalt": "plimsoll",  # same picture, same bytes
    "svg.fonttype": "path",  # the same letters on every machine
    "font.family": "DejaVu Sans",
    "font.size": 8.5,
    "text.parse_math": False,  # names are user text; a dollar sign is a dollar sign
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def draw_svg(picture: Picture, theme: Theme = LIGHT) -> str:
    """The picture as an inline SVG element with its `alt` as title; no outside reference in it.

    Its letters are drawn as outlines, so that they look the same whatever fonts a reader has.
    """
    return _drawn(picture, theme, {})


def draw_svg_with_text(picture: Picture, theme: Theme = LIGHT) -> str:
    """The same with its letters as text, for a format that brings the font: they can be selected there."""
    return _drawn(picture, theme, {"svg.fonttype": "none"})


def _drawn(picture: Picture, theme: Theme, changes: Mapping[str, Any]) -> str:
    with rc_context(SETTINGS | dict(changes)):
        figure = Figure(figsize=SIZE_INCH, layout="constrained", facecolor=theme.background)
        axes = figure.subplots()
        axes.set_facecolor(theme.background)
        if picture.bars:
            _bars(axes, picture, theme)
        elif picture.spans:
            _spans(axes, picture, theme)
        else:
            _curves(axes, picture, theme)
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None, "Title": picture.alt})
    # The XML declaration and DOCTYPE do not belong inside a page.
    svg = re.sub(r"^.*?(?=<svg)", "", buffer.getvalue(), count=1, flags=re.DOTALL)
    return svg.replace("<svg ", '<svg role="img" ', 1)


def _curves(axes: Axes, picture: Picture, theme: Theme) -> None:
    scale = 1e3 if picture.shown_in_ms else 1.0
    order = {group: index for index, group in enumerate(picture.groups)}
    if picture.x_log:
        axes.set_xscale("log")
    if picture.y_log:
        axes.set_yscale("log")
    for band in picture.bands:
        low, high = ([value * scale for value in side] for side in (band.low, band.high))
        axes.fill_between(band.x, low, high, color=theme.colour(order[band.group]), alpha=0.14, linewidth=0)
    for line in picture.lines:
        _line(axes, line, order[line.group], scale, theme, picture.dash_by_group)
    for dots in picture.dots:
        colour = theme.colour(order[dots.group])
        face = colour if dots.own else theme.background
        mark, area = ("D", 40) if dots.diamond else ("o", 26)
        heights = [y * scale for y in dots.y]
        axes.scatter(dots.x, heights, s=area, marker=mark, facecolors=face, edgecolors=colour, zorder=3)
    for limit in picture.limits:
        axes.axhline(limit.y * scale, color=theme.limit, linestyle="--", linewidth=1)
        axes.annotate(
            printable(f"{limit.name}: {show(picture.y_name, limit.y)}"),
            (0.01, limit.y * scale),
            xycoords=("axes fraction", "data"),
            xytext=(0, 3),
            textcoords="offset points",
            color=theme.limit,
        )
    for upright in picture.marks:
        axes.axvline(upright.x, color=theme.text, linestyle=":", linewidth=1)
        axes.annotate(
            printable(upright.name),
            (upright.x, 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(3, -9),
            textcoords="offset points",
            color=theme.text,
        )
    _frame(axes, picture, theme)
    _end_labels(axes, picture, order, scale, theme)


def _line(axes: Axes, line: Line, position: int, scale: float, theme: Theme, dash_by_group: bool) -> None:
    cycle = MATPLOTLIB_DASHES if dash_by_group else MATPLOTLIB_DASHES[:1]
    dash = cycle[position % len(cycle)] if line.style == "solid" else (0, (1.5, 2.5))
    axes.plot(
        line.x,
        [y * scale for y in line.y],
        color=theme.colour(position),
        linestyle=dash,
        linewidth=1.8 if line.style == "solid" else 1.1,
    )


def _frame(axes: Axes, picture: Picture, theme: Theme) -> None:
    axes.grid(axis="y", color=theme.grid, linewidth=0.8)
    axes.set_axisbelow(True)
    if picture.x_name:
        axes.set_xlabel(axis_title(picture.x_name))
    if picture.y_name:
        axes.set_ylabel(axis_title(picture.y_name, picture.shown_in_ms))
    if not picture.y_log and min(picture.all_y(), default=-1.0) >= 0:
        axes.set_ylim(bottom=0)
    for axis, logarithmic, ends in (
        (axes.xaxis, picture.x_log, axes.get_xlim()),
        (axes.yaxis, picture.y_log, axes.get_ylim()),
    ):
        if logarithmic:
            axis.set_major_locator(FixedLocator(log_ticks(*ends)))
        axis.set_major_formatter(FuncFormatter(lambda value, _: number(value)))
        axis.set_minor_locator(NullLocator())


def _end_labels(axes: Axes, picture: Picture, order: dict[str, int], scale: float, theme: Theme) -> None:
    """Names at the right edge, beside the ends of their lines, moved apart."""
    ends = [line for line in picture.lines if line.labelled and line.y]
    to_axes = axes.transData + axes.transAxes.inverted()
    heights = [float(to_axes.transform((line.x[-1], line.y[-1] * scale))[1]) for line in ends]
    for line, height in zip(ends, spread_apart(heights, LABEL_GAP_FRACTION, 0.0, 1.0), strict=True):
        axes.annotate(
            shortened(printable(line.name)),
            (1.0, height),
            xycoords="axes fraction",
            xytext=(6, 0),
            textcoords="offset points",
            color=theme.colour(order[line.group]),
            va="center",
            annotation_clip=False,
        )


def _bars(axes: Axes, picture: Picture, theme: Theme) -> None:
    names = [shortened(printable(bar.name)) for bar in picture.bars]
    places = list(range(len(names)))
    left = [0.0] * len(names)
    for index, part in enumerate(picture.parts):
        amounts = [bar.amounts[index] for bar in picture.bars]
        axes.barh(
            places,
            amounts,
            left=left,
            color=theme.colour(index),
            edgecolor=theme.background,
            hatch=HATCHES[index % len(HATCHES)],
            label=part,
            height=0.62,
        )
        left = [start + amount for start, amount in zip(left, amounts, strict=True)]
    _bar_frame(axes, picture, theme, names)


def _spans(axes: Axes, picture: Picture, theme: Theme) -> None:
    base = picture.base or 0.0
    places = list(range(len(picture.spans)))
    for index, (part, ends) in enumerate(
        zip(
            picture.parts,
            ([span.low for span in picture.spans], [span.high for span in picture.spans]),
            strict=True,
        )
    ):
        widths = [end - base for end in ends]
        axes.barh(places, widths, left=base, color=theme.colour(index), label=part, height=0.62)
    axes.axvline(base, color=theme.text, linewidth=1.0)
    _bar_frame(axes, picture, theme, [shortened(span.name) for span in picture.spans])


def _bar_frame(axes: Axes, picture: Picture, theme: Theme, names: list[str]) -> None:
    """Names down the side, money along the foot, the parts above."""
    places = list(range(len(names)))
    axes.yaxis.set_major_locator(FixedLocator(places))
    axes.set_yticklabels(names)
    axes.invert_yaxis()
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: show(picture.x_name, value)))
    axes.set_xlabel(axis_title(picture.x_name))
    axes.grid(axis="x", color=theme.grid, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, 1.16), ncols=len(picture.parts), frameon=False)
