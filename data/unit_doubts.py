"""Would the figures of a table fit each other if some of its times were in another unit? Only ever asked."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, Literal

from data.cell_numbers import POWER_BY_TIME_UNIT
from data.column_mapping import RecognisedTable, UnitDoubt
from data.columns import LATENCIES
from data.plausibility import CHECK_UNIT, implausibilities
from data.sanity_checks import impossibilities, sanity_warnings
from models.measurements import Measurement
from models.percentiles import Percentiles

FEWEST_MENDED_FRACTION = 0.8  # of the rows that do not fit; fewer may be noise of honest files
MOST_ROWS_TRIED = 200
UNITS: tuple[Literal["s", "ms"], ...] = ("s", "ms")


def unit_doubts(table: RecognisedTable, rows: Sequence[Measurement]) -> tuple[UnitDoubt, ...]:
    """The one other unit, of one latency or of all, under which most rows that contradict themselves would
    stop doing so and no other row would begin; empty where none does or nothing is wrong.

    Nothing is changed by it: seconds labelled milliseconds are corrected with the owner's yes alone.
    """
    tried = rows[:MOST_ROWS_TRIED]
    before = [_findings(row) for row in tried]
    doubtful = [index for index, findings in enumerate(before) if findings]
    if not doubtful:
        return ()
    best: tuple[int, UnitDoubt] | None = None
    for names, unit in _candidates(table):
        headings, factors = _change(table, names, unit)
        if not headings:
            continue
        after = [_findings(_scaled(row, factors)) for row in tried]
        mended = [index for index in doubtful if len(after[index]) < len(before[index])]
        worse = any(len(now) > len(then) for now, then in zip(after, before, strict=True))
        gained = sum(len(before[index]) - len(after[index]) for index in mended)
        if worse or len(mended) < FEWEST_MENDED_FRACTION * len(doubtful):
            continue
        if best is None or gained > best[0]:
            first = mended[0]
            finding = next(text for text in before[first] if text not in after[first])
            best = (
                gained,
                UnitDoubt(
                    headings=headings,
                    unit=unit,
                    row_count=len(doubtful),
                    mended_count=len(mended),
                    finding=finding,
                ),
            )
    return (best[1],) if best else ()


def _candidates(table: RecognisedTable) -> Iterator[tuple[tuple[str, ...], Literal["s", "ms"]]]:
    """Every latency alone, then two together, up to all of the table, in each unit."""
    present = tuple(
        name for name in LATENCIES if any(_latency_of(each.choice.meaning) == name for each in table.columns)
    )
    for unit in UNITS:
        for count in range(1, len(present) + 1):
            for names in combinations(present, count):
                yield names, unit


def _change(
    table: RecognisedTable, names: Sequence[str], unit: str
) -> tuple[tuple[str, ...], dict[str, float]]:
    """The headings that would change, and the factor for each statistic of a latency."""
    headings, factors = [], {}
    for column in table.columns:
        choice = column.choice
        is_meant = _latency_of(choice.meaning) in names and choice.unit in UNITS and choice.unit != unit
        if is_meant:
            headings.append(choice.heading)
            factors[choice.meaning] = 10.0 ** (POWER_BY_TIME_UNIT[unit] - POWER_BY_TIME_UNIT[choice.unit])
    return tuple(headings), factors


def _scaled(row: Measurement, factors: dict[str, float]) -> Measurement:
    changes: dict[str, Any] = {}
    for name in LATENCIES:
        kept: Percentiles = getattr(row, name)
        values = {
            statistic: None if value is None else value * factors.get(f"{name}_{statistic}", 1.0)
            for statistic, value in kept.as_dict().items()
        }
        changes[name] = Percentiles(**values)
    return replace(row, **changes)


def _findings(row: Measurement) -> tuple[str, ...]:
    warnings = [problem.message for problem in sanity_warnings(row, "row")]
    beyond = [problem.message for problem in implausibilities(row, "row") if problem.cure == CHECK_UNIT]
    return (*impossibilities(row), *warnings, *beyond)


def _latency_of(meaning: str) -> str:
    return meaning.rpartition("_")[0]
