"""The event loop of the simulation: tasks arrive, calls are routed, replicas take their steps.

Of events at the same instant, arrivals come first, then what happens to single calls, then the steps of
replicas by number; a call that arrives when a step ends joins the next one.
"""

from collections.abc import Callable

import numpy as np

from models.simulation.batching import finish_step, run_ahead, start_step
from models.simulation.compiling import compiled, fingerprint, inlined, kept
from models.simulation.heaps import pop_event, set_first
from models.simulation.layout import (
    ABANDONED,
    EVENT_KIND_COUNT,
    FINISH,
    JOIN,
    LOSE_PATIENCE,
    NEVER,
    NOBODY,
    PREFILL_DONE,
    RANDOM,
    REFUSED,
    SERVED,
    SHORTEST_QUEUE,
    SUBMIT,
    WAITING,
)
from models.simulation.pipelining import serve_pass, take_slots
from models.simulation.queues import (
    World,
    dequeue,
    enqueue,
    first_in,
    leave,
    release,
    schedule,
    wake,
)


@inlined
def _happen(world: World, kind: int, call: int) -> None:
    if kind == SUBMIT:
        _submit(world, call)
    elif kind == PREFILL_DONE:
        _hand_over(world, call)
    elif kind == JOIN:
        _join(world, call)
    elif kind == FINISH:
        at = world.calls[call].replica
        window = world.windows[world.clock[0].window]
        window.slot_area_s += world.clock[0].now_s - world.calls[call].ready_s
        release(world, at, call)
        take_slots(world, at)
        wake(world, at, max(world.clock[0].now_s, world.replicas[at].free_s))
    elif world.calls[call].state == WAITING:
        world.calls[call].state = ABANDONED
        world.clock[0].done_count += 1
        if not world.setting[0].is_disaggregated:
            at = world.calls[call].replica
            world.replicas[at].held_count -= 1
            world.replicas[at].queued_tok -= world.calls[call].input_tok + world.calls[call].output_tok


@compiled
def _submit(world: World, call: int) -> None:
    """A call enters the system."""
    now_s = world.clock[0].now_s
    setting = world.setting[0]
    submitted = world.calls[call]
    submitted.arrival_s = now_s
    if submitted.input_tok + submitted.output_tok > setting.kv_capacity_tok:
        submitted.state = REFUSED
        leave(world, call)
        return
    if setting.has_patience:
        schedule(world, now_s + submitted.patience_s, LOSE_PATIENCE, call)
    if setting.is_disaggregated:
        enqueue(world.calls, world.replicas[setting.replica_count], call)
        if world.clock[0].free_worker_count == 0:
            submitted.found_full = 1
        else:
            world.clock[0].free_worker_count -= 1
            _start_prefill(world)
    else:
        _join(world, call)


@compiled
def _start_prefill(world: World) -> None:
    """A prefill worker takes the call next in turn, if any; otherwise it is free."""
    setting = world.setting[0]
    queue = world.replicas[setting.replica_count]
    call = first_in(world.calls, queue)
    if call == NOBODY:
        world.clock[0].free_worker_count += 1
        return
    dequeue(world.calls, queue, call)
    started = world.calls[call]
    started.state = SERVED
    started.start_s = world.clock[0].now_s
    service_s = setting.worker_alpha_s + setting.worker_delta_s * started.fresh_tok
    schedule(world, started.start_s + service_s, PREFILL_DONE, call)


@inlined
def _hand_over(world: World, call: int) -> None:
    """A prefilled call's cache goes over the link that is free first to the decode pool."""
    setting = world.setting[0]
    now_s = world.clock[0].now_s
    handed = world.calls[call]
    handed.first_token_s = now_s
    if handed.output_tok == 1 and not setting.is_first_after_transfer:
        leave(world, call)
    else:
        link = np.argmin(world.link_free_s)
        start_s = max(now_s, world.link_free_s[link])
        world.link_free_s[link] = start_s + (setting.link_base_s + setting.link_s_per_tok * handed.input_tok)
        if setting.is_first_after_transfer:
            handed.first_token_s = world.link_free_s[link]
        handed.left_tok = 0
        schedule(world, world.link_free_s[link], JOIN, call)
    _start_prefill(world)


@compiled
def _join(world: World, call: int) -> None:
    """A call is routed to a replica and waits for a slot there."""
    setting = world.setting[0]
    now_s = world.clock[0].now_s
    joining = world.calls[call]
    if setting.is_disaggregated and joining.output_tok == 1:
        leave(world, call)
        return
    at = _route(world, joining.routing_draw)
    replica = world.replicas[at]
    need = joining.input_tok + joining.output_tok
    cache_tok = replica.reserved_tok + replica.queued_tok + need
    if not setting.is_disaggregated and (
        replica.held_count >= setting.slot_count or cache_tok > setting.kv_capacity_tok
    ):
        joining.found_full = 1
    joining.replica = at
    joining.ready_s = now_s
    replica.held_count += 1
    replica.queued_tok += need
    enqueue(world.calls, replica, call)
    if setting.is_pipeline:
        take_slots(world, at)
        wake(world, at, max(now_s, replica.free_s))
    elif replica.decoded_count == NOBODY:
        wake(world, at, now_s)


@inlined
def _route(world: World, draw: float) -> int:
    """The replica for a call; of several with equally few calls, one drawn evenly."""
    setting = world.setting[0]
    count = setting.replica_count
    if count == 1:
        return 0
    if setting.routing == SHORTEST_QUEUE:
        fewest = world.replicas[0].held_count
        ties = 1
        for at in range(1, count):
            held = world.replicas[at].held_count
            if held < fewest:
                fewest = held
                ties = 1
            elif held == fewest:
                ties += 1
        chosen = int(draw * ties)
        for at in range(count):
            if world.replicas[at].held_count == fewest:
                if chosen == 0:
                    return at
                chosen -= 1
    if setting.routing == RANDOM:
        return int(draw * count)
    turn: int = world.clock[0].turn
    world.clock[0].turn = (turn + 1) % count
    return turn


def _event_loop(version: int) -> Callable[[World, int], bool]:
    """The event loop, compiled on first use and kept for the next process.

    What is kept is found by this file's date and by `version`, which stands for all other files.
    """

    def advance(world: World, event_limit: int) -> bool:
        """Let up to `event_limit` events happen; whether any are left."""
        _ = version
        clock = world.clock[0]
        setting = world.setting[0]
        task_count = world.task_arrival_s.shape[0]
        # Only a task's next call can come to one replica from a step of another.
        is_independent = setting.replica_count == 1 or not setting.has_rounds
        for _ in range(event_limit):
            arrival_s = NEVER
            if clock.next_task < task_count:
                arrival_s = world.task_arrival_s[clock.next_task]
            event_s = NEVER
            if clock.event_count > 0:
                event_s = world.times[0]
            at = world.tree[1]
            boundary_s = world.replicas[at].boundary_s
            clock.now_s = min(arrival_s, event_s, boundary_s)
            if clock.now_s == NEVER:
                return False
            while clock.now_s >= world.edges_s[clock.window]:
                clock.window += 1
            if arrival_s <= event_s and arrival_s <= boundary_s:
                first, fan_out = world.first_call[clock.next_task], world.fan_out[clock.next_task]
                world.unfinished[clock.next_task] = fan_out
                clock.next_task += 1
                for call in range(first, first + fan_out):
                    _submit(world, call)
            elif event_s <= boundary_s:
                code = world.codes[0]
                pop_event(world.times, world.codes, clock.event_count)
                clock.event_count -= 1
                _happen(world, code % EVENT_KIND_COUNT, code // EVENT_KIND_COUNT)
            else:
                if setting.is_pipeline:
                    serve_pass(world, at)
                else:
                    if world.replicas[at].decoded_count != NOBODY:
                        finish_step(world, at)
                    start_step(world, at)
                    if world.replicas[at].is_plain and is_independent:
                        if clock.event_count > 0:  # the step may have brought a new first event
                            event_s = world.times[0]
                        run_ahead(world, at, min(arrival_s, event_s, world.edges_s[clock.window]))
                set_first(world.tree, world.replicas, at)
        return True

    return kept(advance)


advance = _event_loop(fingerprint())
