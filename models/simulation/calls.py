"""What comes in: the tasks of a simulation, when they arrive and what each of their calls asks for."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.request_mix import fresh_tok
from models.simulation.arrivals import arrival_times_s
from models.traffic import Traffic

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tasks:
    """When tasks arrive and how their calls follow each other; arrays of shape (tasks,).

    arrival_s      ascending seconds
    kind           which of several kinds of traffic a task belongs to
    round_count    rounds of calls, one after another, with `pause_s` between them
    fan_out_count  calls at once in each round; the next waits for the slowest
    """

    arrival_s: FloatArray
    kind: IntArray
    round_count: IntArray
    fan_out_count: IntArray
    pause_s: FloatArray

    @property
    def first_call(self) -> IntArray:
        """Number of each task's first call, and in the end the number of calls; shape (tasks + 1,)."""
        ends = np.cumsum(self.round_count * self.fan_out_count)
        return np.concatenate((np.zeros(1, dtype=np.int64), ends))


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """Given tasks with what their calls ask for, task by task and round by round; shape (calls,).

    input_tok, fresh_tok, output_tok   whole prompt, its part that needs prefill, answer; >= 1
    routing_draw     uniform in [0, 1): where a call goes, or which of equals
    is_high          whether it is served before others
    patience_s       when a waiting call gives up, infinite: never; None: nobody does
    """

    tasks: Tasks
    input_tok: IntArray
    fresh_tok: IntArray
    output_tok: IntArray
    routing_draw: FloatArray
    is_high: NDArray[np.bool_]
    patience_s: FloatArray | None = None


def single_calls(arrival_s: FloatArray) -> Tasks:
    """Tasks of one call each, at ascending times in seconds."""
    ones = np.ones(len(arrival_s), dtype=np.int64)
    return Tasks(
        arrival_s=arrival_s,
        kind=0 * ones,
        round_count=ones,
        fan_out_count=ones,
        pause_s=np.zeros(len(arrival_s)),
    )


def draw_calls(traffic: Traffic, task_count: int, seed: int) -> Calls:
    """Tasks of one kind, the same for the same seed; each property has a stream of its own."""
    streams = [np.random.default_rng(each) for each in np.random.SeedSequence(seed).spawn(6)]
    call_count = task_count * traffic.call_count_per_task
    input_tok, output_tok = _lengths(traffic, call_count, streams[0], streams[1])
    fresh = np.rint(fresh_tok(input_tok, traffic.cached_input_fraction))
    is_high = streams[3].random(task_count) < traffic.high_share_fraction
    patience = traffic.patience_mean_s
    arrival_s = arrival_times_s(
        traffic.arrival, traffic.rate_req_per_s, task_count, streams[2], traffic.hourly_fraction
    )
    return Calls(
        tasks=Tasks(
            arrival_s=arrival_s,
            kind=np.zeros(task_count, dtype=np.int64),
            round_count=np.full(task_count, traffic.sequential_call_count),
            fan_out_count=np.full(task_count, traffic.fan_out_count),
            pause_s=np.full(task_count, traffic.pause_s),
        ),
        input_tok=input_tok.astype(np.int64),
        fresh_tok=fresh.astype(np.int64),
        output_tok=output_tok.astype(np.int64),
        routing_draw=streams[4].random(call_count),
        is_high=np.repeat(is_high, traffic.call_count_per_task),
        patience_s=None if patience is None else streams[5].exponential(patience, call_count),
    )


def merge_calls(parts: Sequence[Calls]) -> Calls:
    """Several kinds of tasks on one system: kind j is `parts[j]`; cut off where the first kind ends."""
    tasks = [part.tasks for part in parts]
    end_s = min(float(each.arrival_s[-1]) for each in tasks)
    kept = [int(np.searchsorted(each.arrival_s, end_s, side="right")) for each in tasks]
    arrival_s = _joined([each.arrival_s[:count] for each, count in zip(tasks, kept, strict=True)])
    order = np.argsort(arrival_s, kind="stable")

    def of_tasks(name: str) -> NDArray[Any]:
        return _joined([getattr(each, name)[:n] for each, n in zip(tasks, kept, strict=True)])[order]

    base = np.cumsum([0] + [len(part.input_tok) for part in parts[:-1]])
    starts = _joined([each.first_call[:n] + b for each, n, b in zip(tasks, kept, base, strict=True)])[order]
    sizes = of_tasks("round_count") * of_tasks("fan_out_count")
    within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    place = np.repeat(starts, sizes) + within
    patience = [_patience_s(part) for part in parts]
    names = ("input_tok", "fresh_tok", "output_tok", "routing_draw", "is_high")
    return Calls(
        tasks=Tasks(
            arrival_s=arrival_s[order],
            kind=np.repeat(np.arange(len(parts)), kept)[order],
            round_count=of_tasks("round_count"),
            fan_out_count=of_tasks("fan_out_count"),
            pause_s=of_tasks("pause_s"),
        ),
        patience_s=None if all(part.patience_s is None for part in parts) else _joined(patience)[place],
        **{name: _joined([getattr(part, name) for part in parts])[place] for name in names},
    )


def _joined(arrays: Sequence[NDArray[Any]]) -> NDArray[Any]:
    joined: NDArray[Any] = np.concatenate(arrays)
    return joined


def _patience_s(part: Calls) -> FloatArray:
    return np.full(len(part.input_tok), np.inf) if part.patience_s is None else part.patience_s


def calls_of_trace(
    arrival_s: Sequence[float], input_tok: Sequence[int], output_tok: Sequence[int], seed: int
) -> Calls:
    """A request log as single calls, by rising arrival time; lengths in tokens, >= 1."""
    order = np.argsort(np.asarray(arrival_s, dtype=np.float64), kind="stable")
    prompts = np.asarray(input_tok, dtype=np.int64)[order]
    return Calls(
        tasks=single_calls(np.asarray(arrival_s, dtype=np.float64)[order]),
        input_tok=prompts,
        fresh_tok=prompts,
        output_tok=np.asarray(output_tok, dtype=np.int64)[order],
        routing_draw=np.random.default_rng(seed).random(len(order)),
        is_high=np.zeros(len(order), dtype=np.bool_),
    )


def _lengths(
    traffic: Traffic, count: int, first: np.random.Generator, second: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    if traffic.joint_tok:
        pairs = np.asarray(traffic.joint_tok, dtype=np.float64)[
            first.integers(0, len(traffic.joint_tok), count)
        ]
        return pairs[:, 0], pairs[:, 1]
    return traffic.input_tok.quantile(_open(first, count)), traffic.output_tok.quantile(_open(second, count))


def _open(generator: np.random.Generator, count: int) -> FloatArray:
    """Uniform draws that never are 0 or 1, where a lognormal has no quantile."""
    draws: FloatArray = np.minimum(1.0 - generator.random(count), np.nextafter(1.0, 0.0))
    return draws
