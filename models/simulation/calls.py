"""What comes in: the tasks of a simulation, when they arrive and what each of their calls asks for."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.request_mix import fresh_tok
from models.simulation.arrivals import arrival_times_s
from models.traffic import Traffic

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """Given tasks; arrays per call are task by task, round by round.

    task_arrival_s   (tasks,) ascending seconds
    input_tok, fresh_tok, output_tok   (calls,) whole prompt, its part that needs prefill, answer; >= 1
    routing_draw     (calls,) uniform in [0, 1): where a call goes, or which of equals
    is_high          (calls,) whether it is served before others
    patience_s       (calls,) when a waiting call gives up, None: never
    """

    task_arrival_s: FloatArray
    input_tok: IntArray
    fresh_tok: IntArray
    output_tok: IntArray
    routing_draw: FloatArray
    is_high: NDArray[np.bool_]
    patience_s: FloatArray | None = None
    sequential_call_count: int = 1
    pause_s: float = 0.0
    fan_out_count: int = 1

    @property
    def call_count_per_task(self) -> int:
        """Calls that one task makes."""
        return self.sequential_call_count * self.fan_out_count


def draw_calls(traffic: Traffic, task_count: int, seed: int) -> Calls:
    """Tasks of a kind, the same for the same seed; each property has a stream of its own."""
    streams = [np.random.default_rng(each) for each in np.random.SeedSequence(seed).spawn(6)]
    call_count = task_count * traffic.call_count_per_task
    input_tok, output_tok = _lengths(traffic, call_count, streams[0], streams[1])
    fresh = np.rint(fresh_tok(input_tok, traffic.cached_input_fraction))
    is_high = streams[3].random(task_count) < traffic.high_share_fraction
    patience = traffic.patience_mean_s
    return Calls(
        task_arrival_s=arrival_times_s(
            traffic.arrival, traffic.rate_req_per_s, task_count, streams[2], traffic.hourly_fraction
        ),
        input_tok=input_tok.astype(np.int64),
        fresh_tok=fresh.astype(np.int64),
        output_tok=output_tok.astype(np.int64),
        routing_draw=streams[4].random(call_count),
        is_high=np.repeat(is_high, traffic.call_count_per_task),
        patience_s=None if patience is None else streams[5].exponential(patience, call_count),
        sequential_call_count=traffic.sequential_call_count,
        pause_s=traffic.pause_s,
        fan_out_count=traffic.fan_out_count,
    )


def calls_of_trace(
    arrival_s: Sequence[float], input_tok: Sequence[int], output_tok: Sequence[int], seed: int
) -> Calls:
    """A request log as single calls, by rising arrival time; lengths in tokens, >= 1."""
    order = np.argsort(np.asarray(arrival_s, dtype=np.float64), kind="stable")
    prompts = np.asarray(input_tok, dtype=np.int64)[order]
    return Calls(
        task_arrival_s=np.asarray(arrival_s, dtype=np.float64)[order],
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
    """Uniform draws that never are 0, where a lognormal has no quantile."""
    draws: FloatArray = 1.0 - generator.random(count)
    return np.minimum(draws, np.nextafter(1.0, 0.0))
