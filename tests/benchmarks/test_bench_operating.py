"""How long one operating point takes: means alone, all percentiles, small pools and large.

python -m pytest tests/benchmarks/test_bench_operating.py --benchmark-enable
"""

import pytest

from models.architectures import batched_accelerator
from models.arrival_states import arrival_states
from models.batched_operation import mean_latencies_s
from models.lengths import lognormal_lengths
from models.performance import BatchedPerformance, Load, RequestClass, StepLaw
from models.processor_sharing import share
from models.request_mix import mix_of

LAW = StepLaw(
    alpha_s=0.011, beta_s_per_seq=1e-4, gamma_s_per_context_tok=1.75e-8, delta_s_per_input_tok=3.5e-5
)
SHARE_OF_CAPACITY = 0.7
SIZES = {"64 slots": (64, 1), "64 x 256 slots": (256, 64), "1,000 x 256 slots": (256, 1000)}


def loaded(slot_count: int, replica_count: int) -> tuple[BatchedPerformance, Load]:
    """A machine and a load at 70 % of what the pool sustains."""
    machine = BatchedPerformance(step=LAW, slot_count=slot_count)
    call = RequestClass(
        name="chat",
        rate_req_per_s=1.0,
        input_tok=lognormal_lengths(1000, 1.0),
        output_tok=lognormal_lengths(200, 1.0),
    )
    highest = batched_accelerator.max_rate(machine, Load(classes=(call,)), replica_count)
    busy = RequestClass(
        name="chat",
        rate_req_per_s=highest * SHARE_OF_CAPACITY,
        input_tok=call.input_tok,
        output_tok=call.output_tok,
    )
    return machine, Load(classes=(busy,))


def means(machine: BatchedPerformance, load: Load, replica_count: int) -> list[tuple[float, float]]:
    replica = share(machine, mix_of(load.classes), "mixed")
    states = arrival_states(
        replica, load.arrival, load.classes, load.rate_req_per_s, replica_count, "join_shortest_queue"
    )
    return [mean_latencies_s(state, load.classes[0], replica_count) for state in states]


@pytest.mark.parametrize("size", SIZES)
def test_means(benchmark, size) -> None:
    slots, replicas = SIZES[size]
    machine, load = loaded(slots, replicas)
    assert benchmark(means, machine, load, replicas)[0][0] > 0


@pytest.mark.parametrize("size", SIZES)
def test_all_percentiles(benchmark, size) -> None:
    slots, replicas = SIZES[size]
    machine, load = loaded(slots, replicas)
    point = benchmark(batched_accelerator.operate, machine, load, replicas)
    assert point.of("chat").ttft_s.p99 > point.of("chat").ttft_s.p50 > 0
