"""`llm-d-benchmark` reports 0.1, 0.2 and 0.2.1, YAML or JSON: the units stand beside the figures.

A label may still be wrong: the project's own example of 0.1 labels seconds as milliseconds. Where one
user would get far more tokens per second than the whole server makes, milliseconds are read as seconds.
"""

import re
from typing import Any

from data.document_reader import DocumentReader, shown
from data.document_runs import document_readers, read_each
from data.file_content import FileContent, Reading
from data.said_load import SAY_LOAD
from models.measurements import LoadKind, Measurement
from models.percentiles import UNKNOWN, Percentiles

KEY = "llmd"
LABEL = "llm-d benchmark report (YAML, JSON)"

DIVISOR_BY_UNIT = {"s": 1.0, "s/token": 1.0, "ms": 1e3, "ms/token": 1e3, "us": 1e6, "us/token": 1e6}
ISO_DURATION = re.compile(
    r"P(?:(?P<d>[0-9.]+)D)?(?:T(?:(?P<h>[0-9.]+)H)?(?:(?P<m>[0-9.]+)M)?(?:(?P<s>[0-9.]+)S)?)?"
)
FASTEST_STREAM_TOK_PER_S = 2000.0
FAR_ABOVE_SERVER = 10.0
RATE_KEYS = {
    "request": ("requests_per_sec", "request_rate"),
    "output": ("output_tokens_per_sec", "output_token_rate"),
    "total": ("total_tokens_per_sec", "total_token_rate"),
}


def sniff(content: FileContent) -> float:
    """0.95 where a versioned document has a scenario and the results of requests."""
    first = content.first
    if not {"version", "scenario"} <= first.keys():
        return 0.0
    metrics, results = first.get("metrics"), first.get("results")
    is_old = isinstance(metrics, dict) and "latency" in metrics
    return 0.95 if is_old or (isinstance(results, dict) and "request_performance" in results) else 0.0


def read(content: FileContent) -> Reading:
    """One measurement per report."""
    return read_each(document_readers(content), run_of, content.document_problems)


def run_of(reader: DocumentReader) -> Measurement:
    """One report as a measurement, in seconds."""
    figures = reader.under("metrics")
    if not figures.document:
        figures = reader.under("results", "request_performance", "aggregate")
    requests = figures.under("requests")
    rates = {kind: _rate(figures, keys) for kind, keys in RATE_KEYS.items()}
    labels_hold = _labels_hold(reader, figures, rates["output"])
    model, accelerator, count, engine = _system(reader)
    load_kind, concurrency, rate = _load(reader)
    return Measurement(
        model=model,
        accelerator=accelerator,
        accelerator_count=count,
        engine=engine,
        isl_tok=requests.under("input_length").number("mean"),
        osl_tok=requests.under("output_length").number("mean"),
        load_kind=load_kind,
        concurrency_count=concurrency,
        offered_rate_req_per_s=rate,
        duration_s=_duration(reader),
        request_count=requests.count("total"),
        error_count=requests.count("failures"),
        incomplete_count=requests.count("incomplete"),
        ttft_s=_latency(figures, "time_to_first_token", labels_hold=labels_hold),
        tpot_s=_latency(figures, "time_per_output_token", labels_hold=labels_hold),
        itl_s=_latency(figures, "inter_token_latency", labels_hold=labels_hold),
        e2e_s=_latency(figures, "request_latency", labels_hold=labels_hold),
        output_rate_tok_per_s=rates["output"],
        total_rate_tok_per_s=rates["total"],
        request_rate_req_per_s=rates["request"],
    )


def _rate(figures: DocumentReader, keys: tuple[str, str]) -> float | None:
    """A plain number in 0.1, statistics with a unit from 0.2 on."""
    throughput = figures.under("throughput")
    return (
        throughput.number(keys[0])
        if keys[0] in throughput.document
        else throughput.under(keys[1]).number("mean")
    )


def _latency(figures: DocumentReader, metric: str, *, labels_hold: bool) -> Percentiles:
    part = figures.under("latency", metric)
    if not part.document:
        return UNKNOWN
    unit = part.text("units")
    divisor = DIVISOR_BY_UNIT.get(unit or "")
    if divisor is None:
        part.refuse("units", f"{shown(unit)} is no unit of time known here", "Write s, ms or s/token.")
        return UNKNOWN
    return part.latency(divisor if labels_hold else 1.0)


def _labels_hold(reader: DocumentReader, figures: DocumentReader, output_rate: float | None) -> bool:
    """Whether the labels can be true: no user gets far more than the whole server makes."""
    part = figures.under("latency", "time_per_output_token")
    value, divisor = part.document.get("mean"), DIVISOR_BY_UNIT.get(part.text("units") or "", 1.0)
    if not isinstance(value, int | float) or value <= 0 or divisor == 1.0 or not output_rate:
        return True
    stream_rate = divisor / value
    if stream_rate <= max(FASTEST_STREAM_TOK_PER_S, FAR_ABOVE_SERVER * output_rate):
        return True
    reader.warn(
        "latency, units",
        f"read as labelled, one user would get {stream_rate:,.0f} tokens/s while the whole server makes "
        f"{output_rate:.4g}: the figures are read as seconds",
        "Mend the units in the report.",
    )
    return False


def _duration(reader: DocumentReader) -> float | None:
    """Seconds, or an ISO 8601 duration; a stop before the start is said and not used."""
    time = reader.under("metrics", "time")
    start, stop = time.number("start"), time.number("stop")
    if start is not None and stop is not None and stop < start:
        time.warn("stop", "it lies before the start; the stated duration is used", "Mend the report.")
    stated = reader.under("run", "time").text("duration")
    match = ISO_DURATION.fullmatch(stated or "")
    if match is None:
        return time.number("duration")
    days, hours, minutes, seconds = (float(match[part] or 0) for part in "dhms")
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds


def _system(reader: DocumentReader) -> tuple[str | None, str | None, int | None, str | None]:
    """Model, accelerator, number of accelerators and engine, over all components that run the model."""
    stack = reader.under("scenario").document.get("stack")
    if not isinstance(stack, list):
        return _old_system(reader)
    model = accelerator = engine = None
    count: int | None = None
    for component in stack:
        part = DocumentReader(component if isinstance(component, dict) else {}, reader.path, reader.problems)
        standard = part.under("standardized")
        if standard.text("kind") != "inference_engine":
            continue
        chips = standard.under("accelerator")
        model = model or standard.under("model").text("name")
        accelerator = accelerator or chips.text("model")
        engine = engine or standard.text("tool")
        own = chips.count("count")
        if own is not None:
            count = (count or 0) + own * (standard.count("replicas") or 1)
    return model, accelerator, count, engine


def _old_system(reader: DocumentReader) -> tuple[str | None, str | None, int | None, str | None]:
    scenario = reader.under("scenario")
    chips = [_part(chip, reader) for chip in _list(scenario.under("host"), "accelerator")]
    engines = [_part(engine, reader) for engine in _list(scenario.under("platform"), "engine")]
    counts = [count for chip in chips if (count := chip.count("count")) is not None]
    return (
        scenario.under("model").text("name"),
        chips[0].text("model") if chips else None,
        sum(counts) if counts else None,
        engines[0].text("name") if engines else None,
    )


def _list(reader: DocumentReader, key: str) -> list[Any]:
    value = reader.document.get(key)
    return value if isinstance(value, list) else []


def _part(value: Any, reader: DocumentReader) -> DocumentReader:
    return DocumentReader(value if isinstance(value, dict) else {}, reader.path, reader.problems)


def _load(reader: DocumentReader) -> tuple[LoadKind | None, float | None, float | None]:
    """From the standardised load of 0.2, or from the harness's own arguments in 0.1."""
    standard = reader.under("scenario", "load", "standardized")
    arguments = reader.under("scenario", "load", "args")
    rate = standard.number("rate_qps")
    if rate is None:
        rate = (
            arguments.number("qps_values")
            if not isinstance(arguments.document.get("qps_values"), str)
            else None
        )
    if rate is not None:
        return "rate", None, rate
    concurrency = standard.document.get("concurrency", arguments.document.get("max_concurrency"))
    if isinstance(concurrency, int | float) and not isinstance(concurrency, bool):
        return "concurrency", float(concurrency), None
    reader.warn("scenario, load", "it does not say at which load it was measured", SAY_LOAD)
    return None, None, None
