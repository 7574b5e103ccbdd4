"""`genai-perf`, AIPerf's predecessor: its JSON report, and the raw export of perf_analyzer's requests.

The report has no duration and no failures; the duration is requests over their rate. Releases before 0.0.9
pooled chunk gaps under the name of the inter-token latency.
"""

from typing import Any

from data.document_reader import DocumentReader
from data.document_runs import document_readers, read_each
from data.file_content import FileContent, Reading
from data.request_samples import RequestSample, run_of_samples
from data.said_load import SAY_LOAD
from data.tagged_metrics import Load, measurement_of_metrics
from models.measurements import Measurement

KEY = "genai_perf"
LABEL = "genai-perf report (JSON)"

NS_PER_S = 1e9


def sniff(content: FileContent) -> float:
    """0.95 for a report with perf_analyzer's settings, and for the raw export of its requests."""
    first = content.first
    settings = first.get("input_config")
    if isinstance(settings, dict) and ("perf_analyzer" in settings or "subcommand" in settings):
        return 0.95
    return 0.95 if _is_raw(first) else 0.0


def _is_raw(document: dict[str, Any]) -> bool:
    experiments = document.get("experiments")
    return isinstance(experiments, list) and "service_kind" in document


def read(content: FileContent) -> Reading:
    """One measurement per report, or per experiment of a raw export."""
    readers: list[DocumentReader] = []
    for report in document_readers(content):
        if not _is_raw(report.document):
            readers.append(report)
            continue
        for experiment in report.document["experiments"]:
            document = experiment if isinstance(experiment, dict) else {}
            readers.append(DocumentReader(document, f"experiment {len(readers) + 1}"))
    return read_each(readers, run_of, content.document_problems)


def run_of(reader: DocumentReader) -> Measurement:
    """One report or experiment as a measurement, in seconds."""
    if "requests" in reader.document:
        return _raw_run(reader)
    names = reader.under("input_config").document.get("model_names")
    model = str(names[0]) if isinstance(names, list) and names else None
    stimulus = reader.under("input_config", "perf_analyzer", "stimulus")
    return measurement_of_metrics(reader, _load(reader, stimulus.document), model)


def _load(reader: DocumentReader, stimulus: dict[str, Any]) -> Load:
    values = DocumentReader(stimulus, reader.path, reader.problems)
    if values.number("request_rate") is not None:
        return "rate", None, values.number("request_rate")
    if values.number("concurrency") is not None:
        return "concurrency", values.number("concurrency"), None
    reader.warn("stimulus", "it does not say at which load it was measured", SAY_LOAD)
    return None, None, None


def _raw_run(reader: DocumentReader) -> Measurement:
    """Times of single requests: the first response is the first token, the last the last; no tokens."""
    requests = reader.document.get("requests")
    samples = [
        sample
        for request in (requests if isinstance(requests, list) else [])
        if (sample := _sample(request)) is not None
    ]
    experiment = reader.under("experiment")
    mode, value = experiment.text("mode"), experiment.number("value")
    load = _load(reader, {str(mode): value})
    reader.warn(
        "requests",
        "the raw export counts no tokens, so lengths, TPOT and token rates stay unknown",
        "Import profile_export_genai_perf.json of the same run instead.",
    )
    return run_of_samples(samples, load=load)


def _sample(request: object) -> RequestSample | None:
    """Start, first and last response of one request; None where it has none."""
    if not isinstance(request, dict):
        return None
    start, responses = request.get("timestamp"), request.get("response_timestamps")
    if not isinstance(start, int | float) or not isinstance(responses, list) or not responses:
        return None
    if not all(isinstance(each, int | float) for each in (responses[0], responses[-1])):
        return None
    return RequestSample(
        start_s=start / NS_PER_S,
        ttft_s=(responses[0] - start) / NS_PER_S,
        e2e_s=(responses[-1] - start) / NS_PER_S,
    )
