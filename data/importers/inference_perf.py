"""`inference-perf`'s lifecycle reports: one file per stage, a summary of all stages, and single requests.

All latencies are in seconds. A stage is a run. The summary mixes stages of different load, so it is only
for runs of one stage. Releases of 2025 took chunks for tokens in their TPOT, which is then left out.
"""

from typing import Any

from data.document_reader import DocumentReader
from data.document_runs import document_readers, read_each
from data.file_content import FileContent, Reading
from data.request_samples import RequestSample, run_of_samples
from data.sanity_checks import RELATIVE_TOLERANCE
from models.measurements import Measurement
from models.percentiles import UNKNOWN, Percentiles
from models.problems import Problem

KEY = "inference_perf"
LABEL = "inference-perf report (JSON)"

FAR_COUNT_SHARE = 0.1
CACHED_SHARE_WORTH_SAYING = 0.02


def sniff(content: FileContent) -> float:
    """0.95 for a stage, a summary or the list of requests."""
    first = content.first
    if {"load_summary", "successes", "failures"} <= first.keys():
        return 0.95
    is_server_side = isinstance(first.get("successes"), dict) and "rate" in first["successes"]
    return 0.95 if is_server_side or _is_request(first) else 0.0


def _is_request(document: dict[str, Any]) -> bool:
    return {"start_time", "end_time", "request", "info", "error"} <= document.keys()


def read(content: FileContent) -> Reading:
    """One measurement per stage or summary; one for all requests of a list."""
    if _is_request(content.first):
        return _individual(content)
    problems = list(content.document_problems)
    readers = []
    for reader in document_readers(content):
        if "rate" in reader.under("successes").document:
            problems.append(_server_side(reader.path))
        else:
            readers.append(reader)
    return read_each(readers, run_of, problems)


def _server_side(path: str) -> Problem:
    return Problem(
        path=path,
        message="this holds what the server's own metrics said of the same window, not another run",
        cure="Import the stage files, whose names end in lifecycle_metrics.json.",
    )


def run_of(reader: DocumentReader) -> Measurement:
    """One stage as a measurement, in seconds."""
    successes, failed = reader.under("successes"), reader.under("failures").count("count")
    succeeded = successes.count("count")
    throughput = successes.under("throughput")
    request_rate = throughput.number("requests_per_sec")
    offered = reader.under("load_summary").number("requested_rate")
    if offered is None:
        reader.warn(
            "load_summary",
            "it names no requested rate: a summary mixes stages of different load",
            "Import the stage files instead.",
        )
    duration = reader.number("benchmark_time_seconds")
    if duration is None and succeeded is not None and request_rate:
        duration = succeeded / request_rate
    _warn_of_caches_and_counts(reader, successes)
    ttft, e2e = _latency(successes, "time_to_first_token"), _latency(successes, "request_latency")
    osl = successes.under("output_len").number("mean") or successes.under("output_tokens").number("mean")
    return Measurement(
        isl_tok=successes.under("prompt_tokens").number("mean")
        or successes.under("prompt_len").number("mean"),
        osl_tok=osl,
        load_kind="rate" if offered is not None else None,
        offered_rate_req_per_s=offered,
        duration_s=duration,
        request_count=None if succeeded is None else succeeded + (failed or 0),
        error_count=failed,
        ttft_s=ttft,
        tpot_s=_tpot(reader, ttft, e2e, osl),
        itl_s=_latency(successes, "inter_token_latency"),
        e2e_s=e2e,
        output_rate_tok_per_s=throughput.number("output_tokens_per_sec"),
        total_rate_tok_per_s=throughput.number("total_tokens_per_sec"),
        request_rate_req_per_s=request_rate,
    )


def _latency(successes: DocumentReader, metric: str) -> Percentiles:
    return successes.under("latency", metric).latency()


def _tpot(reader: DocumentReader, ttft: Percentiles, e2e: Percentiles, osl_tok: float | None) -> Percentiles:
    """TPOT per token; unknown where the run did not stream or where chunks were taken for tokens."""
    stated = _latency(reader.under("successes"), "time_per_output_token")
    if not ttft.known:
        reader.warn(
            "time_to_first_token",
            "the run was not streaming: TTFT and TPOT were not measured, and E2E / tokens is neither",
            "Set streaming: true and run it again.",
        )
        return UNKNOWN
    if ttft.mean is None or e2e.mean is None or stated.mean is None or osl_tok is None or osl_tok <= 1:
        return stated
    expected = (e2e.mean - ttft.mean) / (osl_tok - 1)
    if stated.mean < (1 - RELATIVE_TOLERANCE) * expected:
        reader.warn(
            "time_per_output_token",
            f"its mean of {stated.mean * 1e3:.4g} ms is per chunk and was left out: E2E and TTFT give "
            f"{expected * 1e3:.4g} ms per token",
            "Use a later release to get percentiles per token.",
        )
        return UNKNOWN
    return stated


def _warn_of_caches_and_counts(reader: DocumentReader, successes: DocumentReader) -> None:
    prompt = successes.under("prompt_tokens")
    total, cached = prompt.number("total"), prompt.number("cached")
    if total and cached and cached > CACHED_SHARE_WORTH_SAYING * total:
        reader.warn(
            "prompt_tokens",
            f"{cached / total:.0%} of the prompt tokens came from the prefix cache, so TTFT is that of warm "
            "prompts",
            "Plan with it only if your prompts repeat as much.",
        )
    client = successes.under("output_len").number("mean")
    server = successes.under("output_tokens").number("mean")
    if client and server and abs(client - server) > FAR_COUNT_SHARE * server:
        reader.warn(
            "output_tokens",
            f"the server counted {server:.4g} output tokens per request and the client {client:.4g}, which "
            "is used because throughputs rest on it",
            "Check the tokenizer.",
        )


def _individual(content: FileContent) -> Reading:
    """All requests as one run; their clock has no date, and stages are mixed."""
    readers = document_readers(content)
    samples = [_sample(reader) for reader in readers if reader.document.get("error") is None]
    run = run_of_samples(samples, failed=len(readers) - len(samples), load=(None, None, None))
    problem = Problem(
        path=content.name,
        message=f"{len(readers)} requests were summarised over all stages; the list names no load",
        cure="Import the stage files instead.",
        severity="warning",
    )
    found = [problem for reader in readers for problem in reader.problems]
    return Reading(
        rows_read=1,
        measurements=((1, run),) if samples else (),
        problems=(*content.document_problems, *found, problem),
    )


def _sample(reader: DocumentReader) -> RequestSample:
    start, end = reader.number("start_time"), reader.number("end_time")
    response = reader.under("info", "response_metrics")
    times = response.numbers("output_token_times") or response.numbers("chunk_times")
    known = start is not None and end is not None and end >= start
    return RequestSample(
        start_s=start,
        ttft_s=times[0] - start if times and start is not None and times[0] > start else None,
        e2e_s=end - start if known and end is not None and start is not None else None,
        input_tok=reader.under("info").number("input_tokens"),
        output_tok=response.number("output_tokens"),
    )
