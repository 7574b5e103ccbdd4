"""Prometheus: a scrape in the text format, or an answer of its HTTP API, of a vLLM or SGLang server.

A scrape holds totals since the server started. A range query holds a window, over which counters are
followed through restarts, and so do two scrapes in one text, one below the other or parted by timestamps.
Metrics were renamed between releases: of the names of one thing, the newest that a replica has counts, so
that old and new replicas are summed and none is counted twice.
"""

import math
import re
from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from data.file_content import FileContent, Reading
from data.server_metrics import Histogram, Labels, ServerFigures, measurement_of_server
from models.problems import Problem

KEY = "prometheus"
LABEL = "Prometheus scrape or API answer (text, JSON)"

LINE = re.compile(r"^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)(?:\s+(-?\d+))?\s*$")
LABEL_PAIR = re.compile(r'([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"')
# Names of one thing, the newest first.
LATENCIES = {
    "ttft_s": ("vllm:time_to_first_token_seconds", "sglang:time_to_first_token_seconds"),
    "itl_s": (
        "vllm:inter_token_latency_seconds",
        "vllm:time_per_output_token_seconds",
        "sglang:inter_token_latency_seconds",
        "sglang:time_per_output_token_seconds",
    ),
    "tpot_s": ("vllm:request_time_per_output_token_seconds",),
    "e2e_s": ("vllm:e2e_request_latency_seconds", "sglang:e2e_request_latency_seconds"),
}
INPUTS = ("vllm:prompt_tokens_total", "sglang:prompt_tokens_total")
OUTPUTS = ("vllm:generation_tokens_total", "sglang:generation_tokens_total")
OWN_NAMES = re.compile(r"^(?:vllm|sglang):", re.MULTILINE)
MODEL_LABEL = "model_name"
COUNTER_ENDINGS = ("_total", "_count", "_bucket", "_sum")
PROCESS_START = "process_start_time_seconds"
MS_PER_S = 1000.0  # timestamps of the text format


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """One series: its name, its labels, and how far it rose (a scrape: since the start)."""

    name: str
    labels: Labels
    increase: float

    @property
    def replica(self) -> Labels:
        """The labels without the bucket's bound."""
        return tuple(pair for pair in self.labels if pair[0] != "le")


def sniff(content: FileContent) -> float:
    """0.95 for an API answer; 0.9 for text with metrics of vLLM or SGLang, 0.6 for other metrics."""
    if content.is_json:
        data = content.first.get("data")
        return 0.95 if isinstance(data, dict) and "resultType" in data else 0.0
    head = content.text[:100_000]
    lines = [line for line in head.splitlines()[:50] if line.strip() and not line.startswith("#")]
    if not lines or not all(LINE.match(line) for line in lines[:20]):
        return 0.0
    return 0.9 if OWN_NAMES.search(head) else 0.6


def read(content: FileContent) -> Reading:
    """One measurement of all replicas together."""
    if content.is_json:
        series, duration = _api_series(content)
        has_window = duration is not None
    else:
        scrapes = _text_series(content.text)
        series, duration, has_window = scrapes.series, scrapes.span_s, scrapes.has_window
    figures = _figures(series, duration, has_window=has_window)
    if not figures.latencies:
        return Reading(rows_read=len(series), problems=(_nothing_known(content.name, series),))
    run, problems = measurement_of_server(figures, content.name)
    if not content.is_json and scrapes.fallen:
        problems.append(_fallen(content.name, scrapes))
    return Reading(
        rows_read=1,
        measurements=((1, run),),
        problems=(*content.document_problems, *problems),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Scrapes:
    """One scrape, or several in one text.

    series      totals of one scrape, or how far each rose from the first to the last
    span_s      between first and last, where lines carry timestamps
    has_window  whether there were several
    fallen      counters that are lower in a later scrape, and how many there are in all
    """

    series: list[Series]
    span_s: float | None
    has_window: bool
    fallen: int = 0
    counters: int = 0


def _text_series(text: str) -> Scrapes:
    """What the text holds; the order is that of the timestamps, of the process' start, or of the text.

    A series that only a later scrape has was born in between, at zero.
    """
    values: dict[tuple[str, Labels], list[tuple[int, float]]] = defaultdict(list)
    for line in text.splitlines():
        match = LINE.match(line) if not line.startswith("#") else None
        value = _number(match[3]) if match else None
        if match and value is not None:
            labels = tuple(sorted(LABEL_PAIR.findall(match[2] or "")))
            values[match[1], labels].append((int(match[4] or 0), value))
    _put_in_order(values)
    has_window = any(len(points) > 1 for points in values.values())
    moments_ms = {moment for points in values.values() for moment, _ in points}
    first_ms, last_ms = min(moments_ms, default=0), max(moments_ms, default=0)
    found = []
    for (name, labels), points in values.items():
        points.sort(key=lambda point: point[0])
        increase = _increase([value for _, value in points])
        if not has_window or (len(points) == 1 and (points[0][0] > first_ms or first_ms == last_ms)):
            increase = points[0][1]
        found.append(Series(name=name, labels=labels, increase=increase))
    span_s = (last_ms - first_ms) / MS_PER_S
    counters = [points for (name, _), points in values.items() if name.endswith(COUNTER_ENDINGS)]
    return Scrapes(
        series=found,
        span_s=span_s if has_window and span_s else None,
        has_window=has_window,
        fallen=sum(_falls(points) for points in counters),
        counters=sum(len(points) > 1 for points in counters),
    )


def _put_in_order(values: dict[tuple[str, Labels], list[tuple[int, float]]]) -> None:
    """Turn scrapes without timestamps around where the server ran through and its counters fall: then the
    later scrape stands first."""
    points_of_starts = [points for (name, _), points in values.items() if name == PROCESS_START]
    ran_through = points_of_starts and all(
        len(points) > 1 and len({value for _, value in points}) == 1 for points in points_of_starts
    )
    without_times = all(moment == 0 for points in values.values() for moment, _ in points)
    counters = [points for (name, _), points in values.items() if name.endswith(COUNTER_ENDINGS)]
    if ran_through and without_times and any(map(_falls, counters)):
        for points in values.values():
            points.reverse()


def _falls(points: list[tuple[int, float]]) -> bool:
    return any(after[1] < before[1] for before, after in pairwise(sorted(points, key=lambda point: point[0])))


def _fallen(name: str, scrapes: Scrapes) -> Problem:
    if scrapes.span_s:
        message = "the server restarted in between; it is followed from zero"
        cure = "Take two scrapes of one life of the server to be sure of the whole window."
    else:
        message = "the server restarted in between, as it is read here, or the later scrape stands first"
        cure = "Put the earlier scrape first, or give every line its timestamp."
    return Problem(
        path=name,
        message=f"{scrapes.fallen} of {scrapes.counters} counters fall from one scrape to the next: "
        + message,
        cure=cure,
        severity="warning",
    )


def _number(text: Any) -> float | None:
    try:
        value = float(text)
    except (TypeError, ValueError):
        return None
    return value if math.isfinite(value) and value >= 0 else None


def _api_series(content: FileContent) -> tuple[list[Series], float | None]:
    """Series of an instant or a range query; of a range also its span in seconds."""
    data = content.first.get("data")
    results = data.get("result") if isinstance(data, dict) else None
    found: list[Series] = []
    moments: list[float] = []
    for result in results if isinstance(results, list) else []:
        if not isinstance(result, dict) or not isinstance(result.get("metric"), dict):
            continue
        labels = {str(key): str(value) for key, value in result["metric"].items()}
        name = labels.pop("__name__", "")
        pairs = result.get("values") if "values" in result else [result.get("value")]
        points = [
            (moment, value)
            for pair in (pairs if isinstance(pairs, list) else [])
            if isinstance(pair, list)
            and len(pair) == 2
            and (moment := _number(pair[0])) is not None
            and (value := _number(pair[1])) is not None
        ]
        if not points:
            continue
        moments += [points[0][0], points[-1][0]]
        increase = _increase([value for _, value in points]) if "values" in result else points[0][1]
        found.append(Series(name=name, labels=tuple(sorted(labels.items())), increase=increase))
    span = max(moments) - min(moments) if moments else 0.0
    return found, span or None


def _increase(values: list[float]) -> float:
    """How far a counter rose; a fall is a restart from zero."""
    rises = [after - before if after >= before else after for before, after in pairwise(values)]
    return sum(rises)


def _figures(series: list[Series], duration_s: float | None, *, has_window: bool) -> ServerFigures:
    by_name: dict[str, list[Series]] = defaultdict(list)
    for each in series:
        by_name[each.name].append(each)
    latencies = {
        target: histogram
        for target, names in LATENCIES.items()
        if (histogram := _histogram(by_name, names)) is not None
    }
    models = {dict(each.labels).get(MODEL_LABEL) for each in series} - {None}
    prefixes = {each.name.partition(":")[0] for each in series if ":" in each.name}
    return ServerFigures(
        latencies=latencies,
        input_tok=_total(by_name, INPUTS),
        output_tok=_total(by_name, OUTPUTS),
        duration_s=duration_s,
        has_window=has_window,
        model=models.pop() if len(models) == 1 else None,
        engine=prefixes.pop() if len(prefixes) == 1 else None,
    )


def _histogram(by_name: dict[str, list[Series]], names: tuple[str, ...]) -> Histogram | None:
    """All replicas together, each under the newest name it has."""
    found = Histogram()
    seen: set[Labels] = set()
    for name in names:
        counts = {each.replica: each.increase for each in by_name.get(f"{name}_count", ())}
        for replica, count in counts.items():
            if replica in seen:
                continue
            seen.add(replica)
            found.add(_replica_histogram(by_name, name, replica, count))
    return found if found.count > 0 else None


def _replica_histogram(
    by_name: dict[str, list[Series]], name: str, replica: Labels, count: float
) -> Histogram:
    total = sum(each.increase for each in by_name.get(f"{name}_sum", ()) if each.replica == replica)
    bounds = {
        bound: each.increase
        for each in by_name.get(f"{name}_bucket", ())
        if each.replica == replica and (bound := _bound(each)) is not None
    }
    return Histogram(total_s=total, count=count, at_or_below=bounds)


def _bound(series: Series) -> float | None:
    try:
        return float(dict(series.labels).get("le", "").replace("+Inf", "inf"))
    except ValueError:
        return None


def _total(by_name: dict[str, list[Series]], names: tuple[str, ...]) -> float | None:
    found = [each.increase for name in names for each in by_name.get(name, ())]
    return sum(found) if found else None


def _nothing_known(name: str, series: list[Series]) -> Problem:
    return Problem(
        path=name,
        message=f"{len(series)} series, and no latency histogram of vLLM or SGLang among them",
        cure="Query the _bucket, _sum and _count series by their own names, without rate() around them.",
    )
