"""The fast simulation and a slow one, written apart, agree to the last bit on every call."""

import numpy as np
import pytest

from models.lengths import fixed_lengths, lognormal_lengths
from models.performance import BatchedPerformance, StepLaw
from models.simulation import Calls, draw_calls
from models.simulation.calls import merge_calls
from models.simulation.layout import ABANDONED, REFUSED
from models.simulation.run import run
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
from models.workloads import Arrival
from tests.models.naive_serving import NaiveServing

LAW = StepLaw(
    alpha_s=0.011,
    beta_s_per_seq=2e-4,
    exponent=0.8,
    gamma_s_per_context_tok=3e-8,
    delta_s_per_input_tok=3.5e-5,
)


def replica(**changes: object) -> BatchedPerformance:
    settings = {"step": LAW, "slot_count": 6, "token_budget_tok": 512} | changes
    return BatchedPerformance(**settings)  # type: ignore[arg-type]


def traffic(rate: float, **changes: object) -> Traffic:
    settings = {
        "rate_req_per_s": rate,
        "input_tok": lognormal_lengths(300, 1.0, (1, 3000)),
        "output_tok": lognormal_lengths(20, 1.0, (1, 200)),
    } | changes
    return Traffic(**settings)  # type: ignore[arg-type]


def tandem(first_token: FirstToken) -> TandemPools:
    return TandemPools(
        prefill=PrefillPool(worker_count=2, alpha_s=0.008, delta_s_per_input_tok=3.5e-5),
        transfer=TransferLinks(link_count=2, base_s=0.001, bytes_per_tok=327680.0, bandwidth_byte_per_s=4e10),
        replica=replica(slot_count=8),
        replica_count=2,
        first_token=first_token,
    )


PIPELINE = Pipeline(
    unloaded_token_s=0.00133,
    bottleneck_s_per_tok=1e-4,
    bottleneck_s_per_input_tok=2e-6,
    slot_count=20,
    kv_capacity_tok=6000,
)

CASES: dict[str, tuple[System, Traffic]] = {
    "mixed": (BatchedPool(replica=replica()), traffic(9.0)),
    "prefill first": (BatchedPool(replica=replica(), scheduler="prefill_first"), traffic(9.0)),
    "prefill first, wide budget": (
        BatchedPool(replica=replica(token_budget_tok=8192), scheduler="prefill_first"),
        traffic(8.0),
    ),
    "cache limit": (BatchedPool(replica=replica(kv_capacity_tok=2500)), traffic(7.0)),
    "shortest queue, two classes": (
        BatchedPool(replica=replica(), replica_count=3),
        traffic(30.0, high_share_fraction=0.3),
    ),
    "round robin, bursts": (
        BatchedPool(replica=replica(), replica_count=3, routing="round_robin"),
        traffic(20.0, arrival=Arrival(kind="mmpp", burst_fraction=0.2, burst_ratio=4.0, cycle_s=10.0)),
    ),
    "random, gamma gaps": (
        BatchedPool(replica=replica(), replica_count=3, routing="random"),
        traffic(20.0, arrival=Arrival(kind="gamma", scv_ratio=4.0)),
    ),
    "rounds of parallel calls": (
        BatchedPool(replica=replica(), replica_count=2),
        traffic(1.5, sequential_call_count=3, fan_out_count=4, pause_s=0.25),
    ),
    "calls in sequence, no pause": (
        BatchedPool(replica=replica()),
        traffic(2.0, sequential_call_count=4),
    ),
    "giving up": (
        BatchedPool(replica=replica(), replica_count=2),
        traffic(30.0, patience_mean_s=0.5, high_share_fraction=0.5),
    ),
    "cached prompts, swings": (
        BatchedPool(replica=replica()),
        traffic(
            9.0,
            cached_input_fraction=0.6,
            arrival=Arrival(kind="sine", amplitude_fraction=0.8, period_s=20.0),
        ),
    ),
    "a day": (
        BatchedPool(replica=replica()),
        traffic(9.0, arrival=Arrival(kind="profile"), hourly_fraction=(0.2, 0.6, 1.0) * 8),
    ),
    "tandem": (tandem("after_prefill"), traffic(25.0)),
    "tandem, first token late": (
        tandem("after_transfer"),
        traffic(20.0, high_share_fraction=0.4, patience_mean_s=0.05),
    ),
    "tandem in rounds": (tandem("after_prefill"), traffic(5.0, sequential_call_count=3, pause_s=0.1)),
    "pipeline": (
        PipelinePool(pipeline=PIPELINE),
        traffic(120.0, output_tok=lognormal_lengths(60, 1.0, (1, 600))),
    ),
    "pipelines, fan-out": (
        PipelinePool(pipeline=PIPELINE, replica_count=2),
        traffic(30.0, fan_out_count=4, sequential_call_count=2, input_tok=fixed_lengths(100)),
    ),
}


def offered_together() -> Calls:
    """Tasks of unlike shape on one system."""
    kinds = (
        traffic(6.0),
        traffic(0.7, sequential_call_count=3, fan_out_count=2, pause_s=0.1, high_share_fraction=1.0),
        traffic(2.0, patience_mean_s=0.4),
    )
    return merge_calls([draw_calls(kind, 150, seed) for seed, kind in enumerate(kinds)])


@pytest.mark.parametrize("name", CASES)
def test_fast_simulation_agrees_with_the_slow_one_to_the_bit(name: str) -> None:
    system, offered = CASES[name]
    assert_same(system, draw_calls(offered, max(600 // offered.call_count_per_task, 1), seed=11))


def test_kinds_of_tasks_together_agree_to_the_bit() -> None:
    assert_same(BatchedPool(replica=replica(), replica_count=2), offered_together())


def assert_same(system: System, calls: Calls) -> None:
    slow = NaiveServing(system, calls).run()
    world = run(system, calls, np.zeros(0))
    for field in ("arrival_s", "start_s", "first_token_s", "finish_s"):
        expected = np.array([getattr(call, field) for call in slow.seen])
        np.testing.assert_array_equal(world.calls[field], expected, err_msg=field)
    assert (world.calls["state"] == ABANDONED).tolist() == [call.gave_up for call in slow.seen]
    assert (world.calls["state"] == REFUSED).tolist() == [call.refused for call in slow.seen]
    assert world.windows["gap_count"].sum() == len(slow.gaps_s)
    assert world.windows["gap_sum_s"].sum() == pytest.approx(sum(slow.gaps_s), rel=1e-10)
