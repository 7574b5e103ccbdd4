"""Run a simulation from its first event to its last, and read off what its users saw."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from models.simulation.calls import Calls, FloatArray, draw_calls
from models.simulation.engine import advance
from models.simulation.layout import ABANDONED, REFUSED, SERVED
from models.simulation.memory import build
from models.simulation.queues import World
from models.simulation.statistics import (
    BATCH_COUNT,
    Estimate,
    Figures,
    estimate,
    figures_of,
    gap_figures,
)
from models.systems import PipelinePool, System
from models.traffic import Traffic
from models.workloads import Target

WARM_UP_FRACTION = 0.1  # tasks left out at the start, while the system fills
COOL_DOWN_FRACTION = 0.05  # tasks left out at the end, while it drains
EVENTS_PER_SLICE = 2_000_000  # between two looks at the clock: some tenths of a second
# Of a run in which all calls wait from the start: completions between these shares are steady.
STEADY_FROM, STEADY_TO = 0.3, 0.85

Progress = Callable[[float], None]
Cancelled = Callable[[], bool]


class SimulationCancelled(Exception):
    """The caller asked for the simulation to stop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedPoint:
    """What the measured calls saw; a figure is None where there is nothing to take it from.

    request_count   calls measured, those given up or refused included
    refused_fraction  share of calls too large for the KV cache of an empty replica
    itl_s over tokens, task_s over tasks, the other latencies over calls that were served
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


def simulate(
    system: System,
    traffic: Traffic,
    *,
    request_count: int,
    seed: int,
    targets: Sequence[Target] = (),
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> SimulatedPoint:
    """Simulate about `request_count` calls of a traffic that the system can sustain.

    The same seed gives the same answer to the last bit. Raises `SimulationCancelled`.
    """
    task_count = max(-(-request_count // traffic.call_count_per_task), 4 * BATCH_COUNT)
    calls = draw_calls(traffic, task_count, seed)
    return replay(system, calls, targets=targets, progress=progress, cancelled=cancelled)


def replay(
    system: System,
    calls: Calls,
    *,
    targets: Sequence[Target] = (),
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> SimulatedPoint:
    """Send given calls through a system; the first tenth and the last twentieth are not measured."""
    task_count = len(calls.task_arrival_s)
    first = int(task_count * WARM_UP_FRACTION)
    last = task_count - int(task_count * COOL_DOWN_FRACTION)
    cuts = np.linspace(first, last, BATCH_COUNT + 1).astype(np.int64)
    edges_s = np.append(calls.task_arrival_s, calls.task_arrival_s[-1])[cuts]
    world = run(system, calls, edges_s, progress, cancelled)
    task_batch = np.searchsorted(cuts, np.arange(task_count), side="right") - 1
    task_batch[task_batch >= BATCH_COUNT] = -1
    return _measure(system, calls, world, task_batch, targets)


def max_rate(
    system: System,
    traffic: Traffic,
    *,
    request_count: int,
    seed: int,
    cancelled: Cancelled | None = None,
) -> Estimate | None:
    """Calls per second that leave while calls always wait; None where no call fits the KV cache."""
    single = replace(traffic, sequential_call_count=1, fan_out_count=1, pause_s=0.0, patience_mean_s=None)
    calls = draw_calls(single, request_count, seed)
    waiting = replace(calls, task_arrival_s=np.zeros(request_count))
    records = run(system, waiting, np.zeros(0), None, cancelled).calls
    ends = np.sort(records["finish_s"][records["state"] == SERVED])
    cuts = (np.linspace(STEADY_FROM, STEADY_TO, BATCH_COUNT + 1) * len(ends)).astype(np.int64)
    if len(ends) < 4 * BATCH_COUNT:
        return None
    rates = np.diff(cuts) / np.diff(ends[cuts])
    whole = float((cuts[-1] - cuts[0]) / (ends[cuts[-1]] - ends[cuts[0]]))
    return estimate(whole, rates)


def run(
    system: System,
    calls: Calls,
    edges_s: FloatArray,
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> World:
    """Every event from first to last; what the calls saw is in the `calls` of the world."""
    world = build(system, calls, edges_s)
    while advance(world, EVENTS_PER_SLICE):
        if progress is not None:
            progress(float(world.clock["done_count"][0]) / len(world.calls))
        if cancelled is not None and cancelled():
            raise SimulationCancelled
    return world


def _measure(
    system: System,
    calls: Calls,
    world: World,
    task_batch: NDArray[np.int64],
    targets: Sequence[Target],
) -> SimulatedPoint:
    records = world.calls
    call_batch = np.repeat(task_batch, calls.call_count_per_task)
    overhead_s = _overhead_s(system)
    ttft_s = records["first_token_s"] - records["arrival_s"] + overhead_s
    e2e_s = records["finish_s"] - records["arrival_s"] + overhead_s
    with np.errstate(divide="ignore", invalid="ignore"):
        tpot_s = (records["finish_s"] - records["first_token_s"]) / (records["output_tok"] - 1)
    rounds_s = np.where(records["state"] == SERVED, records["finish_s"], np.nan)
    ends_s = rounds_s.reshape(len(task_batch), -1).max(axis=1)
    task_s = ends_s - calls.task_arrival_s + overhead_s * calls.sequential_call_count
    served = (records["state"] == SERVED) & np.isfinite(records["finish_s"]) & (call_batch >= 0)
    several = served & (records["output_tok"] > 1)
    whole = np.isfinite(task_s) & (task_batch >= 0)
    latencies = {"ttft_s": ttft_s, "tpot_s": tpot_s, "itl_s": tpot_s, "e2e_s": e2e_s}
    latencies["task_s"] = np.repeat(task_s, calls.call_count_per_task)
    windows = world.windows[1 : BATCH_COUNT + 1]
    spans_s = np.diff(world.edges_s[: BATCH_COUNT + 1])
    busy = _over_time(windows["slot_area_s"], spans_s * system.replica_count)
    counted = call_batch >= 0
    measured = counted & np.isfinite(records["arrival_s"])
    return SimulatedPoint(
        request_count=int(measured.sum()),
        slot_occupancy_fraction=busy.scaled(1.0 / system.slot_count),
        busy_fraction=_complement(_over_time(windows["idle_s"], spans_s * system.replica_count)),
        mean_busy_slot_count_per_replica=busy,
        wait_probability_fraction=_share(records["found_full"] == 1, measured, call_batch),
        goodput_req_per_s=_goodput(served, latencies, targets, call_batch, spans_s),
        abandonment_fraction=(
            None if calls.patience_s is None else _share(records["state"] == ABANDONED, measured, call_batch)
        ),
        refused_fraction=float((records["state"][measured] == REFUSED).mean()),
        ttft_s=figures_of(ttft_s[served], call_batch[served]),
        itl_s=gap_figures(world.gap_bins[1 : BATCH_COUNT + 1], windows["gap_sum_s"], windows["gap_count"]),
        tpot_s=figures_of(tpot_s[several], call_batch[several]),
        e2e_s=figures_of(e2e_s[served], call_batch[served]),
        task_s=figures_of(task_s[whole], task_batch[whole]),
    )


def _overhead_s(system: System) -> float:
    """Network and tokenizer time in each TTFT."""
    return 0.0 if isinstance(system, PipelinePool) else system.replica.overhead_s


def _over_time(sums: FloatArray, spans_s: FloatArray) -> Estimate:
    return estimate(float(sums.sum() / spans_s.sum()), sums / spans_s)


def _complement(share: Estimate) -> Estimate:
    return Estimate(value=1.0 - share.value, half_width=share.half_width)


def _share(condition: NDArray[np.bool_], among: NDArray[np.bool_], batch: NDArray[np.int64]) -> Estimate:
    hits = np.bincount(batch[among & condition], minlength=BATCH_COUNT)
    tries = np.maximum(np.bincount(batch[among], minlength=BATCH_COUNT), 1)
    return estimate(float(hits.sum() / tries.sum()), hits / tries)


def _goodput(
    served: NDArray[np.bool_],
    latencies: dict[str, FloatArray],
    targets: Sequence[Target],
    batch: NDArray[np.int64],
    spans_s: FloatArray,
) -> Estimate:
    """Calls per second within every limit at once; a call of one token has no gap to be too long."""
    good = served.copy()
    for target in targets:
        good &= ~(latencies[target.metric] > target.limit_s)
    counts = np.bincount(batch[good], minlength=BATCH_COUNT).astype(np.float64)
    return _over_time(counts, spans_s)
