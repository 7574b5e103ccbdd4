"""A chart as data: what is drawn, in house units, before anybody draws it.

Each chart module builds one `Picture` from records. Plotly draws it on screen and in the interactive
report; Matplotlib draws the same picture as vectors for the static report.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from models.quantities import quantity

LineStyle = Literal["solid", "dash", "dot"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A curve. `group` decides the colour, so that one tier has one colour in every line it draws."""

    name: str
    group: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    style: LineStyle = "solid"
    labelled: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """The region between two curves over the same x."""

    group: str
    x: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dots:
    """Points; `notes` are what hovering tells of each. Own ones are drawn filled, a knee as a diamond."""

    name: str
    group: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    notes: tuple[str, ...]
    own: bool = False
    diamond: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """A horizontal line that something must stay under (or a ceiling nobody has measured)."""

    name: str
    y: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """An upright line at an x that readers look for, with its name at the top."""

    name: str
    x: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One stacked bar: a name, and an amount for each part of the picture's `parts`."""

    name: str
    amounts: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A bar from one value to another, as of a tornado; the notes say what stands at each end."""

    name: str
    low: float
    high: float
    low_note: str
    high_note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """One chart. Axes carry glossary names; `alt` says in a sentence what a reader should take away.

    order          groups that have colours of their own whether drawn or not, so that a tier keeps its colour
    dash_by_group  each group's lines get a dash of their own; False where a dash already means something
    named_below    names stand in a legend under the picture: long ones would cover the lines, or a phone
    base           where a picture of spans has its upright line: the answer as it is
    """

    key: str
    title: str
    alt: str
    x_name: str = ""
    y_name: str = ""
    x_log: bool = False
    y_log: bool = False
    lines: tuple[Line, ...] = ()
    bands: tuple[Band, ...] = ()
    dots: tuple[Dots, ...] = ()
    limits: tuple[Limit, ...] = ()
    marks: tuple[Mark, ...] = ()
    parts: tuple[str, ...] = ()
    bars: tuple[Bar, ...] = ()
    spans: tuple[Span, ...] = ()
    base: float | None = None
    order: tuple[str, ...] = ()
    dash_by_group: bool = True
    named_below: bool = False

    @property
    def empty(self) -> bool:
        """Whether there is nothing to draw."""
        return not (self.lines or self.dots or self.bars or self.spans)

    @property
    def groups(self) -> tuple[str, ...]:
        """What gets a colour of its own: the given order first, then as it appears."""
        everything: list[Line | Band | Dots] = [*self.dots, *self.lines, *self.bands]
        return tuple(dict.fromkeys([*self.order, *(each.group for each in everything)])) or self.parts

    @property
    def shown_in_ms(self) -> bool:
        """Whether the y axis reads in milliseconds: seconds whose largest drawn value stays under two."""
        if not self.y_name or quantity(self.y_name).unit != "s":
            return False
        return max(self.all_y(), default=0.0) < 2.0

    def all_x(self) -> Sequence[float]:
        """Every x drawn, lines and dots."""
        drawn: list[Line | Dots] = [*self.lines, *self.dots]
        return [x for each in drawn for x in each.x]

    def all_y(self) -> Sequence[float]:
        """Every y drawn, lines and dots."""
        drawn: list[Line | Dots] = [*self.lines, *self.dots]
        return [y for each in drawn for y in each.y]


def axis_title(name: str, in_ms: bool = False) -> str:
    """An axis title from the glossary, with its unit in square brackets."""
    known = quantity(name)
    unit = "ms" if in_ms else known.unit.replace("tokens/s", "tok/s").replace("requests/s", "req/s")
    return f"{known.label} [{unit}]" if unit else known.label
