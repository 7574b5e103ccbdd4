"""Results of `vllm bench serve` and the older benchmark_serving.py: one JSON object per load.

Milliseconds in the summary, seconds in the per-request lists. A variant that InferenceX writes leaves the
suffix `_ms` away and holds seconds; another wraps the settings in `config` and the figures in `results`.
Several objects may follow one another, as --append-result writes them. The backend is the client's
protocol and does not name the engine.
"""

import math
from dataclasses import replace
from typing import Any

from data.document_reader import STATISTIC_KEYS, DocumentReader
from data.document_runs import document_readers, read_each
from data.file_content import FileContent, Reading
from data.request_samples import RequestSample, filled, summary
from data.serving_runs import (
    accelerator_count_of,
    goodput_note,
    load_of,
    same_seeds,
    warn_of_speculation,
)
from models.measurements import Measurement
from models.percentiles import Percentiles

KEY = "vllm"
LABEL = "vLLM bench serve (JSON)"

LATENCY_KEYS = {"ttft": "ttft_s", "tpot": "tpot_s", "itl": "itl_s", "e2el": "e2e_s"}
MS_PER_S = 1000.0


def sniff(content: FileContent) -> float:
    """0.9 where the first object has vLLM's throughput and latency keys; less where only part is there."""
    keys = unwrapped(content.first).keys()
    if "mean_e2e_latency_ms" in keys or "total_throughput" in keys:  # SGLang's
        return 0.0
    latencies = [f"{word}_{metric}" for word in ("mean", "median") for metric in LATENCY_KEYS]
    if "request_throughput" in keys and any(key in keys or f"{key}_ms" in keys for key in latencies):
        return 0.9
    if {"request_throughput", "output_throughput", "completed"} <= keys:
        return 0.6
    return 0.6 if {"ttfts", "itls"} <= keys else 0.0


def unwrapped(document: dict[str, Any]) -> dict[str, Any]:
    """The object with its settings and its figures side by side."""
    config, results = document.get("config"), document.get("results")
    if isinstance(config, dict) and isinstance(results, dict):
        return config | results
    return document


def read(content: FileContent) -> Reading:
    """One measurement per object; an object with a wrong value is refused and the others stay."""
    readers = [
        DocumentReader(unwrapped(reader.document), reader.path) for reader in document_readers(content)
    ]
    return read_each(readers, run_of, (*content.document_problems, *same_seeds(readers)))


def run_of(reader: DocumentReader) -> Measurement:
    """One object as a measurement, in seconds; its caveats and errors stand in `reader.problems`."""
    completed, attempted = reader.count("completed"), reader.count("num_prompts")
    failed = reader.count("failed")
    if attempted is None and completed is not None and failed is not None:
        attempted = completed + failed
    if failed is None and completed is not None and attempted is not None:
        failed = max(attempted - completed, 0)
    load_kind, concurrency, rate = load_of(reader)
    run = Measurement(
        tier=reader.text("tier"),
        model=reader.text("model_id", "model"),
        accelerator=reader.text("accelerator", "gpu", "hardware"),
        accelerator_count=accelerator_count_of(reader),
        precision=reader.text("precision", "dtype", "quantization"),
        engine=reader.text("engine"),
        isl_tok=_per_request(reader, "total_input_tokens", "input_lens", completed),
        osl_tok=_per_request(reader, "total_output_tokens", "output_lens", completed),
        load_kind=load_kind,
        concurrency_count=concurrency,
        offered_rate_req_per_s=rate,
        duration_s=reader.number("duration"),
        request_count=attempted,
        error_count=failed,
        output_rate_tok_per_s=reader.number("output_throughput"),
        total_rate_tok_per_s=_total_rate(reader),
        request_rate_req_per_s=reader.number("request_throughput"),
        measured_on=reader.day("date"),
        notes=goodput_note(reader),
    )
    warn_of_speculation(reader)
    if completed == 0:
        reader.warn("completed", "no request succeeded, so there are no latencies", "Look for its cause.")
        return run
    _warn_of_seconds(reader)
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
    if any(f"{word}_{metric}_ms" in reader.document for word in ("mean", "median")):
        return reader.latency(MS_PER_S, _keys(f"{metric}_ms"))
    return reader.latency(1.0, _keys(metric))


def _warn_of_seconds(reader: DocumentReader) -> None:
    """Say that a missing suffix was taken for seconds; whether E2E adds up is checked for every row."""
    if any(f"{word}_ttft" in reader.document for word in ("mean", "median")):
        reader.warn(
            "mean_ttft",
            "latencies are read as seconds, because their keys have no suffix _ms",
            "Check one of them against what you saw.",
        )


def _keys(metric: str) -> dict[str, list[str]]:
    return {statistic: [f"{word}_{metric}" for word in words] for statistic, words in STATISTIC_KEYS.items()}


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
        own_gaps = _after_the_first_token(_gaps(gaps, index), ttft, _item(lengths, index))
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


def _after_the_first_token(
    gaps: tuple[float, ...], ttft_s: float | None, output_tok: float | None
) -> tuple[float, ...]:
    """Some servers' clients list the TTFT as the first gap: as many gaps as tokens, the first the TTFT."""
    is_ttft = bool(gaps) and len(gaps) == output_tok and gaps[0] == ttft_s
    return gaps[1:] if is_ttft else gaps


def _gaps(gaps: Any, index: int) -> tuple[float, ...]:
    own = gaps[index] if isinstance(gaps, list) and index < len(gaps) else None
    if not isinstance(own, list):
        return ()
    return tuple(float(gap) for gap in own if isinstance(gap, int | float) and math.isfinite(gap))


def _per_request(
    reader: DocumentReader, total_key: str, list_key: str, completed: int | None
) -> float | None:
    total = reader.number(total_key)
    if total is not None:
        return total / completed if completed else None
    lengths = [length for length in reader.numbers(list_key) or () if length > 0]
    return sum(lengths) / len(lengths) if lengths else None


def _total_rate(reader: DocumentReader) -> float | None:
    """As stated, or the sum of input and output throughput, which the oldest files state apart."""
    stated = reader.number("total_token_throughput")
    parts = reader.number("input_throughput"), reader.number("output_throughput")
    if stated is None and parts[0] is not None and parts[1] is not None:
        return parts[0] + parts[1]
    return stated
