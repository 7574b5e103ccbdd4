"""The CSV of AIPerf and genai-perf: a table of statistics, one of single values, one of GPUs; the load is in
none of them. Also the CSV of an AIPerf sweep or of repeats, which has one row per combination or metric.
"""

import re
from typing import Any

from data.document_reader import DocumentReader
from data.document_runs import read_each
from data.file_content import FileContent, Reading
from data.foreign_tables import Block, blocks, first_line, headings, plain_number
from data.importers.aiperf import load_of_parameters
from data.said_load import SAY_LOAD
from data.tagged_metrics import Load, measurement_of_metrics
from models.measurements import Measurement
from models.problems import Problem

KEY = "aiperf_csv"
LABEL = "AIPerf or genai-perf report (CSV)"

NAMED_UNIT = re.compile(r"(?P<name>.*?)\s*(?:\((?P<unit>[^()]*)\))?")
TAG_BY_NAME = {
    "time to first token": "time_to_first_token",
    "inter token latency": "inter_token_latency",
    "inter chunk latency": "inter_chunk_latency",
    "request latency": "request_latency",
    "input sequence length": "input_sequence_length",
    "output sequence length": "output_sequence_length",
    "output token throughput": "output_token_throughput",
    "total token throughput": "total_token_throughput",
    "request throughput": "request_throughput",
    "request count": "request_count",
    "error request count": "error_request_count",
    "completed requests": "completed_request_count",
    "benchmark duration": "benchmark_duration",
}
LATENCY_TAGS = ("time_to_first_token", "inter_token_latency", "inter_chunk_latency", "request_latency")
COMPLETED = "completed requests (success + error)"
SWEPT_STATISTIC = re.compile(r"(?P<tag>[a-z0-9_]+)_mean")
REPEATED_STATISTIC = re.compile(r"(?P<tag>[a-z0-9_]+)_(?P<statistic>avg|p50|p90|p95|p99)")


def sniff(content: FileContent) -> float:
    """0.95 for the tables of a report, 0.9 for those of a sweep and of repeats."""
    if content.is_json:
        return 0.0
    header = first_line(content.text).lower()
    is_report = header.startswith("metric,avg,min,max") and "request latency (" in content.text.lower()
    is_sweep = headings(content.text) >= {"request_latency_mean", "request_throughput_mean"}
    is_repeat = header.startswith("metric,mean,std,min,max,cv") and "request_latency_avg," in content.text
    return 0.95 if is_report else 0.9 if is_sweep or is_repeat else 0.0


def read(content: FileContent) -> Reading:
    """One measurement for a report or a set of repeats; one per row for a sweep."""
    found = blocks(content.name, content.text)
    if isinstance(found, Problem):
        return Reading(rows_read=0, problems=(found,))
    if first_line(content.text).lower().startswith("metric,avg"):
        return read_each([DocumentReader(_report(found), "report")], _report_run)
    if first_line(content.text).lower().startswith("metric,mean"):
        return read_each([DocumentReader(_repeats(found), "repeats")], _report_run)
    header, *rows = found[0]
    readers = [
        DocumentReader(dict(zip(header.cells, row.cells, strict=False)), f"row {row.line}") for row in rows
    ]
    return read_each(readers, _swept_run)


def _report(found: tuple[Block, ...]) -> dict[str, Any]:
    """All tables of statistics and of single values as tagged metrics."""
    metrics: dict[str, Any] = {}
    for block in found:
        header = [cell.lower() for cell in block[0].cells]
        if header[0] != "metric":
            continue
        for row in block[1:]:
            tag, unit = _tag_and_unit(row.cells[0])
            if tag is not None and tag not in metrics:
                statistics = dict(zip(header[1:], map(plain_number, row.cells[1:]), strict=False))
                metrics[tag] = statistics | {
                    "unit": unit,
                    "avg": statistics.get("avg", statistics.get("value")),
                }
    return metrics


def _tag_and_unit(name: str) -> tuple[str | None, str | None]:
    if name.lower() == COMPLETED:
        return "completed_request_count", None
    match = NAMED_UNIT.fullmatch(name)
    return (TAG_BY_NAME.get(match["name"].lower()), match["unit"]) if match else (None, None)


def _repeats(found: tuple[Block, ...]) -> dict[str, Any]:
    """Means over repeats as tagged metrics; percentiles only of a single run."""
    fields = {row.cells[0]: row.cells[1] for block in found for row in block if len(row.cells) == 2}
    is_single = fields.get("Single Run") == "True" or fields.get("Total Runs") == "1"
    metrics: dict[str, Any] = {"model": fields.get("Model"), "variation": fields.get("Variation Values", "")}
    header = found[0][0].cells
    for row in found[0][1:]:
        cells = dict(zip(header, row.cells, strict=False))
        match = REPEATED_STATISTIC.fullmatch(cells["metric"])
        if match and (is_single or match["statistic"] == "avg"):
            metric = metrics.setdefault(match["tag"], {"unit": cells.get("unit")})
            metric[match["statistic"]] = plain_number(cells.get("mean", ""))
    return metrics


def _report_run(reader: DocumentReader) -> Measurement:
    load = _varied_load(reader)
    return measurement_of_metrics(reader, load, reader.text("model"))


def _varied_load(reader: DocumentReader) -> Load:
    """The load that repeats name as varied; a report's CSV names none."""
    match = re.search(r"\.?(concurrency|request_rate|rate)'?: ([0-9.]+)", reader.text("variation") or "")
    if match:
        return load_of_parameters(reader, {match[1]: plain_number(match[2])})
    reader.warn(
        "",
        "the CSV does not say at which load it was measured",
        f"Import the JSON report beside it. {SAY_LOAD}",
    )
    return None, None, None


def _swept_run(reader: DocumentReader) -> Measurement:
    """One row of a sweep: parameters first, then means; the tool's own unit of time is the millisecond."""
    metrics: dict[str, Any] = {}
    parameters: dict[str, Any] = {}
    for name, cell in reader.document.items():
        match = SWEPT_STATISTIC.fullmatch(name)
        if match:
            unit = "ms" if match["tag"] in LATENCY_TAGS else "s"
            metrics[match["tag"]] = {"unit": unit, "avg": plain_number(cell)}
        elif not metrics:
            parameters[name] = plain_number(cell)
    load = load_of_parameters(reader, parameters)
    tagged = DocumentReader(metrics, reader.path, reader.problems)
    reader.warn("", "the sweep's CSV names no unit; times are read as milliseconds", "Import its JSON.")
    return measurement_of_metrics(tagged, load, None)
