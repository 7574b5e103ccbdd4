"""How fits to light open loads foretell saturation, and fits to all steady loads the way there."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from models.architectures import batched_accelerator
from models.lengths import fixed_lengths
from models.measurements import Measurement, SourcedMeasurement
from models.performance import BatchedPerformance, Load, RequestClass
from models.saturation import saturation_band
from models.slots import default_slot_count
from tests.benchmarks.curve_file import configurations, offer_of

LIGHT_RATE_REQ_PER_S = 10.0
STEADY_FRACTION = 0.95
SATURATED_FRACTION = 0.5  # served over offered in a row that surely shows the plateau
BELOW_SATURATION = 0.9
SATURATION_BAR = 0.20
COVERAGE_BAR = 0.80
SERVED_BAR = 0.10


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """One configuration's rows under offered rates, of one combination of lengths."""

    label: str
    rows: tuple[SourcedMeasurement, ...]

    @property
    def plateau_req_per_s(self) -> float:
        """The highest rate that finished."""
        return max(served(each.measurement) for each in self.rows)

    @property
    def steady(self) -> list[SourcedMeasurement]:
        """Rows that finished what was offered, whatever their own file calls them."""
        return [
            replace(each, quality="ok")
            for each in self.rows
            if served(each.measurement) >= STEADY_FRACTION * offered(each.measurement)
        ]


def offered(row: Measurement) -> float:
    """Requests per second sent."""
    return row.offered_rate_req_per_s or 0.0


def served(row: Measurement) -> float:
    """Requests per second finished."""
    return row.request_rate_req_per_s or 0.0


def sweeps(points: Sequence[SourcedMeasurement]) -> Iterator[Sweep]:
    """Sweeps that reach a plateau and have a steady light load."""
    for key, rows in configurations(points).items():
        known = [
            each
            for each in rows
            if offered(each.measurement) and served(each.measurement) and each.measurement.isl_tok
        ]
        for shape in sorted({(each.measurement.isl_tok, each.measurement.osl_tok) for each in known}):
            same = [each for each in known if (each.measurement.isl_tok, each.measurement.osl_tok) == shape]
            sweep = Sweep(label=" ".join(key[1:]), rows=tuple(same))
            saturated = any(
                served(each.measurement) < SATURATED_FRACTION * offered(each.measurement) for each in same
            )
            if saturated and light(sweep):
                yield sweep


def light(sweep: Sweep) -> list[SourcedMeasurement]:
    """Steady rows at light rates."""
    return [each for each in sweep.steady if offered(each.measurement) <= LIGHT_RATE_REQ_PER_S]


def load_of(row: Measurement, rate_req_per_s: float) -> Load:
    """The row's requests at a rate."""
    only = RequestClass(
        name="all",
        rate_req_per_s=rate_req_per_s,
        input_tok=fixed_lengths(row.isl_tok or 1.0),
        output_tok=fixed_lengths(row.osl_tok or 1.0),
    )
    return Load(classes=(only,))


def open_loop_table(points: Sequence[SourcedMeasurement]) -> list[str]:
    """Saturation foretold from light loads, then the way to it from all steady loads."""
    found = list(sweeps(points))
    return [*_saturation_lines(found), "", *_service_lines(found)] if found else []


def _fit(rows: Sequence[SourcedMeasurement]) -> BatchedPerformance | None:
    performance = batched_accelerator.fit(offer_of(rows), rows)
    return performance if isinstance(performance, BatchedPerformance) else None


def _saturation_lines(found: Sequence[Sweep]) -> list[str]:
    lines = [f"{'saturation from light loads':<72} loads measured foretold error  band"]
    errors, held = [], []
    for sweep in found:
        rows = light(sweep)
        performance = _fit(rows)
        if performance is None:
            lines.append(f"{sweep.label:<72} cannot be fitted")
            continue
        load, plateau = load_of(rows[0].measurement, 1.0), sweep.plateau_req_per_s
        allowed = replace(performance, slot_count=default_slot_count(offer_of(rows)))
        foretold = batched_accelerator.max_rate(allowed, load, 1)
        low, high = saturation_band(performance, load)
        errors.append(abs(foretold / plateau - 1.0))
        held.append(low <= plateau <= high)
        lines.append(
            f"{sweep.label:<72} {len(rows):>5} {plateau:8.1f} {foretold:8.1f} {foretold / plateau - 1:+6.0%}"
            f"  {low:.1f} to {high:.1f}{'' if held[-1] else '  missed'}"
        )
    median, covered = float(np.median(errors)), float(np.mean(held))
    return [
        *lines,
        f"median error {median:.1%} (bar {SATURATION_BAR:.0%}){_over(median > SATURATION_BAR)},"
        f" band holds {covered:.0%} (bar {COVERAGE_BAR:.0%}){_over(covered < COVERAGE_BAR)}",
    ]


def _service_lines(found: Sequence[Sweep]) -> list[str]:
    """Rows below saturation; a run that ended in a drain shows its latencies but not its rate."""
    lines = [f"{'from all steady loads':<72} offered of plateau  served   TPOT   TTFT"]
    errors: dict[str, list[float]] = {"served": [], "TPOT": [], "TTFT": []}
    for sweep in found:
        performance = _fit(sweep.steady)
        if performance is None:
            continue
        for each in sweep.rows:
            row = each.measurement
            part = offered(row) / sweep.plateau_req_per_s
            if part > BELOW_SATURATION:
                continue
            told = _told(performance, row)
            steady = served(row) >= STEADY_FRACTION * offered(row)
            lines.append(
                f"{sweep.label:<72} {offered(row):7.0f} {part:10.2f} "
                + " ".join(f"{'' if told[name] is None else f'{told[name]:+.0%}':>7}" for name in errors)
                + ("" if steady else "  drained")
            )
            for name in errors:
                value = told[name]
                if value is not None and (steady or name != "served"):
                    errors[name].append(abs(value))
    return [*lines, *(_summary(name, values) for name, values in errors.items())]


def _told(performance: BatchedPerformance, row: Measurement) -> dict[str, float | None]:
    """Signed errors; None where the answer is `saturated` or the row does not say."""
    point = batched_accelerator.operate(performance, load_of(row, offered(row)), 1)
    rate = min(offered(row), point.max_rate_req_per_s or 0.0)
    told: dict[str, float | None] = {"served": rate / served(row) - 1.0, "TPOT": None, "TTFT": None}
    if point.stable:
        latency = point.latencies[0]
        pairs = {"TPOT": (latency.tpot_s, row.tpot_s), "TTFT": (latency.ttft_s, row.ttft_s)}
        for name, (ours, theirs) in pairs.items():
            if ours.p50 is not None and theirs.p50 is not None:
                told[name] = ours.p50 / theirs.p50 - 1.0
    return told


def _summary(name: str, values: Sequence[float]) -> str:
    median, p90 = np.quantile(values, [0.5, 0.9])
    within = float(np.mean(np.array(values) <= SERVED_BAR))
    return (
        f"{name}: median {median:.1%} (bar {SERVED_BAR:.0%}), p90 {p90:.1%},"
        f" {within:.0%} of {len(values)} within{_over(float(median) > SERVED_BAR)}"
    )


def _over(missed: bool) -> str:
    return "  over" if missed else ""
