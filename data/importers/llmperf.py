"""LLMPerf: the summary of a run, and the list of its individual responses. All times are in seconds.

Its inter-token latency counts the first token (E2E / tokens) and is not used: TPOT follows from E2E, TTFT
and tokens, per request where the individual responses are given. The "mean output throughput" of the
summary is the whole system's. Failed rows keep latencies, and answers without a token a TTFT of 0.
"""

from dataclasses import replace
from typing import Any

from data.document_reader import DocumentReader
from data.document_runs import document_readers, read_each
from data.file_content import FileContent, Reading
from data.request_samples import RequestSample, run_of_samples
from data.said_load import SAY_LOAD
from models.measurements import Measurement
from models.percentiles import QUANTILE_BY_FIELD, Percentiles
from models.problems import Problem

KEY = "llmperf"
LABEL = "LLMPerf summary or individual responses (JSON)"

S_PER_MIN = 60.0


def sniff(content: FileContent) -> float:
    """0.95 where the first object has the keys of a summary or of one response."""
    keys = content.first.keys()
    return 0.95 if "results_ttft_s_mean" in keys or _is_response(content.first) else 0.0


def _is_response(document: dict[str, Any]) -> bool:
    return {"inter_token_latency_s", "ttft_s", "end_to_end_latency_s"} <= document.keys()


def read(content: FileContent) -> Reading:
    """One measurement per summary; one for all responses of a list."""
    if _is_response(content.first):
        return _individual(content)
    return read_each(document_readers(content), run_of, content.document_problems)


def run_of(reader: DocumentReader) -> Measurement:
    """One summary as a measurement, in seconds."""
    completed = reader.count("results_num_completed_requests")
    per_min = reader.number("results_num_completed_requests_per_min")
    rate = per_min / S_PER_MIN if per_min else None
    return Measurement(
        model=reader.text("model"),
        engine=reader.text("framework"),
        isl_tok=reader.number("results_number_input_tokens_mean"),
        osl_tok=reader.number("results_number_output_tokens_mean"),
        load_kind="concurrency",
        concurrency_count=reader.number("num_concurrent_requests"),
        duration_s=completed / rate if completed is not None and rate else None,
        request_count=reader.count("results_num_requests_started"),
        error_count=reader.count("results_number_errors"),
        ttft_s=_latency(reader, "ttft_s"),
        e2e_s=_latency(reader, "end_to_end_latency_s"),
        output_rate_tok_per_s=reader.number("results_mean_output_throughput_token_per_s"),
        request_rate_req_per_s=rate,
    )


def _latency(reader: DocumentReader, metric: str) -> Percentiles:
    keys = {quantile: (f"results_{metric}_quantiles_{quantile}",) for quantile in QUANTILE_BY_FIELD}
    return reader.latency(1.0, {"mean": (f"results_{metric}_mean",), **keys})


def _individual(content: FileContent) -> Reading:
    """All responses as one run: successes with at least one token give its latencies."""
    readers = document_readers(content)
    samples: list[RequestSample] = []
    problems = list(content.document_problems)
    failed = empty = 0
    for reader in readers:
        if reader.document.get("error_code") is not None:
            failed += 1
        elif not reader.number("number_output_tokens"):
            empty += 1
        else:
            samples.append(_sample(reader))
        problems.extend(reader.problems)
    run = run_of_samples(samples, failed=failed, load=(None, None, None))
    run = replace(run, request_count=len(readers))
    problems.append(_without_load(content.name, len(readers)))
    if empty:
        problems.append(_empty(content.name, empty))
    return Reading(rows_read=1, measurements=((1, run),) if samples else (), problems=tuple(problems))


def _sample(reader: DocumentReader) -> RequestSample:
    return RequestSample(
        ttft_s=reader.number("ttft_s"),
        e2e_s=reader.number("end_to_end_latency_s"),
        input_tok=reader.number("number_input_tokens"),
        output_tok=reader.number("number_output_tokens"),
    )


def _without_load(name: str, count: int) -> Problem:
    return Problem(
        path=name,
        message=f"{count} responses were summarised; the list names no load, no duration and no model",
        cure=f"Import the summary file beside it too. {SAY_LOAD}",
        severity="warning",
    )


def _empty(name: str, count: int) -> Problem:
    return Problem(
        path=name,
        message=f"{count} requests produced no tokens: their TTFT of 0 is missing, not 0",
        cure="Look for why nothing came back; they are left out of the latencies.",
        severity="warning",
    )
