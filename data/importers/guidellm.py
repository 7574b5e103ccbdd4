"""GuideLLM reports 0.2 to 0.8, JSON or YAML: one file is a sweep, each of its benchmarks a run.

Request latency is in seconds and every `*_ms` in milliseconds. Its inter-token latency is (last - first
token) / (n - 1) per request in all versions, which is our TPOT; its own "time per output token" changed
meaning between versions and is not used. Rates are recomputed from token sums and the measured duration:
0.2 counted prompt tokens twice, and 0.5 runs a few percent high on short runs.
"""

from dataclasses import replace
from typing import Any

from data.document_reader import STATISTIC_KEYS, DocumentReader
from data.document_runs import read_each
from data.file_content import FileContent, Reading
from data.said_load import SAY_LOAD
from models.measurements import LoadKind, Measurement
from models.percentiles import Percentiles
from models.problems import Problem

KEY = "guidellm"
LABEL = "GuideLLM report (JSON, YAML)"

MS_PER_S = 1000.0
CUT_OFF_SHARE = 0.05  # above this the requests still running at the end move the rates
RATE_STRATEGIES = ("constant", "poisson", "async")
COUNT_LABELS = ("n_accelerators", "accelerator_count", "num_gpus", "tp")


def sniff(content: FileContent) -> float:
    """0.95 where the document holds a list of benchmarks with metrics, or of the layout before 0.2."""
    return 0.95 if _is_report(content.first) else 0.0


def _is_report(document: dict[str, Any]) -> bool:
    benchmarks = document.get("benchmarks")
    if not isinstance(benchmarks, list) or not benchmarks or not isinstance(benchmarks[0], dict):
        return False
    keys = benchmarks[0].keys()
    return "metrics" in keys or {"mode", "request_data"} <= keys or {"mode", "results"} <= keys


def read(content: FileContent) -> Reading:
    """One measurement per benchmark of every report in the file."""
    problems = list(content.document_problems)
    readers: list[DocumentReader] = []
    version = None
    for document in content.documents:
        report = DocumentReader(document.value, "report")
        version = version or report.under("metadata").text("guidellm_version")
        benchmarks = document.value.get("benchmarks")
        for benchmark in benchmarks if isinstance(benchmarks, list) else []:
            path = f"benchmark {len(readers) + 1}"
            if not isinstance(benchmark, dict) or "metrics" not in benchmark:
                problems.append(_too_old(path))
                continue
            readers.append(DocumentReader(_with_report(benchmark, report), path))
    return read_each(readers, run_of, problems, version)


def _too_old(path: str) -> Problem:
    return Problem(
        path=path,
        message="it has no metrics, as reports of GuideLLM 0.1 have not",
        cure="Run it again with GuideLLM 0.2 or later.",
    )


def _with_report(benchmark: dict[str, Any], report: DocumentReader) -> dict[str, Any]:
    """The benchmark with what only its report says: the model and the labels."""
    model = (
        report.under("config", "spec", "backend").text("model")
        or report.under("config", "backend").text("model")
        or report.under("args").text("model")
    )
    labels = report.under("config", "metadata", "labels").document
    return benchmark | {"report_model": model, "report_labels": labels}


def run_of(reader: DocumentReader) -> Measurement:
    """One benchmark as a measurement; also for a row of the CSV brought into the same shape."""
    load_kind, concurrency, rate = _load(reader)
    totals = reader.under("metrics", "request_totals")
    if not totals.document:
        totals = reader.under("request_totals")
    labels = DocumentReader(
        reader.under("extras").document | reader.under("report_labels").document, reader.path, reader.problems
    )
    run = Measurement(
        tier=labels.text("tier"),
        model=_model(reader),
        accelerator=labels.text("accelerator", "gpu", "hardware"),
        accelerator_count=_label_count(labels),
        precision=labels.text("precision", "quantization", "dtype"),
        engine=labels.text("engine", "framework"),
        isl_tok=_successful(reader, "prompt_token_count").number("mean"),
        osl_tok=_successful(reader, "output_token_count").number("mean"),
        load_kind=load_kind,
        concurrency_count=concurrency,
        offered_rate_req_per_s=rate,
        duration_s=reader.number("duration"),
        request_count=_attempts(totals),
        error_count=totals.count("errored"),
        incomplete_count=totals.count("incomplete"),
        ttft_s=_latency(reader, "time_to_first_token_ms", MS_PER_S),
        tpot_s=_latency(reader, "inter_token_latency_ms", MS_PER_S),
        e2e_s=_latency(reader, "request_latency", 1.0),
    )
    return _noted(reader, _with_rates(reader, run, totals.count("successful")))


def _model(reader: DocumentReader) -> str | None:
    return (
        reader.text("report_model")
        or reader.under("config", "backend").text("model")
        or reader.under("worker").text("backend_model")
    )


def _label_count(labels: DocumentReader) -> int | None:
    for key in COUNT_LABELS:
        word = str(labels.document.get(key, "")).strip()
        if word.isascii() and word.isdigit() and 0 < int(word[:9]) == int(word):
            return int(word)
    return None


def _attempts(totals: DocumentReader) -> int | None:
    """All requests, those cut off included; their sum where the report gives no total."""
    parts = [totals.count(status) for status in ("successful", "errored", "incomplete")]
    known = [part for part in parts if part is not None]
    stated = totals.count("total")
    return sum(known) if stated is None and known else stated


def _successful(reader: DocumentReader, metric: str) -> DocumentReader:
    return reader.under("metrics", metric, "successful")


def _latency(reader: DocumentReader, metric: str, divisor: float) -> Percentiles:
    statistics = _successful(reader, metric)
    ranks = statistics.under("percentiles").document
    flat = DocumentReader(ranks | statistics.document, f"{reader.path}, {metric}", reader.problems)
    return flat.latency(divisor, STATISTIC_KEYS)


def _load(reader: DocumentReader) -> tuple[LoadKind | None, float | None, float | None]:
    """Kind of load, concurrency and offered rate; the cap of a rate strategy is no load."""
    strategy = reader.under("config", "strategy")
    if not strategy.document:
        strategy = reader.under("args", "strategy")
    kind = strategy.text("type_", "kind", "type")
    if kind == "synchronous":
        return "concurrency", 1.0, None
    if kind == "concurrent":
        return "concurrency", strategy.number("streams"), None
    if kind == "throughput":
        return "unbounded", None, None
    if kind in RATE_STRATEGIES:
        return "rate", None, strategy.number("rate")
    reader.warn("strategy", f"the strategy {kind!r} is not known here", SAY_LOAD)
    return None, None, None


def _with_rates(reader: DocumentReader, run: Measurement, successes: int | None) -> Measurement:
    """Rates of successful requests: sums over the measured duration, else the mean the report states."""
    duration, isl, osl = run.duration_s, run.isl_tok, run.osl_tok
    stated = {
        name: _successful(reader, name).number("mean")
        for name in ("requests_per_second", "output_tokens_per_second", "tokens_per_second")
    }
    if successes == 0:
        reader.warn(
            "request_totals", "no request succeeded, so there are no latencies", "Look for its cause."
        )
        stated = dict.fromkeys(stated)
    request_rate, output_rate, total_rate = stated.values()
    if duration and successes:
        request_rate = successes / duration
        output_rate = request_rate * osl if osl is not None else output_rate
        # In 0.2 and 0.3 the stated total holds the prompt tokens twice, so it is never used beside sums.
        total_rate = request_rate * (isl + osl) if isl is not None and osl is not None else total_rate
    return replace(
        run,
        request_rate_req_per_s=request_rate,
        output_rate_tok_per_s=output_rate,
        total_rate_tok_per_s=total_rate,
    )


def _noted(reader: DocumentReader, run: Measurement) -> Measurement:
    """The run with what its cut-off requests hide, said as a caveat and kept as a note."""
    cut_off, attempts = run.incomplete_count, run.request_count
    if not cut_off or not attempts or cut_off <= CUT_OFF_SHARE * attempts:
        return run
    server = reader.under("metrics", "output_tokens_per_second", "total").number("mean")
    message = f"{cut_off} of {attempts} requests were cut off by the end of the run"
    note = None
    if server is not None and run.output_rate_tok_per_s is not None:
        note = (
            f"the server made {server:.4g} output tokens/s, of which requests that finished have "
            f"{run.output_rate_tok_per_s:.4g}"
        )
        message += f"; {note}"
    reader.warn(
        "request_totals",
        f"{message}; its latencies are censored: only the fastest finished",
        "Run it longer, or plan with a run that few requests outlast.",
    )
    return replace(run, notes=note)
