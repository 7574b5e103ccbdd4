"""Workloads out of request logs: which logs there are, what each shows, and the draft with it put in."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import PurePath
from typing import Any

from app.formatting import DASH, duration, show
from data.imported import ImportedFile
from data.measured_workloads import fitted, is_whole, lacking
from data.request_demand import TokenSample
from data.runs import SourcedDemand
from data.store import Store
from models.quantities import quantity

__all__ = ["SourcedDemand", "added", "figures", "fitted_in", "is_whole", "lacking", "logs", "windows"]


def logs(store: Store, in_session: Sequence[ImportedFile]) -> tuple[SourcedDemand, ...]:
    """Every log at hand: the store's, the latest first, then those kept in this session only."""
    stored = store.demands()
    known = {each.source_id for each in stored}
    kept = tuple(
        SourcedDemand(demand=each.demand, source_id=each.source_id, file_name=each.file_name)
        for each in in_session
        if each.demand is not None and each.source_id not in known
    )
    return (*stored, *kept)


def figures(sourced: SourcedDemand) -> list[dict[str, str]]:
    """What a log shows, figure by figure, in words."""
    demand = sourced.demand
    peak = show("peak_rate_req_per_s", demand.peak_rate_req_per_s)
    if demand.peak_window_s is not None:
        peak += f" in the busiest {duration(demand.peak_window_s)}"
    bursts = show("scv_ratio", demand.dispersion_ratio)
    if demand.dispersion_window_s is not None:
        bursts += f" over stretches of {duration(demand.dispersion_window_s)}; 1 is Poisson"
    shares = demand.hourly_fraction
    rows = {
        "Requests": f"{demand.request_count:,}, of which {demand.error_count:,} failed",
        "Peak rate": peak,
        "Mean rate": show("peak_rate_req_per_s", demand.mean_rate_req_per_s),
        quantity("hourly_fraction").label: DASH
        if shares is None
        else f"quietest hour {show('hourly_fraction', min(shares))} of the busiest, hours in UTC",
        "Burstiness": bursts,
        quantity("input_tok").label: _lengths("input_tok", demand.input_tok),
        quantity("output_tok").label: _lengths("output_tok", demand.output_tok),
        quantity("cached_input_fraction").label: show("cached_input_fraction", demand.cached_input_fraction),
    }
    return [{"Figure": name, "In this log": text} for name, text in rows.items()]


def _lengths(name: str, sample: TokenSample | None) -> str:
    if sample is None:
        return DASH
    middle = sample.bins_tok[len(sample.bins_tok) // 2]
    return f"mean {show(name, sample.mean_tok)}, median {show(name, middle)}, CV {sample.cv_ratio:.2f}"


def windows(sourced: SourcedDemand) -> list[dict[str, str]]:
    """The log stretch by stretch: rate, failures and latencies."""
    demand = sourced.demand
    length = demand.window_s or 1.0
    return [
        {
            "From": _moment(each.start_s, demand.has_calendar),
            "Rate": show("peak_rate_req_per_s", each.request_count / length),
            "Failed": f"{each.error_count:,}",
            "TTFT p50": show("ttft_s", each.ttft_s_p50),
            "TTFT p95": show("ttft_s", each.ttft_s_p95),
            "E2E p50": show("e2e_s", each.e2e_s_p50),
            "E2E p95": show("e2e_s", each.e2e_s_p95),
        }
        for each in demand.windows
    ]


def _moment(start_s: float, has_calendar: bool) -> str:
    if not has_calendar:
        return f"{start_s:,.0f} s"
    return f"{datetime.fromtimestamp(start_s, UTC):%Y-%m-%d %H:%M:%S} UTC"


def fitted_in(draft: dict[str, Any], index: int, sourced: SourcedDemand) -> dict[str, Any]:
    """The draft with one of its workloads described by the log."""
    listed = list(draft["workloads"])
    listed[index] = fitted(listed[index], sourced)
    return {**draft, "workloads": listed}


def added(draft: dict[str, Any], sourced: SourcedDemand) -> dict[str, Any]:
    """The draft with a workload of the log's own, named after its file, for the models in use; no targets."""
    listed = list(draft["workloads"])
    taken = {each.get("name") for each in listed}
    wanted = PurePath(sourced.file_name).stem[:100] or "log"
    names = (wanted, *(f"{wanted} {count}" for count in range(2, len(listed) + 3)))
    models = list(dict.fromkeys(model for each in listed for model in each.get("models", [])))
    blank = {"name": next(name for name in names if name not in taken), "kind": "other", "models": models}
    return {**draft, "workloads": [*listed, fitted(blank, sourced)]}
