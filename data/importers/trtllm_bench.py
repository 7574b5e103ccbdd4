"""TensorRT-LLM's trtllm-bench: an offline harness that pushes requests as fast as it is allowed to.

Milliseconds throughout; `total_latency_ms` is the duration of the whole run, and TTFT includes queueing.
"""

from data.document_reader import DocumentReader
from data.document_runs import document_readers, read_each
from data.file_content import FileContent, Reading
from models.measurements import LoadKind, Measurement
from models.percentiles import UNKNOWN, Percentiles

KEY = "trtllm_bench"
LABEL = "trtllm-bench report (JSON)"

MS_PER_S = 1000.0


def sniff(content: FileContent) -> float:
    """0.95 where the object has an engine, a world and a performance."""
    return 0.95 if {"engine", "world_info", "performance"} <= content.first.keys() else 0.0


def read(content: FileContent) -> Reading:
    """One measurement per report."""
    return read_each(document_readers(content), run_of, content.document_problems)


def run_of(reader: DocumentReader) -> Measurement:
    """One report as a measurement, in seconds."""
    engine, world = reader.under("engine"), reader.under("world_info")
    requests, performance = reader.under("request_info"), reader.under("performance")
    streaming = reader.under("streaming_metrics")
    load_kind, concurrency, rate = _load(reader)
    return Measurement(
        model=engine.text("model"),
        accelerator=reader.under("machine").text("name"),
        accelerator_count=world.count("world_size"),
        precision=engine.text("quantization", "dtype"),
        engine="tensorrt-llm",
        isl_tok=requests.number("avg_input_length"),
        osl_tok=requests.number("avg_output_length"),
        load_kind=load_kind,
        concurrency_count=concurrency,
        offered_rate_req_per_s=rate,
        duration_s=performance.number("total_latency_ms", MS_PER_S),
        request_count=requests.count("num_requests"),
        ttft_s=_latency(streaming, "ttft_percentiles", "avg_ttft_ms"),
        tpot_s=_latency(streaming, "tpot_percentiles", "avg_tpot_ms"),
        e2e_s=_latency(performance, "request_latency_percentiles_ms", "avg_request_latency_ms"),
        output_rate_tok_per_s=performance.number("system_output_throughput_tok_s"),
        total_rate_tok_per_s=performance.number("system_total_throughput_tok_s"),
        request_rate_req_per_s=performance.number("request_throughput_req_s"),
    )


def _latency(part: DocumentReader, percentiles: str, mean: str) -> Percentiles:
    ranks = part.under(percentiles)
    if ranks.document:
        return ranks.latency(MS_PER_S)
    average = part.number(mean, MS_PER_S)
    return Percentiles(mean=average) if average else UNKNOWN


def _load(reader: DocumentReader) -> tuple[LoadKind, float | None, float | None]:
    """A concurrency or a rate where one was set; else all at once, whatever was in flight on average."""
    requests, world = reader.under("request_info"), reader.under("world_info")
    concurrency = requests.number("concurrency") or world.number("concurrency")
    if concurrency is not None:
        return "concurrency", concurrency, None
    rate = requests.number("request_rate") or requests.number("issue_rate") or _finite_rate(world)
    if rate is not None:
        return "rate", None, rate
    observed = requests.number("avg_num_concurrent_requests")
    reader.warn(
        "request_info",
        "no concurrency was set, so all requests were pushed at once"
        + (f"; {observed:.4g} were in flight on average" if observed is not None else ""),
        "Its throughput is a ceiling and its TTFT holds the whole queue; set --concurrency to plan with it.",
    )
    return "unbounded", None, None


def _finite_rate(world: DocumentReader) -> float | None:
    """The rate at which requests were issued; a huge one stands for no limit."""
    rate = world.document.get("issue_rate")
    if not isinstance(rate, int | float) or isinstance(rate, bool) or not 0 < rate < 1e6:
        return None
    return float(rate)
