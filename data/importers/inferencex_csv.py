"""The table that the InferenceX web page exports; its columns titled ms hold seconds.

Whether they do is told by the speed of one user beside them: interactivity x TPOT is 1 where TPOT is in
seconds and 1000 where it is in milliseconds.
"""

import math

from data.document_reader import DocumentReader
from data.document_runs import read_each
from data.file_content import FileContent, Reading
from data.foreign_tables import blocks, headings, plain_number
from data.importers.inferencex import system_of, warn_of_nominal_lengths
from models.measurements import Measurement
from models.percentiles import Percentiles
from models.problems import Problem

KEY = "inferencex_csv"
LABEL = "InferenceX export (CSV)"

OWN_HEADINGS = frozenset(("throughput/gpu (tok/s)", "concurrency", "hardware", "tp"))
KEY_BY_HEADING = {
    "Throughput/GPU (tok/s)": "tput_per_gpu",
    "Output Throughput/GPU (tok/s)": "output_tput_per_gpu",
    "Input Throughput/GPU (tok/s)": "input_tput_per_gpu",
    "TP": "tp",
    "Disaggregated": "disagg",
    "Num Prefill GPUs": "num_prefill_gpu",
    "Num Decode GPUs": "num_decode_gpu",
}
WORDS = {"mean": "Mean", "p50": "Median", "p90": "P90", "p95": "P95", "p99": "P99"}
MS_PER_S = 1000.0


def sniff(content: FileContent) -> float:
    """0.95 where the header is the web page's."""
    return 0.95 if not content.is_json and headings(content.text) >= OWN_HEADINGS else 0.0


def read(content: FileContent) -> Reading:
    """One measurement per row."""
    found = blocks(content.name, content.text)
    if isinstance(found, Problem):
        return Reading(rows_read=0, problems=(found,))
    header, *rows = [row for block in found for row in block]
    readers = []
    for row in rows:
        cells = dict(zip(header.cells, row.cells, strict=False))
        document = {KEY_BY_HEADING.get(name, name): _typed(cell) for name, cell in cells.items()}
        readers.append(DocumentReader(document, f"row {row.line}"))
    return read_each(readers, run_of)


def run_of(reader: DocumentReader) -> Measurement:
    """One row as a measurement of the whole system."""
    count, output_rate, total_rate = system_of(reader)
    warn_of_nominal_lengths(reader)
    divisor = _divisor(reader)
    return Measurement(
        model=reader.text("Model"),
        accelerator=reader.text("Hardware"),
        accelerator_count=count,
        precision=reader.text("Precision"),
        engine=reader.text("Framework"),
        isl_tok=reader.number("ISL"),
        osl_tok=reader.number("OSL"),
        load_kind="concurrency",
        concurrency_count=reader.number("Concurrency"),
        ttft_s=_latency(reader, "TTFT", divisor),
        tpot_s=_latency(reader, "TPOT", divisor),
        itl_s=_latency(reader, "ITL", divisor),
        e2e_s=_latency(reader, "E2E Latency", divisor),
        output_rate_tok_per_s=output_rate,
        total_rate_tok_per_s=total_rate,
        measured_on=reader.day("Date"),
    )


def _divisor(reader: DocumentReader) -> float:
    """1 where the columns titled ms hold seconds, by the user's speed beside them; 1000 otherwise."""
    for word in ("Mean", "Median"):
        speed = reader.number(f"{word} Interactivity (tok/s/user)")
        tpot = reader.number(f"{word} TPOT (ms)")
        if speed and tpot:
            if abs(math.log10(speed * tpot)) > abs(math.log10(speed * tpot / MS_PER_S)):
                return MS_PER_S
            reader.warn(
                "TPOT (ms)",
                "columns titled ms hold seconds: interactivity x TPOT is 1 and not 1000",
                "Nothing to do: they are read as seconds.",
            )
            return 1.0
    reader.warn("TPOT (ms)", "no interactivity proves its unit; read as milliseconds", "Check the unit.")
    return MS_PER_S


def _latency(reader: DocumentReader, name: str, divisor: float) -> Percentiles:
    return reader.latency(divisor, {statistic: (f"{word} {name} (ms)",) for statistic, word in WORDS.items()})


def _typed(cell: str) -> object:
    number = plain_number(cell)
    return (cell or None) if number is None else number
