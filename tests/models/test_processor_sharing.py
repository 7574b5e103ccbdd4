"""The occupancy chain in the limits where queueing theory has the answer."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.lengths import fixed_lengths, lognormal_lengths
from models.performance import BatchedPerformance, RequestClass, StepLaw
from models.processor_sharing import occupancy, share, slots_within_kv
from models.queueing import erlang_c
from models.request_mix import mix_of


def mix(inputs, outputs):
    return mix_of((RequestClass(name="a", rate_req_per_s=1.0, input_tok=inputs, output_tok=outputs),))


def replica(outputs, slots, *, inputs=None, **step):
    law = StepLaw(**{"alpha_s": 0.0, "beta_s_per_seq": 0.0, **step})
    performance = BatchedPerformance(step=law, slot_count=slots, token_budget_tok=10**6)
    found = share(performance, mix(inputs or fixed_lengths(1), outputs))
    assert found is not None
    return found


def test_capacity_is_slots_over_steps_times_full_step():
    """X = B / (n_s T(B)); 64 slots, 101 steps of 10 ms + 100/101 x 64 x 0.1 ms."""
    full = replica(fixed_lengths(101), 64, alpha_s=0.01, beta_s_per_seq=1e-4)
    assert full.max_rate_req_per_s == pytest.approx(64 / (101 * (0.01 + 64 * 1e-4 * 100 / 101)))


def test_a_full_token_budget_caps_prompts_alone():
    """One-token answers: 8,192 prompt tokens in a step of 10 ms + 8,192 x 10 us serve 8.19 calls."""
    performance = BatchedPerformance(
        step=StepLaw(alpha_s=0.01, beta_s_per_seq=0.0, delta_s_per_input_tok=1e-5),
        slot_count=4096,
        token_budget_tok=8192,
    )
    found = share(performance, mix(fixed_lengths(1000), fixed_lengths(1)))
    assert found.budget_rate_req_per_s == pytest.approx(8.192 / (0.01 + 0.08192))


@settings(max_examples=30, deadline=None)
@given(st.floats(0.05, 0.95), st.sampled_from([0.1, 1.0, 2.0]))
def test_without_step_overhead_it_is_processor_sharing(utilisation, cv):
    """T(b) proportional to b: geometric occupancy, whatever the lengths (L. Kleinrock 1967)."""
    outputs = lognormal_lengths(200.0, cv, (1, 4096))
    single = replica(outputs, 4000, alpha_s=1e-12, beta_s_per_seq=1e-3)
    rate = utilisation * single.max_rate_req_per_s
    held = occupancy(single, rate, 1)
    assert held.busy_slot_count == pytest.approx(utilisation / (1 - utilisation), rel=1e-3)
    assert held.probability[0] == pytest.approx(1 - utilisation, rel=1e-3)


@settings(max_examples=30, deadline=None)
@given(st.floats(0.1, 0.97), st.integers(1, 300))
def test_with_constant_steps_slots_are_servers(utilisation, slots):
    """T(b) constant: an M/M/c of slots, whose waiting probability is Erlang C."""
    single = replica(fixed_lengths(50), slots, alpha_s=0.02)
    rate = utilisation * single.max_rate_req_per_s
    held = occupancy(single, rate, 1)
    assert held.full_probability == pytest.approx(erlang_c(utilisation * slots, slots), rel=1e-6)
    assert held.busy_slot_count == pytest.approx(utilisation * slots, rel=1e-6)


@pytest.mark.parametrize("replicas", [200, 5_000])
def test_a_long_chain_is_summed_where_it_matters(replicas):
    """Constant steps far from full: busy slots are rate times service time (Little), Poisson spread."""
    single = replica(fixed_lengths(50), 256, alpha_s=0.02)
    rate = 0.5 * single.max_rate_req_per_s * replicas
    held = occupancy(single, rate, replicas)
    assert held.busy_slot_count == pytest.approx(rate * 50 * 0.02, rel=1e-6)
    spread = float(held.probability @ (held.count - rate) ** 2)
    assert spread == pytest.approx(rate, rel=0.01)
    assert held.full_probability == 0.0


def test_a_cache_too_small_for_one_request_holds_none():
    assert slots_within_kv(64, 100.0, mix(fixed_lengths(1000), fixed_lengths(100))) == 0
    assert slots_within_kv(64, None, mix(fixed_lengths(1000), fixed_lengths(100))) == 64


def test_equal_requests_fill_the_cache_less_half_of_one():
    """1,100 tokens each: (11,000 - 550) / 1,100 = 9.5, so nine and a part."""
    assert slots_within_kv(64, 11_000.0, mix(fixed_lengths(1000), fixed_lengths(100))) == 9


def test_probabilities_sum_to_one_next_to_saturation():
    single = replica(lognormal_lengths(100, 1.0), 64, alpha_s=0.01, beta_s_per_seq=1e-4)
    held = occupancy(single, single.max_rate_req_per_s * (1 - 1e-9), 1)
    assert math.isclose(float(held.probability.sum()), 1.0, rel_tol=1e-9)
    assert np.all(np.isfinite(held.probability))
    assert held.full_probability == pytest.approx(1.0, abs=1e-4)
