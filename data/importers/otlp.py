"""OpenTelemetry metrics of generative AI, as OTLP JSON or as the SDK prints them.

Points with an error type are failures and in no latency. Units stand with each metric. Server-side durations
are used before a client's; the token type `completion` is an old word for `output`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from data.cell_numbers import POWER_BY_TIME_UNIT
from data.file_content import FileContent, Reading
from data.server_metrics import Histogram, ServerFigures, measurement_of_server
from models.problems import Problem

KEY = "otlp"
LABEL = "OpenTelemetry metrics (JSON)"

# Names of one thing, the preferred first.
LATENCIES = {
    "ttft_s": ("gen_ai.server.time_to_first_token", "gen_ai.client.operation.time_to_first_chunk"),
    "tpot_s": ("gen_ai.server.time_per_output_token",),
    "e2e_s": ("gen_ai.server.request.duration", "gen_ai.client.operation.duration"),
}
ERRORS = ("gen_ai.client.operation.duration", "gen_ai.server.request.duration")
TOKENS = "gen_ai.client.token.usage"
OUTPUT_WORDS = ("output", "completion")
MODEL_ATTRIBUTES = ("gen_ai.response.model", "gen_ai.request.model")


@dataclass(frozen=True, slots=True, kw_only=True)
class DataPoint:
    """One histogram point of a metric, its attributes plain, its bounds in the metric's unit."""

    metric: str
    unit: str
    attributes: dict[str, str]
    count: float
    total: float
    bounds: tuple[float, ...]
    counts: tuple[float, ...]

    @property
    def failed(self) -> bool:
        """Whether it counts failures."""
        return bool(self.attributes.get("error.type"))


def sniff(content: FileContent) -> float:
    """0.95 where the object lists the metrics of resources."""
    return 0.95 if {"resource_metrics", "resourceMetrics"} & content.first.keys() else 0.0


def read(content: FileContent) -> Reading:
    """One measurement of all points together."""
    points = [point for document in content.documents for point in _points(document.value)]
    latencies = {
        target: histogram
        for target, names in LATENCIES.items()
        if (histogram := _histogram(points, names)) is not None
    }
    if not latencies:
        return Reading(rows_read=len(points), problems=(_nothing_known(content.name),))
    models = {model for point in points for name in MODEL_ATTRIBUTES if (model := point.attributes.get(name))}
    figures = ServerFigures(
        latencies=latencies,
        input_tok=_tokens(points, ("input",)),
        output_tok=_tokens(points, OUTPUT_WORDS),
        error_count=_errors(points),
        model=models.pop() if len(models) == 1 else None,
    )
    run, problems = measurement_of_server(figures, content.name)
    return Reading(rows_read=1, measurements=((1, run),), problems=(*content.document_problems, *problems))


def _either(value: Any, snake: str, camel: str) -> Any:
    return value.get(snake, value.get(camel)) if isinstance(value, dict) else None


def _each(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _points(document: dict[str, Any]) -> Iterator[DataPoint]:
    """All histogram points, in the SDK's words or in OTLP's."""
    for resource in _each(_either(document, "resource_metrics", "resourceMetrics")):
        for scope in _each(_either(resource, "scope_metrics", "scopeMetrics")):
            for metric in _each(_either(scope, "metrics", "metrics")):
                data = _either(metric, "data", "histogram")
                for point in _each(_either(data, "data_points", "dataPoints")):
                    if isinstance(point, dict):
                        yield _point(metric, point)


def _point(metric: dict[str, Any], point: dict[str, Any]) -> DataPoint:
    return DataPoint(
        metric=str(metric.get("name")),
        unit=str(metric.get("unit")),
        attributes=_attributes(point.get("attributes")),
        count=_number(point.get("count")),
        total=_number(point.get("sum")),
        bounds=tuple(_number(each) for each in _each(_either(point, "explicit_bounds", "explicitBounds"))),
        counts=tuple(_number(each) for each in _each(_either(point, "bucket_counts", "bucketCounts"))),
    )


def _attributes(value: Any) -> dict[str, str]:
    """A plain mapping, or OTLP's list of keys with typed values."""
    if isinstance(value, dict):
        return {str(key): str(each) for key, each in value.items()}
    return {
        str(pair.get("key")): str(next(iter(pair["value"].values()), ""))
        for pair in _each(value)
        if isinstance(pair, dict) and isinstance(pair.get("value"), dict)
    }


def _number(value: Any) -> float:
    """A number, which OTLP writes as text where it is a whole one; 0 where it is none."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return 0.0
    return number if 0 <= number < float("inf") else 0.0


def _histogram(points: list[DataPoint], names: tuple[str, ...]) -> Histogram | None:
    """The first of the names that has successes, all its points together, in seconds."""
    for name in names:
        found = Histogram()
        for point in points:
            power = POWER_BY_TIME_UNIT.get(point.unit)
            if point.metric != name or point.failed or power is None:
                continue
            unit_s = 10.0**power
            below = 0.0
            at_or_below = {}
            for bound, count in zip(point.bounds, point.counts, strict=False):
                below += count
                at_or_below[bound * unit_s] = below
            found.add(Histogram(total_s=point.total * unit_s, count=point.count, at_or_below=at_or_below))
        if found.count:
            return found
    return None


def _tokens(points: list[DataPoint], words: tuple[str, ...]) -> float | None:
    found = [
        point.total
        for point in points
        if point.metric == TOKENS and point.attributes.get("gen_ai.token.type") in words
    ]
    return sum(found) if found else None


def _errors(points: list[DataPoint]) -> float | None:
    """Failures by the first metric that counts any request."""
    for name in ERRORS:
        own = [point for point in points if point.metric == name]
        if own:
            return sum(point.count for point in own if point.failed)
    return None


def _nothing_known(name: str) -> Problem:
    return Problem(
        path=name,
        message="it holds no duration or first-token time of generative AI",
        cure="Export the gen_ai.* metrics, as histograms.",
    )
