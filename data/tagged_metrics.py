"""Metrics with a name, a unit and statistics, as AIPerf and genai-perf write them, as one measurement.

Their inter-token latency is (E2E - TTFT) / (output - 1) of each request, which is our TPOT; the gaps
between chunks are their inter-chunk latency. A request count is of successes only.
"""

from data.cell_numbers import POWER_BY_TIME_UNIT
from data.document_reader import DocumentReader, shown
from models.measurements import LoadKind, Measurement
from models.percentiles import UNKNOWN, Percentiles

Load = tuple[LoadKind | None, float | None, float | None]


def measurement_of_metrics(
    metrics: DocumentReader, load: Load, model: str | None, *, percentiles_hold: bool = True
) -> Measurement:
    """The run of one set of metrics.

    load              kind, concurrency, offered rate
    percentiles_hold  False where figures are means over repeats, whose percentiles cannot be averaged
    """
    successes, failed = _counts(metrics)
    latency = _latency if percentiles_hold else _mean_latency
    request_rate = _average(metrics, "request_throughput")
    duration = _duration(metrics)
    if duration is None and successes and request_rate:
        duration = successes / request_rate
    return Measurement(
        model=model,
        isl_tok=_average(metrics, "input_sequence_length"),
        osl_tok=_average(metrics, "output_sequence_length"),
        load_kind=load[0],
        concurrency_count=load[1],
        offered_rate_req_per_s=load[2],
        duration_s=duration,
        request_count=successes + (failed or 0) if successes is not None else None,
        error_count=failed,
        output_rate_tok_per_s=_average(metrics, "output_token_throughput"),
        total_rate_tok_per_s=_average(metrics, "total_token_throughput"),
        request_rate_req_per_s=request_rate,
        ttft_s=latency(metrics, "time_to_first_token"),
        tpot_s=latency(metrics, "inter_token_latency"),
        itl_s=latency(metrics, "inter_chunk_latency"),
        e2e_s=latency(metrics, "request_latency"),
    )


def _average(metrics: DocumentReader, tag: str) -> float | None:
    metric = metrics.under(tag)
    return metric.number("avg" if "avg" in metric.document else "mean")


def _counts(metrics: DocumentReader) -> tuple[int | None, int | None]:
    """Successes and failures; a completed request is one or the other."""
    successes, failed = _count(metrics, "request_count"), _count(metrics, "error_request_count")
    completed = _count(metrics, "completed_request_count")
    if failed is None and completed is not None and successes is not None:
        failed = max(completed - successes, 0)
    if failed is None and metrics.document.get("error_summary") == []:
        failed = 0
    return successes, failed


def _count(metrics: DocumentReader, tag: str) -> int | None:
    value = _average(metrics, tag)
    return None if value is None else round(value)


def _duration(metrics: DocumentReader) -> float | None:
    divisor = _divisor(metrics.under("benchmark_duration"))
    value = _average(metrics, "benchmark_duration")
    return None if value is None or divisor is None else value / divisor


def _latency(metrics: DocumentReader, tag: str) -> Percentiles:
    metric = metrics.under(tag)
    divisor = _divisor(metric)
    return UNKNOWN if divisor is None else metric.latency(divisor)


def _mean_latency(metrics: DocumentReader, tag: str) -> Percentiles:
    return Percentiles(mean=_latency(metrics, tag).mean)


def _divisor(metric: DocumentReader) -> float | None:
    """How many of the metric's unit make a second; None where the metric is missing or its unit unknown."""
    if not metric.document:
        return None
    unit = metric.text("unit")
    power = POWER_BY_TIME_UNIT.get((unit or "").lower())
    if power is None:
        metric.refuse("unit", f"{shown(unit)} is no unit of time known here", "Export it in ms.")
        return None
    return float(10**-power)
