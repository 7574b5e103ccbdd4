"""Who waits where in the simulation: queues of calls by priority, and admission to slots and cache."""

from typing import Any, NamedTuple

import numpy as np

from models.simulation.compiling import compiled
from models.simulation.heaps import FloatArray, IntArray, push_event, set_first
from models.simulation.layout import (
    ABANDONED,
    BIN_COUNT,
    BINS_PER_OCTAVE_BITS,
    EVENT_KIND_COUNT,
    EXPONENT_BIAS,
    LOWEST_EXPONENT,
    MANTISSA_BITS,
    NOBODY,
    SERVED,
    SUBMIT,
)


class World(NamedTuple):
    """All that a simulation holds; the last of `replicas` is the queue of the prefill workers.

    setting, clock         one record each
    times, codes           heap of events; a code is kind + EVENT_KIND_COUNT * call
    keys, ends             per replica: heap of decoding sequences by the decode step they end in
    group_s, group_count   per replica: first tokens since its last decode step, as (time, how many)
    ring_s, ring_call      per pipeline: tokens under way, by the time they come back to the bottleneck
    batch_cost_s           cost of decoding b sequences, b = 0 .. slots
    link_free_s            when each transfer link is free
    first_call, fan_out, pause_s   per task: its calls, how many at once, and the pause between rounds
    unfinished             per task: calls of its present round not yet done
    tree                   tournament of the replicas by boundary
    gap_bins, windows      per window of time: gaps between tokens by size, and sums
    edges_s                ends of the windows
    """

    setting: np.ndarray
    clock: np.ndarray
    calls: np.ndarray
    replicas: np.ndarray
    task_arrival_s: FloatArray
    first_call: IntArray
    fan_out: IntArray
    pause_s: FloatArray
    times: FloatArray
    codes: IntArray
    keys: IntArray
    ends: IntArray
    group_s: FloatArray
    group_count: IntArray
    ring_s: FloatArray
    ring_call: IntArray
    batch_cost_s: FloatArray
    link_free_s: FloatArray
    unfinished: IntArray
    tree: IntArray
    gap_bins: IntArray
    windows: np.ndarray
    edges_s: FloatArray


@compiled
def schedule(world: World, time_s: float, kind: int, call: int) -> None:
    """Have an event happen to a call."""
    clock = world.clock[0]
    push_event(world.times, world.codes, clock.event_count, time_s, kind + EVENT_KIND_COUNT * call)
    clock.event_count += 1


@compiled
def count_gaps(bins: IntArray, window: Any, row: int, gap_s: float, how_many: int) -> None:
    """Count gaps between tokens in a window: its sums, and its row of bins."""
    window.gap_sum_s += gap_s * how_many
    window.gap_count += how_many
    bits: Any = np.float64(gap_s).view(np.int64) >> (MANTISSA_BITS - BINS_PER_OCTAVE_BITS)
    place = bits - ((EXPONENT_BIAS + LOWEST_EXPONENT) << BINS_PER_OCTAVE_BITS)
    bins[row, min(max(place, 0), BIN_COUNT - 1)] += how_many


@compiled
def enqueue(calls: Any, queue: Any, call: int) -> None:
    """Put a call at the end of its class in the queue of a replica (or of the prefill workers)."""
    calls[call].next_call = NOBODY
    if calls[call].is_high:
        if queue.high_head == NOBODY:
            queue.high_head = call
        else:
            calls[queue.high_tail].next_call = call
        queue.high_tail = call
    else:
        if queue.low_head == NOBODY:
            queue.low_head = call
        else:
            calls[queue.low_tail].next_call = call
        queue.low_tail = call


@compiled
def enqueue_prompt(calls: Any, replica: Any, call: int) -> None:
    """Put a call with a slot behind those whose prompts are being worked on."""
    calls[call].next_call = NOBODY
    if replica.prompt_head == NOBODY:
        replica.prompt_head = call
    else:
        calls[replica.prompt_tail].next_call = call
    replica.prompt_tail = call


@compiled
def first_in(calls: Any, queue: Any) -> int:
    """The call next in turn, those who gave up left out; NOBODY where none waits."""
    while queue.high_head != NOBODY and calls[queue.high_head].state == ABANDONED:
        queue.high_head = calls[queue.high_head].next_call
    if queue.high_head != NOBODY:
        high: int = queue.high_head
        return high
    while queue.low_head != NOBODY and calls[queue.low_head].state == ABANDONED:
        queue.low_head = calls[queue.low_head].next_call
    low: int = queue.low_head
    return low


@compiled
def dequeue(calls: Any, queue: Any, call: int) -> None:
    """Take the call next in turn (as `first_in` names it) out of its queue."""
    if queue.high_head == call:
        queue.high_head = calls[call].next_call
    else:
        queue.low_head = calls[call].next_call


@compiled
def admissible(calls: Any, replica: Any, setting: Any) -> int:
    """The call that may take a slot of the replica now; NOBODY where none waits or the first does not fit."""
    if replica.in_slots_count >= setting.slot_count:
        return NOBODY
    call = first_in(calls, replica)
    if call == NOBODY:
        return NOBODY
    need = calls[call].input_tok + calls[call].output_tok
    return NOBODY if replica.reserved_tok + need > setting.kv_capacity_tok else call


@compiled
def admit(calls: Any, replica: Any, window: Any, now_s: float, call: int) -> None:
    """Give a call a slot and its share of the cache."""
    dequeue(calls, replica, call)
    if replica.in_slots_count == 0:
        window.idle_s += now_s - replica.idle_since_s
    need = calls[call].input_tok + calls[call].output_tok
    replica.in_slots_count += 1
    replica.reserved_tok += need
    replica.queued_tok -= need
    calls[call].state = SERVED


@compiled
def release(world: World, at: int, call: int) -> None:
    """Take back the slot of a call that has its last token."""
    replica = world.replicas[at]
    replica.in_slots_count -= 1
    replica.held_count -= 1
    replica.reserved_tok -= world.calls[call].input_tok + world.calls[call].output_tok
    if replica.in_slots_count == 0:
        replica.idle_since_s = world.clock[0].now_s
    leave(world, call)


@compiled
def leave(world: World, call: int) -> None:
    """A call is done: its task goes on to the next round once all calls of this one are."""
    now_s = world.clock[0].now_s
    world.calls[call].finish_s = now_s
    world.clock[0].done_count += 1
    task = world.calls[call].task
    first, end, fan_out = world.first_call[task], world.first_call[task + 1], world.fan_out[task]
    world.unfinished[task] -= 1
    following = first + ((call - first) // fan_out + 1) * fan_out
    if world.unfinished[task] > 0 or following >= end:
        return
    world.unfinished[task] = fan_out
    for each in range(following, following + fan_out):
        schedule(world, now_s + world.pause_s[task], SUBMIT, each)


@compiled
def wake(world: World, at: int, time_s: float) -> None:
    """Have a replica look for work at a time, unless it does so earlier anyway."""
    if time_s < world.replicas[at].boundary_s:
        world.replicas[at].boundary_s = time_s
        set_first(world.tree, world.replicas, at)
