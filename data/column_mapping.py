"""What the columns of a table mean, as its owner says it: which quantity, which statistic, in which unit."""

import hashlib
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from data.cell_numbers import POWER_BY_TIME_UNIT
from data.column_names import ColumnMeaning, is_private
from data.columns import MEASUREMENT_COLUMNS
from models.problems import Problem
from models.units import unit_of

NOT_USED = ""
IN_EACH_CELL = "in each cell"
PER_ACCELERATOR = "tokens/s per accelerator"
TIME_UNITS = ("s", "ms", "us", "ns", IN_EACH_CELL)
STREAM_SPEEDS = ("stream_speed_mean", "stream_speed_p50")
MEANINGS = (*MEASUREMENT_COLUMNS, *STREAM_SPEEDS, "users", "error_fraction")


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnChoice:
    """One column: its heading as the file writes it, what it is read as ("" for not used), its unit."""

    heading: str
    meaning: str = NOT_USED
    unit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnMapping:
    """What the columns of one kind of table mean.

    columns   in the file's order
    said_on   when it was said and kept, UTC; None where it comes with the file that is read now. A kept
              one serves tables with exactly these headings; one that comes with a file must fit it.
    """

    columns: tuple[ColumnChoice, ...]
    said_on: datetime | None = None

    @property
    def fingerprint(self) -> str:
        """The name that a table with exactly these headings goes by."""
        return fingerprint_of([column.heading for column in self.columns])

    def places_in(self, header: Sequence[str]) -> dict[int, ColumnChoice]:
        """The choice for each place of the header; of a heading used twice, first goes to first."""
        wanted = dict(zip(_counted(column.heading for column in self.columns), self.columns, strict=True))
        return {place: wanted[name] for place, name in enumerate(_counted(header)) if name in wanted}

    def lacking_in(self, header: Sequence[str]) -> tuple[str, ...]:
        """Headings that the mapping names and the header does not have."""
        present = set(_counted(header))
        named = _counted(column.heading for column in self.columns)
        return tuple(
            column.heading for name, column in zip(named, self.columns, strict=True) if name not in present
        )

    def fits(self, header: Sequence[str]) -> bool:
        """Whether the mapping may be used for a table with this header."""
        if self.said_on is not None:
            return self.fingerprint == fingerprint_of(header)
        return not self.lacking_in(header)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecognisedColumn:
    """A column as it was read: the choice made for it, why it is not certain, and one cell converted.

    example   the first cell that holds something; "" for a private column
    value     the same in house units; None where it is not used or not a value
    """

    choice: ColumnChoice
    doubt: str = ""
    example: str = ""
    value: float | str | None = None
    private: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitDoubt:
    """Figures that fit each other only if some columns are in another unit.

    headings      the columns
    unit          the unit that would fit
    row_count     rows whose figures do not fit as they are read
    mended_count  rows of these that would fit
    finding       what does not fit, of the first such row
    """

    headings: tuple[str, ...]
    unit: str
    row_count: int
    mended_count: int
    finding: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecognisedTable:
    """A table as it was read; `said_on` where a kept mapping was used, `given` where one came with it."""

    label: str
    header_line: int
    columns: tuple[RecognisedColumn, ...]
    said_on: datetime | None = None
    given: bool = False
    doubts: tuple[UnitDoubt, ...] = field(default=())

    @property
    def header(self) -> tuple[str, ...]:
        """The headings as the file writes them."""
        return tuple(column.choice.heading for column in self.columns)

    @property
    def mapping(self) -> ColumnMapping:
        """How the table was read, as a mapping that reads it the same way again."""
        return ColumnMapping(columns=tuple(column.choice for column in self.columns))


def fingerprint_of(header: Sequence[str]) -> str:
    """64 hexadecimal digits that stay when case, accents' encoding or blanks of the headings change."""
    return hashlib.sha256("\x1f".join(_folded(heading) for heading in header).encode()).hexdigest()


def units_for(meaning: str) -> tuple[str, ...]:
    """The units a column of that meaning may be in, the base unit first; ("",) where it has none."""
    if _is_time(meaning):
        return TIME_UNITS
    if meaning.endswith("_rate_tok_per_s"):
        return ("tokens/s", PER_ACCELERATOR)
    if meaning in STREAM_SPEEDS:
        return ("tokens/s",)
    if meaning == "error_fraction":
        return ("of 1", "%")
    if meaning.endswith(("_tok", "_req_per_s")):
        return (unit_of(meaning),)
    return ("",)


def unit_read(column: ColumnMeaning) -> str:
    """The unit in which a recognised column is read."""
    if _is_time(column.target):
        if column.power is None:
            return IN_EACH_CELL
        return next(unit for unit in TIME_UNITS if POWER_BY_TIME_UNIT[unit] == column.power)
    if column.target == "error_fraction":
        return "%" if column.power == -2 else "of 1"
    return PER_ACCELERATOR if column.per_accelerator else units_for(column.target)[0]


def meaning_said(choice: ColumnChoice) -> ColumnMeaning:
    """The column as its owner wants it read; what was said is in no doubt."""
    power: int | None = 0
    if _is_time(choice.meaning):
        power = POWER_BY_TIME_UNIT.get(choice.unit)
    elif choice.meaning == "error_fraction":
        power = -2 if choice.unit == "%" else None
    return ColumnMeaning(
        heading=choice.heading,
        target=choice.meaning,
        power=power,
        per_accelerator=choice.unit == PER_ACCELERATOR,
    )


def is_unsafe(choice: ColumnChoice) -> bool:
    """Whether the choice would keep words of a column that holds prompts, answers or secrets."""
    return is_private(choice.heading) and choice.meaning != NOT_USED and meaning_said(choice).is_text


def mapping_for(mappings: Sequence[ColumnMapping], header: Sequence[str]) -> ColumnMapping | None:
    """The mapping to use for that header: one that came with the file before one that was kept."""
    fitting = [mapping for mapping in mappings if mapping.fits(header)]
    return min(fitting, key=lambda mapping: mapping.said_on is not None, default=None)


def misfits(
    name: str, mappings: Sequence[ColumnMapping], tables: Sequence[RecognisedTable]
) -> tuple[Problem, ...]:
    """A refusal for each mapping that came with a file and fits none of its tables."""
    problems = []
    for mapping in mappings:
        if mapping.said_on is not None or any(mapping.fits(table.header) for table in tables):
            continue
        lacking = min((mapping.lacking_in(table.header) for table in tables), key=len, default=None)
        if lacking is None:
            message = "the mapping explains the columns of a table, and no table was read from this file"
        else:
            message = f"the mapping names columns that the table does not have: {', '.join(lacking)}"
        cure = "Use the mapping with the kind of file it was exported from, or export a new one."
        problems.append(Problem(path=name, message=message, cure=cure))
    return tuple(problems)


def known_headings(mappings: Sequence[ColumnMapping]) -> frozenset[str]:
    """Every heading that a mapping names, in the form `is_named` compares."""
    return frozenset(
        _folded(column.heading) for mapping in mappings for column in mapping.columns if column.heading
    )


def is_named(cell: str, names: frozenset[str]) -> bool:
    """Whether a cell is one of the headings."""
    return _folded(cell) in names


def _is_time(meaning: str) -> bool:
    return meaning == "duration_s" or ColumnMeaning(heading="", target=meaning).is_latency


def _folded(heading: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", heading).casefold().split())


def _counted(headings: Iterable[str]) -> list[tuple[str, int]]:
    """Each heading with how often it stood before."""
    seen: Counter[str] = Counter()
    found = []
    for heading in headings:
        name = _folded(heading)
        found.append((name, seen[name]))
        seen[name] += 1
    return found
