"""How the simulation keeps its calls, replicas and clocks in memory: one record each, flat arrays.

Compiled code and plain Python read the same fields. Times are seconds, lengths tokens, -1 means "none".
"""

import numpy as np

NOBODY = -1
NEVER = np.inf

WAITING, SERVED, ABANDONED, REFUSED = 0, 1, 2, 3  # states of a call
SUBMIT, PREFILL_DONE, JOIN, FINISH, LOSE_PATIENCE = 0, 1, 2, 3, 4  # events
EVENT_KIND_COUNT = 8
SHORTEST_QUEUE, ROUND_ROBIN, RANDOM = 0, 1, 2  # routing

CALL = np.dtype(
    [
        ("arrival_s", "f8"),  # enters the system
        ("ready_s", "f8"),  # enters the queue of its replica
        ("start_s", "f8"),  # first prompt token is worked on
        ("first_token_s", "f8"),
        ("finish_s", "f8"),
        ("patience_s", "f8"),
        ("routing_draw", "f8"),  # uniform in [0, 1): where it goes, or who wins a tie
        ("last_token_s", "f8"),
        ("input_tok", "i8"),  # whole prompt, read when decoding
        ("fresh_tok", "i8"),  # part of the prompt that needs prefill
        ("output_tok", "i8"),
        ("left_tok", "i8"),  # prompt tokens not yet scheduled; in a pipeline, passes to go
        ("task", "i8"),
        ("next_call", "i8"),  # behind it in its queue
        ("replica", "i8"),
        ("state", "i8"),
        ("is_high", "i8"),
        ("found_full", "i8"),
    ],
    align=True,
)

REPLICA = np.dtype(
    [
        ("boundary_s", "f8"),  # when its step ends, or when it next looks for work
        ("step_start_s", "f8"),
        ("last_decode_s", "f8"),  # end of its last step that decoded
        ("free_s", "f8"),  # when the bottleneck of its pipeline is free
        ("idle_since_s", "f8"),
        ("held_count", "i8"),  # calls waiting and in slots
        ("in_slots_count", "i8"),
        ("decoding_count", "i8"),
        ("decoded_count", "i8"),  # of the running step; NOBODY when no step runs
        ("is_plain", "i8"),  # the running step decodes only, and so will the next ones
        ("decode_step", "i8"),  # steps that decoded, so far
        ("read_tok", "i8"),  # context that the next decode step reads
        ("reserved_tok", "i8"),  # KV cache of calls in slots
        ("queued_tok", "i8"),  # KV cache that waiting calls will need
        ("heap_count", "i8"),
        ("group_count", "i8"),
        ("prompt_head", "i8"),
        ("prompt_tail", "i8"),
        ("high_head", "i8"),
        ("high_tail", "i8"),
        ("low_head", "i8"),
        ("low_tail", "i8"),
        ("ring_start", "i8"),
        ("ring_count", "i8"),
    ],
    align=True,
)

CLOCK = np.dtype(
    [
        ("now_s", "f8"),
        ("next_task", "i8"),
        ("event_count", "i8"),
        ("turn", "i8"),  # of round-robin
        ("done_count", "i8"),  # calls that left the system
        ("window", "i8"),
        ("free_worker_count", "i8"),
    ],
    align=True,
)

WINDOW = np.dtype(
    [
        ("gap_sum_s", "f8"),
        ("gap_count", "i8"),
        ("slot_area_s", "f8"),  # seconds of slots held
        ("idle_s", "f8"),  # seconds of replicas with empty slots
    ],
    align=True,
)

SETTING = np.dtype(
    [
        ("is_pipeline", "i8"),
        ("is_prefill_first", "i8"),
        ("is_disaggregated", "i8"),
        ("is_first_after_transfer", "i8"),
        ("has_patience", "i8"),
        ("has_rounds", "i8"),  # some task's next call comes when another is done
        ("routing", "i8"),
        ("replica_count", "i8"),
        ("slot_count", "i8"),
        ("kv_capacity_tok", "i8"),
        ("token_budget_tok", "i8"),
        ("alpha_s", "f8"),
        ("gamma_s", "f8"),
        ("delta_s", "f8"),
        ("worker_alpha_s", "f8"),
        ("worker_delta_s", "f8"),
        ("link_base_s", "f8"),
        ("link_s_per_tok", "f8"),
        ("unloaded_token_s", "f8"),
        ("bottleneck_s", "f8"),
        ("bottleneck_input_s", "f8"),
    ],
    align=True,
)

# Gaps between tokens are counted in bins by the leading bits of their floating-point form:
# 1,024 bins in each factor of two, so a quantile is known to 0.1 %.
BINS_PER_OCTAVE_BITS = 10
LOWEST_EXPONENT = -40  # 2**-40 s, a picosecond
OCTAVE_COUNT = 64
BIN_COUNT = OCTAVE_COUNT << BINS_PER_OCTAVE_BITS
MANTISSA_BITS = 52
EXPONENT_BIAS = 1023
