"""Results of `vllm bench serve` and the older benchmark_serving.py: one JSON object per load.

Milliseconds in the summary, seconds in the per-request lists. Several objects may follow one another, as
--append-result writes them. The backend is the client's protocol and does not name the engine.
"""

import math
from dataclasses import replace
from typing import Any

from data.document_reader import STATISTIC_KEYS, DocumentReader
from data.document_runs import document_readers, read_each
from data.file_content import FileContent, Reading
from data.request_samples import RequestSample, filled, summary
from models.measurements import LoadKind, Measurement
from models.percentiles import Percentiles

KEY = "vllm"
LABEL = "vLLM bench serve (JSON)"

LATENCY_KEYS = {"ttft": "ttft_s", "tpot": "tpot_s", "itl": "itl_s", "e2el": "e2e_s"}
MS_PER_S = 1000.0
COUNT_KEYS = ("n_accelerators", "accelerator_count", "num_gpus", "n_gpus", "tp", "tensor_parallel_size")


def sniff(content: FileContent) -> float:
    """0.9 where the first object has vLLM's throughput and latency keys."""
    if not content.documents:
        return 0.0
    keys = content.documents[0].value.keys()
    is_sglang = "mean_e2e_latency_ms" in keys or "total_throughput" in keys
    has_latency = "mean_ttft_ms" in keys or "mean_e2el_ms" in keys
    return 0.9 if "request_throughput" in keys and has_latency and not is_sglang else 0.0


def read(content: FileContent) -> Reading:
    """One measurement per object; an object with a wrong value is refused and the others stay."""
    return read_each(document_readers(content), run_of, content.document_problems)


def run_of(reader: DocumentReader) -> Measurement:
    """One object as a measurement, in seconds; its caveats and errors stand in `reader.problems`."""
    completed, attempted = reader.count("completed"), reader.count("num_prompts")
    failed = reader.count("failed")
    if attempted is None and completed is not None and failed is not None:
        attempted = completed + failed
    if failed is None and completed is not None and attempted is not None:
        failed = max(attempted - completed, 0)
    load_kind, concurrency, rate = _load(reader)
    run = Measurement(
        tier=reader.text("tier"),
        model=reader.text("model_id", "model"),
        accelerator=reader.text("accelerator", "gpu", "hardware"),
        accelerator_count=_accelerator_count(reader),
        precision=reader.text("precision", "dtype", "quantization"),
        engine=reader.text("engine"),
        isl_tok=_per_request(reader.number("total_input_tokens"), completed),
        osl_tok=_per_request(reader.number("total_output_tokens"), completed),
        load_kind=load_kind,
        concurrency_count=concurrency,
        offered_rate_req_per_s=rate,
        duration_s=reader.number("duration"),
        request_count=attempted,
        error_count=failed,
        output_rate_tok_per_s=reader.number("output_throughput"),
        total_rate_tok_per_s=reader.number("total_token_throughput"),
        request_rate_req_per_s=reader.number("request_throughput"),
        measured_on=reader.day("date"),
    )
    if completed == 0:
        reader.warn("completed", "no request succeeded, so there are no latencies", "Look for its cause.")
        return run
    return _with_latencies(reader, run, may_all_have_succeeded=not failed)


def _with_latencies(reader: DocumentReader, run: Measurement, *, may_all_have_succeeded: bool) -> Measurement:
    stated = {target: _percentiles(reader, metric) for metric, target in LATENCY_KEYS.items()}
    samples = request_samples(reader, may_all_have_succeeded=may_all_have_succeeded)
    computed = {
        "ttft_s": summary([sample.ttft_s for sample in samples]),
        "tpot_s": summary([sample.tpot_s for sample in samples]),
        "itl_s": summary([gap for sample in samples for gap in sample.chunk_gaps_s]),
        "e2e_s": summary([sample.e2e_s for sample in samples]),
    }
    return replace(
        run,
        ttft_s=filled(stated["ttft_s"], computed["ttft_s"]),
        tpot_s=filled(stated["tpot_s"], computed["tpot_s"]),
        itl_s=filled(stated["itl_s"], computed["itl_s"]),
        e2e_s=filled(stated["e2e_s"], computed["e2e_s"]),
    )


def _percentiles(reader: DocumentReader, metric: str) -> Percentiles:
    keys = {
        statistic: [f"{word}_{metric}_ms" for word in words] for statistic, words in STATISTIC_KEYS.items()
    }
    return reader.latency(MS_PER_S, keys)


def request_samples(reader: DocumentReader, *, may_all_have_succeeded: bool) -> tuple[RequestSample, ...]:
    """The successful requests of the per-request lists; empty where they cannot be told from the failed."""
    ttfts, latencies = reader.numbers("ttfts"), reader.numbers("latencies")
    lengths, gaps = reader.numbers("output_lens"), reader.document.get("itls")
    count = len(ttfts or latencies or ())
    succeeded = _successes(reader, count, lengths, may_all_have_succeeded=may_all_have_succeeded)
    if not count or succeeded is None:
        return ()
    samples = []
    for index in range(count):
        if not succeeded[index]:
            continue
        ttft = _item(ttfts, index)
        own_gaps = _gaps(gaps, index)
        e2e = _item(latencies, index)
        if e2e is None and ttft is not None and own_gaps:
            e2e = ttft + sum(own_gaps)
        samples.append(
            RequestSample(
                ttft_s=ttft or None, e2e_s=e2e, output_tok=_item(lengths, index), chunk_gaps_s=own_gaps
            )
        )
    return tuple(samples)


def _successes(
    reader: DocumentReader, count: int, lengths: list[float] | None, *, may_all_have_succeeded: bool
) -> list[bool] | None:
    errors = reader.document.get("errors")
    if isinstance(errors, list) and len(errors) == count:
        return [not error for error in errors]
    if lengths is not None and len(lengths) == count:
        return [length > 0 for length in lengths]
    return [True] * count if may_all_have_succeeded else None


def _item(values: list[float] | None, index: int) -> float | None:
    return values[index] if values is not None and index < len(values) else None


def _gaps(gaps: Any, index: int) -> tuple[float, ...]:
    own = gaps[index] if isinstance(gaps, list) and index < len(gaps) else None
    if not isinstance(own, list):
        return ()
    return tuple(float(gap) for gap in own if isinstance(gap, int | float) and math.isfinite(gap))


def _per_request(total: float | None, completed: int | None) -> float | None:
    return total / completed if total is not None and completed else None


def _load(reader: DocumentReader) -> tuple[LoadKind, float | None, float | None]:
    """Kind of load, concurrency and offered rate: a finite rate is an open loop, whatever caps it."""
    concurrency = reader.number("max_concurrency")
    stated = reader.document.get("request_rate")
    if stated is None or str(stated).lower() in ("inf", "infinity"):
        return ("unbounded" if concurrency is None else "concurrency"), concurrency, None
    offered = reader.number("request_rate")
    if concurrency is not None and "mean_e2el_including_client_queue_ms" not in reader.document:
        reader.warn(
            "max_concurrency",
            f"at most {concurrency:g} requests were in flight; waiting in the client is in no latency",
            "Plan with runs whose cap was never reached.",
        )
    return "rate", None, offered


def _accelerator_count(reader: DocumentReader) -> int | None:
    """From --metadata, where values are words: "tp" counts the accelerators of a system without replicas."""
    for key in COUNT_KEYS:
        word = str(reader.document.get(key, "")).strip()
        if word.isascii() and word.isdigit() and 0 < int(word[:9]) == int(word):
            if key in ("tp", "tensor_parallel_size"):
                reader.warn(
                    key, f"read as {word} accelerators", "Add --metadata n_accelerators=... with replicas."
                )
            return int(word)
    return None
