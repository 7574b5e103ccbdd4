"""A pipeline of stages that tokens flow through: the slowest stage serves one pass at a time.

Each token of a sequence is one pass. It occupies the slowest stage for `bottleneck_s` and comes out
`unloaded_token_s` after it went in; only then can the sequence's next token go in. So b sequences see
`max(unloaded_token_s, b bottleneck_s)` per token. A prompt occupies the stage before its first pass.
Passes are served in the order in which they are ready.
"""

from models.simulation.compiling import compiled, inlined
from models.simulation.layout import FINISH, NEVER, NOBODY
from models.simulation.queues import World, admissible, admit, count_gaps, enqueue_prompt, schedule


@compiled
def take_slots(world: World, at: int) -> None:
    """Give free slots to waiting calls; their prompts are ready for the slowest stage from now on."""
    setting, clock, calls = world.setting[0], world.clock[0], world.calls
    replica = world.replicas[at]
    call = admissible(calls, replica, setting)
    while call != NOBODY:
        admit(calls, replica, world.windows[clock.window], clock.now_s, call)
        calls[call].ready_s = clock.now_s
        enqueue_prompt(calls, replica, call)
        call = admissible(calls, replica, setting)


@inlined
def serve_pass(world: World, at: int) -> None:
    """Serve the pass that has been ready longest, or sleep until one is."""
    replica = world.replicas[at]
    now_s = world.clock[0].now_s
    fresh = replica.prompt_head
    fresh_s = NEVER
    if fresh != NOBODY:
        fresh_s = world.calls[fresh].ready_s
    returning_s = NEVER
    if replica.ring_count > 0:
        returning_s = world.ring_s[at, replica.ring_start]
    if fresh_s <= now_s and fresh_s <= returning_s:
        replica.prompt_head = world.calls[fresh].next_call
        _first_pass(world, at, fresh)
    elif returning_s <= now_s:
        call = world.ring_call[at, replica.ring_start]
        replica.ring_start = (replica.ring_start + 1) % world.ring_s.shape[1]
        replica.ring_count -= 1
        _next_pass(world, at, call)
    else:
        replica.boundary_s = min(fresh_s, returning_s)


@inlined
def _first_pass(world: World, at: int, call: int) -> None:
    """The prompt and the pass that gives the first token."""
    setting = world.setting[0]
    busy_s = setting.bottleneck_input_s * world.calls[call].fresh_tok + setting.bottleneck_s
    world.calls[call].left_tok = world.calls[call].output_tok
    world.calls[call].start_s = world.clock[0].now_s
    token_s = _send(world, at, call, busy_s)
    world.calls[call].first_token_s = token_s


@inlined
def _next_pass(world: World, at: int, call: int) -> None:
    previous_s = world.calls[call].last_token_s
    token_s = _send(world, at, call, world.setting[0].bottleneck_s)
    row = world.clock[0].window
    count_gaps(world.gap_bins, world.windows[row], row, token_s - previous_s, 1)


@compiled
def _send(world: World, at: int, call: int, busy_s: float) -> float:
    """Occupy the slowest stage and let the token travel on; when it comes out."""
    setting = world.setting[0]
    replica = world.replicas[at]
    sent = world.calls[call]
    replica.free_s = world.clock[0].now_s + busy_s
    replica.boundary_s = replica.free_s
    token_s: float = replica.free_s + (setting.unloaded_token_s - setting.bottleneck_s)
    sent.last_token_s = token_s
    sent.left_tok -= 1
    if sent.left_tok == 0:
        schedule(world, token_s, FINISH, call)
    else:
        place = (replica.ring_start + replica.ring_count) % world.ring_s.shape[1]
        world.ring_s[at, place] = token_s
        world.ring_call[at, place] = call
        replica.ring_count += 1
    return token_s
