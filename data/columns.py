"""A measurement as one flat row of a table: every percentile a column of its own, in glossary names."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from operator import attrgetter
from typing import Any

from models.measurements import Measurement, SourcedMeasurement
from models.percentiles import UNKNOWN, Percentiles

STATISTICS = tuple(field.name for field in fields(Percentiles))
LATENCIES = tuple(field.name for field in fields(Measurement) if field.default is UNKNOWN)
COUNTS = ("accelerator_count", "request_count", "error_count", "incomplete_count")
DATES = ("measured_on",)
TEXTS = (
    "tier",
    "model",
    "accelerator",
    "precision",
    "engine",
    "load_kind",
    "requested_tier",
    "served_tier",
    "measured_by",
    "notes",
)
SOURCE_COLUMNS = ("source_id", "source_label", "row_number", "quality", "licence", "built_in")


def _columns_of(field_name: str) -> tuple[str, ...]:
    if field_name in LATENCIES:
        return tuple(f"{field_name}_{statistic}" for statistic in STATISTICS)
    return (field_name,)


MEASUREMENT_COLUMNS = tuple(column for field in fields(Measurement) for column in _columns_of(field.name))
FLAT_VALUES = attrgetter(
    *(
        f"{field.name}.{statistic}" if statistic else field.name
        for field in fields(Measurement)
        for statistic in (STATISTICS if field.name in LATENCIES else ("",))
    )
)
PLAIN_COLUMNS = tuple(field.name for field in fields(Measurement) if field.name not in LATENCIES)
STATISTIC_COLUMNS = tuple(
    (name, tuple((statistic, f"{name}_{statistic}") for statistic in STATISTICS)) for name in LATENCIES
)


def sql_type(column: str) -> str:
    """The DuckDB type of one measurement column."""
    if column in TEXTS:
        return "VARCHAR"
    if column in COUNTS:
        return "BIGINT"
    return "DATE" if column in DATES else "DOUBLE"


def flat(measurement: Measurement) -> tuple[Any, ...]:
    """The measurement's values in the order of `MEASUREMENT_COLUMNS`; None where missing."""
    values: tuple[Any, ...] = FLAT_VALUES(measurement)
    return values


def measurement_of(values: Sequence[Any]) -> Measurement:
    """The measurement whose flat row this is: the inverse of `flat`."""
    row = dict(zip(MEASUREMENT_COLUMNS, values, strict=True))
    arguments: dict[str, Any] = {}
    for field in fields(Measurement):
        if field.name in LATENCIES:
            arguments[field.name] = Percentiles(
                **{statistic: row[f"{field.name}_{statistic}"] for statistic in STATISTICS}
            )
        else:
            arguments[field.name] = row[field.name]
    return Measurement(**arguments)


def measurement_of_known(values: Mapping[str, Any]) -> Measurement:
    """The measurement with those of `MEASUREMENT_COLUMNS` that are known; other keys are none of it."""
    arguments = {name: values[name] for name in PLAIN_COLUMNS if name in values}
    for name, columns in STATISTIC_COLUMNS:
        known = {statistic: values[column] for statistic, column in columns if column in values}
        if known:
            arguments[name] = Percentiles(**known)
    return Measurement(**arguments)


def columns_of_measurements(measurements: Sequence[Measurement]) -> dict[str, tuple[Any, ...]]:
    """The values column by column, without columns that hold nothing: the form in which many rows travel."""
    by_place = zip(*map(FLAT_VALUES, measurements), strict=True)
    return {
        name: column
        for name, column in zip(MEASUREMENT_COLUMNS, by_place, strict=False)
        if column.count(None) < len(column)
    }


def measurements_of_columns(columns: Mapping[str, Sequence[Any]], count: int) -> list[Measurement]:
    """As many measurements as `count`, of columns of that length; what no column says is missing."""
    names = [name for name in PLAIN_COLUMNS if name in columns]
    values: list[Sequence[Any]] = [columns[name] for name in names]
    for name, statistics in STATISTIC_COLUMNS:
        known = [(statistic, columns[column]) for statistic, column in statistics if column in columns]
        if known:
            names.append(name)
            values.append(list(_percentiles(known)))
    if not values:
        return [Measurement()] * count
    return [Measurement(**dict(zip(names, row, strict=True))) for row in zip(*values, strict=True)]


def _percentiles(known: Sequence[tuple[str, Sequence[Any]]]) -> Iterator[Percentiles]:
    if len(known) == 1:
        ((statistic, column),) = known
        yield from (UNKNOWN if each is None else Percentiles(**{statistic: each}) for each in column)
        return
    statistics = [statistic for statistic, _ in known]
    for figures in zip(*(column for _, column in known), strict=True):
        if figures.count(None) == len(figures):
            yield UNKNOWN
        else:
            yield Percentiles(**dict(zip(statistics, figures, strict=True)))


def sourced_flat(sourced: SourcedMeasurement) -> tuple[Any, ...]:
    """Source columns, then measurement columns."""
    source = tuple(getattr(sourced, name) for name in SOURCE_COLUMNS)
    return source + flat(sourced.measurement)


def sourced_of(values: Sequence[Any]) -> SourcedMeasurement:
    """The record whose flat row this is: the inverse of `sourced_flat`."""
    source = dict(zip(SOURCE_COLUMNS, values, strict=False))
    return SourcedMeasurement(measurement=measurement_of(values[len(SOURCE_COLUMNS) :]), **source)
