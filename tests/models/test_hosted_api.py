"""Hosted tiers against closed forms: known lengths, lognormal spreads, and what stays unknown."""

import math
import tracemalloc
from dataclasses import replace

import pytest

from models.architectures.hosted_api import fit, operate
from models.evidence import Evidence, Grade, Sense
from models.lengths import fixed_lengths, lognormal_from_percentiles
from models.measurements import Measurement, SourcedMeasurement
from models.percentiles import Percentiles
from models.performance import CannotServe, HostedPerformance, HostedPoint, Load, RequestClass
from models.tiers import Model, Offer, Speed, Tier

TYPICAL = Evidence(grade=Grade.INDEPENDENT, sense=Sense.TYPICAL, source="a third party")
CEILING = Evidence(grade=Grade.CEILING_OR_HEARSAY, sense=Sense.CEILING, source="an announcement")
NORMAL_95, NORMAL_99 = 1.6448536269514722, 2.3263478740408408  # any table of the normal distribution


def offer(speed=None, **limits):
    tier = Tier(id="api", label="API", architecture="hosted_api", speed=speed, **limits)
    return Offer(tier=tier, model=Model(id="m", label="M", kind="closed"))


def median_speed(rate=100.0, ttft=0.5):
    return Speed(
        stream_rate_tok_per_s=rate,
        ttft_p50_s=ttft,
        evidence={"stream_rate_tok_per_s": TYPICAL, "ttft_p50_s": TYPICAL},
    )


def ceiling_speed(rate=750.0):
    return Speed(stream_rate_ceiling_tok_per_s=rate, evidence={"stream_rate_ceiling_tok_per_s": CEILING})


def load(rate=1.0, input_tok=1000, output_tok=101, **more):
    single = RequestClass(
        name="w",
        rate_req_per_s=rate,
        input_tok=fixed_lengths(input_tok),
        output_tok=fixed_lengths(output_tok),
        **more,
    )
    return Load(classes=(single,))


def latency(performance, asked):
    return operate(performance, asked).of("w")


def test_a_published_median_gives_a_median_and_invents_nothing_else():
    seen = latency(fit(offer(median_speed()), ()), load())
    assert seen.tpot_s == Percentiles(p50=0.01)
    assert seen.ttft_s == Percentiles(p50=0.5)
    # 0.5 s to the first token, then 100 tokens of 10 ms
    assert seen.e2e_s.p50 == pytest.approx(1.5)
    assert (seen.e2e_s.p95, seen.e2e_s.p99, seen.e2e_s.mean) == (None, None, None)


def test_an_accepted_spread_gives_a_lognormals_percentiles():
    performance = fit(offer(median_speed()), (), accepted_p95_to_p50_ratio=2.0)
    seen = latency(performance, load())
    assert seen.tpot_s.p95 == pytest.approx(0.02)
    assert seen.tpot_s.p99 == pytest.approx(0.01 * 2 ** (NORMAL_99 / NORMAL_95))
    # The mean of a lognormal: median x exp(sigma squared / 2)
    sigma = math.log(2.0) / NORMAL_95
    assert seen.ttft_s.mean == pytest.approx(0.5 * math.exp(sigma**2 / 2))
    assert performance.evidence["accepted_p95_to_p50_ratio"].grade == Grade.ASSUMED_OR_DERIVED


def test_with_one_source_of_spread_e2e_is_that_lognormal():
    performance = HostedPerformance(
        points=(
            HostedPoint(
                concurrency_count=None,
                ttft_s=Percentiles(p50=1e-9, p90=1e-9, p95=1e-9, p99=1e-9),
                tpot_s=Percentiles(
                    p50=0.01,
                    p90=0.01 * 2 ** (1.2815515655446 / NORMAL_95),
                    p95=0.02,
                    p99=0.01 * 2 ** (NORMAL_99 / NORMAL_95),
                ),
            ),
        )
    )
    seen = latency(performance, load(output_tok=101)).e2e_s
    assert seen.p50 == pytest.approx(1.0, rel=0.01)
    assert seen.p95 == pytest.approx(2.0, rel=0.01)
    assert seen.p99 == pytest.approx(2 ** (NORMAL_99 / NORMAL_95), rel=0.03)


def test_lognormal_answers_at_a_constant_speed_scale_with_their_length():
    answers = lognormal_from_percentiles(400.0, 1600.0)
    steady = Percentiles(p50=0.01, p90=0.01, p95=0.01, p99=0.01)
    nothing = Percentiles(p50=1e-9, p90=1e-9, p95=1e-9, p99=1e-9)
    performance = HostedPerformance(
        points=(HostedPoint(concurrency_count=None, ttft_s=nothing, tpot_s=steady),)
    )
    single = RequestClass(name="w", rate_req_per_s=1.0, input_tok=fixed_lengths(10), output_tok=answers)
    seen = latency(performance, Load(classes=(single,))).e2e_s
    # (n - 1) x 10 ms at the median and the p95 of n
    assert seen.p50 == pytest.approx(3.99, rel=0.01)
    assert seen.p95 == pytest.approx(15.99, rel=0.01)


def test_a_ceiling_sizes_nothing_without_a_derate():
    refused = fit(offer(ceiling_speed()), ())
    assert isinstance(refused, CannotServe)
    assert refused.binding_constraint == "evidence"
    assert "accepted_derate_ratio" in refused.would_fit_if


def test_an_accepted_derate_counts_as_assumed():
    performance = fit(offer(ceiling_speed()), (), accepted_derate_ratio=0.4)
    assert latency(performance, load()).tpot_s.p50 == pytest.approx(1 / 300)
    used = performance.evidence["stream_rate_tok_per_s"]
    assert used.grade == Grade.ASSUMED_OR_DERIVED
    assert used.may_size_a_fleet
    assert performance.tpot_floor_s == pytest.approx(1 / 750)


def test_a_tier_with_a_price_only_knows_no_latency():
    seen = latency(fit(offer(), ()), load())
    assert not any(each.known for each in (seen.ttft_s, seen.tpot_s, seen.e2e_s, seen.task_s))


def measured(concurrency, tpot, built_in=False):
    return SourcedMeasurement(
        measurement=Measurement(
            load_kind="concurrency",
            concurrency_count=concurrency,
            ttft_s=Percentiles(p50=0.2, p95=0.4),
            tpot_s=Percentiles(p50=tpot, p95=2 * tpot),
        ),
        source_id="sha256:1",
        source_label="run.csv",
        row_number=2,
        built_in=built_in,
    )


def test_the_measured_point_that_covers_the_requests_in_flight_is_used():
    performance = fit(offer(median_speed()), [measured(64, 0.02), measured(4, 0.01)])
    # Little's law: at 1 request/s and 0.2 + 100 x 0.01 = 1.2 s each, 1.2 are in flight
    assert latency(performance, load(1.0)).tpot_s.p50 == 0.01
    # At 10 requests/s 12 are in flight: more than 4, fewer than 64
    assert latency(performance, load(10.0)).tpot_s.p50 == 0.02
    beyond = operate(performance, load(1000.0))
    assert beyond.of("w").tpot_s.p50 == 0.02
    assert not beyond.inside_domain


def test_own_measurements_come_before_others_and_before_what_is_published():
    performance = fit(offer(median_speed()), [measured(4, 0.05, built_in=True), measured(4, 0.01)])
    assert [point.tpot_s.p50 for point in performance.points] == [0.01]
    assert performance.evidence["tpot_s"].grade == Grade.OWN_MEASUREMENT


def test_utilisation_is_that_of_the_tighter_limit():
    limits = {"request_limit_per_min": 600.0, "token_limit_per_min": 1_000_000.0}
    performance = fit(offer(median_speed(), **limits), ())
    # 5/s x 60 / 600 = 0.5; 5/s x 1,101 tokens x 60 / 1,000,000 = 0.33
    point = operate(performance, load(5.0))
    assert point.utilisation_fraction == pytest.approx(0.5)
    assert point.max_rate_req_per_s == pytest.approx(10.0)
    # With 9,000 tokens in: 5 x 9,101 x 60 / 1,000,000 = 2.7
    swamped = operate(performance, load(5.0, input_tok=9000))
    assert swamped.utilisation_fraction == pytest.approx(2.7303)
    assert not swamped.stable
    assert swamped.latencies == ()


def test_without_limits_utilisation_is_unknown_not_zero():
    point = operate(fit(offer(median_speed()), ()), load(1e6))
    assert point.utilisation_fraction is None
    assert point.max_rate_req_per_s is None
    assert point.stable


def test_a_task_of_calls_in_sequence_takes_their_sum_and_the_pauses():
    # 3 calls of 1.5 s and 2 pauses of 4 s
    seen = latency(fit(offer(median_speed()), ()), load(sequential_call_count=3, pause_s=4.0))
    assert seen.task_s.p50 == pytest.approx(12.5)
    assert seen.task_s.p95 is None


def test_the_slowest_of_parallel_calls_is_unknown_where_only_medians_are_known():
    assert not latency(fit(offer(median_speed()), ()), load(fan_out_count=8)).task_s.known


def test_the_slowest_of_parallel_calls_follows_the_maximums_distribution():
    performance = fit(offer(median_speed(ttft=1e-6)), (), accepted_p95_to_p50_ratio=2.0)
    alone = latency(performance, load()).task_s
    slowest = latency(performance, load(fan_out_count=14)).task_s
    # P(max of 14 <= x) = P(one <= x)^14, and 0.95^14 = 0.488: its median is about one call's p95
    assert slowest.p50 == pytest.approx(alone.p95, rel=0.03)


def test_many_calls_in_sequence_take_their_mean_time_each():
    # Law of large numbers: a task of 10,000 calls takes 10,000 times the mean of one, spread by a percent
    performance = fit(offer(median_speed()), (), accepted_p95_to_p50_ratio=2.0)
    one = latency(performance, load()).e2e_s
    task = latency(performance, load(sequential_call_count=10_000)).task_s
    assert task.p50 == pytest.approx(10_000 * one.mean, rel=0.01)
    assert task.p99 == pytest.approx(task.p50, rel=0.02)


def test_a_huge_task_takes_no_huge_memory():
    performance = fit(offer(median_speed()), (), accepted_p95_to_p50_ratio=2.0)
    asked = load(fan_out_count=10**9, sequential_call_count=10**9)
    tracemalloc.start()
    seen = latency(performance, asked).task_s
    peak_byte = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert math.isfinite(seen.p99)
    assert peak_byte < 50_000_000


def test_the_same_load_gives_the_same_numbers():
    performance = fit(offer(median_speed()), (), accepted_p95_to_p50_ratio=1.5)
    asked = load(fan_out_count=3, sequential_call_count=2)
    assert operate(performance, asked) == operate(replace(performance), asked)


def measured_at(isl_tok, osl_tok, concurrency_count, tpot_s):
    return HostedPoint(
        concurrency_count=concurrency_count,
        isl_tok=isl_tok,
        osl_tok=osl_tok,
        ttft_s=Percentiles(p50=0.1, p90=0.1, p95=0.1, p99=0.1),
        tpot_s=Percentiles(p50=tpot_s, p90=tpot_s, p95=tpot_s, p99=tpot_s),
    )


SHAPES = HostedPerformance(
    points=(
        measured_at(1000, 200, 1, 0.001),
        measured_at(1000, 200, 16, 0.002),
        measured_at(8000, 400, 1, 0.003),
        measured_at(8000, 400, 16, 0.004),
        measured_at(8000, 400, 64, 0.009),
    )
)


def asked(isl_tok, osl_tok, rate_req_per_s):
    one = RequestClass(
        name="a",
        rate_req_per_s=rate_req_per_s,
        input_tok=fixed_lengths(isl_tok),
        output_tok=fixed_lengths(osl_tok),
    )
    return operate(SHAPES, Load(classes=(one,)))


def test_lengths_choose_their_own_measurements():
    # By Little: 30 calls/s of 0.1 + 399 x 4 ms = 1.7 s are 51 in flight, beyond 16, so the point at 64.
    assert asked(8000, 400, 30).of("a").tpot_s.p50 == 0.009
    assert asked(7000, 400, 0.1).of("a").tpot_s.p50 == 0.003
    assert asked(1000, 200, 30).of("a").tpot_s.p50 == 0.002
    assert asked(1000, 200, 1).inside_domain


def test_lengths_and_loads_beyond_the_measured_are_said():
    far = asked(30_000, 1_500, 0.01)
    assert not far.inside_domain
    assert any("outside the measured 1000 to 8000" in text for text in far.notices)
    assert not asked(8000, 400, 300).inside_domain
