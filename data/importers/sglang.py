"""SGLang's bench_serving: JSON Lines, one object per run, appended across runs and days.

Milliseconds in the summary. The rate is a bare Infinity where all requests are sent at once. A line names
neither its model nor how many requests were sent or failed, unless --output-details wrote the lists.
"""

from dataclasses import replace

from data.document_reader import STATISTIC_KEYS, DocumentReader, shown
from data.document_runs import document_readers, read_each
from data.file_content import FileContent, Reading
from data.serving_runs import accelerator_count_of, load_of, same_seeds, warn_of_speculation
from models.measurements import Measurement
from models.percentiles import Percentiles

KEY = "sglang"
LABEL = "SGLang bench_serving (JSON Lines)"

MS_PER_S = 1000.0
FAR_COUNT_SHARE = 0.1  # two counts of the same tokens that differ by more need a choice


def sniff(content: FileContent) -> float:
    """0.95 where the first object has SGLang's own throughput and latency keys."""
    return 0.95 if {"total_throughput", "mean_e2e_latency_ms"} <= content.first.keys() else 0.0


def read(content: FileContent) -> Reading:
    """One measurement per line."""
    readers = document_readers(content)
    return read_each(readers, run_of, (*content.document_problems, *same_seeds(readers)))


def run_of(reader: DocumentReader) -> Measurement:
    """One line as a measurement, in seconds."""
    completed, server = reader.count("completed"), reader.under("server_info")
    attempts, failed = _attempts(reader)
    load_kind, concurrency, rate = load_of(reader)
    run = Measurement(
        model=reader.text("model", "model_id") or server.text("model_path", "served_model_name"),
        accelerator=reader.text("accelerator", "gpu", "hardware"),
        accelerator_count=accelerator_count_of(_settings(reader)),
        precision=server.text("quantization", "dtype"),
        engine="sglang" if reader.text("backend") == "sglang" or server.document else None,
        isl_tok=_each(reader.number("total_input_tokens"), completed),
        osl_tok=_each(reader.number("total_output_tokens"), completed),
        load_kind=load_kind,
        concurrency_count=concurrency,
        offered_rate_req_per_s=rate,
        duration_s=reader.number("duration"),
        request_count=attempts,
        error_count=failed,
        output_rate_tok_per_s=reader.number("output_throughput"),
        total_rate_tok_per_s=reader.number("total_throughput"),
        request_rate_req_per_s=reader.number("request_throughput"),
    )
    warn_of_speculation(reader)
    _warn_of_two_counts(reader)
    if completed == 0:
        reader.warn("completed", "no request succeeded, so there are no latencies", "Look for its cause.")
        return run
    return replace(
        run,
        ttft_s=_latency(reader, "ttft"),
        tpot_s=_latency(reader, "tpot"),
        itl_s=_latency(reader, "itl"),
        e2e_s=_latency(reader, "e2e_latency"),
    )


def _settings(reader: DocumentReader) -> DocumentReader:
    """What may name the number of accelerators: the line's own keys, and the server's tensor parallelism."""
    server = reader.under("server_info").document
    shards = {"tp": server["tp_size"]} if "tp_size" in server else {}
    return DocumentReader(reader.document | shards, reader.path, reader.problems)


def _latency(reader: DocumentReader, metric: str) -> Percentiles:
    keys = {
        statistic: [f"{word}_{metric}_ms" for word in words] for statistic, words in STATISTIC_KEYS.items()
    }
    return reader.latency(MS_PER_S, keys)


def _attempts(reader: DocumentReader) -> tuple[int | None, int | None]:
    """Requests sent and failed, from the list of errors that --output-details writes; else unknown."""
    errors = reader.document.get("errors")
    if isinstance(errors, list) and errors:
        return len(errors), sum(bool(error) for error in errors)
    completed = reader.document.get("completed")
    reader.warn(
        "completed",
        f"{shown(completed)} requests succeeded; the line does not say how many were sent or failed",
        "Run with --output-details to know.",
    )
    return None, None


def _each(total: float | None, completed: int | None) -> float | None:
    return total / completed if total is not None and completed else None


def _warn_of_two_counts(reader: DocumentReader) -> None:
    """The count that the server gave is used; the text counted again may be far from it."""
    served, again = reader.number("total_output_tokens"), reader.number("total_output_tokens_retokenized")
    duration = reader.number("duration")
    if served and again is not None and duration and abs(again - served) > FAR_COUNT_SHARE * served:
        reader.warn(
            "total_output_tokens_retokenized",
            f"the server counted {served:,.0f} output tokens and the text holds {again:,.0f} "
            f"({again / duration:.4g} tokens/s); the server's count is used",
            "Check the tokenizer, and whether reasoning is counted.",
        )
