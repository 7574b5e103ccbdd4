"""Read paired results of two tiers: one row an item and tier, with its score, latency and failure.

Columns, in any order: `item`, `tier`, and at least one of `passed` (yes/no, true/false, 1/0), `score`,
`latency_s` or `latency_ms`, `failed`. Exactly two tiers; an item that only one of them answered is left out
and counted.
"""

import math
from dataclasses import dataclass

from data.decoding import decode
from data.text_tables import TextTable, read_table
from models.problems import InputProblems, Problem

SIZE_LIMIT_BYTE = 20_000_000
TRUE_WORDS = {"1", "true", "yes", "pass", "passed", "correct", "ok"}
FALSE_WORDS = {"0", "false", "no", "fail", "failed", "incorrect", "wrong"}
MEASURES = ("passed", "score", "latency_s", "failed")
ALIASES = {
    "item_id": "item",
    "id": "item",
    "system": "tier",
    "model": "tier",
    "correct": "passed",
    "pass": "passed",
    "error": "failed",
    "failure": "failed",
}
KEYS = ("item", "tier", "latency_ms")
SHOWN_PROBLEM_COUNT = 20
MILLI = 1e-3

Cells = dict[str, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedResults:
    """Two tiers' results on the items both answered, in the order of the baseline; None: not in the file.

    values        by measure, (baseline, candidate) of one length each; a pair with an empty cell is left out
    lone_count    items that only one tier answered
    """

    tiers: tuple[str, str]
    values: dict[str, tuple[tuple[float, ...], tuple[float, ...]]]
    pair_count: int
    lone_count: int


def read_paired_results(name: str, raw: bytes) -> PairedResults:
    """The pairs of a CSV file; InputProblems naming line and column where it cannot be read."""
    if len(raw) > SIZE_LIMIT_BYTE:
        size = f"{len(raw) / 1e6:.0f} MB, more than the {SIZE_LIMIT_BYTE / 1e6:.0f} MB read"
        raise InputProblems([Problem(path=name, message=size, cure="Send a sample of the items.")])
    text = decode(name, raw)
    if isinstance(text, Problem):
        raise InputProblems([text])
    table = read_table(name, text, lambda cells: sum(_column(cell) in (*MEASURES, *KEYS) for cell in cells))
    if isinstance(table, Problem):
        raise InputProblems([table])
    return _paired(name, table)


def _column(cell: str) -> str:
    plain = cell.strip().lower().replace(" ", "_")
    return ALIASES.get(plain, plain)


def _paired(name: str, table: TextTable) -> PairedResults:
    columns = [_column(cell) for cell in table.header]
    _refuse_headings(name, table.header_line, columns)
    problems = list(table.problems)
    by_tier: dict[str, dict[str, Cells]] = {}
    for line, cells in table.rows:
        row = dict(zip(columns, cells, strict=False))
        tier, item = row.get("tier", ""), row.get("item", "")
        if not tier or not item:
            problems.append(
                Problem(path=f"{name}, line {line}", message="has no item or tier", cure="Fill in both.")
            )
            continue
        known = by_tier.setdefault(tier, {})
        if item in known:
            message = f"item {item!r} stands twice for tier {tier!r}"
            problems.append(
                Problem(path=f"{name}, line {line}", message=message, cure="Keep one of the two.")
            )
            continue
        known[item] = _values(f"{name}, line {line}", row, problems)
    if len(by_tier) != 2 and not problems:
        found = ", ".join(repr(tier) for tier in list(by_tier)[:5]) or "none"
        problems.append(
            Problem(
                path=f"{name}, column tier",
                message=f"holds {len(by_tier)} tiers, not two: {found}",
                cure="Compare two tiers in one file, the baseline first.",
            )
        )
    if problems:
        raise InputProblems(problems[:SHOWN_PROBLEM_COUNT])
    return _pairs(by_tier)


def _refuse_headings(name: str, line: int, columns: list[str]) -> None:
    """What the heading row lacks, or holds twice."""
    problems = [
        Problem(
            path=f"{name}, line {line}",
            message=f"there is no column {key!r}",
            cure="Name the columns item, tier, and passed, score, latency_s or failed.",
        )
        for key in ("item", "tier")
        if key not in columns
    ]
    measured = [*MEASURES, "latency_ms"]
    if not any(column in measured for column in columns):
        problems.append(
            Problem(
                path=f"{name}, line {line}",
                message="nothing to compare is there",
                cure="Give at least one of the columns passed, score, latency_s, latency_ms, failed.",
            )
        )
    twice = sorted({column for column in columns if columns.count(column) > 1 and column})
    problems += [
        Problem(path=f"{name}, line {line}", message=f"the column {column!r} stands twice", cure="Keep one.")
        for column in twice
    ]
    if problems:
        raise InputProblems(problems)


def _values(where: str, row: dict[str, str], problems: list[Problem]) -> Cells:
    """A row's measures as numbers; None where a cell is empty."""
    values: Cells = {}
    for column, cell in row.items():
        if column in ("passed", "failed"):
            values[column] = _flag(where, column, cell, problems)
        elif column in ("score", "latency_s"):
            values[column] = _number(where, column, cell, problems)
        elif column == "latency_ms":
            value = _number(where, column, cell, problems)
            values["latency_s"] = None if value is None else value * MILLI
    return values


def _flag(where: str, column: str, cell: str, problems: list[Problem]) -> float | None:
    word = cell.strip().lower()
    if not word:
        return None
    if column == "failed" and word in ("fail", "failed", "error"):
        return 1.0
    if word in TRUE_WORDS or word in FALSE_WORDS:
        return float(word in TRUE_WORDS)
    problems.append(
        Problem(
            path=f"{where}, column {column}",
            message=f"{cell!r} is neither yes nor no",
            cure="Write 1 or 0, yes or no, true or false.",
        )
    )
    return None


def _number(where: str, column: str, cell: str, problems: list[Problem]) -> float | None:
    if not cell.strip():
        return None
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if math.isfinite(value) and (column == "score" or value >= 0):
        return value
    problems.append(
        Problem(
            path=f"{where}, column {column}",
            message=f"{cell!r} is not a number that this column can hold",
            cure="Write it with a decimal point and without a unit, or leave it empty.",
        )
    )
    return None


def _pairs(by_tier: dict[str, dict[str, Cells]]) -> PairedResults:
    (first, baseline), (second, candidate) = by_tier.items()
    shared = [item for item in baseline if item in candidate]
    if not shared:
        raise InputProblems(
            [
                Problem(
                    path="column item",
                    message="the two tiers answered no item in common",
                    cure="Give the same item the same name in both.",
                )
            ]
        )
    values = {}
    for measure in MEASURES:
        pairs = [
            (before, after)
            for item in shared
            if (before := baseline[item].get(measure)) is not None
            and (after := candidate[item].get(measure)) is not None
        ]
        if pairs:
            before_values, after_values = zip(*pairs, strict=True)
            values[measure] = (before_values, after_values)
    return PairedResults(
        tiers=(first, second),
        values=values,
        pair_count=len(shared),
        lone_count=len(baseline) + len(candidate) - 2 * len(shared),
    )
