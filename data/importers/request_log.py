"""A log with one row per request, as table or JSON Lines: summarised into one run, successes only.

Rows that repeat a request's id are one request, the last row counts. Times come in the unit of their
heading, else by their size, which is said. A trace without latencies is demand, not a run: its figures
are named so that a workload can be described with them.
"""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from data.column_names import LOAD_TARGETS, meaning_of
from data.file_content import FileContent, Reading
from data.foreign_tables import plain_number
from data.log_columns import Columns, columns_of
from data.request_samples import RequestSample, run_of_samples
from data.text_tables import likely_header, read_table
from models.problems import Problem

KEY = "requests"
LABEL = "Log of requests (CSV, JSON Lines)"

GOOD_WORDS = frozenset(
    ("", "ok", "success", "succeeded", "true", "none", "null", "nan", "finished", "completed")
)
GOOD_CODES = range(200, 300)
LARGEST_MEDIAN_OF_SECONDS = 50.0
LARGEST_OF_SECONDS = 1000.0
EPOCH_DIVISOR_BY_DIGITS = {10: 1.0, 13: 1e3, 16: 1e6, 19: 1e9}

Rows = Sequence[tuple[int, tuple[str, ...]]]


def sniff(content: FileContent) -> float:
    """0.6 where the header is of a log: an id or a start, tokens or latencies, and no load."""
    header = _header(content)
    names_a_load = any(
        meaning.target in LOAD_TARGETS for heading in header if (meaning := meaning_of(heading)) is not None
    )
    return 0.6 if columns_of(header).is_log and not names_a_load else 0.0


def _header(content: FileContent) -> tuple[str, ...]:
    if content.documents:
        flat = [key for key, value in content.first.items() if not isinstance(value, dict)]
        return tuple(flat)
    return likely_header(content.text, _count_known)


def _count_known(cells: Sequence[str]) -> int:
    return columns_of(cells).known_count


def read(content: FileContent) -> Reading:
    """All rows as one run, or why they are none."""
    header, rows, problems = _table(content)
    columns = columns_of(header)
    if not rows:
        return Reading(rows_read=0, problems=tuple(problems))
    kept, repeats = _last_of_each(rows, columns.ids)
    if repeats:
        problems.append(_warning(content.name, f"{repeats} rows repeat a request; the last of each counts"))
    if columns.private:
        dropped = ", ".join(columns.private)
        problems.append(
            _warning(content.name, f"columns with prompts, answers or secrets were dropped: {dropped}")
        )
    if columns.ttft is None and columns.e2e is None:
        return Reading(rows_read=len(rows), problems=(_only_demand(content.name, kept, columns), *problems))
    good = [cells for cells in kept if _succeeded(cells, columns.state)]
    if not good:
        return Reading(rows_read=len(rows), problems=(_all_failed(content.name, len(kept)), *problems))
    ttft_power, e2e_power = (
        _power(good, *place)
        for place in ((columns.ttft, columns.ttft_power), (columns.e2e, columns.e2e_power))
    )
    problems.extend(_guesses(content.name, columns, ttft_power, e2e_power))
    samples = [_sample(cells, columns, ttft_power, e2e_power) for cells in good]
    run = run_of_samples(samples, failed=len(kept) - len(good), load=(None, None, None))
    models = {cells[columns.model] for cells in kept} if columns.model is not None else set()
    run = replace(run, model=models.pop() if len(models) == 1 else None)
    problems.append(
        Problem(
            path=content.name,
            message=f"{len(kept)} requests were summarised into one run; a log does not name its load",
            cure="Label the concurrency or the rate by hand.",
            severity="warning",
        )
    )
    return Reading(rows_read=len(rows), measurements=((1, run),), problems=tuple(problems))


def _table(content: FileContent) -> tuple[tuple[str, ...], Rows, list[Problem]]:
    if content.documents:
        header = _header(content)
        rows = [
            (document.line, tuple(_word(document.value.get(name)) for name in header))
            for document in content.documents
        ]
        return header, rows, list(content.document_problems)
    table = read_table(content.name, content.text, _count_known)
    if isinstance(table, Problem):
        return (), (), [table]
    return table.header, table.rows, list(table.problems)


def _word(value: object) -> str:
    return "" if value is None else str(value)


def _last_of_each(rows: Rows, ids: Sequence[int]) -> tuple[list[tuple[str, ...]], int]:
    """One row per request, the last one, and how many rows were repeats."""
    if not ids:
        return [cells for _, cells in rows], 0
    last = {tuple(cells[index] for index in ids): cells for _, cells in rows}
    return list(last.values()), len(rows) - len(last)


def _succeeded(cells: tuple[str, ...], state: int | None) -> bool:
    """A code of the 200s, a good word or nothing at all; an error's text is a failure."""
    if state is None:
        return True
    word = cells[state].strip().lower()
    code = plain_number(word)
    if code is not None:
        return int(code) in GOOD_CODES or code in (0, 1)
    return word in GOOD_WORDS


def _times(rows: Iterable[tuple[str, ...]], place: int) -> list[float]:
    values = [plain_number(cells[place]) for cells in rows]
    return [value for value in values if value is not None and 0 < value < float("inf")]


def _power(rows: Sequence[tuple[str, ...]], place: int | None, stated: int | None) -> int:
    """The power of ten of a time column's unit: its heading's, else seconds or ms by the column's size."""
    if place is None or stated is not None:
        return stated or 0
    values = _times(rows, place)
    in_seconds = not values or (
        statistics.median(values) < LARGEST_MEDIAN_OF_SECONDS and max(values) < LARGEST_OF_SECONDS
    )
    return 0 if in_seconds else -3


def _guesses(name: str, columns: Columns, ttft_power: int, e2e_power: int) -> list[Problem]:
    return [
        Problem(
            path=name,
            message=f"the {label} has no unit; by its size it is read in {'ms' if power else 'seconds'}",
            cure="Write the unit into the heading, such as latency_ms.",
            severity="warning",
        )
        for label, place, stated, power in (
            ("TTFT", columns.ttft, columns.ttft_power, ttft_power),
            ("latency", columns.e2e, columns.e2e_power, e2e_power),
        )
        if place is not None and stated is None
    ]


def _sample(cells: tuple[str, ...], columns: Columns, ttft_power: int, e2e_power: int) -> RequestSample:
    return RequestSample(
        start_s=_start_s(cells[columns.start]) if columns.start is not None else None,
        ttft_s=_scaled(cells, columns.ttft, ttft_power),
        e2e_s=_scaled(cells, columns.e2e, e2e_power),
        input_tok=_scaled(cells, columns.input_tok, 0),
        output_tok=_scaled(cells, columns.output_tok, 0),
    )


def _scaled(cells: tuple[str, ...], place: int | None, power: int) -> float | None:
    """The cell in base units; None where it is no finite number, negative, or an exact 0 of a time."""
    value = plain_number(cells[place]) if place is not None else None
    if value is None or not 0 < value < float("inf"):
        return None
    return value / float(10**-power)


def _start_s(cell: str) -> float | None:
    """A moment on one clock: an epoch by its digits, or ISO text; one without a zone is taken as UTC."""
    number = plain_number(cell)
    if number is not None:
        digits = len(str(int(abs(number))))
        return number / EPOCH_DIVISOR_BY_DIGITS.get(digits, 1.0)
    try:
        moment = datetime.fromisoformat(cell.strip())
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _only_demand(name: str, rows: Sequence[tuple[str, ...]], columns: Columns) -> Problem:
    figures = [f"{len(rows)} requests"]
    starts = [
        start
        for cells in rows
        if columns.start is not None and (start := _start_s(cells[columns.start])) is not None
    ]
    if len(starts) > 1:
        figures.append(f"over {max(starts) - min(starts):.6g} in the unit of its clock")
    for label, place in (("input", columns.input_tok), ("output", columns.output_tok)):
        values = _times(rows, place) if place is not None else []
        if values:
            figures.append(f"mean {label} {statistics.fmean(values):.5g} tokens")
    return Problem(
        path=name,
        message=f"this is a trace of requests without latencies ({', '.join(figures)}): demand, not a run",
        cure="Describe a workload with it: its rate, its lengths and its hours.",
    )


def _all_failed(name: str, count: int) -> Problem:
    return Problem(
        path=name, message=f"all {count} requests failed", cure="Look for the cause and measure again."
    )


def _warning(name: str, message: str) -> Problem:
    return Problem(
        path=name, message=message, cure="Leave them out of the file to be sure.", severity="warning"
    )
