"""Rows of a file checked one by one and together, and what is wrong with them in as few words as possible."""

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from operator import attrgetter

from data.columns import LATENCIES, TEXTS
from data.completion import with_mean_tpot
from data.file_content import Reading
from data.plain_text import direction_marks
from data.plausibility import implausibilities
from data.row_screen import NUMBER_COLUMNS, NUMBERS_OF, screened
from data.sanity_checks import impossibilities, sanity_warnings, warm_caches
from models.measurements import Measurement
from models.percentiles import UNKNOWN
from models.problems import Problem, Severity

MOST_PROBLEMS_SHOWN = 200
LATENCIES_OF = attrgetter(*LATENCIES)
RATES_OF = attrgetter("request_rate_req_per_s", "output_rate_tok_per_s", "total_rate_tok_per_s")
TEXTS_OF = attrgetter(*TEXTS)


def check_rows(reading: Reading) -> tuple[list[tuple[int, Measurement]], list[Problem]]:
    """Rows that can be true, with what follows from their figures; and all problems, refusals first."""
    accepted: list[tuple[int, Measurement]] = []
    errors = [problem for problem in reading.problems if problem.severity == "error"]
    warnings = [problem for problem in reading.problems if problem.severity == "warning"]
    rows = [measurement for _, measurement in reading.measurements]
    doubtful, keys = screened(rows, datetime.now(UTC).date())
    texts = [TEXTS_OF(measurement) for measurement in rows]
    marked = {each for each in set(texts) if _marks_in(each)}
    first_by_key: dict[int, int] = {}
    for place, (row, measurement) in enumerate(reading.measurements):
        checked = measurement
        if doubtful[place] or texts[place] in marked:
            kept, found = _checked(measurement, f"row {row}")
            errors.extend(problem for problem in found if problem.severity == "error")
            warnings.extend(problem for problem in found if problem.severity == "warning")
            if kept is None:
                continue
            checked = kept
        first = first_by_key.setdefault(hash((keys[place], texts[place])), place)
        if first != place and rows[first] == measurement:
            warnings.append(_repeated(f"row {row}", reading.measurements[first][0]))
        accepted.append((row, checked))
    warnings.extend(warm_caches(accepted))
    return accepted, errors + warnings


def _checked(measurement: Measurement, path: str) -> tuple[Measurement | None, list[Problem]]:
    """The row with what follows from its figures, or None where it cannot be true; and all to say of it."""
    marked = _direction_marks(measurement, path)
    if marked:
        return None, marked
    if not _has_result(measurement):
        return None, [_without_result(path)]
    reasons = _no_figures(measurement) or impossibilities(measurement)
    if reasons:
        cure = "Check the columns and their units."
        return None, [Problem(path=path, message=reason, cure=cure) for reason in reasons]
    completed, notes = with_mean_tpot(measurement, path)
    return completed, [*notes, *sanity_warnings(measurement, path), *implausibilities(measurement, path)]


def _direction_marks(measurement: Measurement, path: str) -> list[Problem]:
    """A refusal for each text that shows its letters in another order than they are in."""
    return [
        Problem(
            path=f"{path}, {name}",
            message=f"it holds {', '.join(marks)}, which turns the order of letters around unseen",
            cure="Type the name anew without that mark.",
        )
        for name, marks in _marks_in(TEXTS_OF(measurement))
    ]


@lru_cache(maxsize=1024)
def _marks_in(texts: tuple[str | None, ...]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The marks of direction of each text that holds some; rows of a table mostly share their texts."""
    found = ((name, direction_marks(text or "")) for name, text in zip(TEXTS, texts, strict=True))
    return tuple((name, marks) for name, marks in found if marks)


def _has_result(measurement: Measurement) -> bool:
    return any(each is not UNKNOWN and each.known for each in LATENCIES_OF(measurement)) or any(
        rate is not None for rate in RATES_OF(measurement)
    )


def _no_figures(measurement: Measurement) -> tuple[str, ...]:
    """Each figure that is negative, without end or no number at all."""
    return tuple(
        f"{name} is {value:.4g}, which is no figure"
        for name, value in zip(NUMBER_COLUMNS, NUMBERS_OF(measurement), strict=True)
        if value is not None and not 0 <= value < math.inf
    )


def _without_result(path: str) -> Problem:
    return Problem(
        path=path,
        message="it holds no latency and no throughput, so there is nothing to take in",
        cure="Fill in what was measured, or leave out a run that failed.",
    )


def _repeated(path: str, first_row: int) -> Problem:
    return Problem(
        path=path,
        message=f"it repeats row {first_row} in every figure and is kept",
        cure="Remove one of them if it is a copy.",
        severity="warning",
    )


def merged(problems: Sequence[Problem]) -> list[Problem]:
    """Warnings that say the same of several rows as one, at the first of them; errors as they are."""
    alike: dict[tuple[str, str], list[Problem]] = {}
    for problem in problems:
        if problem.severity == "warning":
            alike.setdefault((problem.message, problem.cure), []).append(problem)
    found = [problem for problem in problems if problem.severity == "error"]
    for group in alike.values():
        others = len(group) - 1
        path = f"{group[0].path}, and {others} more" if others else group[0].path
        found.append(replace(group[0], path=path))
    return found


def shortened(problems: Sequence[Problem]) -> tuple[Problem, ...]:
    """The first problems, alike warnings as one, and how many more there are."""
    problems = merged(problems)
    if len(problems) <= MOST_PROBLEMS_SHOWN:
        return tuple(problems)
    hidden = problems[MOST_PROBLEMS_SHOWN:]
    severity: Severity = "error" if any(problem.severity == "error" for problem in hidden) else "warning"
    rest = Problem(
        path="file",
        message=f"{len(hidden)} more problems are not listed",
        cure="Mend the first ones and import the file again.",
        severity=severity,
    )
    return (*problems[:MOST_PROBLEMS_SHOWN], rest)
