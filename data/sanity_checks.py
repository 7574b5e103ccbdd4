"""Checks that catch most mistakes of unit and definition, each with the figures that made it speak."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from operator import attrgetter

from data.columns import LATENCIES
from models.measurements import Measurement
from models.percentiles import QUANTILE_BY_FIELD, UNKNOWN, Percentiles
from models.problems import Problem

RELATIVE_TOLERANCE = 0.15  # prompts of unequal length, ramp and tail move honest files by this much
SATURATED_BELOW = 0.95  # achieved over offered rate
FAR_BELOW_LOAD = 0.5
ROUNDED = 1 + 1e-9
CHUNK_RATIO = 3.0  # an ITL this many times the TPOT means several tokens per chunk
LONGEST_LATENCY_S = 31 * 86_400.0
WARM_BELOW = 0.5  # of the TTFT at a lower load; noise of honest runs stays above
FEWEST_REQUESTS_FOR_P99 = 100
MOST_PLAUSIBLE_STREAM_RATE_TOK_PER_S = 20_000.0
LEAST_PLAUSIBLE_STREAM_RATE_TOK_PER_S = 0.2  # slower than one word in five seconds, nobody waits
SHORTEST_PLAUSIBLE_TTFT_S = 1e-3  # a request, its tokens and one pass through a model take longer
MOST_PLAUSIBLE_PROMPT_RATE_TOK_PER_S = 1e6  # ten times what the fastest systems read for one request
SHORTEST_UNCACHED_TTFT_S = 1e-2  # a long prompt from the prefix cache may come sooner than it could be read
UNIT_CURE = "Check the unit: the file may hold seconds under a heading that says milliseconds, or reverse."
SMALLEST_FIRST = attrgetter("p50", "mean", "p90", "p95", "p99")


def impossibilities(measurement: Measurement) -> tuple[str, ...]:
    """Why the row cannot be true: percentiles out of order, a first token after the last, more errors
    than requests. Empty where it can."""
    found: list[str] = []
    for name in LATENCIES:
        latency = getattr(measurement, name)
        if latency is UNKNOWN:
            continue
        known = [
            (statistic, value)
            for statistic in QUANTILE_BY_FIELD
            if (value := getattr(latency, statistic)) is not None
        ]
        longest = max((value for _, value in known), default=0.0)
        longest = max(longest, latency.mean or 0.0)
        if not longest < LONGEST_LATENCY_S:
            found.append(f"{name}: {longest:.4g} s is longer than a month, which no request takes")
        for (low_name, low), (high_name, high) in pairwise(known):
            if low > high:
                found.append(f"{name}: {low_name} is {low:.4g} s and {high_name} is less, {high:.4g} s")
    for statistic in ("mean", "p50"):
        ttft, e2e = getattr(measurement.ttft_s, statistic), getattr(measurement.e2e_s, statistic)
        if ttft is not None and e2e is not None and ttft > e2e:
            found.append(f"the first token ({statistic} {ttft:.4g} s) comes after the last ({e2e:.4g} s)")
    requests, errors = measurement.request_count, measurement.error_count
    if requests is not None and errors is not None and errors > requests:
        found.append(f"{errors} failures of {requests} requests")
    return tuple(found)


def sanity_warnings(measurement: Measurement, path: str) -> tuple[Problem, ...]:
    """Figures of a row that do not fit each other; the row is used, with these caveats."""
    return tuple(
        Problem(path=path, message=message, cure=cure, severity="warning")
        for check in CHECKS
        for message, cure in check(measurement)
    )


def _far(value: float, expected: float) -> bool:
    return abs(value - expected) > RELATIVE_TOLERANCE * abs(expected)


def _e2e_adds_up(row: Measurement) -> Iterator[tuple[str, str]]:
    ttft, tpot, e2e, osl = row.ttft_s.mean, row.tpot_s.mean, row.e2e_s.mean, row.osl_tok
    if ttft is None or tpot is None or e2e is None or osl is None:
        return
    expected = ttft + tpot * (osl - 1)
    decoding = tpot * (osl - 1)
    if _far(e2e, expected) and decoding < e2e < expected:
        yield (
            f"mean E2E is {e2e:.4g} s, and TTFT + TPOT x (output - 1) gives {expected:.4g} s: with all "
            f"tokens at this TPOT the first came after {e2e - decoding:.4g} s, so the TTFT of {ttft:.4g} s "
            "may be that of the first visible token",
            "Have reasoning counted, or read TTFT as time to the first visible token.",
        )
    elif _far(e2e, expected):
        yield (
            f"mean E2E is {e2e:.4g} s, and TTFT + TPOT x (output - 1) gives {expected:.4g} s",
            "Check the units, and whether a chunk carries several tokens.",
        )


def _mean_within(row: Measurement) -> Iterator[tuple[str, str]]:
    for name in LATENCIES:
        latency = getattr(row, name)
        # Figures that are all alike differ in their last digits only.
        if latency.mean is not None and latency.p99 is not None and latency.mean > latency.p99 * ROUNDED:
            yield (
                f"{name}: the mean, {latency.mean:.4g} s, is above the 99th percentile, {latency.p99:.4g} s",
                "Look whether one request in a hundred hung, or the two columns are swapped.",
            )


def _total_holds_output(row: Measurement) -> Iterator[tuple[str, str]]:
    total, output = row.total_rate_tok_per_s, row.output_rate_tok_per_s
    if total is not None and output is not None and total < output * (1.0 - RELATIVE_TOLERANCE):
        yield (
            f"the total of {total:.4g} tok/s is less than the output of {output:.4g} tok/s",
            "Look whether the two columns are swapped.",
        )


def _little(row: Measurement) -> Iterator[tuple[str, str]]:
    rate, load = row.request_rate_req_per_s, row.concurrency_count
    named = "request rate"
    if rate is None and row.output_rate_tok_per_s is not None and row.osl_tok:
        rate, named = row.output_rate_tok_per_s / row.osl_tok, "output throughput / output length"
    if rate is None or load is None or row.load_kind != "concurrency":
        return
    if row.e2e_s.mean is None:
        yield from _first_tokens_in_flight(row, rate, named, load)
        return
    in_flight = rate * row.e2e_s.mean
    if in_flight > (1 + RELATIVE_TOLERANCE) * load:
        yield (
            f"{named} x E2E is {in_flight:.4g} in flight, above the concurrency of {load:.4g}",
            "Check the units and the measured window.",
        )
    elif in_flight < FAR_BELOW_LOAD * load:
        yield (
            f"{named} x E2E is {in_flight:.4g} in flight, far below the concurrency of {load:.4g}",
            "Look for think time, a slow client, or a short run.",
        )


def _first_tokens_in_flight(
    row: Measurement, rate: float, named: str, load: float
) -> Iterator[tuple[str, str]]:
    """Where E2E is unknown: what waits for its first token, or decodes, cannot exceed what is in flight."""
    ttft, tpot, osl = row.ttft_s.middle, row.tpot_s.middle, row.osl_tok
    decoding = tpot * (osl - 1) if tpot is not None and osl is not None and osl > 1 else 0.0
    in_flight = rate * ((ttft or 0.0) + decoding)
    if in_flight > (1 + RELATIVE_TOLERANCE) * load:
        parts = "TTFT + TPOT x (output - 1)" if ttft and decoding else "TTFT" if ttft else "TPOT x output"
        yield (
            f"{named} x ({parts}) is {in_flight:.4g} in flight, above the concurrency of {load:.4g}",
            "Check the units and the measured window.",
        )


def _throughput(row: Measurement) -> Iterator[tuple[str, str]]:
    rate, isl, osl = row.request_rate_req_per_s, row.isl_tok, row.osl_tok
    if rate is None or osl is None:
        return
    output, total = row.output_rate_tok_per_s, row.total_rate_tok_per_s
    if output is not None and _far(output, rate * osl):
        yield (
            f"output throughput is {output:.4g} tokens/s, and request rate x output length gives "
            f"{rate * osl:.4g}",
            "Check whether it is per accelerator, per user, or counts failed requests.",
        )
    if total is not None and isl is not None and _far(total, rate * (isl + osl)):
        yield (
            f"total throughput is {total:.4g} tokens/s, and request rate x (input + output length) gives "
            f"{rate * (isl + osl):.4g}",
            "Check whether it is per accelerator, or counts cached input apart.",
        )


def _stream_speed(row: Measurement) -> Iterator[tuple[str, str]]:
    tpot, output = row.tpot_s.middle, row.output_rate_tok_per_s
    if not tpot:
        return
    if row.load_kind == "concurrency" and row.concurrency_count == 1 and output is not None:
        alone = _rate_of_one_stream(row, tpot)
        if output > (1 + RELATIVE_TOLERANCE) * alone or output < FAR_BELOW_LOAD * alone:
            yield (
                f"one request at a time gives {output:.4g} tokens/s, and its latencies give {alone:.4g}",
                "Check the unit of TPOT, and which tokens the throughput counts.",
            )
    if 1 / tpot > MOST_PLAUSIBLE_STREAM_RATE_TOK_PER_S:
        yield (
            f"TPOT of {tpot:.3g} s means {1 / tpot:,.0f} tokens/s for one user",
            UNIT_CURE,
        )


def _rate_of_one_stream(row: Measurement, tpot_s: float) -> float:
    """Output tokens per second of requests one after another, TTFT included where it is known."""
    ttft_s, osl_tok = row.ttft_s.middle, row.osl_tok
    if ttft_s is None or osl_tok is None or osl_tok <= 1:
        return 1 / tpot_s
    return osl_tok / (ttft_s + tpot_s * (osl_tok - 1))


def _speed_of_whole_answers(row: Measurement) -> Iterator[tuple[str, str]]:
    """Where no TPOT is known: the speed that E2E and the output length leave for one stream."""
    e2e, osl = _smallest(row.e2e_s), row.osl_tok
    if _smallest(row.tpot_s) is not None or not e2e or osl is None or osl <= 1:
        return
    fastest = osl / e2e
    decoding = row.e2e_s.middle and row.e2e_s.middle - (row.ttft_s.middle or 0.0)
    if fastest > MOST_PLAUSIBLE_STREAM_RATE_TOK_PER_S:
        yield f"{osl:.4g} tokens in {e2e:.3g} s are {fastest:,.0f} tokens/s for one user", UNIT_CURE
    elif decoding and osl / decoding < LEAST_PLAUSIBLE_STREAM_RATE_TOK_PER_S:
        yield (
            f"{osl:.4g} tokens in {decoding:.4g} s are {osl / decoding:.2g} tokens/s for one user",
            UNIT_CURE,
        )


def _first_token_too_soon(row: Measurement) -> Iterator[tuple[str, str]]:
    ttft, isl = _smallest(row.ttft_s), row.isl_tok
    if ttft is None:
        return
    if ttft < SHORTEST_PLAUSIBLE_TTFT_S:
        yield f"TTFT of {ttft * 1e3:.3g} ms is shorter than one pass through a model takes", UNIT_CURE
    elif isl and ttft < SHORTEST_UNCACHED_TTFT_S and isl / ttft > MOST_PLAUSIBLE_PROMPT_RATE_TOK_PER_S:
        yield (
            f"TTFT of {ttft * 1e3:.3g} ms means that {isl / ttft:,.0f} tokens/s of a prompt were read",
            UNIT_CURE,
        )


def _smallest(latency: Percentiles) -> float | None:
    """The least of a latency's figures; None where none is known."""
    return next((value for value in SMALLEST_FIRST(latency) if value is not None), None)


def _saturation(row: Measurement) -> Iterator[tuple[str, str]]:
    offered, achieved = row.offered_rate_req_per_s, row.request_rate_req_per_s
    if offered and achieved is not None and achieved < SATURATED_BELOW * offered:
        yield (
            f"{offered:.4g} requests/s were offered and {achieved:.4g} finished: saturated",
            "Its latency depends on how long the test ran; plan below this load.",
        )


def _chunks(row: Measurement) -> Iterator[tuple[str, str]]:
    itl, tpot = row.itl_s.mean, row.tpot_s.mean
    if itl is not None and tpot and itl > CHUNK_RATIO * tpot:
        yield (
            f"mean ITL is {itl * 1e3:.4g} ms and mean TPOT {tpot * 1e3:.4g} ms: chunks carry about "
            f"{itl / tpot:.0f} tokens",
            "TPOT is used for decode speed; ITL is shown and not fitted.",
        )


def _no_output(row: Measurement) -> Iterator[tuple[str, str]]:
    if row.output_rate_tok_per_s == 0:
        yield "output throughput is 0: a run that failed", "Leave it out, or measure it again."


def _sample_size(row: Measurement) -> Iterator[tuple[str, str]]:
    count = row.request_count
    known = any(getattr(row, name).p99 is not None for name in LATENCIES)
    if known and count is not None and count < FEWEST_REQUESTS_FOR_P99:
        yield (f"p99 of {count} requests leans on the slowest one", "Run at least 100 requests per point.")


CHECKS: tuple[Callable[[Measurement], Iterator[tuple[str, str]]], ...] = (
    _e2e_adds_up,
    _mean_within,
    _total_holds_output,
    _little,
    _throughput,
    _stream_speed,
    _speed_of_whole_answers,
    _first_token_too_soon,
    _saturation,
    _chunks,
    _no_output,
    _sample_size,
)


def warm_caches(rows: Sequence[tuple[int, Measurement]]) -> tuple[Problem, ...]:
    """A warning where TTFT falls by more than half as load grows at equal lengths: the prompts of an earlier
    run were in the prefix cache. One warning per system and length, with the two figures."""
    series: dict[tuple[object, ...], list[tuple[float, float, int]]] = {}
    for number, row in rows:
        load = row.concurrency_count if row.load_kind == "concurrency" else row.offered_rate_req_per_s
        ttft = row.ttft_s.middle
        if load is None or ttft is None or row.isl_tok is None:
            continue
        system = (row.tier, row.model, row.accelerator, row.accelerator_count, row.precision, row.engine)
        series.setdefault((*system, row.load_kind, round(row.isl_tok, -1)), []).append((load, ttft, number))
    found = []
    for points in series.values():
        for (low, slow, first), (high, fast, second) in pairwise(sorted(points)):
            if high > low and fast < WARM_BELOW * slow:
                found.append(
                    Problem(
                        path=f"rows {first} and {second}",
                        message=f"TTFT falls from {slow * 1e3:.4g} to {fast * 1e3:.4g} ms as load grows from "
                        f"{low:g} to {high:g} at equal lengths: prompts were served from the prefix cache",
                        cure="Do not fit a curve through them; give each run its own seed and measure again.",
                        severity="warning",
                    )
                )
                break
    return tuple(found)
