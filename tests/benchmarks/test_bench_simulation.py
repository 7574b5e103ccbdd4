"""How fast the simulation is: requests a second on one core, and against the same model in SimPy.

Run with `python -m pytest tests/benchmarks/test_bench_simulation.py --benchmark-enable`; the ratio to
SimPy is taken in one run and holds on any machine.
"""

import time
from collections.abc import Callable

import numpy as np
import pytest

from models.lengths import lognormal_lengths
from models.performance import BatchedPerformance, StepLaw
from models.simulation import draw_calls, simulate
from models.simulation.run import run
from models.systems import BatchedPool
from models.traffic import Traffic

pytest.importorskip("simpy", reason="SimPy is the yardstick; it is in requirements-dev.in")

from tests.benchmarks.simpy_serving import SimpyReplica

LAW = StepLaw(
    alpha_s=0.011, beta_s_per_seq=1e-4, gamma_s_per_context_tok=1.75e-8, delta_s_per_input_tok=3.5e-5
)
POOL = BatchedPool(replica=BatchedPerformance(step=LAW, slot_count=64))
OFFERED = Traffic(  # 80 % of the 10.7 requests/s that this replica sustains
    rate_req_per_s=8.6,
    input_tok=lognormal_lengths(1000, 1.0, (1, 32768)),
    output_tok=lognormal_lengths(200, 1.0, (1, 4096)),
)
FAST_COUNT, SLOW_COUNT = 200_000, 4_000
TIMES_FASTER = 20


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def test_whole_simulation(benchmark) -> None:
    simulate(POOL, OFFERED, request_count=1000, seed=1)  # compiles
    count = FAST_COUNT if benchmark.enabled else SLOW_COUNT
    seen = benchmark.pedantic(
        lambda: simulate(POOL, OFFERED, request_count=count, seed=1), rounds=3 if benchmark.enabled else 1
    )
    assert seen.e2e_s is not None
    if benchmark.enabled:
        benchmark.extra_info["requests per second"] = count / benchmark.stats.stats.min


def test_simpy_sees_the_same_and_is_at_least_twenty_times_slower() -> None:
    calls = draw_calls(OFFERED, SLOW_COUNT, 1)
    run(POOL, draw_calls(OFFERED, 10, 1), np.zeros(0))  # compiles
    slow = SimpyReplica(POOL, calls)
    slow_s = seconds(slow.run) / SLOW_COUNT
    many = draw_calls(OFFERED, 10 * SLOW_COUNT, 1)
    fast_s = min(seconds(lambda: run(POOL, many, np.zeros(0))) for _ in range(3)) / (10 * SLOW_COUNT)
    world = run(POOL, calls, np.zeros(0))
    np.testing.assert_allclose(world.calls["finish_s"], slow.finish_s, rtol=1e-12)
    print(f"{1 / fast_s:,.0f} requests/s, SimPy {1 / slow_s:,.0f}: {slow_s / fast_s:.0f} times faster")
    assert slow_s > TIMES_FASTER * fast_s
