"""A system and its calls, laid out in the memory of the event loop."""

from typing import Any

import numpy as np

from models.performance import BatchedPerformance
from models.simulation.calls import Calls, FloatArray
from models.simulation.layout import (
    BIN_COUNT,
    CALL,
    CLOCK,
    EVENT_KIND_COUNT,
    NEVER,
    NOBODY,
    RANDOM,
    REPLICA,
    ROUND_ROBIN,
    SETTING,
    SHORTEST_QUEUE,
    WINDOW,
)
from models.simulation.queues import World
from models.systems import AFTER_TRANSFER, BatchedPool, PipelinePool, System, TandemPools

ROUTING_CODE = {"join_shortest_queue": SHORTEST_QUEUE, "round_robin": ROUND_ROBIN, "random": RANDOM}
UNLIMITED_TOK = 2**62


def build(system: System, calls: Calls, edges_s: FloatArray) -> World:
    """The world before the first event; `edges_s` are the ends of the windows, ascending."""
    settings = _settings(system) | {
        "routing": ROUTING_CODE[system.routing],
        "replica_count": system.replica_count,
        "slot_count": system.slot_count,
        "has_patience": calls.patience_s is not None,
        "has_rounds": bool((calls.tasks.round_count > 1).any()),
    }
    replica_count, slot_count = system.replica_count, system.slot_count
    clock = np.zeros(1, dtype=CLOCK)
    clock["free_worker_count"] = system.prefill.worker_count if isinstance(system, TandemPools) else 0
    link_count = system.transfer.link_count if isinstance(system, TandemPools) else 1
    call_count = len(calls.input_tok)
    # Each call has at most its patience and one other event under way.
    event_capacity = 2 * call_count + EVENT_KIND_COUNT
    shape = (replica_count, slot_count)
    window_count = len(edges_s) + 1
    return World(
        setting=_record(settings),
        clock=clock,
        calls=_call_records(calls),
        replicas=_replica_records(replica_count + 1),
        task_arrival_s=calls.tasks.arrival_s,
        first_call=calls.tasks.first_call,
        fan_out=calls.tasks.fan_out_count,
        pause_s=calls.tasks.pause_s,
        times=np.zeros(event_capacity),
        codes=np.zeros(event_capacity, dtype=np.int64),
        keys=np.zeros(shape, dtype=np.int64),
        ends=np.zeros(shape, dtype=np.int64),
        group_s=np.zeros(shape),
        group_count=np.zeros(shape, dtype=np.int64),
        ring_s=np.zeros(shape),
        ring_call=np.zeros(shape, dtype=np.int64),
        batch_cost_s=_batch_costs_s(system, slot_count),
        link_free_s=np.zeros(link_count),
        unfinished=np.zeros(len(calls.tasks.arrival_s), dtype=np.int64),
        tree=_tournament(replica_count),
        gap_bins=np.zeros((window_count, BIN_COUNT), dtype=np.int64),
        windows=np.zeros(window_count, dtype=WINDOW),
        edges_s=np.concatenate((edges_s, np.array([NEVER]))),
    )


def _settings(system: System) -> dict[str, Any]:
    if isinstance(system, PipelinePool):
        pipeline = system.pipeline
        return {
            "is_pipeline": True,
            "kv_capacity_tok": _capacity(pipeline.kv_capacity_tok),
            "unloaded_token_s": pipeline.unloaded_token_s,
            "bottleneck_s": pipeline.bottleneck_s_per_tok,
            "bottleneck_input_s": pipeline.bottleneck_s_per_input_tok,
        }
    if isinstance(system, BatchedPool):
        return _batched(system.replica) | {"is_prefill_first": system.scheduler == "prefill_first"}
    return _batched(system.replica) | {
        "is_disaggregated": True,
        "is_first_after_transfer": system.first_token == AFTER_TRANSFER,
        "delta_s": 0.0,
        "worker_alpha_s": system.prefill.alpha_s,
        "worker_delta_s": system.prefill.delta_s_per_input_tok,
        "link_base_s": system.transfer.base_s,
        "link_s_per_tok": system.transfer.s_per_tok,
    }


def _batched(replica: BatchedPerformance) -> dict[str, Any]:
    step = replica.step
    return {
        "kv_capacity_tok": _capacity(replica.kv_capacity_tok),
        "token_budget_tok": replica.token_budget_tok,
        "alpha_s": step.alpha_s,
        "gamma_s": step.gamma_s_per_context_tok,
        "delta_s": step.delta_s_per_input_tok,
    }


def _capacity(kv_capacity_tok: float | None) -> int:
    return UNLIMITED_TOK if kv_capacity_tok is None else int(kv_capacity_tok)


def _batch_costs_s(system: System, slot_count: int) -> FloatArray:
    """beta b^exponent for b = 0 .. slots; nothing for an empty batch."""
    if isinstance(system, PipelinePool):
        return np.zeros(1)
    step = system.replica.step
    costs = [0.0] + [step.beta_s_per_seq * float(b) ** step.exponent for b in range(1, slot_count + 1)]
    return np.array(costs)


def _record(values: dict[str, Any]) -> np.ndarray[Any, Any]:
    record = np.zeros(1, dtype=SETTING)
    for name, value in values.items():
        record[name] = value
    return record


def _call_records(calls: Calls) -> np.ndarray[Any, Any]:
    records = np.zeros(len(calls.input_tok), dtype=CALL)
    for name in ("input_tok", "fresh_tok", "output_tok", "routing_draw", "is_high"):
        records[name] = getattr(calls, name)
    records["left_tok"] = calls.fresh_tok
    records["patience_s"] = 0.0 if calls.patience_s is None else calls.patience_s
    for name in ("arrival_s", "ready_s", "start_s", "first_token_s", "finish_s"):
        records[name] = np.nan
    tasks = calls.tasks
    records["task"] = np.repeat(np.arange(len(tasks.arrival_s)), tasks.round_count * tasks.fan_out_count)
    records["next_call"] = NOBODY
    return records


def _replica_records(count: int) -> np.ndarray[Any, Any]:
    records = np.zeros(count, dtype=REPLICA)
    records["boundary_s"] = NEVER
    records["decoded_count"] = NOBODY
    for name in ("prompt_head", "prompt_tail", "high_head", "high_tail", "low_head", "low_tail"):
        records[name] = NOBODY
    return records


def _tournament(replica_count: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """A tournament that replica 0 leads; the leaves in the second half."""
    leaf_count = 1 << max(replica_count - 1, 1).bit_length()
    tree = np.full(2 * leaf_count, NOBODY, dtype=np.int64)
    tree[leaf_count : leaf_count + replica_count] = np.arange(replica_count)
    for place in range(leaf_count - 1, 0, -1):
        tree[place] = tree[2 * place]
    return tree
