"""A cache shared by requests of different size holds a number that varies."""

import numpy as np
import pytest

from models.cache_blocking import CacheLimit, cache_limit
from models.lengths import fixed_lengths, lognormal_lengths
from models.performance import BatchedPerformance, RequestClass, StepLaw
from models.processor_sharing import occupancy, share
from models.request_mix import RequestMix, mix_of

LIMIT = CacheLimit(mean_count=30.0, deviation_count=4.0, work_scv_ratio=3.0)


def _mix(cv_ratio: float) -> RequestMix:
    inputs = lognormal_lengths(1000, cv_ratio, (1, 32_768)) if cv_ratio else fixed_lengths(1000)
    outputs = lognormal_lengths(200, cv_ratio, (1, 4096)) if cv_ratio else fixed_lengths(200)
    each = RequestClass(name="all", rate_req_per_s=1.0, input_tok=inputs, output_tok=outputs)
    return mix_of((each,))


def test_requests_of_one_size_leave_a_plain_number():
    mix = _mix(0.0)
    assert mix.held_square == pytest.approx(mix.held_tok**2)
    assert mix.work_square == pytest.approx((mix.held_tok * mix.output_tok) ** 2)
    assert cache_limit(30.0, mix) is None


def test_sizes_that_differ_more_spread_the_number_more():
    narrow, wide = cache_limit(100.0, _mix(0.5)), cache_limit(100.0, _mix(1.0))
    assert narrow is not None
    assert wide is not None
    assert narrow.deviation_count < wide.deviation_count
    assert narrow.work_scv_ratio < wide.work_scv_ratio


def test_served_rises_from_none_to_the_mean_and_never_beyond_those_present():
    present = np.arange(0.0, 200.0)
    served = LIMIT.served_count(present)
    assert served[0] == 0.0
    assert np.all(np.diff(served) >= -1e-12)
    assert np.all(served <= present + 1e-12)
    assert served[-1] == pytest.approx(LIMIT.mean_count)


def test_served_is_the_mean_of_the_smaller_of_present_and_fitting():
    draws = np.random.default_rng(1).normal(LIMIT.mean_count, LIMIT.deviation_count, 400_000)
    for present in (20.0, 28.0, 35.0):
        expected = float(np.minimum(draws, present).mean())
        assert LIMIT.served_count(np.array([present]))[0] == pytest.approx(expected, rel=1e-3)


def test_requests_wait_more_often_where_sizes_differ():
    step = StepLaw(
        alpha_s=0.01, beta_s_per_seq=1e-4, gamma_s_per_context_tok=1e-8, delta_s_per_input_tok=2e-5
    )
    mix = _mix(1.0)
    tight = BatchedPerformance(step=step, slot_count=64, kv_capacity_tok=40_000.0)
    by_cache = share(tight, mix)
    assert by_cache is not None
    assert by_cache.cache is not None
    by_slots = share(BatchedPerformance(step=step, slot_count=by_cache.slot_count), mix)
    assert by_slots is not None
    rate = by_cache.max_rate_req_per_s * 0.6
    assert occupancy(by_cache, rate, 1).full_probability > occupancy(by_slots, rate, 1).full_probability
