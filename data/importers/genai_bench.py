"""Results of genai-bench (sgl-project): a JSON file per scenario and load, its settings beside it.

Latencies are in seconds unless the run was told `--metrics-time-unit ms`, which only the settings file and,
in newer releases, the result's own `_time_unit` say. TPOT is per request without the first token
(older releases divide by all tokens, 1/n less). Rates are
the whole server's despite "mean"; older releases give requests per minute, newer ones per second.
"""

from data.document_reader import DocumentReader
from data.document_runs import document_readers, read_each
from data.file_content import FileContent, Reading
from data.said_load import SAY_LOAD
from models.measurements import LoadKind, Measurement

KEY = "genai_bench"
LABEL = "genai-bench result of one load (JSON)"

S_PER_MIN = 60.0
UNITS_PER_S = {"s": 1.0, "ms": 1000.0}


def sniff(content: FileContent) -> float:
    """0.95 where the first object aggregates metrics the way genai-bench does."""
    aggregate = content.first.get("aggregated_metrics")
    return 0.95 if isinstance(aggregate, dict) and "stats" in aggregate and "scenario" in aggregate else 0.0


def read(content: FileContent) -> Reading:
    """One measurement per document."""
    return read_each(document_readers(content), run_of, content.document_problems)


def run_of(reader: DocumentReader) -> Measurement:
    """One aggregate as a measurement, in seconds."""
    aggregate = reader.under("aggregated_metrics")
    stats = aggregate.under("stats")
    load_kind, concurrency, batch, rate = _load(aggregate)
    per_s = _units_per_s(reader)
    return Measurement(
        model=reader.text("model", "model_name"),
        isl_tok=stats.under("num_input_tokens").number("mean"),
        osl_tok=stats.under("num_output_tokens").number("mean"),
        load_kind=load_kind,
        concurrency_count=concurrency,
        batch_count=batch,
        offered_rate_req_per_s=rate,
        duration_s=aggregate.number("run_duration"),
        request_count=aggregate.count("num_requests"),
        error_count=aggregate.count("num_error_requests"),
        ttft_s=stats.under("ttft").latency(per_s),
        tpot_s=stats.under("tpot").latency(per_s),
        e2e_s=stats.under("e2e_latency").latency(per_s),
        output_rate_tok_per_s=aggregate.number("mean_output_throughput_tokens_per_s"),
        total_rate_tok_per_s=aggregate.number("mean_total_tokens_throughput_tokens_per_s"),
        request_rate_req_per_s=_request_rate(aggregate),
        notes=aggregate.text("scenario"),
    )


def _units_per_s(reader: DocumentReader) -> float:
    """How many of the file's time units make a second; a unit that is not stated is said to be assumed."""
    unit = reader.text("_time_unit", "metrics_time_unit", "time_unit")
    if unit in UNITS_PER_S:
        return UNITS_PER_S[unit]
    if unit is not None:
        cure = "Run genai-bench with --metrics-time-unit s."
        reader.refuse("_time_unit", f"the unit {unit[:20]!r} is not known", cure)
    else:
        reader.warn(
            "aggregated_metrics",
            "latencies are read as seconds, the tool's default; the file does not name their unit",
            "Look for metrics_time_unit in experiment_metadata.json beside it.",
        )
    return 1.0


def _request_rate(aggregate: DocumentReader) -> float | None:
    per_s = aggregate.number("requests_per_second")
    return aggregate.number("requests_per_minute", S_PER_MIN) if per_s is None else per_s


def _load(
    aggregate: DocumentReader,
) -> tuple[LoadKind | None, float | None, float | None, float | None]:
    """Kind of load, concurrency, batch and offered rate; of a rate, the concurrency is only a cap."""
    rate = aggregate.number("request_rate")
    concurrency = aggregate.number("num_concurrency")
    batch = aggregate.number("batch_size")
    if aggregate.text("iteration_type") == "request_rate" or (rate and concurrency is None):
        return "rate", None, None, rate
    if aggregate.text("iteration_type") == "batch_size":
        return "batch", concurrency, batch, None
    if concurrency is None:
        aggregate.warn("", "it does not say at which load it was measured", SAY_LOAD)
        return None, None, None, None
    return "concurrency", concurrency, None, None
