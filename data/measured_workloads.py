"""A workload described by a log of requests: its figures in a draft, and evidence that they were measured.

The draft keeps which log said what, with a mark of each value: a figure that is edited afterwards is the
user's own again, without anybody having to say so.
"""

from collections.abc import Mapping
from typing import Any

from data.reading import Reader
from data.request_demand import RequestDemand, TokenSample
from data.runs import SourcedDemand
from data.scenario_text import draft_id
from models.evidence import Evidence, Grade, Sense

MEASURED = "measured"
FIELD_WORDS = {
    "peak_rate_req_per_s": "peak rate",
    "arrival": "burstiness",
    "hourly_fraction": "shape of the day",
    "input_tok": "input lengths",
    "output_tok": "output lengths",
    "cached_input_fraction": "cached share of the input",
}
POISSON_WITHIN = 0.05
MOST_DISPERSION_RATIO = 1000.0  # what a scenario may say
DIGITS = 4
SHARE_DIGITS = 3


def measured_fields(demand: RequestDemand, call_count_per_task: int = 1) -> dict[str, Any]:
    """The fields of a workload that a log shows, as a scenario writes them; the others are absent.

    A log counts calls and a scenario tasks, so the rate is divided by the calls of a task. Counts whose
    dispersion is D over stretches of an E2E come from gaps of squared variation D where gaps are short
    against an E2E (Cox and Lewis, 1966, section 4.3); within 5 % of 1 they are called Poisson.
    """
    shown: dict[str, Any] = {}
    if demand.peak_rate_req_per_s is not None:
        shown["peak_rate_req_per_s"] = _rounded(demand.peak_rate_req_per_s / call_count_per_task)
    if demand.dispersion_ratio is not None and 0 < demand.dispersion_ratio <= MOST_DISPERSION_RATIO:
        shown["arrival"] = _arrival(demand.dispersion_ratio)
    if demand.hourly_fraction is not None:
        shown["hourly_fraction"] = [round(share, SHARE_DIGITS) for share in demand.hourly_fraction]
    for name, sample in (("input_tok", demand.input_tok), ("output_tok", demand.output_tok)):
        if sample is not None:
            shown[name] = _lengths(sample)
    if demand.cached_input_fraction is not None:
        shown["cached_input_fraction"] = _rounded(demand.cached_input_fraction)
    return shown


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def _arrival(dispersion: float) -> dict[str, Any]:
    if abs(dispersion - 1) <= POISSON_WITHIN:
        return {"kind": "poisson"}
    return {"kind": "gamma", "scv_ratio": _rounded(dispersion)}


def _lengths(sample: TokenSample) -> dict[str, Any]:
    return {"kind": "empirical", "values": list(sample.bins_tok)}


def fitted(workload: Mapping[str, Any], sourced: SourcedDemand) -> dict[str, Any]:
    """A workload of a draft with all that a log shows; the rest of it stays as it was."""
    task = workload.get("task") or {}
    calls = (task.get("sequential_call_count") or 1) * (task.get("fan_out_count") or 1)
    shown = measured_fields(sourced.demand, calls)
    measured = {
        "source_id": sourced.source_id,
        "file": sourced.file_name,
        "request_count": sourced.demand.request_count,
        "fields": {name: _mark(value) for name, value in shown.items()},
    }
    return {**workload, **shown, MEASURED: measured}


def lacking(demand: RequestDemand) -> tuple[str, ...]:
    """In words, the fields that the log says nothing about."""
    shown = measured_fields(demand)
    return tuple(words for name, words in FIELD_WORDS.items() if name not in shown)


def is_whole(demand: RequestDemand) -> bool:
    """Whether the log shows enough for a workload of its own: a rate and both lengths."""
    return {"peak_rate_req_per_s", "input_tok", "output_tok"} <= set(measured_fields(demand))


def _mark(value: object) -> str:
    """A few letters that change with the value."""
    return draft_id({"value": value})


def read_measured(workload: Reader) -> dict[str, Evidence]:
    """Evidence for each field of a workload that still has the value its log showed."""
    reader = workload.group(MEASURED)
    if reader is None:
        return {}
    source_id = reader.text("source_id", required=True)
    file = reader.text("file", required=True)
    count = reader.integer("request_count", low=1, required=True)
    fields = reader.group("fields")
    reader.close()
    if fields is None or not source_id or not file or count is None:
        return {}
    for name in fields.raw:
        if fields.text(name) is not None and name not in FIELD_WORDS:
            fields.refuse(name, "no log of requests shows this", f"Name some of {', '.join(FIELD_WORDS)}.")
    evidence = Evidence(
        grade=Grade.OWN_MEASUREMENT,
        sense=Sense.TYPICAL,
        source=f"request log {file}",
        locator=f"{source_id[:19]}, {count:,} requests",
        measured_by="you",
    )
    return {
        name: evidence
        for name, mark in fields.raw.items()
        if name in FIELD_WORDS and mark == _mark(workload.raw.get(name))
    }
