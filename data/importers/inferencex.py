"""InferenceX (formerly InferenceMAX) aggregates: one object per run, latencies in seconds, rates per GPU.

`tput_per_gpu` counts input and output. Where prefill and decode run on GPUs of their own, output is per
decode GPU and input per prefill GPU. Lengths are the nominal ones, which true prompts stay below.
"""

from data.document_reader import STATISTIC_KEYS, DocumentReader
from data.document_runs import document_readers, read_each
from data.file_content import FileContent, Reading
from models.measurements import Measurement
from models.percentiles import Percentiles

KEY = "inferencex"
LABEL = "InferenceX aggregate (JSON)"


def sniff(content: FileContent) -> float:
    """0.95 where the first object has a throughput per GPU and a concurrency."""
    return 0.95 if {"tput_per_gpu", "conc"} <= content.first.keys() else 0.0


def read(content: FileContent) -> Reading:
    """One measurement per object."""
    return read_each(document_readers(content), run_of, content.document_problems)


def run_of(reader: DocumentReader) -> Measurement:
    """One object as a measurement of the whole system."""
    count, output_rate, total_rate = system_of(reader)
    warn_of_nominal_lengths(reader)
    return Measurement(
        model=reader.text("model"),
        accelerator=reader.text("hw"),
        accelerator_count=count,
        precision=reader.text("precision"),
        engine=reader.text("framework"),
        isl_tok=reader.number("isl"),
        osl_tok=reader.number("osl"),
        load_kind="concurrency",
        concurrency_count=reader.number("conc"),
        ttft_s=_latency(reader, "ttft"),
        tpot_s=_latency(reader, "tpot"),
        itl_s=_latency(reader, "itl"),
        e2e_s=_latency(reader, "e2el"),
        output_rate_tok_per_s=output_rate,
        total_rate_tok_per_s=total_rate,
        measured_on=reader.day("date"),
    )


def system_of(reader: DocumentReader) -> tuple[int | None, float | None, float | None]:
    """GPUs of the system, and its output and total tokens per second, from rates per GPU."""
    output, both = reader.number("output_tput_per_gpu"), reader.number("tput_per_gpu")
    if reader.document.get("disagg") in (True, "true", "True"):
        return _parted_system(reader, output)
    shards = [reader.count(key) or 1 for key in ("tp", "pp", "pcp")]
    if reader.count("tp") is None:
        reader.warn("tp", "without it the number of GPUs and all throughputs stay unknown", "Add tp.")
        return None, None, None
    count = shards[0] * shards[1] * shards[2]
    return count, _times(output, count), _times(both, count)


def _parted_system(
    reader: DocumentReader, output: float | None
) -> tuple[int | None, float | None, float | None]:
    prefill, decode = reader.count("num_prefill_gpu"), reader.count("num_decode_gpu")
    if not prefill or not decode:
        reader.warn("disagg", "without the numbers of prefill and decode GPUs no rate is known", "Add them.")
        return None, None, None
    output_rate = _times(output, decode)
    input_rate = _times(reader.number("input_tput_per_gpu"), prefill)
    total = output_rate + input_rate if output_rate is not None and input_rate is not None else None
    return prefill + decode, output_rate, total


def warn_of_nominal_lengths(reader: DocumentReader) -> None:
    """Say that the true mean lengths are not in the file."""
    reader.warn(
        "isl",
        "lengths are nominal: prompts are drawn from 80 to 100 % of them, so the true means are near 90 %",
        "Use the raw result file, which counts tokens.",
    )


def _times(rate: float | None, count: int) -> float | None:
    return None if rate is None else rate * count


def _latency(reader: DocumentReader, metric: str) -> Percentiles:
    keys = {statistic: [f"{word}_{metric}" for word in words] for statistic, words in STATISTIC_KEYS.items()}
    return reader.latency(1.0, keys)
