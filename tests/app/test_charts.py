"""Charts draw nothing, one and many; labels keep apart; colours can be told apart by every reader."""

import dataclasses
import itertools
import re
import tomllib
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app import decisions, routing, workbench
from app.charts import (
    CHARTS,
    comparison,
    concurrency,
    cost,
    day,
    frontier,
    growth,
    latency,
    monthly_cost,
    price_multiple,
    tier_choices,
    tornado,
)
from app.charts.labels import log_ticks, spread_apart
from app.charts.picture import Band, Bar, Dots, Limit, Line, Picture, Span, axis_title
from app.charts.plotly_drawing import draw
from app.charts.svg_drawing import draw_svg
from app.charts.theme import DARK, LIGHT, THEMES
from models.quantities import BY_NAME
from tests.app import tiny
from tests.house.sources import ROOT

HOSTILE = "</script><img src=http://x/y> $x$ & ![a](http://b)"


def curve(name, height=1.0, style="solid"):
    return Line(name=name, group=name, x=(1.0, 2.0, 4.0), y=(height, height * 2, height * 3), style=style)


def picture(lines=(), bars=(), **more):
    fields = {
        "key": "k",
        "title": "What?",
        "alt": "An answer.",
        "x_name": "concurrency_count",
        "y_name": "ttft_s",
    }
    if bars:
        fields |= {"x_name": "cost_usd_per_month", "y_name": "", "parts": ("work", "idle")}
    return Picture(**{**fields, "lines": tuple(lines), "bars": tuple(bars), **more})


PICTURES = {
    "empty": picture(),
    "one line": picture([curve("a")]),
    "many lines": picture([curve(f"tier {index}", 1 + index / 10) for index in range(20)]),
    "logarithmic": picture([curve("a"), curve("b", 100.0, "dash")], x_log=True, y_log=True),
    "one point": picture(
        dots=(Dots(name="a, median", group="a", x=(1.0,), y=(2.0,), notes=("single stream",)),), x_log=True
    ),
    "all parts": picture(
        [curve("a")],
        bands=(Band(group="a", x=(1.0, 2.0), low=(0.5, 1.0), high=(1.5, 3.0)),),
        dots=(Dots(name="a, own", group="a", x=(1.0,), y=(1.1,), notes=("run.csv, row 2",), own=True),),
        limits=(Limit(name="target p95", y=2.0),),
    ),
    "one bar": picture(bars=[Bar(name="voice", amounts=(10.0, 5.0))]),
    "spans": picture(
        spans=(Span(name=HOSTILE, low=5.0, high=30.0, low_note="-20%", high_note="+20%"),),
        parts=("low", "high"),
        base=10.0,
    ),
    "many bars": picture(bars=[Bar(name=f"w{index}", amounts=(10.0, 0.0)) for index in range(12)]),
    "markup": picture([curve(HOSTILE)], title=HOSTILE, alt=HOSTILE, limits=(Limit(name=HOSTILE, y=1.0),)),
    "flat": picture([Line(name="a", group="a", x=(1.0,), y=(1.0,))], x_log=True, y_log=True),
}


@pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.name)
@pytest.mark.parametrize("name", PICTURES)
def test_plotly_draws_any_picture(name, theme):
    shown = PICTURES[name]
    figure = draw(shown, theme)
    drawn = len(figure.data)
    expected = (
        len(shown.lines)
        + len(shown.dots)
        + len(shown.bands)
        + (len(shown.parts) if shown.bars or shown.spans else 0)
    )
    assert drawn == expected
    assert "<img" not in figure.to_json().replace("\\u003c", "<")


@pytest.mark.parametrize("name", PICTURES)
def test_vectors_draw_any_picture_and_call_nobody(name):
    svg = draw_svg(PICTURES[name])
    root = ElementTree.fromstring(svg)
    assert root.tag.endswith("svg")
    assert root.get("role") == "img"
    references = [
        value for node in root.iter() for key, value in node.attrib.items() if key.endswith(("href", "src"))
    ]
    assert all(value.startswith("#") for value in references)
    assert not re.search(r"url\((?!#|['\"]?#)", svg)
    assert "<script" not in svg
    assert "<img" not in svg


def test_the_same_picture_gives_the_same_vectors():
    assert draw_svg(PICTURES["all parts"]) == draw_svg(PICTURES["all parts"])


def valued():
    """The tiny scenario with somebody waiting for each answer."""
    waiting = {"kind": "waiting_time", "waiting_usd_per_h": 20}
    return tiny.view(workloads=[tiny.DRAFT["workloads"][0] | {"value": waiting}])


def pictures_of(seen):
    """Every chart of a view, by the charts' own modules."""
    demand, offers = seen.scenario.demands[0], seen.scenario.offers
    curves = {
        offer.tier.label: workbench.load_curve(offer, seen.performances[offer.id], demand, 1)
        for offer in offers
    }
    shape = (1000.0, 1000.0)
    return {
        "comparison": comparison.rows(
            {"a.csv": [(1, 0.2), (4, 0.4)]}, "ttft_s", "concurrency_count", "Time to first token, p50"
        ),
        "concurrency": concurrency.rows(
            offers, seen.performances, seen.measurements, "stream_rate_tok_per_s", shape
        ),
        "cost": cost.rows(curves),
        "day": day.rows(seen.scenario),
        "frontier": frontier.rows(decisions.frontiers(seen, offers, demand)),
        "growth": growth.rows(decisions.growth(seen)),
        "latency": latency.rows(curves, demand.workload, "ttft_s", 0.5),
        "monthly_cost": monthly_cost.rows(seen.plan),
        "price_multiple": price_multiple.rows(decisions.faster(valued(), None)),
        "tier_choices": tier_choices.rows(routing.tier_choices(seen, demand.workload.name)),
        "tornado": tornado.rows(decisions.tornado(seen, 0.2, lambda share: None)),
    }


@pytest.mark.parametrize("key", [module.KEY for module in CHARTS])
def test_a_chart_answers_its_question_in_words_and_in_the_glossarys_names(key):
    shown = pictures_of(tiny.view()).get(key)
    assert shown is not None, "add the chart to pictures_of"
    assert shown.key == key
    assert shown.title.rstrip(")").endswith("?") or "?" in shown.title
    assert len(shown.alt) > 20
    assert {shown.x_name, shown.y_name} - {""} <= set(BY_NAME)
    assert not shown.empty
    draw(shown, LIGHT)
    draw_svg(shown)


def test_a_chart_of_nothing_is_empty_and_still_says_something():
    for shown in (latency.rows({}, tiny.view().scenario.demands[0].workload, "ttft_s", 0.5), cost.rows({})):
        assert shown.empty
        assert shown.alt
        draw(shown, LIGHT)


def test_an_axis_says_its_unit():
    assert axis_title("ttft_s") == "Time to first token [s]"
    assert axis_title("ttft_s", in_ms=True) == "Time to first token [ms]"
    assert axis_title("replica_count") == "Replicas"


POSITIONS = st.lists(st.floats(0.0, 1.0), max_size=12)


@given(POSITIONS, st.floats(0.001, 0.3))
def test_labels_stay_in_order_apart_and_inside(positions, gap):
    placed = spread_apart(positions, gap, 0.0, 1.0)
    assert len(placed) == len(positions)
    room = min(gap, 1.0 / max(1, len(positions)))
    ranked = [placed[index] for index in sorted(range(len(positions)), key=lambda index: positions[index])]
    assert all(after - before >= room - 1e-9 for before, after in itertools.pairwise(ranked))
    assert all(-1e-9 <= each <= 1.0 + 1e-9 for each in placed)


@given(st.lists(st.integers(0, 5), max_size=6, unique=True))
def test_labels_far_enough_apart_stay_where_they_are(steps):
    positions = [step / 10 for step in steps]
    assert spread_apart(positions, 0.05, 0.0, 1.0) == positions


def luminance(colour):
    """Relative luminance (WCAG 2.2)."""
    return float(np.array([0.2126, 0.7152, 0.0722]) @ linear(colour))


def linear(colour):
    """Linear sRGB of a hex colour."""
    values = np.array([int(colour[start : start + 2], 16) for start in (1, 3, 5)]) / 255
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    """Contrast ratio of two colours (WCAG 2.2)."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


# Machado, Oliveira and Fernandes (2009), severity 1.0, on linear sRGB.
SIGHT = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = TO_XYZ @ np.ones(3)


def lab(colour, sight):
    """CIE 1976 L*a*b* of a colour as a reader of that sight sees it."""
    xyz = TO_XYZ @ np.clip(SIGHT[sight] @ linear(colour), 0, 1) / WHITE
    cube = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * cube[1] - 16, 500 * (cube[0] - cube[1]), 200 * (cube[1] - cube[2])])


@pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.name)
def test_colours_stand_out_from_the_background(theme):
    assert all(contrast(colour, theme.background) >= 3 for colour in (*theme.series, theme.limit))
    assert contrast(theme.text, theme.background) >= 7
    assert contrast(theme.faint_text, theme.background) >= 4.5


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.name)
def test_colours_can_be_told_apart(theme, sight):
    seen = [lab(colour, sight) for colour in theme.series]
    assert min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2)) >= 10


def test_the_measure_of_colours_knows_black_white_and_a_confusion():
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert lab("#FFFFFF", "normal") == pytest.approx([100, 0, 0], abs=0.05)
    # A red and a green that readers with deuteranopia take for each other: far apart for others
    red, green = "#A34C3E", "#5F6B2F"
    apart = {sight: np.linalg.norm(lab(red, sight) - lab(green, sight)) for sight in SIGHT}
    assert apart["deuteranopia"] < apart["normal"] / 2


def test_the_apps_own_theme_has_enough_colours_and_the_same_ones():
    config = tomllib.loads((ROOT / "app" / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    for theme in (LIGHT, DARK):
        settings = config["theme"][theme.name]
        assert len(settings["chartCategoricalColors"]) >= 10
        assert tuple(settings["chartCategoricalColors"][: len(theme.series)]) == theme.series
        assert settings["backgroundColor"] == theme.background
        assert settings["textColor"] == theme.text
    assert config["browser"]["gatherUsageStats"] is False
    assert config["server"]["address"] == "127.0.0.1"


def test_a_seventh_group_has_a_colour_again():
    assert LIGHT.colour(len(LIGHT.series)) == LIGHT.colour(0)
    assert dataclasses.replace(LIGHT, series=("#000000",)).colour(5) == "#000000"


@given(low=st.floats(1e-3, 1e6, allow_nan=False), ratio=st.floats(1.05, 1e6, allow_nan=False))
def test_a_logarithmic_axis_has_a_few_round_ticks_inside_it(low, ratio):
    ticks = log_ticks(low, low * ratio)
    assert 3 <= len(ticks) <= 30
    assert ticks == sorted(set(ticks))
    assert all(low * 0.94 <= tick <= low * ratio * 1.06 for tick in ticks)
    assert all(float(f"{tick:.4g}") == pytest.approx(tick, rel=1e-9) for tick in ticks)


def test_the_multiples_that_suppliers_sell_at_stand_in_the_price_chart():
    found = price_multiple.rows(decisions.faster(valued(), None))
    drawn = draw(found, LIGHT)
    assert [(each.name, each.x) for each in found.marks] == [("2x: Fast", 2.0), ("6x: Ultrafast", 6.0)]
    assert {shape.x0 for shape in drawn.layout.shapes if shape.x0 == shape.x1} == {2.0, 6.0}
    assert {"2x: Fast", "6x: Ultrafast"} <= {each.text for each in drawn.layout.annotations}
    assert "2x: Fast" not in draw_svg(picture([curve("a")]))


def test_each_line_of_the_price_chart_has_a_colour_of_its_own_and_a_name_below():
    seen = workbench.view(workbench.worked_example())
    own = [each for each in decisions.faster(seen, None) if each.workload == "operations"]
    assert len(own) == 2
    drawn = draw(price_multiple.rows(own), LIGHT)
    lines = [each for each in drawn.data if each.mode == "lines"]
    assert len({each.line.color for each in lines}) == len(own)
    assert all(each.showlegend and each.name.endswith("(the plan refuses it)") for each in lines)
    assert drawn.layout.margin.r < 20


def test_a_name_below_stands_once_for_a_curve_of_two_parts():
    parts = [curve("a"), curve("a", style="dot")]
    drawn = draw(picture(parts, named_below=True), LIGHT)
    assert [each.showlegend for each in drawn.data] == [True, False]
