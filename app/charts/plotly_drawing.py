"""Pictures on screen: Plotly figures with labelled line ends, target lines and hover in house units."""

import html
import math

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from app.charts.labels import log_ticks, spread_apart
from app.charts.picture import Band, Dots, Limit, Line, Mark, Picture, axis_title
from app.charts.theme import DASHES, Theme, translucent
from app.formatting import number, show
from models.quantities import quantity

HEIGHT_PX = 380
SPAN_PX, SPAN_FRAME_PX = 26, 120
LABEL_GAP_FRACTION = 0.055
LEGEND_LINE_PX = 14
LABEL_WIDTH_FRACTION = 0.2
LOG_HEADROOM = 0.06
X_HEADROOM = 0.015
FONT = '"Source Sans", "Source Sans 3", "Source Sans Pro", sans-serif'
CONFIG = {"displayModeBar": False, "showSendToCloud": False, "scrollZoom": False}


def draw(picture: Picture, theme: Theme) -> go.Figure:
    """A Plotly figure of a picture; an empty picture gives an empty figure."""
    figure = go.Figure()
    if picture.bars:
        _draw_bars(figure, picture, theme)
    elif picture.spans:
        _draw_spans(figure, picture, theme)
    else:
        colours = {group: theme.colour(index) for index, group in enumerate(picture.groups)}
        cycle = DASHES if picture.dash_by_group else DASHES[:1]
        dashes = {group: cycle[index % len(cycle)] for index, group in enumerate(picture.groups)}
        for band in picture.bands:
            _draw_band(figure, picture, band, colours[band.group])
        for line in picture.lines:
            _draw_line(figure, picture, line, colours[line.group], dashes[line.group])
        for dots in picture.dots:
            _draw_dots(figure, picture, dots, colours[dots.group], theme)
        for limit in picture.limits:
            _draw_limit(figure, picture, limit, theme)
        for mark in picture.marks:
            _draw_mark(figure, picture, mark, theme)
        if not picture.named_below:
            _label_ends(figure, picture, colours)
            _label_lone_dots(figure, picture, colours)
    _lay_out(figure, picture, theme)
    return figure


def library() -> str:
    """The script that draws figures in a browser, to be put into a page that works without a network."""
    return str(get_plotlyjs())


def _scale(picture: Picture) -> float:
    return 1e3 if picture.shown_in_ms else 1.0


def _scaled(values: tuple[float, ...], picture: Picture) -> list[float]:
    return [value * _scale(picture) for value in values]


def _texts(name: str, values: tuple[float, ...]) -> list[str]:
    return [show(name, value) for value in values]


def _draw_band(figure: go.Figure, picture: Picture, band: Band, colour: str) -> None:
    figure.add_scatter(
        x=[*band.x, *reversed(band.x)],
        y=[*_scaled(band.high, picture), *reversed(_scaled(band.low, picture))],
        fill="toself",
        fillcolor=translucent(colour, 0.14),
        line={"width": 0},
        hoverinfo="skip",
        showlegend=False,
    )


def _draw_line(figure: go.Figure, picture: Picture, line: Line, colour: str, group_dash: str) -> None:
    dash = {"solid": group_dash, "dash": "dash", "dot": "dot"}[line.style]
    figure.add_scatter(
        x=list(line.x),
        y=_scaled(line.y, picture),
        name=html.escape(line.name),
        mode="lines",
        line={"color": colour, "width": 2.2 if line.style == "solid" else 1.4, "dash": dash},
        opacity=1.0 if line.style == "solid" else 0.75,
        customdata=_texts(picture.y_name, line.y),
        hovertemplate="%{customdata}",
        showlegend=picture.named_below and line is _first_of(picture, line.group),
    )


def _first_of(picture: Picture, group: str) -> Line:
    """The line that stands for its group in a legend: solid where any part of it is."""
    return next(line for line in picture.lines if line.group == group)


def _draw_dots(figure: go.Figure, picture: Picture, dots: Dots, colour: str, theme: Theme) -> None:
    figure.add_scatter(
        x=list(dots.x),
        y=_scaled(dots.y, picture),
        name=html.escape(dots.name),
        mode="markers",
        cliponaxis=False,
        marker={
            "symbol": "diamond" if dots.diamond else "circle",
            "size": 12 if dots.diamond else 9,
            "color": colour if dots.own else theme.background,
            "line": {"color": colour, "width": 2},
        },
        text=[
            html.escape(f"{text} · {note}")
            for text, note in zip(_texts(picture.y_name, dots.y), dots.notes, strict=True)
        ],
        hovertemplate="%{text}",
        showlegend=picture.named_below,
    )


def _draw_limit(figure: go.Figure, picture: Picture, limit: Limit, theme: Theme) -> None:
    height = limit.y * _scale(picture)
    figure.add_hline(y=height, line={"color": theme.limit, "width": 1.4, "dash": "dash"})
    figure.add_annotation(
        text=html.escape(f"{limit.name}: {show(picture.y_name, limit.y)}"),
        x=0.01,
        xref="paper",
        xanchor="left",
        y=_axis(height, picture.y_log),
        yanchor="bottom",
        showarrow=False,
        font={"color": theme.limit, "size": 12},
    )


def _draw_mark(figure: go.Figure, picture: Picture, mark: Mark, theme: Theme) -> None:
    figure.add_vline(x=mark.x, line={"color": theme.text, "width": 1.2, "dash": "dot"})
    figure.add_annotation(
        text=html.escape(mark.name),
        x=_axis(mark.x, picture.x_log),
        xanchor="left",
        xshift=3,
        y=1.0,
        yref="paper",
        yanchor="top",
        showarrow=False,
        font={"color": theme.text, "size": 12},
    )


def _label_ends(figure: go.Figure, picture: Picture, colours: dict[str, str]) -> None:
    """Name each labelled line at its end instead of in a legend; labels side by side are moved apart."""
    ends = [line for line in picture.lines if line.labelled and line.y]
    if not ends:
        return
    low, high = _y_range(picture)
    for cluster in _by_end(picture, ends):
        heights = [_axis(line.y[-1] * _scale(picture), picture.y_log) for line in cluster]
        placed = spread_apart(heights, LABEL_GAP_FRACTION * (high - low), low, high)
        for line, height in zip(cluster, placed, strict=True):
            figure.add_annotation(
                x=_axis(line.x[-1], picture.x_log),
                xanchor="left",
                xshift=5,
                y=height,
                text=html.escape(line.name),
                showarrow=False,
                font={"color": colours[line.group], "size": 12},
            )


def _label_lone_dots(figure: go.Figure, picture: Picture, colours: dict[str, str]) -> None:
    """Name dots that no line of their group names: to their right, or to their left near the right edge."""
    named = {line.group for line in picture.lines if line.labelled}
    every_x = [_axis(x, picture.x_log) for x in picture.all_x()]
    edge = max(every_x, default=0.0)
    near = edge - LABEL_WIDTH_FRACTION * (edge - min(every_x, default=0.0))
    for dots in picture.dots:
        if dots.group not in named:
            x = _axis(dots.x[-1], picture.x_log)
            # Lines leave a margin for their own names at the right; dots alone have none.
            turned = not picture.lines and len(picture.dots) > 1 and x > near
            figure.add_annotation(
                x=x,
                xanchor="right" if turned else "left",
                xshift=-9 if turned else 9,
                y=_axis(dots.y[-1] * _scale(picture), picture.y_log),
                text=html.escape(dots.name),
                showarrow=False,
                font={"color": colours[dots.group], "size": 12},
            )


def _by_end(picture: Picture, lines: list[Line]) -> list[list[Line]]:
    """Lines whose ends are so near along x that their labels could touch."""
    every_x = [_axis(x, picture.x_log) for x in picture.all_x()]
    near = LABEL_WIDTH_FRACTION * (max(every_x) - min(every_x) or 1.0)
    clusters: list[list[Line]] = []
    previous = float("-inf")
    for line in sorted(lines, key=lambda line: line.x[-1]):
        end = _axis(line.x[-1], picture.x_log)
        if end - previous > near:
            clusters.append([])
        clusters[-1].append(line)
        previous = end
    return clusters


def _axis(value: float, logarithmic: bool) -> float:
    """A value in the axis' own coordinate: its logarithm on a logarithmic axis."""
    return math.log10(value) if logarithmic else value


def _y_range(picture: Picture) -> tuple[float, float]:
    values = [value * _scale(picture) for value in picture.all_y() if value > 0 or not picture.y_log]
    values += [limit.y * _scale(picture) for limit in picture.limits]
    if not values:
        return 0.0, 1.0
    if picture.y_log:
        low, high = math.log10(min(values)), math.log10(max(values))
        room = max(0.1, (high - low) * LOG_HEADROOM)
        return low - room, high + room
    return min(0.0, min(values) * 1.08), max(max(values) * 1.08, 0.0)


def _draw_bars(figure: go.Figure, picture: Picture, theme: Theme) -> None:
    for index, part in enumerate(picture.parts):
        amounts = [bar.amounts[index] for bar in picture.bars]
        figure.add_bar(
            y=[html.escape(bar.name) for bar in picture.bars],
            x=amounts,
            name=part,
            orientation="h",
            marker={"color": theme.colour(index)},
            customdata=[show(picture.x_name, amount) for amount in amounts],
            hovertemplate="%{customdata}",
        )


def _draw_spans(figure: go.Figure, picture: Picture, theme: Theme) -> None:
    """From each span's low end to its high end, in the colours of the two directions from the base."""
    base = picture.base or 0.0
    names = [html.escape(span.name) for span in picture.spans]
    for index, (part, ends, notes) in enumerate(
        (
            (picture.parts[0], [span.low for span in picture.spans], [s.low_note for s in picture.spans]),
            (picture.parts[1], [span.high for span in picture.spans], [s.high_note for s in picture.spans]),
        )
    ):
        figure.add_bar(
            y=names,
            x=[end - base for end in ends],
            base=base,
            name=part,
            orientation="h",
            marker={"color": theme.colour(index)},
            text=[
                html.escape(f"{note}: {show(picture.x_name, end)}")
                for note, end in zip(notes, ends, strict=True)
            ],
            textposition="none",
            hovertemplate="%{text}",
        )
    figure.add_vline(x=base, line={"color": theme.text, "width": 1.2})


def _lay_out(figure: go.Figure, picture: Picture, theme: Theme) -> None:
    labelled = [line.name for line in picture.lines if line.labelled]
    longest = 0 if picture.named_below else max(map(len, labelled), default=0)
    named_px = LEGEND_LINE_PX * (len(labelled) + len(picture.dots)) if picture.named_below else 0
    figure.update_layout(
        barmode="overlay" if picture.spans else "stack",
        height=max(HEIGHT_PX + named_px, SPAN_PX * len(picture.spans) + SPAN_FRAME_PX),
        margin={"l": 8, "r": 14 + 7 * longest, "t": 12, "b": 8},
        hovermode="y unified" if picture.bars or picture.spans else "x unified",
        dragmode=False,
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"color": theme.text, "family": FONT},
        legend={"orientation": "h", "yanchor": "top", "y": -0.22, "x": 0, "traceorder": "normal"},
        showlegend=bool(picture.bars or picture.spans or picture.named_below),
    )
    axis = {"fixedrange": True, "gridcolor": theme.grid, "zerolinecolor": theme.grid, "automargin": True}
    x_title = axis_title(picture.x_name) if picture.x_name else None
    figure.update_xaxes(**axis, title={"text": x_title})
    if picture.bars or picture.spans:
        figure.update_yaxes(fixedrange=True, automargin=True, autorange="reversed")
        figure.update_xaxes(tickprefix="$" if quantity(picture.x_name).unit.startswith("USD") else "")
        return
    every_x = picture.all_x()
    if every_x:
        low, high = (_axis(end, picture.x_log) for end in (min(every_x), max(every_x)))
        room = X_HEADROOM * (high - low or 1.0)
        figure.update_xaxes(range=[low - room, high + room], type="log" if picture.x_log else "linear")
    if picture.x_log and every_x:
        figure.update_xaxes(**_ticks(min(every_x), max(every_x)))
    y_title = axis_title(picture.y_name, picture.shown_in_ms) if picture.y_name else None
    figure.update_yaxes(**axis, title={"text": y_title})
    if picture.all_y():
        low, high = _y_range(picture)
        figure.update_yaxes(range=[low, high], type="log" if picture.y_log else "linear")
        if picture.y_log:
            figure.update_yaxes(**_ticks(10**low, 10**high))


def _ticks(low: float, high: float) -> dict[str, list[float] | list[str]]:
    ticks = log_ticks(low, high)
    return {"tickvals": ticks, "ticktext": [number(tick) for tick in ticks]}
