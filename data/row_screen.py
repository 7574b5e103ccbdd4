"""Which rows of many may have anything wrong with them, told for all at once.

Each condition is that of a check in `sanity_checks`, `plausibility` or `row_checks`, a little wider; the
checks themselves then say what it is. A row that is not marked here has nothing that they would speak of.
"""

import math
from collections.abc import Sequence
from datetime import date
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from data.columns import DATES, LATENCIES, MEASUREMENT_COLUMNS, STATISTICS, TEXTS
from data.plausibility import BOUNDED, LIMITS, day_is_plausible, most_output_rate_per_accelerator
from data.sanity_checks import (
    CHUNK_RATIO,
    FAR_BELOW_LOAD,
    FEWEST_REQUESTS_FOR_P99,
    LEAST_PLAUSIBLE_STREAM_RATE_TOK_PER_S,
    LONGEST_LATENCY_S,
    MOST_PLAUSIBLE_PROMPT_RATE_TOK_PER_S,
    MOST_PLAUSIBLE_STREAM_RATE_TOK_PER_S,
    RELATIVE_TOLERANCE,
    SATURATED_BELOW,
    SHORTEST_PLAUSIBLE_TTFT_S,
    SHORTEST_UNCACHED_TTFT_S,
)
from models.measurements import Measurement

Flags = NDArray[np.bool_]
Figures = NDArray[np.float64]

BLOCK_ROWS = 20_000
SLACK = 1e-9  # of a limit, so that rounding never hides what a check would see
NUMBER_COLUMNS = tuple(name for name in MEASUREMENT_COLUMNS if name not in TEXTS and name not in DATES)
PLACE = {name: place for place, name in enumerate(NUMBER_COLUMNS)}
NUMBERS_OF = attrgetter(
    *(
        name if base not in LATENCIES else f"{base}.{statistic}"
        for name in NUMBER_COLUMNS
        for base, _, statistic in [name.rpartition("_")]
    )
)
RATES = ("output_rate_tok_per_s", "total_rate_tok_per_s", "request_rate_req_per_s")
RESULTS = [PLACE[f"{name}_{statistic}"] for name in LATENCIES for statistic in STATISTICS] + [
    PLACE[name] for name in RATES
]
SMALLEST_FIRST = ("p50", "mean", "p90", "p95", "p99")


def screened(rows: Sequence[Measurement], today: date) -> tuple[list[bool], list[int]]:
    """For each row whether any check may speak of it, and a key that rows with equal figures share."""
    flags: list[bool] = []
    keys: list[int] = []
    for start in range(0, len(rows), BLOCK_ROWS):
        found, figures = _block(rows[start : start + BLOCK_ROWS], today)
        flags.extend(found.tolist())
        keys.extend(hash(row.tobytes()) for row in figures + 0.0)  # a minus zero equals zero
    return flags, keys


def _block(rows: Sequence[Measurement], today: date) -> tuple[Flags, Figures]:
    raw = np.array([NUMBERS_OF(row) for row in rows], dtype=object)
    missing = np.asarray(raw == None, dtype=bool)  # noqa: E711  of each element
    figures = raw.astype(np.float64)
    with np.errstate(all="ignore"):
        found = np.any(~missing & ~((figures >= 0) & (figures < math.inf)), axis=1)
        found |= np.all(missing[:, RESULTS], axis=1)
        screen = _Screen(figures, np.array([row.load_kind == "concurrency" for row in rows]))
        for condition in CONDITIONS:
            found |= condition(screen)
    days = {day for row in rows if (day := row.measured_on) is not None and not day_is_plausible(day, today)}
    if days:
        found |= np.array([row.measured_on in days for row in rows])
    return found | _beyond_roofline(rows, figures), figures


class _Screen:
    """The figures of a block by name; not a number where missing, so that every comparison is false."""

    def __init__(self, figures: Figures, closed_loop: Flags) -> None:
        self._figures = figures
        self.closed_loop = closed_loop

    def of(self, name: str) -> Figures:
        """The column of that name."""
        return self._figures[:, PLACE[name]]

    def first(self, latency: str, statistics: Sequence[str]) -> Figures:
        """Of these statistics the first that each row knows."""
        found = self.of(f"{latency}_{statistics[0]}")
        for statistic in statistics[1:]:
            found = np.where(np.isnan(found), self.of(f"{latency}_{statistic}"), found)
        return found

    def middle(self, latency: str) -> Figures:
        """The median, or the mean where no median is known."""
        return self.first(latency, ("p50", "mean"))


def _far(value: Figures, expected: Figures) -> Flags:
    far: Flags = np.abs(value - expected) > (RELATIVE_TOLERANCE - SLACK) * np.abs(expected)
    return far


def _order(screen: _Screen) -> Flags:
    """Percentiles out of order, means above the tail, times too long, first tokens after the last."""
    found = np.zeros(len(screen.closed_loop), dtype=bool)
    for name in LATENCIES:
        highest = screen.of(f"{name}_p50")
        for statistic in ("p90", "p95", "p99"):
            value = screen.of(f"{name}_{statistic}")
            found |= highest > value
            highest = np.fmax(highest, value)
        found |= screen.of(f"{name}_mean") > screen.of(f"{name}_p99")
        found |= np.fmax(highest, screen.of(f"{name}_mean")) >= LONGEST_LATENCY_S
    for statistic in ("mean", "p50"):
        found |= screen.of(f"ttft_s_{statistic}") > screen.of(f"e2e_s_{statistic}")
    return found


def _counts(screen: _Screen) -> Flags:
    """More failures than requests, and tails of few requests."""
    requests = screen.of("request_count")
    has_tail = np.any([~np.isnan(screen.of(f"{name}_p99")) for name in LATENCIES], axis=0)
    found: Flags = (screen.of("error_count") > requests) | (has_tail & (requests < FEWEST_REQUESTS_FOR_P99))
    return found


def _latencies(screen: _Screen) -> Flags:
    """E2E against its parts, a TPOT to be worked out, chunks of several tokens."""
    ttft, tpot, e2e = (screen.of(f"{name}_mean") for name in ("ttft_s", "tpot_s", "e2e_s"))
    osl = screen.of("osl_tok")
    no_tpot = np.isnan(screen.first("tpot_s", SMALLEST_FIRST))
    to_work_out = no_tpot & (e2e > ttft) & (osl > 1)
    found: Flags = to_work_out | _far(e2e, ttft + tpot * (osl - 1))
    return found | (screen.of("itl_s_mean") > CHUNK_RATIO * tpot)


def _rates(screen: _Screen) -> Flags:
    """Throughput against lengths, saturation, totals below their part, runs without output."""
    rate, isl, osl = (screen.of(name) for name in ("request_rate_req_per_s", "isl_tok", "osl_tok"))
    output, total = screen.of("output_rate_tok_per_s"), screen.of("total_rate_tok_per_s")
    found: Flags = _far(output, rate * osl) | _far(total, rate * (isl + osl)) | (output == 0)
    found |= total < output * (1 - RELATIVE_TOLERANCE + SLACK)
    found |= rate < (SATURATED_BELOW + SLACK) * screen.of("offered_rate_req_per_s")
    return found


def _in_flight(screen: _Screen) -> Flags:
    """Little's law, where the load is the requests in flight."""
    rate, osl, load = (screen.of(name) for name in ("request_rate_req_per_s", "osl_tok", "concurrency_count"))
    rate = np.where(np.isnan(rate), screen.of("output_rate_tok_per_s") / osl, rate)
    e2e = screen.of("e2e_s_mean")
    decoding = np.where(osl > 1, screen.middle("tpot_s") * (osl - 1), 0.0)
    parts = np.nan_to_num(screen.middle("ttft_s")) + np.nan_to_num(decoding)
    most = (1 + RELATIVE_TOLERANCE - SLACK) * load
    least = (FAR_BELOW_LOAD + SLACK) * load
    whole = (rate * e2e > most) | (rate * e2e < least)
    found: Flags = screen.closed_loop & (whole | (np.isnan(e2e) & (rate * parts > most)))
    return found


def _speeds(screen: _Screen) -> Flags:
    """Speeds of one stream that nobody has, and of one request at a time against its latencies."""
    tpot, ttft, osl = screen.middle("tpot_s"), screen.middle("ttft_s"), screen.of("osl_tok")
    output = screen.of("output_rate_tok_per_s")
    whole = osl / (ttft + tpot * (osl - 1))
    alone = np.where(np.isnan(whole) | (osl <= 1), 1 / tpot, whole)
    off = (output > (1 + RELATIVE_TOLERANCE - SLACK) * alone) | (output < (FAR_BELOW_LOAD + SLACK) * alone)
    found: Flags = screen.closed_loop & (screen.of("concurrency_count") == 1) & off
    found |= 1 / tpot > MOST_PLAUSIBLE_STREAM_RATE_TOK_PER_S * (1 - SLACK)
    decoding = screen.middle("e2e_s") - np.nan_to_num(ttft)
    slow = LEAST_PLAUSIBLE_STREAM_RATE_TOK_PER_S * (1 + SLACK)
    fast = MOST_PLAUSIBLE_STREAM_RATE_TOK_PER_S * (1 - SLACK)
    found |= osl / screen.first("e2e_s", SMALLEST_FIRST) > fast
    found |= osl / decoding < slow
    return found


def _first_tokens(screen: _Screen) -> Flags:
    ttft = screen.first("ttft_s", SMALLEST_FIRST)
    prompt_rate = screen.of("isl_tok") / ttft
    too_fast = prompt_rate > MOST_PLAUSIBLE_PROMPT_RATE_TOK_PER_S * (1 - SLACK)
    found: Flags = (ttft < SHORTEST_PLAUSIBLE_TTFT_S) | ((ttft < SHORTEST_UNCACHED_TTFT_S) & too_fast)
    return found


def _bounds(screen: _Screen) -> Flags:
    found = np.zeros(len(screen.closed_loop), dtype=bool)
    for (name, _), (low, high) in zip(BOUNDED, LIMITS, strict=True):
        value = screen.of(name.replace(".", "_"))
        found |= (value < low) | (value >= high)
    return found


CONDITIONS = (_order, _counts, _latencies, _rates, _in_flight, _speeds, _first_tokens, _bounds)


def _beyond_roofline(rows: Sequence[Measurement], figures: Figures) -> Flags:
    pairs = [(row.accelerator, row.model) for row in rows]
    most = {pair: most_output_rate_per_accelerator(*pair) or math.inf for pair in set(pairs)}
    if all(each == math.inf for each in most.values()):
        return np.zeros(len(rows), dtype=bool)
    with np.errstate(all="ignore"):
        limits = np.array([most[pair] for pair in pairs]) * figures[:, PLACE["accelerator_count"]]
        beyond: Flags = figures[:, PLACE["output_rate_tok_per_s"]] > limits * (1 - SLACK)
    return beyond
