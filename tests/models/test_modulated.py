"""Bursts of random length: none is steady, long ones are two steady pools, overloads are as simulated."""

import pytest

from models.architectures.batched_accelerator import max_rate, operate
from models.arrival_phases import STEADY
from models.batched_operation import steady_state
from models.lengths import lognormal_lengths
from models.modulated import modulated_states
from models.performance import BatchedPerformance, Load, RequestClass, StepLaw
from models.request_mix import mix_of
from models.shared_replica import share
from models.simulation import simulate
from models.systems import BatchedPool
from models.traffic import Traffic
from models.workloads import Arrival

LAW = StepLaw(
    alpha_s=0.012,
    beta_s_per_seq=6e-4,
    exponent=0.77,
    gamma_s_per_context_tok=5e-9,
    delta_s_per_input_tok=1e-5,
)
REPLICA = BatchedPerformance(step=LAW, slot_count=64)
INPUTS, OUTPUTS = lognormal_lengths(512, 1.0, (1, 32_768)), lognormal_lengths(128, 1.0, (1, 4096))


def load(rate, arrival=None):
    only = RequestClass(name="all", rate_req_per_s=rate, input_tok=INPUTS, output_tok=OUTPUTS)
    return Load(classes=(only,), arrival=arrival or Arrival())


HIGHEST = max_rate(REPLICA, load(1.0), 1)
SHARED = share(REPLICA, mix_of(load(1.0).classes))


def bursts(ratio, cycle_s, fraction=0.2):
    return Arrival(kind="mmpp", burst_fraction=fraction, burst_ratio=ratio, cycle_s=cycle_s)


def test_bursts_no_higher_than_lulls_are_a_steady_load():
    rate = 0.8 * HIGHEST
    steady = steady_state(SHARED, rate, 1, STEADY, "join_shortest_queue")
    for state in modulated_states(SHARED, bursts(1.0, 10.0), rate, 1, "join_shortest_queue"):
        assert state.held.busy_slot_count == pytest.approx(steady.held.busy_slot_count, rel=1e-3)
        assert state.wait_s == pytest.approx(steady.wait_s, rel=0.03)


def test_very_long_bursts_are_two_steady_pools():
    """Each phase as if it lasted (L. Green and P. Kolesar 1991)."""
    rate = 0.6 * HIGHEST
    states = modulated_states(SHARED, bursts(1.4, 1e6), rate, 1, "join_shortest_queue")
    for state, ratio in zip(states, (1 / 1.08, 1.4 / 1.08), strict=True):
        steady = steady_state(SHARED, rate * ratio, 1, STEADY, "join_shortest_queue")
        assert state.held.busy_slot_count == pytest.approx(steady.held.busy_slot_count, rel=0.02)


def test_phases_carry_all_requests_and_finish_all_of_them():
    rate = 0.7 * HIGHEST
    states = modulated_states(SHARED, bursts(3.0, 20.0), rate, 1, "join_shortest_queue")
    assert sum(state.weight for state in states) == pytest.approx(rate)
    finished = sum(
        state.time_fraction * float((state.held.probability * state.held.departure_rate).sum())
        for state in states
    )
    assert finished == pytest.approx(rate, rel=0.01)


@pytest.mark.parametrize("cycle_s", [5.0, 30.0, 300.0])
def test_bursts_beyond_capacity_are_as_simulated(cycle_s):
    """2.1 times the mean for a fifth of the time: 1.7 times what the pool sustains."""
    arrival, rate = bursts(3.0, cycle_s), 0.8 * HIGHEST
    latency = operate(REPLICA, load(rate, arrival), 1).latencies[0]
    seen = simulate(
        BatchedPool(replica=REPLICA),
        Traffic(rate_req_per_s=rate, input_tok=INPUTS, output_tok=OUTPUTS, arrival=arrival),
        request_count=300_000,
        seed=3,
    )
    noise = seen.ttft_s["mean"].half_width / seen.ttft_s["mean"].value
    assert latency.ttft_s.mean == pytest.approx(seen.ttft_s["mean"].value, rel=0.15 + noise)
    assert latency.e2e_s.mean == pytest.approx(seen.e2e_s["mean"].value, rel=0.06 + noise)
