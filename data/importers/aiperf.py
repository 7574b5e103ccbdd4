"""NVIDIA AIPerf's JSON: one run's report, or the aggregate of a sweep with one run per combination."""

from typing import Any

from data.document_reader import DocumentReader, shown
from data.document_runs import document_readers, read_each
from data.file_content import FileContent, Reading
from data.said_load import SAY_LOAD
from data.tagged_metrics import Load, measurement_of_metrics
from models.measurements import Measurement

KEY = "aiperf"
LABEL = "AIPerf report (JSON)"

CLOSED_LOOPS = ("concurrency", "concurrency_burst")
OPEN_LOOPS = ("poisson", "constant", "request_rate", "gamma", "fixed_rate")
TRACES = ("fixed_schedule", "trace", "replay")


def sniff(content: FileContent) -> float:
    """0.95 for a report with AIPerf's version or settings, and for the aggregate of a sweep."""
    first = content.first
    settings = first.get("input_config")
    if first.get("aggregation_type") == "sweep" and "per_combination_metrics" in first:
        return 0.95
    if isinstance(settings, dict) and ("perf_analyzer" in settings or "subcommand" in settings):
        return 0.0  # genai-perf's
    is_report = isinstance(first.get("request_latency"), dict)
    if is_report and ("aiperf_version" in first or isinstance(settings, dict)):
        return 0.95
    return 0.0


def read(content: FileContent) -> Reading:
    """One measurement per report, or per combination of a sweep."""
    readers: list[DocumentReader] = []
    version = None
    for report in document_readers(content):
        version = version or report.text("aiperf_version")
        combinations = report.document.get("per_combination_metrics")
        if not isinstance(combinations, list):
            readers.append(report)
            continue
        trials = report.under("metadata").number("num_trials_per_value")
        for combination in combinations:
            document = combination if isinstance(combination, dict) else {}
            path = f"combination {len(readers) + 1}"
            readers.append(DocumentReader(document | {"trials": trials}, path))
    return read_each(readers, run_of, content.document_problems, version)


def run_of(reader: DocumentReader) -> Measurement:
    """One report or one combination as a measurement, in seconds."""
    if "parameters" in reader.document:
        trials = reader.number("trials") or 1.0
        return measurement_of_metrics(
            reader.under("metrics"),
            load_of_parameters(reader, reader.under("parameters").document),
            None,
            percentiles_hold=trials <= 1,
        )
    if reader.document.get("was_cancelled") is True:
        reader.warn("was_cancelled", "the run was cancelled before its end", "Use a run that finished.")
    return measurement_of_metrics(reader, _load(reader), _model(reader))


def load_of_parameters(reader: DocumentReader, parameters: dict[str, Any]) -> Load:
    """The load among the parameters that a sweep varied."""
    values = DocumentReader(
        {key.rpartition(".")[2]: value for key, value in parameters.items()}, reader.path, reader.problems
    )
    rate = values.number("request_rate") or values.number("rate")
    concurrency = values.number("concurrency")
    if rate is not None:
        return "rate", None, rate
    if concurrency is not None:
        return "concurrency", concurrency, None
    reader.warn("parameters", "they name neither a concurrency nor a rate", SAY_LOAD)
    return None, None, None


def _load(reader: DocumentReader) -> Load:
    """The load of the profiling phase, or of the load generator's settings in releases before 0.3."""
    phases = reader.under("input_config").document.get("phases")
    for phase in phases if isinstance(phases, list) else []:
        if isinstance(phase, dict) and phase.get("kind", phase.get("name")) == "profiling":
            return _load_of_phase(DocumentReader(phase, f"{reader.path}, phase", reader.problems))
    generator = reader.under("input_config", "loadgen")
    if generator.document:
        return load_of_parameters(generator, generator.document)
    reader.warn("input_config", "it does not say at which load it was measured", SAY_LOAD)
    return None, None, None


def _load_of_phase(phase: DocumentReader) -> Load:
    kind = phase.text("type")
    if kind in CLOSED_LOOPS:
        return "concurrency", phase.number("concurrency"), None
    if kind in OPEN_LOOPS:
        return "rate", None, phase.number("rate" if "rate" in phase.document else "request_rate")
    if kind in TRACES:
        return "trace", None, None
    phase.warn("type", f"{shown(kind)} is no kind of load known here", SAY_LOAD)
    return None, None, None


def _model(reader: DocumentReader) -> str | None:
    settings = reader.under("input_config")
    items = settings.under("models").document.get("items")
    names = settings.under("endpoint").document.get("model_names") or settings.document.get("model_names")
    if isinstance(items, list) and items and isinstance(items[0], dict):
        return DocumentReader(items[0], reader.path).text("name")
    return str(names[0]) if isinstance(names, list) and names else None
