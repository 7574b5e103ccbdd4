"""Exact quantiles of a column of any length in little memory: count by bins, then sort one bin."""

from collections.abc import Sequence

import duckdb

BINS_PER_E_FOLD = 500  # bins 0.2 % wide: a bin of ten million latencies holds some ten thousand

LOWEST = -1_000_000  # the bin of what is not above zero; ln of the smallest double is -745


def quantiles(
    connection: duckdb.DuckDBPyConnection, relation: str, column: str, wanted: Sequence[float]
) -> list[float] | None:
    """Quantiles by linear interpolation between order statistics; None where no value is known.

    Type 7 of Hyndman and Fan (1996), as NumPy and the benchmark tools. DuckDB's own holds all values in
    memory, which a limited process does not have.
    """
    place = f"CASE WHEN {column} > 0 THEN floor(ln({column}) * {BINS_PER_E_FOLD})::BIGINT ELSE {LOWEST} END"
    bins = connection.execute(
        f"SELECT {place} AS bin, count(*) FROM {relation} WHERE {column} IS NOT NULL GROUP BY 1 ORDER BY 1"
    ).fetchall()
    count = sum(times for _, times in bins)
    if not count:
        return None
    ranks = [quantile * (count - 1) for quantile in wanted]
    needed = sorted({rank for each in ranks for rank in (int(each), min(int(each) + 1, count - 1))})
    value: dict[int, float] = {}
    below = 0
    for each, times in bins:
        inside = [rank for rank in needed if below <= rank < below + times]
        if inside:
            first, last = inside[0] - below, inside[-1] - below
            found = connection.execute(
                f"SELECT {column} FROM {relation} WHERE {column} IS NOT NULL AND {place} = {each} "
                f"ORDER BY 1 LIMIT {last - first + 1} OFFSET {first}"
            ).fetchall()
            value.update({rank: found[rank - below - first][0] for rank in inside})
        below += times
    return [
        value[int(rank)] + (rank - int(rank)) * (value[min(int(rank) + 1, count - 1)] - value[int(rank)])
        for rank in ranks
    ]
