"""A request log's typed rows summarised: one run of its successes, and the demand that it shows."""

import math
from collections.abc import Iterator
from dataclasses import replace

import duckdb

from data.log_quantiles import quantiles
from data.log_tables import row_of
from data.request_demand import CALENDAR_S, LogWindow, RequestDemand, TokenSample
from models.measurements import Measurement
from models.percentiles import QUANTILE_BY_FIELD, UNKNOWN, Percentiles

BIN_COUNT = 200
HOUR_S = 3600
DAY_S = 24 * HOUR_S
SHORTEST_DAY_S = 23 * HOUR_S  # a log of a day that was started late still shows the day
PEAK_WINDOWS_S = (HOUR_S, 300, 60)
WINDOWS_PER_SPAN = 3  # a busiest stretch is named only where the span holds this many
WINDOW_STEPS_S = (1, 5, 10, 30, 60, 300, 600, 1800, HOUR_S, 4 * HOUR_S, DAY_S, 7 * DAY_S, 28 * DAY_S)
MOST_WINDOWS = 60
USUAL_DISPERSION_WINDOW_S = 10.0  # where no E2E is known: what an answer of some hundred tokens takes
FEWEST_DISPERSION_WINDOWS = 30
TIMED = "count(start_s + e2e_s) FILTER (is_success)"


def measurement_of_log(connection: duckdb.DuckDBPyConnection, *, cached_is_inside: bool) -> Measurement:
    """One run: means, percentiles and rates of the successes, failures counted apart. Needs a success.

    Rates are of the successes whose start and end are known, over the time these span.
    """
    count, timed, first, end, isl, osl, failed = row_of(
        connection,
        f"SELECT count(*) FILTER (is_success), {TIMED}, "
        "min(start_s) FILTER (is_success AND e2e_s IS NOT NULL), "
        f"max(start_s + e2e_s) FILTER (is_success), avg({_whole_input(cached_is_inside)}) "
        "FILTER (is_success), "
        "avg(output_tok) FILTER (is_success), count(*) FILTER (NOT is_success) FROM arrivals",
    )
    duration = end - first if timed else None
    rate = timed / duration if duration else None
    return Measurement(
        model=_only_model(connection),
        isl_tok=isl,
        osl_tok=osl,
        duration_s=duration,
        request_count=count + failed,
        error_count=failed,
        ttft_s=_percentiles(connection, "ttft_s"),
        tpot_s=_percentiles(connection, "tpot_s"),
        e2e_s=_percentiles(connection, "e2e_s"),
        request_rate_req_per_s=rate,
        output_rate_tok_per_s=rate * osl if rate is not None and osl is not None else None,
        total_rate_tok_per_s=(
            rate * (isl + osl) if rate is not None and isl is not None and osl is not None else None
        ),
    )


def untimed_successes(connection: duckdb.DuckDBPyConnection) -> tuple[int, int]:
    """How many successes have no known start or end, and how many have both."""
    count, timed = row_of(connection, f"SELECT count(*) FILTER (is_success), {TIMED} FROM arrivals")
    return count - timed, timed


def _only_model(connection: duckdb.DuckDBPyConnection) -> str | None:
    lowest, highest, unnamed = row_of(
        connection, "SELECT min(model), max(model), count(*) - count(model) FROM arrivals"
    )
    return str(lowest) if lowest is not None and lowest == highest and not unnamed else None


def _percentiles(connection: duckdb.DuckDBPyConnection, column: str) -> Percentiles:
    found = quantiles(connection, "successes", column, tuple(QUANTILE_BY_FIELD.values()))
    if found is None:
        return UNKNOWN
    (mean,) = row_of(connection, f"SELECT avg({column}) FROM successes")
    return Percentiles(mean=mean, **dict(zip(QUANTILE_BY_FIELD, found, strict=True)))


def demand_of_log(connection: duckdb.DuckDBPyConnection, *, cached_is_inside: bool) -> RequestDemand:
    """The demand of all arrivals, and the lengths of those that succeeded."""
    count, errors, started, first, last, e2e = row_of(
        connection,
        "SELECT count(*), count(*) FILTER (NOT is_success), count(start_s), min(start_s), max(start_s), "
        "avg(e2e_s) FILTER (is_success) FROM arrivals",
    )
    demand = RequestDemand(
        request_count=count,
        error_count=errors,
        input_tok=_sample(connection, _whole_input(cached_is_inside)),
        output_tok=_sample(connection, "output_tok"),
        cached_input_fraction=_cached_fraction(connection, cached_is_inside),
    )
    if started < 2 or last <= first:
        return demand
    return _with_times(connection, demand, started, first, last, e2e)


def _whole_input(cached_is_inside: bool) -> str:
    return "input_tok" if cached_is_inside else "input_tok + coalesce(cached_tok, 0)"


def _with_times(
    connection: duckdb.DuckDBPyConnection,
    demand: RequestDemand,
    started: int,
    first: float,
    last: float,
    e2e_s: float | None,
) -> RequestDemand:
    span = last - first
    peak, peak_window = _peak(connection, first, last)
    dispersion, dispersion_window = _dispersion(connection, first, last, e2e_s)
    window = next((step for step in WINDOW_STEPS_S if span / step <= MOST_WINDOWS), None)
    return replace(
        demand,
        first_start_s=first,
        span_s=span,
        mean_rate_req_per_s=started / span,
        peak_rate_req_per_s=peak,
        peak_window_s=peak_window,
        hourly_fraction=_hours_of_the_day(connection, first, last),
        dispersion_ratio=dispersion,
        dispersion_window_s=dispersion_window,
        window_s=window,
        windows=tuple(_windows(connection, first, window)) if window is not None else (),
    )


def _cached_fraction(connection: duckdb.DuckDBPyConnection, cached_is_inside: bool) -> float | None:
    """Cached over all input tokens of the successes that tell both; None where a part exceeds its whole."""
    cached, whole, wrong = row_of(
        connection,
        f"SELECT sum(cached_tok), sum({_whole_input(cached_is_inside)}), "
        f"count(*) FILTER (cached_tok > {_whole_input(cached_is_inside)}) "
        "FROM successes WHERE cached_tok IS NOT NULL AND input_tok IS NOT NULL",
    )
    return cached / whole if whole and not wrong else None


def more_cached_than_input(connection: duckdb.DuckDBPyConnection) -> int:
    """Requests whose cached tokens are more than their input tokens, which should hold them."""
    return int(row_of(connection, "SELECT count(*) FILTER (cached_tok > input_tok) FROM successes")[0])


def _sample(connection: duckdb.DuckDBPyConnection, column: str) -> TokenSample | None:
    count, mean, spread = row_of(
        connection, f"SELECT count({column}), avg({column}), stddev_pop({column}) FROM successes"
    )
    if not count:
        return None
    cursor = connection.execute(
        f"SELECT round({column}), count(*) FROM successes WHERE {column} IS NOT NULL GROUP BY 1 ORDER BY 1"
    )
    bins = _bin_means(_fetched(cursor), count, min(BIN_COUNT, count))
    return TokenSample(mean_tok=mean, cv_ratio=spread / mean, bins_tok=bins)


def _fetched(cursor: duckdb.DuckDBPyConnection) -> Iterator[tuple[float, int]]:
    while rows := cursor.fetchmany(10_000):
        yield from rows


def _bin_means(histogram: Iterator[tuple[float, int]], count: int, bin_count: int) -> tuple[int, ...]:
    """Means of `bin_count` equally filled bins of a sorted sample given as values and how often each occurs.

    A value on the border of two bins is shared between them. Whole tokens, at least 1.
    """
    size = count / bin_count
    means: list[int] = []
    total = filled = 0.0
    for value, times in histogram:
        left = float(times)
        while left > 0 and len(means) < bin_count:
            taken = min(left, size - filled)
            total, filled, left = total + taken * value, filled + taken, left - taken
            if filled >= size * (1 - 1e-12):
                means.append(max(1, round(total / filled)))
                total = filled = 0.0
    if filled and len(means) < bin_count:
        means.append(max(1, round(total / filled)))
    return tuple(means)


def _peak(connection: duckdb.DuckDBPyConnection, first: float, last: float) -> tuple[float, float]:
    """The highest rate of a whole stretch of the clock: an hour where the span holds some, else less."""
    span = last - first
    for window in PEAK_WINDOWS_S:
        if span < WINDOWS_PER_SPAN * window:
            continue
        (most,) = row_of(
            connection,
            f"SELECT max(n) FROM (SELECT floor(start_s / {window}) AS w, count(*) AS n FROM arrivals "
            f"WHERE start_s IS NOT NULL GROUP BY 1) "
            f"WHERE w * {window} >= {first!r} AND (w + 1) * {window} <= {last!r}",
        )
        if most:
            return most / window, float(window)
    (started,) = row_of(connection, "SELECT count(start_s) FROM arrivals")
    return started / span, span


def _hours_of_the_day(
    connection: duckdb.DuckDBPyConnection, first: float, last: float
) -> tuple[float, ...] | None:
    """Mean rate in each hour of the day over the highest of them; each hour by the seconds the log covers."""
    if last - first < SHORTEST_DAY_S or not CALENDAR_S[0] <= first < CALENDAR_S[1]:
        return None
    counts = dict(
        connection.execute(
            f"SELECT floor(start_s / {HOUR_S})::BIGINT % 24, count(*) FROM arrivals "
            "WHERE start_s IS NOT NULL GROUP BY 1"
        ).fetchall()
    )
    rates = []
    for hour in range(24):
        covered = _covered_s(first, last, hour)
        if not covered:
            return None
        rates.append(counts.get(hour, 0) / covered)
    return tuple(rate / max(rates) for rate in rates)


def _covered_s(first: float, last: float, hour: int) -> float:
    """Seconds of one hour of the day that lie between two moments, over all days."""

    def before(moment: float) -> float:
        days, rest = divmod(moment, DAY_S)
        return days * HOUR_S + min(max(rest - hour * HOUR_S, 0.0), HOUR_S)

    return before(last) - before(first)


def _dispersion(
    connection: duckdb.DuckDBPyConnection, first: float, last: float, e2e_s: float | None
) -> tuple[float | None, float | None]:
    """Allan factor of the counts: half the mean squared step between neighbouring stretches, over the mean.

    1 for Poisson arrivals at any stretch, and blind to a rate that drifts slowly, as over a day; the plain
    ratio of variance to mean would call the day's swing a burst (Lowen and Teich, 2005, section 5.2).
    Clocks that tell whole seconds only are counted in whole seconds.
    """
    (whole_seconds,) = row_of(connection, "SELECT bool_and(start_s = floor(start_s)) FROM arrivals")
    window = e2e_s or USUAL_DISPERSION_WINDOW_S
    if whole_seconds:
        window = float(math.ceil(window))
    count = int((last - first) / window)
    if count < FEWEST_DISPERSION_WINDOWS:
        return None, None
    total, squares = row_of(
        connection,
        f"WITH counted AS (SELECT floor((start_s - {first!r}) / {window!r})::BIGINT AS w, count(*) AS n "
        f"FROM arrivals WHERE start_s IS NOT NULL GROUP BY 1 HAVING w < {count}), "
        "neighbours AS (SELECT w, n, lead(w) OVER (ORDER BY w) AS next_w, "
        "lead(n) OVER (ORDER BY w) AS next_n, lag(w) OVER (ORDER BY w) AS last_w FROM counted) "
        "SELECT sum(n), sum(CASE WHEN next_w = w + 1 THEN (next_n - n) * (next_n - n) "
        f"WHEN w = {count - 1} THEN 0 ELSE n * n END) "
        "+ sum(CASE WHEN last_w = w - 1 OR w = 0 THEN 0 ELSE n * n END) FROM neighbours",
    )
    mean = total / count
    return float(squares) / (count - 1) / (2 * mean), window


def _windows(connection: duckdb.DuckDBPyConnection, first: float, window: int) -> Iterator[LogWindow]:
    start = math.floor(first / window) * window
    rows = connection.execute(
        f"SELECT floor((start_s - {start}) / {window})::BIGINT AS w, count(*), "
        "count(*) FILTER (NOT is_success), approx_quantile(ttft_s, [0.5, 0.95]) FILTER (is_success), "
        "approx_quantile(e2e_s, [0.5, 0.95]) FILTER (is_success) "
        "FROM arrivals WHERE start_s IS NOT NULL GROUP BY 1 ORDER BY 1"
    ).fetchall()
    for place, count, errors, ttft, e2e in rows:
        ttft_p50, ttft_p95 = ttft or (None, None)
        e2e_p50, e2e_p95 = e2e or (None, None)
        yield LogWindow(
            start_s=start + place * window,
            request_count=count,
            error_count=errors,
            ttft_s_p50=ttft_p50,
            ttft_s_p95=ttft_p95,
            e2e_s_p50=e2e_p50,
            e2e_s_p95=e2e_p95,
        )
