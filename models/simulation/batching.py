"""The steps of a replica with continuous batching: who takes part, how long it lasts, who is done.

A step decodes one token of every running sequence and works on prompts, first come first served, within
the token budget. `mixed`: decodes first, prompts with what the budget leaves. `prefill_first`: while
prompts can be worked on, a step has prompts only and nobody decodes. The step takes
`alpha + beta b^exponent + gamma kv + delta p` seconds. Its sums are kept up to date from one step to the
next, so a step costs the same work however many sequences take part.
"""

from typing import Any

from models.simulation.compiling import compiled, inlined
from models.simulation.heaps import IntArray, pop_end, push_end
from models.simulation.layout import NEVER, NOBODY
from models.simulation.queues import World, admissible, admit, count_gaps, enqueue_prompt, release


@compiled
def begin_decoding(calls: Any, replica: Any, keys: IntArray, ends: IntArray, at: int, call: int) -> None:
    """A sequence with its first token joins the decodes; it ends output_tok - 1 decode steps later."""
    last_step = replica.decode_step + calls[call].output_tok - 1
    push_end(keys[at], ends[at], replica.heap_count, last_step, call)
    replica.heap_count += 1
    replica.decoding_count += 1
    replica.read_tok += calls[call].input_tok + 1


@inlined
def schedule_prompts(world: World, at: int, budget_tok: int) -> int:
    """Give the budget to prompts in turn, admitting calls as it lasts; the budget left over."""
    setting, clock, calls = world.setting[0], world.clock[0], world.calls
    replica = world.replicas[at]
    left = budget_tok
    call = replica.prompt_head
    while call != NOBODY and left > 0:
        chunk = min(left, calls[call].left_tok)
        calls[call].left_tok -= chunk
        left -= chunk
        call = calls[call].next_call
    while left > 0:
        call = admissible(calls, replica, setting)
        if call == NOBODY:
            break
        admit(calls, replica, world.windows[clock.window], clock.now_s, call)
        if setting.is_disaggregated:  # its prompt was worked on elsewhere
            begin_decoding(calls, replica, world.keys, world.ends, at, call)
            left -= 1
        else:
            calls[call].start_s = clock.now_s
            enqueue_prompt(calls, replica, call)
            chunk = min(left, calls[call].left_tok)
            calls[call].left_tok -= chunk
            left -= chunk
    return left


@inlined
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
        replica.is_plain = False
        replica.boundary_s = NEVER
        return
    step_s = setting.alpha_s + world.batch_cost_s[decoded]
    if decoded > 0:
        step_s += setting.gamma_s * replica.read_tok
    step_s += setting.delta_s * prompt_tok
    replica.decoded_count = decoded
    replica.step_start_s = now_s
    replica.boundary_s = now_s + step_s
    replica.is_plain = prompt_tok == 0 and (
        not setting.is_prefill_first or (replica.group_count == 0 and replica.last_decode_s == now_s)
    )


@inlined
def run_ahead(world: World, at: int, until_s: float) -> None:
    """End steps that only decode, up to a time, while nobody ends with them: only the clock moves.

    Nothing may happen to the replica before `until_s`. Same sums in the same order as step by step.
    """
    setting = world.setting[0]
    replica = world.replicas[at]
    decoded = replica.decoded_count
    fixed_s = setting.alpha_s + world.batch_cost_s[decoded]
    row = world.clock[0].window
    window, bins = world.windows[row], world.gap_bins
    start_s, end_s = replica.step_start_s, replica.boundary_s
    first_s, step, read_tok = start_s, replica.decode_step, replica.read_tok
    last_step = world.keys[at, 0] - 1
    while end_s < until_s and step < last_step:
        count_gaps(bins, window, row, end_s - start_s, decoded)
        step += 1
        read_tok += decoded
        start_s = end_s
        end_s = start_s + (fixed_s + setting.gamma_s * read_tok)
    window.slot_area_s += replica.in_slots_count * (start_s - first_s)
    replica.step_start_s = start_s
    replica.last_decode_s = start_s
    replica.boundary_s = end_s
    replica.decode_step = step
    replica.read_tok = read_tok


@inlined
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


@inlined
def _count_tokens(world: World, at: int) -> None:
    """Count the gaps that end with this step: from the last decode step, or from the first token."""
    replica = world.replicas[at]
    now_s = world.clock[0].now_s
    row = world.clock[0].window
    window = world.windows[row]
    older = replica.decoded_count
    since_s = replica.step_start_s
    if world.setting[0].is_prefill_first:
        since_s = replica.last_decode_s
        for group in range(replica.group_count):
            joined = world.group_count[at, group]
            count_gaps(world.gap_bins, window, row, now_s - world.group_s[at, group], joined)
            older -= joined
        replica.group_count = 0
        replica.last_decode_s = now_s
    if older > 0:
        count_gaps(world.gap_bins, window, row, now_s - since_s, older)


@inlined
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
            begin_decoding(world.calls, replica, world.keys, world.ends, at, call)
            joined += 1
    if joined > 0 and world.setting[0].is_prefill_first:
        world.group_s[at, replica.group_count] = now_s
        world.group_count[at, replica.group_count] = joined
        replica.group_count += 1
