"""Run a simulation from its first event to its last, and read off what its users saw."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from models.performance import BatchedPerformance, StepLaw
from models.simulation.calls import Calls, FloatArray, draw_calls, merge_calls, single_calls
from models.simulation.engine import advance
from models.simulation.layout import SERVED
from models.simulation.measuring import SimulatedPoint, measure
from models.simulation.memory import build
from models.simulation.queues import World
from models.simulation.statistics import BATCH_COUNT, Estimate, estimate
from models.systems import BatchedPool, System
from models.traffic import Traffic
from models.workloads import Target

WARM_UP_FRACTION = 0.1  # tasks left out at the start, while the system fills
FEWEST_TASKS = 4 * BATCH_COUNT
COOL_DOWN_FRACTION = 0.05  # tasks left out at the end, while it drains
EVENTS_PER_SLICE = 2_000_000  # between two looks at the clock: some tenths of a second
# Of a run in which all calls wait from the start: completions between these shares are steady.
STEADY_FROM, STEADY_TO = 0.3, 0.85

Progress = Callable[[float], None]
Cancelled = Callable[[], bool]


class SimulationCancelled(Exception):
    """The caller asked for the simulation to stop."""


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
    task_count = max(-(-request_count // traffic.call_count_per_task), FEWEST_TASKS)
    calls = draw_calls(traffic, task_count, seed)
    return replay(system, calls, targets=[targets], progress=progress, cancelled=cancelled)[0]


def simulate_together(
    system: System,
    traffics: Sequence[Traffic],
    *,
    request_count: int,
    seed: int,
    targets: Sequence[Sequence[Target]],
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> tuple[SimulatedPoint, ...]:
    """Several kinds of traffic on one system, about `request_count` calls in all; one answer for each.

    targets  those of each kind
    """
    total = sum(each.mean_call_rate_req_per_s for each in traffics)
    counts = [
        max(math.ceil(request_count * each.mean_call_rate_req_per_s / total / each.call_count_per_task), 1)
        for each in traffics
    ]
    seeds = np.random.SeedSequence(seed).generate_state(len(traffics))
    parts = [
        draw_calls(each, max(count, FEWEST_TASKS), int(own))
        for each, count, own in zip(traffics, counts, seeds, strict=True)
    ]
    return replay(system, merge_calls(parts), targets=targets, progress=progress, cancelled=cancelled)


def replay(
    system: System,
    calls: Calls,
    *,
    targets: Sequence[Sequence[Target]] = ((),),
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> tuple[SimulatedPoint, ...]:
    """Send given calls through a system; the first tenth and the last twentieth are not measured.

    targets  those of each kind of task; one answer for each kind
    """
    arrival_s = calls.tasks.arrival_s
    task_count = len(arrival_s)
    first = int(task_count * WARM_UP_FRACTION)
    last = task_count - int(task_count * COOL_DOWN_FRACTION)
    cuts = np.linspace(first, last, BATCH_COUNT + 1).astype(np.int64)
    edges_s = np.append(arrival_s, arrival_s[-1])[cuts]
    world = run(system, calls, edges_s, progress, cancelled)
    task_batch = np.searchsorted(cuts, np.arange(task_count), side="right") - 1
    task_batch[task_batch >= BATCH_COUNT] = -1
    return tuple(
        measure(system, calls, world, task_batch, kind, of_kind) for kind, of_kind in enumerate(targets)
    )


def max_rate(
    system: System,
    traffic: Traffic,
    *,
    request_count: int,
    seed: int,
    cancelled: Cancelled | None = None,
) -> Estimate | None:
    """Calls per second that leave while calls always wait; None where no call fits the KV cache.

    Infinite where calls take no time.
    """
    single = replace(traffic, sequential_call_count=1, fan_out_count=1, pause_s=0.0, patience_mean_s=None)
    calls = draw_calls(single, request_count, seed)
    waiting = replace(calls, tasks=single_calls(np.zeros(request_count)))
    records = run(system, waiting, np.zeros(0), None, cancelled).calls
    ends = np.sort(records["finish_s"][records["state"] == SERVED])
    cuts = (np.linspace(STEADY_FROM, STEADY_TO, BATCH_COUNT + 1) * len(ends)).astype(np.int64)
    if len(ends) < 4 * BATCH_COUNT:
        return None
    with np.errstate(divide="ignore"):
        rates = np.diff(cuts) / np.diff(ends[cuts])
        whole = float((cuts[-1] - cuts[0]) / (ends[cuts[-1]] - ends[cuts[0]]))
    return estimate(whole, rates)


def prepare() -> float:
    """Compile the event loop, or load what is kept from an earlier process; the seconds that took.

    Some 10 to 20 s once on a machine, about one afterwards. Any simulation does it by itself.
    """
    began = time.perf_counter()
    law = StepLaw(alpha_s=1.0, beta_s_per_seq=0.0)
    one = np.ones(1, dtype=np.int64)
    calls = Calls(
        tasks=single_calls(np.zeros(1)),
        input_tok=one,
        fresh_tok=one,
        output_tok=one,
        routing_draw=np.zeros(1),
        is_high=one == 0,
    )
    run(BatchedPool(replica=BatchedPerformance(step=law, slot_count=1)), calls, np.zeros(0))
    return time.perf_counter() - began


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
