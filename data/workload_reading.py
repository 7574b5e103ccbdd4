"""Read the workloads of a scenario: lengths, arrivals, targets, value, and how much arrives when."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, cast, get_args

from data.catalogue_files import Catalogue
from data.measured_workloads import read_measured
from data.reading import ASSUMED_BY_USER, Reader, checked_number, close_names
from data.scenario_text import same_value
from data.workload_defaults import DayShape, WorkloadDefault, read_shares
from models.evidence import Evidence
from models.lengths import (
    MAX_TOKEN_COUNT,
    TokenLengths,
    empirical_lengths,
    fixed_lengths,
    lognormal_from_percentiles,
    lognormal_lengths,
)
from models.percentiles import QUANTILE_BY_FIELD
from models.workloads import (
    ALL_DAY,
    Arrival,
    ArrivalKind,
    Demand,
    Target,
    TargetMetric,
    Value,
    ValueKind,
    ValueMetric,
    Workload,
    WorkloadKind,
)

Traces = Mapping[str, Mapping[str, Sequence[int]]]
LENGTH_KINDS = ("lognormal", "fixed", "empirical", "from_trace")
MAX_LENGTH_COUNT = 20_000
MAX_SEQUENTIAL_COUNT = 1_000_000
MAX_RATE_REQ_PER_S = 1e9  # more than all people on Earth could ask; a slip of the keyboard
MAX_FAN_OUT_COUNT = 1024  # calls that arrive together; the wait of larger groups takes minutes to work out
DRAFT_FIELDS = (
    "peak_rate_req_per_s",
    "arrival",
    "hourly_fraction",
    "input_tok",
    "output_tok",
    "cached_input_fraction",
    "task",
    "targets",
    "value",
)
# What each kind of value is computed from; all may have `value_usd_per_task`.
VALUE_FIELDS: Mapping[str, tuple[str, ...]] = {
    "half_life": ("half_life_s",),
    "deadline": ("deadline_s",),
    "conversion": ("loss_fraction_per_100_ms",),
    "waiting_time": ("waiting_usd_per_h",),
    "patience": ("patience_mean_s",),
    "iterations": (),
}


def read_demand(
    reader: Reader, catalogue: Catalogue, known_models: Collection[str], traces: Traces
) -> Demand | None:
    """One workload of a scenario with its rate; None where it has problems.

    known_models  ids a quality gate may name: the catalogue's and those the file defines
    """
    known_problem_count = len(reader.problems)
    kind = cast(WorkloadKind, reader.choice("kind", get_args(WorkloadKind)) or "other")
    models = _gate(reader, known_models)
    task = reader.group("task") or Reader({}, reader.at("task"), reader.problems)
    input_tok = read_lengths(reader, "input_tok", traces)
    output_tok = read_lengths(reader, "output_tok", traces)
    rate = reader.number("peak_rate_req_per_s", above=0, high=MAX_RATE_REQ_PER_S, required=True)
    name = reader.text("name", required=True)
    workload_fields: dict[str, Any] = {
        "cached_input_fraction": reader.number("cached_input_fraction", low=0, high=1) or 0.0,
        "sequential_call_count": task.integer("sequential_call_count", low=1, high=MAX_SEQUENTIAL_COUNT) or 1,
        "pause_s": task.number("pause_s", low=0) or 0.0,
        "fan_out_count": task.integer("fan_out_count", low=1, high=MAX_FAN_OUT_COUNT) or 1,
        "attempt_count": task.number("attempt_count", low=1) or 1.0,
        "resolved_fraction": task.number("resolved_fraction", above=0, high=1),
        "human_usd_per_task": task.number("human_usd_per_task", low=0) or 0.0,
        "targets": read_targets(reader),
        "value": _read_value(reader),
    }
    task.close()
    arrival = read_arrival(reader.group("arrival"))
    hourly_fraction = _read_day(reader, catalogue.day_shapes)
    measured = read_measured(reader)
    reader.close()
    if len(reader.problems) > known_problem_count or input_tok is None or output_tok is None or rate is None:
        return None
    workload = Workload(
        name=name,
        kind=kind,
        models=models,
        input_tok=input_tok,
        output_tok=output_tok,
        evidence=_evidence(reader.raw, kind, catalogue.workload_defaults) | measured,
        **workload_fields,
    )
    return Demand(
        workload=workload, peak_rate_req_per_s=rate, arrival=arrival, hourly_fraction=hourly_fraction
    )


def _gate(reader: Reader, known: Collection[str]) -> tuple[str, ...]:
    models = reader.texts("models", what="the models good enough for this work", at_least_one=True)
    for index, model in enumerate(models):
        if model not in known:
            reader.refuse(f"models[{index}]", f"'{model}' is not in the catalogue", close_names(model, known))
    return models


def read_lengths(reader: Reader, key: str, traces: Traces) -> TokenLengths | None:
    """Token lengths at `key`: lognormal (p50 and p95, or mean and cv), fixed, empirical or from a trace."""
    reader.required(key, "lengths such as {kind: lognormal, p50: 1000, p95: 4000}")
    lengths = reader.group(key)
    if lengths is None:
        return None
    clip = _read_clip(lengths)
    default_kind = "from_trace" if "from_trace" in lengths.raw else None
    kind = lengths.choice("kind", LENGTH_KINDS, default_kind)
    read = {
        "lognormal": lambda: _lognormal(lengths, clip),
        "fixed": lambda: _fixed(lengths, clip),
        "empirical": lambda: _empirical(lengths, clip),
        "from_trace": lambda: _from_trace(lengths, key, clip, traces),
    }
    result = None if kind is None else read[kind]()
    if kind is not None:
        lengths.close()
    return result


def _read_clip(lengths: Reader) -> tuple[int, int]:
    whole = (1, MAX_TOKEN_COUNT)
    if lengths.value("clip") is None:
        return whole
    entries = lengths.items("clip", what="the shortest and the longest length")
    bounds = [
        checked_number(Reader({}, path, lengths.problems), "", value, low=1, high=MAX_TOKEN_COUNT, whole=True)
        for value, path in entries
    ]
    if len(bounds) != 2 or None in bounds or cast(float, bounds[0]) > cast(float, bounds[1]):
        lengths.refuse("clip", "is not a shortest and a longest length", "Write clip: [1, 32768].")
        return whole
    return int(cast(float, bounds[0])), int(cast(float, bounds[1]))


def _lognormal(lengths: Reader, clip: tuple[int, int]) -> TokenLengths | None:
    by_moments = "mean" in lengths.raw or "cv" in lengths.raw
    if by_moments:
        mean = lengths.number("mean", low=1, high=MAX_TOKEN_COUNT, required=True)
        cv = lengths.number("cv", low=0, high=100, required=True)
        return None if mean is None or cv is None else lognormal_lengths(mean, cv, clip)
    p50 = lengths.number("p50", low=1, high=MAX_TOKEN_COUNT, required=True)
    p95 = lengths.number("p95", low=p50, high=MAX_TOKEN_COUNT, required=True)
    return None if p50 is None or p95 is None else lognormal_from_percentiles(p50, p95, clip)


def _fixed(lengths: Reader, clip: tuple[int, int]) -> TokenLengths | None:
    value = lengths.number("value", low=1, high=MAX_TOKEN_COUNT, required=True)
    return None if value is None else fixed_lengths(value, clip)


def _empirical(lengths: Reader, clip: tuple[int, int]) -> TokenLengths | None:
    entries = lengths.items("values", what="the lengths seen", at_least_one=True)
    if len(entries) > MAX_LENGTH_COUNT:
        lengths.refuse("values", f"has {len(entries):,} lengths", f"Give at most {MAX_LENGTH_COUNT:,}.")
        return None
    values = [
        checked_number(Reader({}, path, lengths.problems), "", value, low=1, high=MAX_TOKEN_COUNT, whole=True)
        for value, path in entries
    ]
    whole = [int(value) for value in values if value is not None]
    return empirical_lengths(whole, clip) if whole else None


def _from_trace(lengths: Reader, key: str, clip: tuple[int, int], traces: Traces) -> TokenLengths | None:
    trace = lengths.text("from_trace", required=True)
    if trace in traces:
        return empirical_lengths(traces[trace][key], clip)
    if trace:
        lengths.refuse(
            "from_trace",
            f"the request log {trace} is not here",
            "Import it, or write kind: lognormal, p50 and p95.",
        )
    return None


def read_arrival(reader: Reader | None) -> Arrival:
    """How requests come in; Poisson where left out."""
    if reader is None:
        return Arrival()
    kind = reader.choice("kind", get_args(ArrivalKind)) or "poisson"
    fields: dict[str, Any] = {}
    if kind == "gamma":
        fields["scv_ratio"] = reader.number("scv_ratio", above=0, high=1000, required=True)
    elif kind == "mmpp":
        fields["burst_fraction"] = reader.number("burst_fraction", above=0, high=1, required=True)
        fields["burst_ratio"] = reader.number("burst_ratio", low=1, required=True)
        fields["cycle_s"] = reader.number("cycle_s", above=0, required=True)
    elif kind == "sine":
        fields["amplitude_fraction"] = reader.number("amplitude_fraction", low=0, high=1, required=True)
        fields["period_s"] = reader.number("period_s", above=0, required=True)
    reader.close()
    given = {name: value for name, value in fields.items() if value is not None}
    return Arrival(kind=cast(ArrivalKind, kind), **given)


def read_targets(reader: Reader) -> tuple[Target, ...]:
    """The latency targets listed under `targets`."""
    targets = []
    for entry in reader.groups(
        "targets", what="targets such as {metric: ttft_s, quantile: 0.95, limit_s: 1}"
    ):
        metric = entry.choice("metric", get_args(TargetMetric))
        quantile = entry.number("quantile", above=0, high=1, required=True)
        limit_s = entry.number("limit_s", above=0, required=True)
        entry.close()
        if quantile is not None and quantile not in QUANTILE_BY_FIELD.values():
            entry.refuse("quantile", f"no percentile is kept for {quantile:g}", "Use 0.5, 0.9, 0.95 or 0.99.")
        if metric is not None and quantile is not None and limit_s is not None:
            targets.append(Target(metric=cast(TargetMetric, metric), quantile=quantile, limit_s=limit_s))
    return tuple(targets)


def _read_value(reader: Reader) -> Value | None:
    value = reader.group("value")
    if value is None:
        return None
    kind = value.choice("kind", get_args(ValueKind))
    fields: dict[str, float | None] = {"value_usd_per_task": value.number("value_usd_per_task", low=0)}
    for name in VALUE_FIELDS.get(kind or "", ()):
        high = 1.0 if name.startswith("loss_fraction") else None
        fields[name] = value.number(name, above=0, high=high, required=True)
    if kind == "deadline":
        fields["residual_value_fraction"] = value.number("residual_value_fraction", low=0, high=1)
    if kind == "conversion":
        fields["loss_fraction_at_2_s"] = _loss_at_2_s(value, fields["loss_fraction_per_100_ms"])
    metric = value.choice("metric", get_args(ValueMetric), "task_s")
    if kind is not None:
        value.close()
    if kind is None or metric is None:
        return None
    return Value(kind=cast(ValueKind, kind), metric=cast(ValueMetric, metric), **fields)


def _loss_at_2_s(value: Reader, per_100_ms: float | None) -> float | None:
    """A curve that saturates loses at 2 s between once and twenty times what it loses at 0.1 s."""
    loss = value.number("loss_fraction_at_2_s", above=0, high=1)
    if loss is None or per_100_ms is None or per_100_ms < loss < 20 * per_100_ms:
        return loss
    value.refuse(
        "loss_fraction_at_2_s",
        f"{loss:g} is not between 1 and 20 times the loss per 100 ms ({per_100_ms:g})",
        "Give the share of conversions lost after 2 s, such as 0.365 with 0.024 per 100 ms.",
    )
    return None


def _read_day(reader: Reader, day_shapes: Mapping[str, DayShape]) -> tuple[float, ...]:
    value = reader.value("hourly_fraction")
    if value is None:
        return ALL_DAY
    if not isinstance(value, str):
        return read_shares(reader, "hourly_fraction")
    if value in day_shapes:
        return day_shapes[value].hourly_fraction
    reader.refuse("hourly_fraction", f"'{value}' is no named day", close_names(value, day_shapes))
    return ALL_DAY


def _evidence(
    raw: Mapping[str, Any], kind: str, defaults: Mapping[str, WorkloadDefault]
) -> dict[str, Evidence]:
    """The catalogue's evidence for values left as it proposes them; the user's own word for the rest."""
    of_kind = [default for default in defaults.values() if default.kind == kind]
    evidence = {}
    for name in DRAFT_FIELDS:
        if raw.get(name) is None:
            continue
        proposals = (each for each in of_kind if same_value(each.draft.get(name), raw[name]))
        proposed = next(proposals, None)
        evidence[name] = ASSUMED_BY_USER if proposed is None else proposed.evidence[name]
    return evidence
