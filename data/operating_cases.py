"""Read one operating point's document: which system, which traffic, which targets."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast, get_args

from data.reading import Reader, checked_number
from data.workload_defaults import read_shares
from data.workload_reading import read_arrival, read_lengths, read_targets
from models.lengths import MAX_TOKEN_COUNT, TokenLengths, empirical_lengths
from models.performance import BatchedPerformance, StepLaw
from models.problems import InputProblems, Problem
from models.processor_sharing import Routing, Scheduler
from models.systems import (
    BatchedPool,
    FirstToken,
    Pipeline,
    PipelinePool,
    PrefillPool,
    System,
    TandemPools,
    TransferLinks,
)
from models.traffic import Traffic
from models.workloads import Target

ARCHITECTURES = ("batched_accelerator", "disaggregated_pools", "wafer_scale_pipeline")
DEFAULT_TOKEN_BUDGET_TOK = 8192
MAX_SLOT_COUNT, MAX_REPLICA_COUNT = 1_000_000, 100_000
MAX_TASK_CALL_COUNT = 10_000
SHORTEST_QUEUE: Routing = "join_shortest_queue"
MIXED: Scheduler = "mixed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What one document asks; `notices` say which of its keys had no effect."""

    system: System
    traffic: Traffic
    targets: tuple[Target, ...]
    notices: tuple[str, ...] = ()


def read_case(document: Any, path: str = "") -> Case:
    """The case of a document; raises `InputProblems` with everything that is wrong with it."""
    problems: list[Problem] = []
    reader = Reader(document, path, problems)
    if not isinstance(document, Mapping):
        raise InputProblems(problems)
    architecture = reader.choice("architecture", ARCHITECTURES)
    traffic = _traffic(reader)
    targets = read_targets(reader)
    notices: tuple[str, ...] = ()
    system: System | None = None
    if architecture == "batched_accelerator":
        system = _batched(reader)
    elif architecture == "disaggregated_pools":
        system, notices = _tandem(reader), _without_effect(reader)
    elif architecture == "wafer_scale_pipeline":
        system, notices = _pipelines(reader), _without_effect(reader)
    if architecture is not None:
        reader.close()
    if problems or system is None or traffic is None:
        raise InputProblems(problems)
    return Case(system=system, traffic=traffic, targets=targets, notices=notices)


def _group(reader: Reader, key: str, what: str) -> Reader:
    """The reader of a group that must be there; where it is not, an empty one that stays silent."""
    reader.required(key, what)
    return reader.group(key) or Reader({}, reader.at(key), [])


def _optional(reader: Reader, key: str) -> Reader:
    return reader.group(key) or Reader({}, reader.at(key), reader.problems)


def _count(reader: Reader, key: str, high: int, *, required: bool = True) -> int:
    """A whole number from 1; 1 where left out or refused."""
    value = reader.number(key, low=1, high=high, whole=True, required=required)
    return 1 if value is None else int(value)


def _seconds(reader: Reader, key: str, *, required: bool = False) -> float:
    """A time from 0; 0 where left out or refused."""
    return reader.number(key, low=0, required=required) or 0.0


def _traffic(reader: Reader) -> Traffic | None:
    arrival_reader = _group(reader, "arrival", "how calls arrive, such as {kind: poisson, rate_req_per_s: 5}")
    rate = arrival_reader.number("rate_req_per_s", above=0, required=True)
    hourly: tuple[float, ...] = ()
    if arrival_reader.raw.get("kind") == "profile":
        arrival_reader.required("hourly_fraction", "24 shares of the peak rate, hour 0 first")
        hourly = read_shares(arrival_reader, "hourly_fraction")
    arrival = read_arrival(arrival_reader)
    if arrival.kind == "mmpp" and arrival.burst_fraction >= 1.0:
        arrival_reader.refuse("burst_fraction", "must be less than 1", "Bursts need lulls between them.")
    joint = _joint(reader)
    if joint:
        inputs, outputs = _marginals(reader, joint)
    else:
        inputs, outputs = read_lengths(reader, "input_tok", {}), read_lengths(reader, "output_tok", {})
    task, priority, abandonment = (_optional(reader, key) for key in ("task", "priority", "abandonment"))
    fields: dict[str, Any] = {
        "sequential_call_count": _count(task, "sequential_call_count", MAX_TASK_CALL_COUNT, required=False),
        "pause_s": _seconds(task, "pause_s"),
        "fan_out_count": _count(task, "fan_out_count", MAX_TASK_CALL_COUNT, required=False),
        "high_share_fraction": priority.number("high_share_fraction", low=0, high=1) or 0.0,
        "patience_mean_s": abandonment.number("patience_mean_s", above=0),
    }
    for each in (task, priority, abandonment):
        each.close()
    if rate is None or inputs is None or outputs is None:
        return None
    return Traffic(
        rate_req_per_s=rate,
        input_tok=inputs,
        output_tok=outputs,
        arrival=arrival,
        hourly_fraction=hourly,
        joint_tok=joint,
        **fields,
    )


def _joint(reader: Reader) -> tuple[tuple[int, int], ...]:
    """Pairs of input and output length; empty where left out."""
    pairs = []
    for value, path in reader.items("joint_tok", what="pairs of input and output length"):
        if not isinstance(value, list | tuple) or len(value) != 2:
            place = Reader({}, path, reader.problems)
            place.refuse("", "expected an input and an output length", "Write [1000, 200].")
            continue
        both = [
            checked_number(
                Reader({}, f"{path}[{index}]", reader.problems),
                "",
                each,
                low=1,
                high=MAX_TOKEN_COUNT,
                whole=True,
            )
            for index, each in enumerate(value)
        ]
        if both[0] is not None and both[1] is not None:
            pairs.append((int(both[0]), int(both[1])))
    return tuple(pairs)


def _marginals(
    reader: Reader, joint: tuple[tuple[int, int], ...]
) -> tuple[TokenLengths | None, TokenLengths | None]:
    """Each length by itself as the pairs have it; lengths given beside the pairs are checked, not used."""
    for key in ("input_tok", "output_tok"):
        if reader.raw.get(key) is not None:
            read_lengths(reader, key, {})
        else:
            reader.value(key)
    return empirical_lengths([pair[0] for pair in joint]), empirical_lengths([pair[1] for pair in joint])


def _routing(reader: Reader) -> Routing:
    return cast(Routing, reader.choice("routing", get_args(Routing), SHORTEST_QUEUE))


def _batched(reader: Reader) -> BatchedPool:
    step = _group(reader, "step", "the step law: alpha_s, beta_s_per_seq, ...")
    replica = BatchedPerformance(
        step=_step_law(step),
        slot_count=_count(reader, "slot_count", MAX_SLOT_COUNT),
        kv_capacity_tok=reader.number("kv_capacity_tok", low=1),
        token_budget_tok=_budget(reader),
    )
    step.close()
    return BatchedPool(
        replica=replica,
        replica_count=_count(reader, "replica_count", MAX_REPLICA_COUNT, required=False),
        routing=_routing(reader),
        scheduler=cast(Scheduler, reader.choice("scheduler", get_args(Scheduler), MIXED)),
    )


def _budget(reader: Reader) -> int:
    value = reader.number("token_budget_tok", low=1, high=MAX_TOKEN_COUNT, whole=True)
    return DEFAULT_TOKEN_BUDGET_TOK if value is None else int(value)


def _step_law(step: Reader, *, has_prompts: bool = True) -> StepLaw:
    exponent = step.number("exponent", above=0, high=4)
    law = StepLaw(
        alpha_s=_seconds(step, "alpha_s", required=True),
        beta_s_per_seq=_seconds(step, "beta_s_per_seq"),
        exponent=1.0 if exponent is None else exponent,
        gamma_s_per_context_tok=_seconds(step, "gamma_s_per_context_tok"),
        delta_s_per_input_tok=_seconds(step, "delta_s_per_input_tok") if has_prompts else 0.0,
    )
    if not step.problems and law.alpha_s + law.beta_s_per_seq <= 0.0:
        step.refuse("alpha_s", "a step must take time", "Give alpha_s or beta_s_per_seq a value above 0.")
    return law


def _tandem(reader: Reader) -> TandemPools:
    prefill = _group(reader, "prefill", "the prefill pool: worker_count, alpha_s, delta_s_per_input_tok")
    transfer = _group(reader, "transfer", "the links: link_count, base_s, bytes_per_tok, ...")
    decode = _group(reader, "decode", "the decode pool: replica_count, slot_count, alpha_s, ...")
    pools = TandemPools(
        prefill=PrefillPool(
            worker_count=_count(prefill, "worker_count", MAX_REPLICA_COUNT),
            alpha_s=_seconds(prefill, "alpha_s", required=True),
            delta_s_per_input_tok=_seconds(prefill, "delta_s_per_input_tok", required=True),
        ),
        transfer=TransferLinks(
            link_count=_count(transfer, "link_count", MAX_REPLICA_COUNT),
            base_s=_seconds(transfer, "base_s"),
            bytes_per_tok=_seconds(transfer, "bytes_per_tok", required=True),
            bandwidth_byte_per_s=transfer.number("bandwidth_byte_per_s", above=0, required=True) or 1.0,
            overlap_fraction=transfer.number("overlap_fraction", low=0, high=1) or 0.0,
        ),
        replica=BatchedPerformance(
            step=_step_law(decode, has_prompts=False),
            slot_count=_count(decode, "slot_count", MAX_SLOT_COUNT),
            kv_capacity_tok=reader.number("kv_capacity_tok", low=1),
            token_budget_tok=MAX_TOKEN_COUNT,
        ),
        replica_count=_count(decode, "replica_count", MAX_REPLICA_COUNT),
        first_token=cast(
            FirstToken, reader.choice("first_token", get_args(FirstToken), get_args(FirstToken)[0])
        ),
        routing=_routing(reader),
    )
    for each in (prefill, transfer, decode):
        each.close()
    return pools


def _pipelines(reader: Reader) -> PipelinePool:
    group = _group(reader, "pipeline", "the pipeline: unloaded_token_s, bottleneck_s_per_tok, ...")
    unloaded = group.number("unloaded_token_s", above=0, required=True)
    bottleneck = group.number("bottleneck_s_per_tok", above=0, high=unloaded, required=True)
    pipeline = Pipeline(
        unloaded_token_s=unloaded or 1.0,
        bottleneck_s_per_tok=bottleneck or 1.0,
        bottleneck_s_per_input_tok=_seconds(group, "bottleneck_s_per_input_tok"),
        slot_count=_count(reader, "slot_count", MAX_SLOT_COUNT),
        kv_capacity_tok=reader.number("kv_capacity_tok", low=1),
    )
    group.close()
    return PipelinePool(
        pipeline=pipeline,
        replica_count=_count(reader, "replica_count", MAX_REPLICA_COUNT, required=False),
        routing=_routing(reader),
    )


def _without_effect(reader: Reader) -> tuple[str, ...]:
    """Keys of the common part that say nothing here: checked, and named in a notice."""
    reader.choice("scheduler", get_args(Scheduler), MIXED)
    _budget(reader)
    given = [key for key in ("scheduler", "token_budget_tok") if reader.raw.get(key) is not None]
    return (f"No effect on this architecture: {', '.join(given)}.",) if given else ()
