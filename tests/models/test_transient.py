"""Loads that swing: a constant one is stationary, a deep one is a fluid, one at capacity as simulated."""

import numpy as np
import pytest

from models.architectures.batched_accelerator import max_rate, operate
from models.arrival_phases import STEADY
from models.arrival_states import arrival_states
from models.batched_operation import steady_state
from models.lengths import lognormal_lengths
from models.performance import BatchedPerformance, Load, RequestClass, StepLaw
from models.request_mix import mix_of
from models.shared_replica import share
from models.simulation import simulate
from models.systems import BatchedPool
from models.traffic import Traffic
from models.transient import transient_states
from models.workloads import Arrival

LAW = StepLaw(
    alpha_s=0.011, beta_s_per_seq=1e-4, gamma_s_per_context_tok=1.75e-8, delta_s_per_input_tok=3.5e-5
)
REPLICA = BatchedPerformance(step=LAW, slot_count=64)
INPUTS, OUTPUTS = lognormal_lengths(1000, 1.0, (1, 32_768)), lognormal_lengths(200, 1.0, (1, 4096))


def load(rate, arrival):
    only = RequestClass(name="all", rate_req_per_s=rate, input_tok=INPUTS, output_tok=OUTPUTS)
    return Load(classes=(only,), arrival=arrival)


HIGHEST = max_rate(REPLICA, load(1.0, Arrival()), 1)


def shared():
    return share(REPLICA, mix_of(load(1.0, Arrival()).classes))


@pytest.mark.parametrize("replica_count", [1, 4])
@pytest.mark.parametrize("utilisation", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("routing", ["join_shortest_queue", "random"])
def test_a_rate_that_does_not_change_gives_the_stationary_pool(utilisation, replica_count, routing):
    rate = utilisation * HIGHEST * replica_count
    steady = steady_state(shared(), rate, replica_count, STEADY, routing)
    last = transient_states(shared(), np.full(100, rate), 10.0, replica_count, routing)[-1]
    assert last.held.busy_slot_count == pytest.approx(steady.held.busy_slot_count, rel=1e-3)
    assert last.held.full_probability == pytest.approx(steady.held.full_probability, rel=0.01, abs=1e-12)
    assert last.wait_s == pytest.approx(steady.wait_s, rel=0.03)
    assert last.itl_s == pytest.approx(steady.itl_s, rel=0.01)


def test_a_long_peak_beyond_capacity_queues_like_a_fluid():
    """Arrivals at 1.2 times what leaves for four hours, 0.6 times before and after (G. F. Newell 1968)."""
    hours = (0.5,) * 10 + (1.0,) * 4 + (0.5,) * 10
    peak = 1.2 * HIGHEST
    arrival = Arrival(kind="profile", hourly_fraction=hours)
    point = operate(REPLICA, load(peak, arrival), 1)
    rates = peak * np.repeat(hours, 3600)
    backlog, waits = 0.0, []
    for rate in rates:
        backlog = max(backlog + rate - HIGHEST, 0.0)
        waits.append(backlog / HIGHEST)
    fluid_s = float((np.array(waits) * rates).sum() / rates.sum())
    assert point.stable
    assert point.utilisation_fraction == pytest.approx(float(rates.mean()) / HIGHEST)
    assert point.latencies[0].ttft_s.mean == pytest.approx(fluid_s, rel=0.03)
    assert any("backlog" in text for text in point.notices)


def test_more_than_capacity_on_average_has_no_latency():
    arrival = Arrival(kind="sine", amplitude_fraction=0.3, period_s=600.0)
    point = operate(REPLICA, load(1.01 * HIGHEST, arrival), 1)
    assert not point.stable
    assert point.latencies == ()


@pytest.mark.parametrize(("mean", "peak", "period_s"), [(0.75, 1.1, 300.0), (0.7, 1.15, 600.0)])
def test_a_swing_through_capacity_is_as_simulated(mean, peak, period_s):
    """Limits stated: mean TTFT within 13 %, E2E within 6 %, for periods of 300 s and more, peaks to 1.2."""
    arrival = Arrival(kind="sine", amplitude_fraction=peak / mean - 1.0, period_s=period_s)
    rate = mean * HIGHEST
    latency = operate(REPLICA, load(rate, arrival), 1, point_count=4096).latencies[0]
    seen = simulate(
        BatchedPool(replica=REPLICA),
        Traffic(rate_req_per_s=rate, input_tok=INPUTS, output_tok=OUTPUTS, arrival=arrival),
        request_count=200_000,
        seed=7,
    )
    assert latency.ttft_s.mean == pytest.approx(seen.ttft_s["mean"].value, rel=0.13)
    assert latency.e2e_s.mean == pytest.approx(seen.e2e_s["mean"].value, rel=0.06)
    assert latency.e2e_s.p95 == pytest.approx(seen.e2e_s["p95"].value, rel=0.10)
    assert latency.ttft_s.p95 == pytest.approx(seen.ttft_s["p95"].value, rel=0.20)


def test_phases_carry_all_requests_and_all_time():
    arrival = Arrival(kind="sine", amplitude_fraction=0.5, period_s=600.0)
    classes = load(1.0, arrival).classes
    states = arrival_states(shared(), arrival, classes, 0.8 * HIGHEST, 1, "join_shortest_queue")
    assert sum(state.time_fraction for state in states) == pytest.approx(1.0)
    assert sum(state.weight for state in states) == pytest.approx(0.8 * HIGHEST)
    for state in states:
        assert state.held.probability.sum() == pytest.approx(1.0)
        assert (state.held.probability >= 0.0).all()
