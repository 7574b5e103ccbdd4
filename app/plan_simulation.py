"""The plan against its own simulation: each pool of machines, each workload, formula beside simulation."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from app.formatting import DASH, percent, show
from app.workbench import View
from models.machines import system_of
from models.percentiles import QUANTILE_BY_FIELD, Percentiles
from models.performance import CannotServe, HostedPerformance
from models.plans import Allocation, Pool
from models.pool_loads import load_of
from models.simulation import Estimate, Figures, SimulatedPoint, simulate_together
from models.traffic import Traffic
from models.workloads import METRIC_WORDS, Demand

REQUEST_COUNT = 100_000
METRICS = ("ttft_s", "itl_s", "tpot_s", "e2e_s", "task_s")
STATISTICS = ("mean", "p50", "p95", "p99")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedWorkload:
    """One workload's prediction and what the simulation of the same pool showed."""

    allocation: Allocation
    simulated: SimulatedPoint


def check_plan(
    seen: View,
    request_count: int = REQUEST_COUNT,
    progress: Callable[[float], None] | None = None,
) -> tuple[CheckedWorkload, ...]:
    """Simulate every pool of machines at its busiest hour, with the scenario's seed."""
    pools = [pool for pool in seen.plan.pools if pool.replica_count]
    checked: list[CheckedWorkload] = []
    for place, pool in enumerate(pools):
        checked += _check_pool(seen, pool, request_count, _part(progress, place, len(pools)))
    return tuple(checked)


def _part(progress: Callable[[float], None] | None, place: int, count: int) -> Callable[[float], None] | None:
    if progress is None:
        return None
    return lambda share: progress((place + share) / count)


def _check_pool(
    seen: View, pool: Pool, request_count: int, progress: Callable[[float], None] | None
) -> list[CheckedWorkload]:
    placed = [each for each in seen.plan.allocations if each.workload in pool.workloads]
    performance = seen.performances[f"{pool.tier_id}/{placed[0].model_id}"]
    if isinstance(performance, HostedPerformance | CannotServe):
        return []
    demands = [demand for demand in seen.scenario.demands if demand.workload.name in pool.workloads]
    load = load_of(demands, pool.busiest_hour_h)
    system = system_of(performance, load, pool.replica_count, pool.prefill_worker_count)
    if system is None:
        return []
    found = simulate_together(
        system,
        [traffic_of(demand, pool.busiest_hour_h or 0) for demand in demands],
        request_count=request_count,
        seed=seen.scenario.seed,
        targets=[demand.workload.targets for demand in demands],
        progress=progress,
    )
    by_name = {demand.workload.name: point for demand, point in zip(demands, found, strict=True)}
    return [CheckedWorkload(allocation=each, simulated=by_name[each.workload]) for each in placed]


def traffic_of(demand: Demand, hour_h: int) -> Traffic:
    """A workload's tasks in one hour of the day, as the simulation takes them."""
    workload = demand.workload
    return Traffic(
        rate_req_per_s=demand.peak_rate_req_per_s * demand.hourly_fraction[hour_h],
        input_tok=workload.input_tok,
        output_tok=workload.output_tok,
        arrival=demand.arrival,
        cached_input_fraction=workload.cached_input_fraction,
        sequential_call_count=workload.sequential_call_count,
        pause_s=workload.pause_s,
        fan_out_count=workload.fan_out_count,
    )


def as_rows(checked: Sequence[CheckedWorkload]) -> list[dict[str, str]]:
    """Formula and simulation side by side, a row for each workload and metric."""
    return [
        _row(each, metric, statistic)
        for each in checked
        for metric in METRICS
        for statistic in ("mean", "p95")
    ]


def _row(each: CheckedWorkload, metric: str, statistic: str) -> dict[str, str]:
    predicted = getattr(getattr(each.allocation, metric), statistic)
    figures: Figures | None = getattr(each.simulated, metric)
    found = None if figures is None else figures[statistic]
    ratio = predicted / found.value if predicted is not None and found is not None and found.value else None
    return {
        "Workload": each.allocation.workload,
        "Latency": f"{METRIC_WORDS[metric]} {statistic}",
        "Formula": show(metric, predicted),
        "Simulation": DASH if found is None else show(metric, found.value),
        "95 % interval": DASH
        if found is None or found.half_width is None
        else f"± {show(metric, found.half_width)}",
        "Target": _verdict(each, metric, statistic, found),
        "Formula is": DASH if ratio is None else _difference(ratio - 1),
    }


def _verdict(each: CheckedWorkload, metric: str, statistic: str, found: Estimate | None) -> str:
    """Whether the simulation keeps the workload's target on this figure, if there is one."""
    quantile = QUANTILE_BY_FIELD.get(statistic)
    limits = [
        result.target.limit_s
        for result in each.allocation.targets
        if result.target.metric == metric and result.target.quantile == quantile
    ]
    if not limits or found is None:
        return DASH
    limit_s = min(limits)
    return f"{'held' if found.value <= limit_s else 'MISSED'}: {show(metric, limit_s)}"


def _difference(fraction: float) -> str:
    """How far the formula is from the simulation, in words."""
    return f"{percent(abs(fraction))} {'higher' if fraction > 0 else 'lower'}"


def as_json(checked: Sequence[CheckedWorkload]) -> dict[str, Any]:
    """Formula and simulation with confidence intervals, for every workload on machines."""
    return {
        "workloads": [
            {
                "workload": each.allocation.workload,
                "tier_id": each.allocation.tier_id,
                "request_count": each.simulated.request_count,
                **{metric: _metric(each, metric) for metric in METRICS},
            }
            for each in checked
        ]
    }


def _metric(each: CheckedWorkload, metric: str) -> dict[str, Any]:
    predicted: Percentiles = getattr(each.allocation, metric)
    figures: Figures = getattr(each.simulated, metric) or {}
    return {
        "predicted": predicted.as_dict(),
        "simulated": {name: figures[name].value for name in STATISTICS if name in figures},
        "half_width_95": {name: figures[name].half_width for name in STATISTICS if name in figures},
    }
