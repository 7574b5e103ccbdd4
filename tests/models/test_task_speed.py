"""Fast tokens and whole tasks: why 14 times is not 14 times, and what sub-agents multiply instead."""

import pytest

from models.architectures import hosted_api
from models.lengths import fixed_lengths
from models.percentiles import Percentiles
from models.performance import ClassLatency, HostedPerformance, HostedPoint
from models.pool_loads import load_of
from models.task_speed import (
    TaskPace,
    speed_multiples,
    task_speed_ratio,
    unaccelerated_fraction,
)
from models.workloads import Demand, Workload

# 750 / 14 and 750 tokens a second
SLOW, FAST = TaskPace(ttft_s=0.6, tpot_s=14 / 750), TaskPace(ttft_s=0.6, tpot_s=1 / 750)


def test_half_as_long_a_task_of_nothing_but_tokens_is_14_times_as_fast():
    bare = [TaskPace(ttft_s=0.0, tpot_s=each.tpot_s) for each in (SLOW, FAST)]
    assert task_speed_ratio(*bare, call_count=1, output_tok=501, pause_s=0.0) == pytest.approx(14.0)


@pytest.mark.parametrize(
    ("calls", "output_tok", "pause_s"),
    # one answer of an agent; ten turns with tools of half a second and of two seconds; a short turn of speech
    [(1, 500, 0.0), (10, 350, 0.5), (10, 500, 2.0), (1, 60, 0.0)],
)
def test_14_times_on_tokens_is_2_to_8_times_on_a_task(calls, output_tok, pause_s):
    ratio = task_speed_ratio(SLOW, FAST, call_count=calls, output_tok=output_tok, pause_s=pause_s)
    assert 2.0 <= ratio <= 8.0
    slow_s = SLOW.task_s(calls, output_tok, pause_s)
    share = (calls * 0.6 + (calls - 1) * pause_s) / slow_s
    assert ratio == pytest.approx(1 / (share + (1 - share) / 14))  # G. Amdahl 1967


def test_a_500_token_answer_after_six_tenths_of_a_second_is_7_times_as_fast():
    # (0.6 + 499 x 18.7 ms) / (0.6 + 499 x 1.33 ms) = 9.91 / 1.265
    ratio = task_speed_ratio(SLOW, FAST, call_count=1, output_tok=500, pause_s=0.0)
    assert ratio == pytest.approx(7.84, abs=0.01)


def test_gdp_val_leaves_a_ninth_unaccelerated():
    # end to end 5.6 times while tokens are 14 times as fast: (1/5.6 - 1/14) / (1 - 1/14)
    share = unaccelerated_fraction(5.6, 14.0)
    assert share == pytest.approx(0.115, abs=0.0005)
    assert 1 / (share + (1 - share) / 14) == pytest.approx(5.6)


def test_a_network_hop_counts_against_the_fast_tier_alone():
    far = TaskPace(ttft_s=0.6, tpot_s=1 / 750, network_s=0.2)
    near_ratio, far_ratio = (
        task_speed_ratio(SLOW, each, call_count=10, output_tok=300, pause_s=0.5) for each in (FAST, far)
    )
    assert far_ratio < near_ratio


# ---- sub-agents: more calls at once, no faster stream ----------------------------------------------------


def demand(fan_out):
    workload = Workload(
        name="agents",
        kind="operations",
        models=("model",),
        input_tok=fixed_lengths(2000.0),
        output_tok=fixed_lengths(500.0),
        fan_out_count=fan_out,
    )
    return Demand(workload=workload, peak_rate_req_per_s=0.1)


def hosted(**limits):
    point = HostedPoint(
        concurrency_count=None,
        ttft_s=Percentiles(p50=0.4, p95=0.8),
        tpot_s=Percentiles(p50=0.01, p95=0.02),
    )
    return HostedPerformance(points=(point,), **limits)


@pytest.mark.parametrize("fan_out", [1, 8, 64])
def test_sub_agents_multiply_calls_and_tokens_against_the_rate_limits(fan_out):
    calls_per_min, tokens_per_min = 0.1 * 60 * fan_out, 0.1 * 60 * fan_out * 2500
    by_calls = hosted_api.operate(hosted(request_limit_per_min=10_000.0), load_of([demand(fan_out)]))
    by_tokens = hosted_api.operate(hosted(token_limit_per_min=5e6), load_of([demand(fan_out)]))
    assert by_calls.utilisation_fraction == pytest.approx(calls_per_min / 10_000)
    assert by_tokens.utilisation_fraction == pytest.approx(tokens_per_min / 5e6)


def test_64_sub_agents_can_exhaust_a_limit_that_one_does_not():
    limits = {"token_limit_per_min": 500_000.0}
    assert hosted_api.operate(hosted(**limits), load_of([demand(1)])).stable
    assert not hosted_api.operate(hosted(**limits), load_of([demand(64)])).stable


def test_sub_agents_make_no_stream_faster_and_wait_for_the_slowest():
    one, many = (hosted_api.operate(hosted(), load_of([demand(fan_out)])).latencies[0] for fan_out in (1, 64))
    assert many.tpot_s == one.tpot_s
    assert many.e2e_s == one.e2e_s
    assert many.task_s.p50 > one.task_s.p95


def seen(name, tpot_s, task_s):
    return ClassLatency(name=name, tpot_s=Percentiles(p50=tpot_s), task_s=Percentiles(p50=task_s))


def test_tiers_are_measured_by_the_slowest_stream():
    slow, fast = seen("w", 0.02, 12.0), seen("w", 0.02 / 14, 12.0 / 5.6)
    first, second, third = speed_multiples(
        {"fast": fast, "slow": slow, "unknown": seen("w", None, None), "bare": seen("w", 0.01, None)}
    )
    assert [first.name, second.name, third.name] == ["slow", "bare", "fast"]
    assert (first.token_speed_ratio, first.task_speed_ratio, first.unaccelerated_fraction) == (1.0, 1.0, None)
    assert second.task_speed_ratio is None
    assert third.token_speed_ratio == pytest.approx(14.0)
    assert third.unaccelerated_fraction == pytest.approx(0.115, abs=0.0005)
