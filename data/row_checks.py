"""Rows of a file checked one by one and together, and what is wrong with them in as few words as possible."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from operator import attrgetter

from data.columns import LATENCIES, TEXTS
from data.completion import with_mean_tpot
from data.file_content import Reading
from data.plain_text import direction_marks
from data.plausibility import implausibilities
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
    first_row: dict[Measurement, int] = {}
    for row, measurement in reading.measurements:
        path = f"row {row}"
        errors.extend(marked := _direction_marks(measurement, path))
        if marked:
            continue
        if not _has_result(measurement):
            errors.append(_without_result(path))
            continue
        reasons = impossibilities(measurement)
        errors.extend(
            Problem(path=path, message=reason, cure="Check the columns and their units.")
            for reason in reasons
        )
        if reasons:
            continue
        completed, notes = with_mean_tpot(measurement, path)
        warnings.extend(notes)
        warnings.extend(sanity_warnings(measurement, path))
        warnings.extend(implausibilities(measurement, path))
        if measurement in first_row:
            warnings.append(_repeated(path, first_row[measurement]))
        first_row.setdefault(measurement, row)
        accepted.append((row, completed))
    warnings.extend(warm_caches(accepted))
    return accepted, errors + warnings


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
