"""From the cells of a request log to one run and its demand, with all that is worth saying about it."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import duckdb

from data.cell_numbers import DecimalMark, decimal_mark_of, shown
from data.file_content import Reading
from data.log_columns import Columns, columns_of
from data.log_quantiles import quantiles
from data.log_summary import (
    demand_of_log,
    measurement_of_log,
    more_cached_than_input,
    untimed_successes,
)
from data.log_tables import (
    BadCells,
    bad_cells,
    create_requests,
    create_successes,
    drop_repeats,
    row_of,
    settle_clocks,
    turned_times,
)
from data.request_demand import RequestDemand
from data.said_load import SAY_LOAD
from models.problems import Problem

LARGEST_MEDIAN_OF_SECONDS = 50.0
LARGEST_OF_SECONDS = 1000.0
MOST_NAMES = 10
CLOCK_WORDS = {
    "zoned": "with a time zone",
    "naive": "without a time zone",
    "count": "that counts from another zero",
}
Progress = Callable[[float, str], None]


def no_progress(fraction: float, doing: str) -> None:
    """For callers that show none."""


def marks_of(
    name: str, header: Sequence[str], rows: Iterable[Sequence[str]]
) -> tuple[dict[int, DecimalMark], list[Problem]]:
    """The decimal mark that each number column's cells prove, and a refusal for each that proves both."""
    columns = columns_of(header)
    places = (columns.input_tok, columns.output_tok, columns.cached_tok, columns.ttft, columns.e2e)
    listed = list(rows)
    marks: dict[int, DecimalMark] = {}
    problems = []
    for place in places:
        if place is None:
            continue
        mark, contradiction = decimal_mark_of(cells[place] for cells in listed)
        if contradiction is not None:
            problems.append(
                Problem(
                    path=f"{name}, column {header[place]}",
                    message=f"decimal points and commas are mixed; {shown(contradiction)} has a comma",
                    cure="Write all numbers of the column with one decimal mark.",
                )
            )
        elif mark is not None:
            marks[place] = mark
    return marks, problems


def reading_of_log(
    connection: duckdb.DuckDBPyConnection,
    cells: str,
    name: str,
    header: Sequence[str],
    marks: Mapping[int, DecimalMark],
    progress: Progress = no_progress,
) -> Reading:
    """All rows of the relation `cells` as one run and the demand they show, or why they are none."""
    columns = columns_of(header)
    create_requests(connection, cells, columns, marks)
    (rows_read,) = row_of(connection, "SELECT count(*) FROM requests")
    if not rows_read:
        return Reading(rows_read=0)
    problems = [_bad(name, header, each) for each in bad_cells(connection, columns)]
    progress(0.7, "looking for repeats")
    repeats = drop_repeats(connection)
    if repeats:
        problems.append(_warning(name, f"{repeats} rows repeat a request; the last of each counts"))
    problems.extend(_clock_words(name, columns, settle_clocks(connection)))
    problems.extend(_unused(name, header, columns))
    if columns.private:
        dropped = ", ".join(columns.private)
        problems.append(_warning(name, f"columns with prompts, answers or secrets were dropped: {dropped}"))
    scale = {
        time: _power(connection, time, stated)
        for time, stated in (("ttft", columns.ttft_power), ("e2e", columns.e2e_power))
    }
    create_successes(connection, columns, scale)
    turned = turned_times(connection)
    if turned:
        problems.append(
            Problem(
                path=name,
                message=f"{turned:,} requests have their first token after their last; both times of theirs "
                "count as missing",
                cure="Look whether the two columns are swapped, or in different units.",
                severity="warning",
            )
        )
    kept, good = row_of(connection, "SELECT count(*), count(*) FILTER (is_success) FROM arrivals")
    progress(0.8, "working out percentiles")
    if not good:
        return Reading(rows_read=rows_read, problems=(_all_failed(name, kept), *problems))
    if columns.cached_tok is not None and columns.cached_is_inside:
        problems.extend(
            _too_much_cached(name, header[columns.cached_tok], more_cached_than_input(connection))
        )
    demand = demand_of_log(connection, cached_is_inside=columns.cached_is_inside)
    problems.extend(_cached_words(name, header, columns, demand))
    problems.extend(_clock_doubts(name, columns, demand))
    if columns.ttft is None and columns.e2e is None:
        problems.append(_only_demand(name, demand))
        return Reading(rows_read=rows_read, problems=tuple(problems), demand=demand)
    problems.extend(_guesses(name, columns, scale))
    run = measurement_of_log(connection, cached_is_inside=columns.cached_is_inside)
    problems.extend(_untimed(name, columns, untimed_successes(connection)))
    problems.append(_one_run(name, kept))
    return Reading(rows_read=rows_read, measurements=((1, run),), problems=tuple(problems), demand=demand)


def _power(connection: duckdb.DuckDBPyConnection, time: str, stated: int | None) -> int:
    """The power of ten of a time column's unit: its heading's, else seconds or ms by the column's size."""
    if stated is not None:
        return stated
    found = quantiles(connection, "requests", time, (0.5, 1.0))
    in_seconds = found is None or (found[0] < LARGEST_MEDIAN_OF_SECONDS and found[1] < LARGEST_OF_SECONDS)
    return 0 if in_seconds else -3


def _bad(name: str, header: Sequence[str], bad: BadCells) -> Problem:
    examples = ", ".join(f"{address} {shown(text)}" for address, text in bad.examples)
    is_start = bad.column == columns_of(header).start
    kind = "no time that can be read" if is_start else "no usable number"
    number = "Write finite numbers of at least 0 in the unit of the heading, or leave the cells empty."
    return Problem(
        path=f"{name}, column {header[bad.column]}",
        message=f"{bad.count:,} cells are {kind} and count as missing: {examples}"
        + (" and more" if bad.count > len(bad.examples) else ""),
        cure="Write 2026-11-30T14:05:00Z, or seconds since 1970." if is_start else number,
        severity="warning",
    )


def _guesses(name: str, columns: Columns, scale: Mapping[str, int]) -> list[Problem]:
    return [
        Problem(
            path=name,
            message=f"the {label} has no unit; by its size it is read in "
            + ("ms" if scale[time] else "seconds"),
            cure="Write the unit into the heading, such as latency_ms.",
            severity="warning",
        )
        for label, time, place, stated in (
            ("TTFT", "ttft", columns.ttft, columns.ttft_power),
            ("latency", "e2e", columns.e2e, columns.e2e_power),
        )
        if place is not None and stated is None
    ]


def _unused(name: str, header: Sequence[str], columns: Columns) -> list[Problem]:
    """The columns whose cells play no part, so that nobody takes them for counted."""
    unused = [
        heading or f"column {place + 1} (no name)"
        for place, heading in enumerate(header)
        if place not in columns.used_places and heading not in columns.private
    ]
    if not unused:
        return []
    shown_names = ", ".join(unused[:MOST_NAMES]) + (" and more" if len(unused) > MOST_NAMES else "")
    return [
        Problem(
            path=name,
            message=f"columns of the log that are not used: {shown_names}",
            cure="Rename one that matters: timestamp, input_tokens, cached_tokens, output_tokens, ttft_ms, "
            "e2e_ms, status.",
            severity="warning",
        )
    ]


def _cached_words(name: str, header: Sequence[str], columns: Columns, demand: RequestDemand) -> list[Problem]:
    """What a column of cached tokens was taken for, and what share of the input it makes."""
    if columns.cached_tok is None or demand.cached_input_fraction is None:
        return []
    heading = header[columns.cached_tok]
    share = f"{demand.cached_input_fraction:.1%} of the input"
    if columns.cached_is_inside:
        message = f"read as a part of the input tokens, as OpenAI's interface counts: {share}"
        cure = "Name it cache_read_tokens if the input tokens do not hold them."
    else:
        message = f"read as input beside the input tokens, as Anthropic's interface counts: {share}"
        cure = "Name it cached_tokens if the input tokens hold them already."
    return [Problem(path=f"{name}, column {heading}", message=message, cure=cure, severity="warning")]


def _clock_words(name: str, columns: Columns, clocks: tuple[str | None, Mapping[str, int]]) -> list[Problem]:
    """That starts are told by several clocks, which cannot be compared; or by one without a zone."""
    kept, others = clocks
    if kept is None or columns.start is None:
        return []
    found = [
        Problem(
            path=name,
            message=f"{count:,} requests have a start {CLOCK_WORDS[clock]} and most {CLOCK_WORDS[kept]}; "
            "these starts count as missing",
            cure="Write all with an offset, such as 2026-11-30T14:05:00+01:00, or all as seconds since 1970.",
            severity="warning",
        )
        for clock, count in others.items()
    ]
    if kept == "naive":
        message = "its times name no time zone and are read as UTC, which decides the hours of its day"
        cure = "Write them with an offset, such as 2026-11-30T14:05:00+01:00."
        found.append(Problem(path=name, message=message, cure=cure, severity="warning"))
    return found


def _untimed(name: str, columns: Columns, counts: tuple[int, int]) -> list[Problem]:
    """That some successes lack a start or an end, so that the rates are of the others."""
    untimed, timed = counts
    if not untimed or columns.start is None or columns.e2e is None:
        return []
    rates = f"the rates are of the other {timed:,}" if timed else "the rates stay unknown"
    return [
        Problem(
            path=name,
            message=f"{untimed:,} successful requests have no known start or end; {rates}",
            cure="Fill in their times, or leave those rows out.",
            severity="warning",
        )
    ]


def _clock_doubts(name: str, columns: Columns, demand: RequestDemand) -> list[Problem]:
    """A clock from zero without a unit: taken as seconds, which decides every rate."""
    if demand.span_s is None or demand.has_calendar or columns.start_power is not None:
        return []
    return [
        Problem(
            path=name,
            message="its times count from zero without a unit and are taken as seconds",
            cure="Write the unit into the heading, such as timestamp_ms.",
            severity="warning",
        )
    ]


def _too_much_cached(name: str, heading: str, count: int) -> list[Problem]:
    if not count:
        return []
    return [
        Problem(
            path=f"{name}, column {heading}",
            message=f"{count:,} requests have more cached than input tokens; the cached share stays unknown",
            cure="Name it cache_read_tokens if cached tokens are counted beside the input.",
            severity="warning",
        )
    ]


def _only_demand(name: str, demand: RequestDemand) -> Problem:
    figures = [f"{demand.request_count} requests"]
    if demand.span_s is not None:
        figures.append(f"over {demand.span_s:.6g} s")
    for label, sample in (("input", demand.input_tok), ("output", demand.output_tok)):
        if sample is not None:
            figures.append(f"mean {label} {sample.mean_tok:.5g} tokens")
    return Problem(
        path=name,
        message=f"this is a trace of requests without latencies ({', '.join(figures)}): demand, not a run",
        cure="Make a workload from it: its rate, its lengths and its hours.",
        severity="warning",
    )


def _one_run(name: str, count: int) -> Problem:
    return Problem(
        path=name,
        message=f"{count} requests were summarised into one run; a log does not name its load",
        cure=SAY_LOAD,
        severity="warning",
    )


def _all_failed(name: str, count: int) -> Problem:
    return Problem(
        path=name, message=f"all {count} requests failed", cure="Look for the cause and measure again."
    )


def _warning(name: str, message: str) -> Problem:
    return Problem(
        path=name, message=message, cure="Leave them out of the file to be sure.", severity="warning"
    )
