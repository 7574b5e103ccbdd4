"""The steps of a replica with continuous batching: who takes part, how long it lasts, who is done.

A step decodes one token of every running sequence and works on prompts, first come first served, within
the token budget. `mixed`: decodes first, prompts with what the budget leaves. `prefill_first`: while
prompts can be worked on, a step has prompts only and nobody decodes. The step takes
`alpha + beta b^exponent + gamma kv + delta p` seconds. Its sums are kept up to date from one step to the
next, so a step costs the same work however many sequences take part.
"""

from numba import njit

from models.simulation.heaps import pop_end, push_end
from models.simulation.layout import NEVER, NOBODY
from models.simulation.queues import World, admissible, admit, count_gaps, release


@njit(cache=True)  # type: ignore[untyped-decorator]
def begin_decoding(world: World, at: int, call: int) -> None:
    """A sequence with its first token joins the decodes; it ends output_tok - 1 decode steps later."""
    replica = world.replicas[at]
    last_step = replica.decode_step + world.calls[call].output_tok - 1
    push_end(world.keys[at], world.ends[at], replica.heap_count, last_step, call)
    replica.heap_count += 1
    replica.decoding_count += 1
    replica.read_tok += world.calls[call].input_tok + 1


@njit(cache=True)  # type: ignore[untyped-decorator]
def schedule_prompts(world: World, at: int, budget_tok: int) -> int:
    """Give the budget to prompts in turn, admitting calls as it lasts; the budget left over."""
    replica = world.replicas[at]
    left = budget_tok
    call = replica.prompt_head
    while call != NOBODY and left > 0:
        chunk = min(left, world.calls[call].left_tok)
        world.calls[call].left_tok -= chunk
        left -= chunk
        call = world.calls[call].next_call
    while left > 0:
        call = admissible(world, at)
        if call == NOBODY:
            break
        admit(world, at, call)
        if world.calls[call].left_tok == 0:  # its prompt was worked on elsewhere
            begin_decoding(world, at, call)
            left -= 1
            continue
        world.calls[call].next_call = NOBODY
        if replica.prompt_head == NOBODY:
            replica.prompt_head = call
        else:
            world.calls[replica.prompt_tail].next_call = call
        replica.prompt_tail = call
        chunk = min(left, world.calls[call].left_tok)
        world.calls[call].left_tok -= chunk
        left -= chunk
    return left


@njit(cache=True)  # type: ignore[untyped-decorator]
def start_step(world: World, at: int) -> None:
    """Start the next step of a replica, or let it rest where there is nothing to do."""
    setting = world.setting[0]
    replica = world.replicas[at]
    now_s = world.clock[0].now_s
    before = replica.decoding_count
    budget = setting.token_budget_tok
    if not setting.is_prefill_first:
        budget -= before
    left = schedule_prompts(world, at, budget)
    decoded = replica.decoding_count
    prompt_tok = budget - left - (decoded - before)
    if setting.is_prefill_first and prompt_tok > 0:
        decoded = 0
    if decoded == 0 and prompt_tok == 0:
        replica.decoded_count = NOBODY
        replica.boundary_s = NEVER
        return
    step_s = setting.alpha_s + world.batch_cost_s[decoded]
    if decoded > 0:
        step_s += setting.gamma_s * replica.read_tok
    step_s += setting.delta_s * prompt_tok
    replica.decoded_count = decoded
    replica.step_start_s = now_s
    replica.boundary_s = now_s + step_s


@njit(cache=True)  # type: ignore[untyped-decorator]
def finish_step(world: World, at: int) -> None:
    """End the running step of a replica: tokens are out, sequences end, prompts turn into sequences."""
    replica = world.replicas[at]
    now_s = world.clock[0].now_s
    window = world.windows[world.clock[0].window]
    window.slot_area_s += replica.in_slots_count * (now_s - replica.step_start_s)
    if replica.decoded_count > 0:
        _count_tokens(world, at)
        replica.decode_step += 1
        replica.read_tok += replica.decoded_count
        while replica.heap_count > 0 and world.keys[at, 0] == replica.decode_step:
            call = world.ends[at, 0]
            pop_end(world.keys[at], world.ends[at], replica.heap_count)
            replica.heap_count -= 1
            replica.decoding_count -= 1
            replica.read_tok -= world.calls[call].input_tok + world.calls[call].output_tok
            release(world, at, call)
    _finish_prompts(world, at)


@njit(cache=True)  # type: ignore[untyped-decorator]
def _count_tokens(world: World, at: int) -> None:
    """Count the gaps that end with this step: from the last decode step, or from the first token."""
    replica = world.replicas[at]
    now_s = world.clock[0].now_s
    if not world.setting[0].is_prefill_first:
        count_gaps(world, now_s - replica.step_start_s, replica.decoded_count)
        return
    older = replica.decoded_count
    for group in range(replica.group_count):
        count_gaps(world, now_s - world.group_s[at, group], world.group_count[at, group])
        older -= world.group_count[at, group]
    if older > 0:
        count_gaps(world, now_s - replica.last_decode_s, older)
    replica.group_count = 0
    replica.last_decode_s = now_s


@njit(cache=True)  # type: ignore[untyped-decorator]
def _finish_prompts(world: World, at: int) -> None:
    """First tokens of the prompts that this step finished."""
    replica = world.replicas[at]
    now_s = world.clock[0].now_s
    joined = 0
    while replica.prompt_head != NOBODY and world.calls[replica.prompt_head].left_tok == 0:
        call = replica.prompt_head
        replica.prompt_head = world.calls[call].next_call
        world.calls[call].first_token_s = now_s
        if world.calls[call].output_tok == 1:
            release(world, at, call)
        else:
            begin_decoding(world, at, call)
            joined += 1
    if joined > 0 and world.setting[0].is_prefill_first:
        world.group_s[at, replica.group_count] = now_s
        world.group_count[at, replica.group_count] = joined
        replica.group_count += 1
