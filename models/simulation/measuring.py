"""What the measured calls of a simulation saw: latencies with their uncertainty, and what was busy."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.simulation.calls import Calls, FloatArray, IntArray
from models.simulation.layout import ABANDONED, REFUSED, SERVED
from models.simulation.queues import World
from models.simulation.statistics import BATCH_COUNT, Estimate, Figures, estimate, figures_of, gap_figures
from models.systems import PipelinePool, System
from models.workloads import Target

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedPoint:
    """What the measured calls saw; a figure is None where there is nothing to take it from.

    request_count     calls measured, those given up or refused included
    refused_fraction  share of calls too large for the KV cache of an empty replica
    itl_s over tokens, task_s over tasks, the other latencies over calls that were served

    Busy slots, busy time and `itl_s` are the whole system's, whichever kind of traffic is asked about.
    """

    request_count: int
    slot_occupancy_fraction: Estimate
    busy_fraction: Estimate
    mean_busy_slot_count_per_replica: Estimate
    wait_probability_fraction: Estimate
    goodput_req_per_s: Estimate
    abandonment_fraction: Estimate | None
    refused_fraction: float
    ttft_s: Figures | None
    itl_s: Figures | None
    tpot_s: Figures | None
    e2e_s: Figures | None
    task_s: Figures | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Latencies:
    """Seconds by call, `task_s` by task; NaN where the call or task did not come to its end."""

    ttft_s: FloatArray
    tpot_s: FloatArray
    e2e_s: FloatArray
    task_s: FloatArray


def measure(
    system: System,
    calls: Calls,
    world: World,
    task_batch: IntArray,
    kind: int,
    targets: Sequence[Target],
) -> SimulatedPoint:
    """The figures of one kind of tasks; `task_batch` is -1 for tasks that are not measured."""
    tasks = calls.tasks
    task_batch = np.where(tasks.kind == kind, task_batch, -1)
    batch = np.repeat(task_batch, tasks.round_count * tasks.fan_out_count)
    records, seen = world.calls, _latencies(system, calls, world)
    served = np.isfinite(seen.e2e_s) & (batch >= 0)
    several = served & (records["output_tok"] > 1)
    whole = np.isfinite(seen.task_s) & (task_batch >= 0)
    measured = (batch >= 0) & np.isfinite(records["arrival_s"])
    windows = world.windows[1 : BATCH_COUNT + 1]
    spans_s = np.diff(world.edges_s[: BATCH_COUNT + 1])
    busy = _over_time(windows["slot_area_s"], spans_s * system.replica_count)
    idle = _over_time(windows["idle_s"], spans_s * system.replica_count)
    gave_up = _share(records["state"] == ABANDONED, measured, batch)
    return SimulatedPoint(
        request_count=int(measured.sum()),
        slot_occupancy_fraction=busy.scaled(1.0 / system.slot_count),
        busy_fraction=Estimate(value=1.0 - idle.value, half_width=idle.half_width),
        mean_busy_slot_count_per_replica=busy,
        wait_probability_fraction=_share(records["found_full"] == 1, measured, batch),
        goodput_req_per_s=_goodput(served, seen, tasks.first_call, targets, batch, spans_s),
        abandonment_fraction=None if calls.patience_s is None else gave_up,
        refused_fraction=float((records["state"][measured] == REFUSED).mean()),
        ttft_s=figures_of(seen.ttft_s[served], batch[served]),
        itl_s=gap_figures(world.gap_bins[1 : BATCH_COUNT + 1], windows["gap_sum_s"], windows["gap_count"]),
        tpot_s=figures_of(seen.tpot_s[several], batch[several]),
        e2e_s=figures_of(seen.e2e_s[served], batch[served]),
        task_s=figures_of(seen.task_s[whole], task_batch[whole]),
    )


def _latencies(system: System, calls: Calls, world: World) -> Latencies:
    """Network and tokenizer time is part of each call."""
    records, tasks = world.calls, calls.tasks
    overhead_s = system.overhead_s if isinstance(system, PipelinePool) else system.replica.overhead_s
    finish_s = np.where(records["state"] == SERVED, records["finish_s"], np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        tpot_s = (finish_s - records["first_token_s"]) / (records["output_tok"] - 1)
    end_s = np.maximum.reduceat(finish_s, tasks.first_call[:-1])
    return Latencies(
        ttft_s=records["first_token_s"] - records["arrival_s"] + overhead_s,
        tpot_s=tpot_s,
        e2e_s=finish_s - records["arrival_s"] + overhead_s,
        task_s=end_s - tasks.arrival_s + overhead_s * tasks.round_count,
    )


def _over_time(sums: NDArray[Any], spans_s: FloatArray) -> Estimate:
    with np.errstate(divide="ignore", invalid="ignore"):
        return estimate(float(sums.sum() / spans_s.sum()), sums / spans_s)


def _share(condition: Mask, among: Mask, batch: IntArray) -> Estimate:
    hits = np.bincount(batch[among & condition], minlength=BATCH_COUNT)
    tries = np.maximum(np.bincount(batch[among], minlength=BATCH_COUNT), 1)
    return estimate(float(hits.sum() / tries.sum()), hits / tries)


def _goodput(
    served: Mask,
    seen: Latencies,
    first_call: IntArray,
    targets: Sequence[Target],
    batch: IntArray,
    spans_s: FloatArray,
) -> Estimate:
    """Calls per second within every limit at once; a call of one token has no gap to be too long.

    A limit on gaps is held against a call's mean gap, one on tasks against its task's time.
    """
    task_s = np.repeat(seen.task_s, np.diff(first_call))
    by_metric = {"ttft_s": seen.ttft_s, "itl_s": seen.tpot_s, "tpot_s": seen.tpot_s, "e2e_s": seen.e2e_s}
    by_metric["task_s"] = task_s
    good = served.copy()
    for target in targets:
        good &= ~(by_metric[target.metric] > target.limit_s)
    return _over_time(np.bincount(batch[good], minlength=BATCH_COUNT), spans_s)
