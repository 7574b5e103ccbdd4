"""`k6`'s end-of-test summary, of --summary-export or handleSummary: response times without tokens.

`http_req_failed` counts failed requests under `passes`. Times are in milliseconds unless handleSummary says
otherwise. Times of successes are used where the test marked them. Waiting is a TTFT only where the server
flushes at its first token, so it is not taken for one; a trend of the test's own named ttft is.
"""

from data.document_reader import DocumentReader
from data.document_runs import document_readers, read_each
from data.file_content import FileContent, Reading
from data.said_load import SAY_LOAD
from models.measurements import LoadKind, Measurement
from models.percentiles import UNKNOWN, Percentiles

KEY = "k6"
LABEL = "k6 summary (JSON)"

DIVISOR_BY_UNIT = {"": 1e3, "ms": 1e3, "s": 1.0, "us": 1e6}
MS_PER_S = 1e3
DURATION, GOOD_DURATION = "http_req_duration", "http_req_duration{expected_response:true}"
OWN_TRENDS = {
    "ttft": ("ttft", "ttft_ms", "time_to_first_token", "llm_ttft"),
    "tpot": ("tpot", "tpot_ms", "time_per_output_token"),
    "itl": ("itl", "itl_ms", "inter_token_latency"),
}
OUTPUT_COUNTERS = ("output_tokens", "completion_tokens", "generated_tokens")
INPUT_COUNTERS = ("input_tokens", "prompt_tokens")


def sniff(content: FileContent) -> float:
    """0.95 where the object has k6's root group and its count of requests."""
    metrics = content.first.get("metrics")
    return (
        0.95
        if isinstance(metrics, dict) and "http_reqs" in metrics and "root_group" in content.first
        else 0.0
    )


def read(content: FileContent) -> Reading:
    """One measurement per summary."""
    return read_each(document_readers(content), run_of, content.document_problems)


def run_of(reader: DocumentReader) -> Measurement:
    """One summary as a measurement, in seconds."""
    requests, failed_share = _values(reader, "http_reqs"), _values(reader, "http_req_failed")
    count = requests.count("count")
    failed = failed_share.count("passes")
    duration = reader.under("state").number("testRunDurationMs", MS_PER_S)
    rate = requests.number("rate")
    if duration is None and count and rate:
        duration = count / rate
    good = count - failed if count is not None and failed is not None and failed <= count else count
    divisor = DIVISOR_BY_UNIT.get(reader.under("options").text("summaryTimeUnit") or "", MS_PER_S)
    load_kind, concurrency = _load(reader)
    return Measurement(
        isl_tok=_each(reader, INPUT_COUNTERS, good),
        osl_tok=_each(reader, OUTPUT_COUNTERS, good),
        load_kind=load_kind,
        concurrency_count=concurrency,
        duration_s=duration,
        request_count=count,
        error_count=failed,
        ttft_s=_own_trend(reader, "ttft", divisor),
        tpot_s=_own_trend(reader, "tpot", divisor),
        itl_s=_own_trend(reader, "itl", divisor),
        e2e_s=_durations(reader, failed, divisor),
        output_rate_tok_per_s=_own_counter(reader, OUTPUT_COUNTERS).number("rate"),
        request_rate_req_per_s=good / duration if good is not None and duration else rate,
    )


def _values(reader: DocumentReader, metric: str) -> DocumentReader:
    """The metric's numbers, which handleSummary puts one level deeper."""
    found = reader.under("metrics", metric)
    return found.under("values") if "values" in found.document else found


def _durations(reader: DocumentReader, failed: int | None, divisor: float) -> Percentiles:
    good = _values(reader, GOOD_DURATION)
    if good.document:
        return good.latency(divisor)
    if failed:
        reader.warn(
            DURATION,
            f"{failed} failed requests are inside its times, which are left out",
            "Keep the submetric {expected_response:true} in the summary.",
        )
        return UNKNOWN
    return _values(reader, DURATION).latency(divisor)


def _own_trend(reader: DocumentReader, kind: str, divisor: float) -> Percentiles:
    for name in OWN_TRENDS[kind]:
        trend = _values(reader, name)
        if trend.document:
            reader.warn(
                name,
                "it is a trend of the test's own and is taken in the summary's unit of time",
                "Check that the test records it in milliseconds.",
            )
            return trend.latency(divisor)
    return UNKNOWN


def _own_counter(reader: DocumentReader, names: tuple[str, ...]) -> DocumentReader:
    found = [_values(reader, name) for name in names if _values(reader, name).document]
    return found[0] if found else DocumentReader({}, reader.path)


def _each(reader: DocumentReader, names: tuple[str, ...], count: int | None) -> float | None:
    total = _own_counter(reader, names).number("count")
    return total / count if total is not None and count else None


def _load(reader: DocumentReader) -> tuple[LoadKind | None, float | None]:
    """Virtual users have at most one request in flight each; a load only where their number never moved."""
    users = _values(reader, "vus_max").number("max") or _values(reader, "vus_max").number("value")
    lowest, highest = _values(reader, "vus").number("min"), _values(reader, "vus").number("max")
    if users is not None and lowest is not None and lowest == highest:
        return "users", lowest
    reader.warn(
        "vus",
        "virtual users came and went, so the load is not one number"
        + (f": from {lowest:g} to {highest:g}" if lowest is not None and highest is not None else ""),
        f"Run each load apart, with constant-vus or constant-arrival-rate. {SAY_LOAD}",
    )
    return None, None
