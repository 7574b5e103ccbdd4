"""What a report is made of. A section makes blocks; each format renders every block."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.charts.picture import Picture

if TYPE_CHECKING:
    from app.workbench import View


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """A paragraph of plain text; `strong` for the one sentence that must be read."""

    text: str
    strong: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """A few numbers with their names, side by side."""

    items: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of text under headings; `numeric` are the columns set flush right.

    marks_column    the column whose cells are footnote marks, separated by commas
    anchors_column  the column whose cells are what those marks lead to
    """

    caption: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[int, ...] = ()
    marks_column: int | None = None
    anchors_column: int | None = None

    @property
    def anchors(self) -> tuple[str, ...]:
        """The footnote marks that this table explains."""
        return () if self.anchors_column is None else tuple(row[self.anchors_column] for row in self.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A picture with its title and the sentence to take away."""

    picture: Picture


@dataclass(frozen=True, slots=True, kw_only=True)
class Bullets:
    """A list of sentences."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Text to be read letter for letter, such as a scenario file."""

    text: str


Block = Paragraph | Facts | Table | Chart | Bullets | Listing


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading and what stands under it."""

    key: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A whole report, ready to be rendered; `view` and `against` for formats that hold numbers as numbers."""

    title: str
    subtitle: str
    footer: str
    sections: tuple[Section, ...]
    view: "View | None" = None
    against: "View | None" = None

    @property
    def anchors(self) -> frozenset[str]:
        """The footnote marks that this report explains; others lead nowhere and are no links."""
        tables = [block for section in self.sections for block in section.blocks if isinstance(block, Table)]
        return frozenset(mark for table in tables for mark in table.anchors)
