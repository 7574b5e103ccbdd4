"""Operating points of batched accelerators against theory, and the notices that go with them."""

from dataclasses import replace

import pytest

from models.architectures.batched_accelerator import fit, max_rate, operate
from models.lengths import fixed_lengths, lognormal_lengths
from models.measurements import Measurement, SourcedMeasurement
from models.percentiles import Percentiles
from models.performance import BatchedPerformance, Domain, Load, RequestClass, StepLaw
from models.tiers import Model, Offer, Tier
from models.workloads import Arrival

STEP = StepLaw(
    alpha_s=0.011,
    beta_s_per_seq=1e-4,
    gamma_s_per_context_tok=1.75e-8,
    delta_s_per_input_tok=3.5e-5,
)
REPLICA = BatchedPerformance(step=STEP, slot_count=64)
CALLS = RequestClass(
    name="calls",
    rate_req_per_s=5.0,
    input_tok=lognormal_lengths(1000, 1.0, (1, 32768)),
    output_tok=lognormal_lengths(200, 1.0, (1, 4096)),
)


def one(**changes):
    return Load(classes=(replace(CALLS, **changes),))


def test_one_slot_is_a_single_server_with_pollaczek_khinchine_wait():
    """Service n alpha = 1 s fixed, rho = 0.6: E2E = 1 + 0.6 / (2 x 0.4) s."""
    performance = BatchedPerformance(step=StepLaw(alpha_s=0.01, beta_s_per_seq=0.0), slot_count=1)
    load = one(rate_req_per_s=0.6, input_tok=fixed_lengths(1), output_tok=fixed_lengths(100))
    point = operate(performance, load, 1)
    assert point.utilisation_fraction == pytest.approx(0.6)
    assert point.latencies[0].e2e_s.mean == pytest.approx(1.75, rel=0.02)
    assert point.latencies[0].itl_s.mean == pytest.approx(0.01, rel=1e-6)


def test_an_idle_replica_answers_in_steps_and_prompt_time():
    """One request: TTFT = A(1) + delta P, then n - 1 steps; network overhead once."""
    performance = replace(REPLICA, overhead_s=0.02)
    load = one(rate_req_per_s=1e-6, input_tok=fixed_lengths(1000), output_tok=fixed_lengths(201))
    latency = operate(performance, load, 1).latencies[0]
    assert latency.ttft_s.p50 == pytest.approx(0.02 + 0.011 + 0.035, rel=0.01)
    assert latency.e2e_s.mean == pytest.approx(latency.ttft_s.mean + 200 * 0.0111193, rel=0.01)


def test_each_class_sees_its_own_lengths_on_the_shared_pool():
    short = replace(CALLS, name="short", output_tok=fixed_lengths(50), input_tok=fixed_lengths(200))
    long = replace(CALLS, name="long", output_tok=fixed_lengths(800), input_tok=fixed_lengths(6000))
    load = Load(classes=(replace(short, rate_req_per_s=1.0), replace(long, rate_req_per_s=0.5)))
    point = operate(REPLICA, load, 1)
    assert point.of("long").ttft_s.mean > point.of("short").ttft_s.mean + 0.9 * 5800 * 3.5e-5
    assert point.of("long").itl_s.mean == pytest.approx(point.of("short").itl_s.mean)
    ratio = point.of("long").e2e_s.mean / point.of("short").e2e_s.mean
    assert ratio == pytest.approx(799 / 49, rel=0.2)


def test_a_task_is_its_calls_and_pauses():
    point = operate(REPLICA, one(sequential_call_count=10, pause_s=3.0), 2)
    latency = point.latencies[0]
    assert latency.task_s.mean == pytest.approx(10 * latency.e2e_s.mean + 27.0, rel=1e-6)
    assert latency.task_s.p95 < 10 * latency.e2e_s.p95 + 27.0  # calls are not all slow at once
    assert latency.task_s.p50 == pytest.approx(latency.task_s.mean, rel=0.1)


def test_a_fan_out_waits_for_its_slowest_call():
    alone = operate(REPLICA, one(), 4).latencies[0]
    fanned = operate(REPLICA, one(fan_out_count=8), 4).latencies[0]
    assert fanned.task_s.p50 > alone.e2e_s.p90  # the slowest of 8: 0.5 ** (1/8) = 0.917
    assert fanned.ttft_s.mean > alone.ttft_s.mean


def test_cached_prompts_shorten_the_first_token_but_are_still_read():
    fresh = operate(REPLICA, one(rate_req_per_s=2.0), 1).latencies[0]
    cached = operate(REPLICA, one(rate_req_per_s=2.0, cached_input_fraction=0.9), 1).latencies[0]
    assert cached.ttft_s.mean < fresh.ttft_s.mean - 0.8 * 900 * 3.5e-5
    assert cached.itl_s.p50 == pytest.approx(fresh.itl_s.p50, rel=0.05)


@pytest.mark.parametrize(
    "arrival",
    [
        Arrival(kind="gamma", scv_ratio=4.0),
        Arrival(kind="mmpp", burst_fraction=0.2, burst_ratio=2.0, cycle_s=5000.0),
        Arrival(kind="mmpp", burst_fraction=0.2, burst_ratio=4.0, cycle_s=20.0),
        Arrival(kind="sine", amplitude_fraction=0.3, period_s=3600.0),
    ],
)
def test_uneven_arrivals_wait_longer(arrival):
    even = operate(REPLICA, one(rate_req_per_s=7.0), 1)
    uneven = operate(REPLICA, replace(one(rate_req_per_s=7.0), arrival=arrival), 1)
    assert uneven.utilisation_fraction == even.utilisation_fraction
    assert uneven.latencies[0].e2e_s.mean > even.latencies[0].e2e_s.mean


@pytest.mark.parametrize(("period_s", "words"), [(60.0, "within minutes"), (3600.0, "backlog builds up")])
def test_a_swing_past_capacity_counts_its_backlog_and_says_so(period_s, words):
    swing = Arrival(kind="sine", amplitude_fraction=0.8, period_s=period_s)
    rate = 0.9 * max_rate(REPLICA, one(), 1)
    point = operate(REPLICA, replace(one(rate_req_per_s=rate), arrival=swing), 1)
    assert (
        point.latencies[0].e2e_s.p99 > operate(REPLICA, one(rate_req_per_s=rate), 1).latencies[0].e2e_s.mean
    )
    assert any(words in text for text in point.notices)


def test_a_class_without_calls_yet_still_sees_what_it_would_get():
    point = operate(REPLICA, one(rate_req_per_s=0.0), 1)
    assert point.stable
    assert point.utilisation_fraction == 0.0
    assert point.latencies[0].ttft_s.mean > 0.0


def test_a_request_larger_than_the_cache_cannot_be_served():
    point = operate(replace(REPLICA, kv_capacity_tok=500.0), one(input_tok=fixed_lengths(1000)), 1)
    assert not point.stable
    assert point.max_rate_req_per_s == 0.0
    assert "cannot hold" in point.notices[0]


def test_the_kv_cache_caps_the_rate():
    tight = replace(REPLICA, kv_capacity_tok=20_000.0)
    assert max_rate(tight, one(), 1) < 0.6 * max_rate(REPLICA, one(), 1)


@pytest.mark.parametrize(
    ("performance", "load", "words"),
    [
        (REPLICA, one(rate_req_per_s=0.97), "95 %"),
        (REPLICA, one(rate_req_per_s=0.5, input_tok=fixed_lengths(9000)), "token budget"),
        (replace(REPLICA, slot_count=8), one(rate_req_per_s=0.3), "8 slots"),
        (
            REPLICA,
            replace(one(rate_req_per_s=0.5), arrival=Arrival(kind="gamma", scv_ratio=4.0)),
            "lower bound",
        ),
        (REPLICA, one(rate_req_per_s=0.9, output_tok=fixed_lengths(200)), "equal length"),
    ],
)
def test_weak_answers_say_so(performance, load, words):
    """Rates in these cases are shares of the highest sustainable one."""
    share = load.classes[0].rate_req_per_s
    rate = share * max_rate(performance, load, 1)
    point = operate(performance, replace(load, classes=(replace(load.classes[0], rate_req_per_s=rate),)), 1)
    assert any(words in text for text in point.notices)


def test_outside_the_measured_lengths_the_answer_is_flagged():
    domain = Domain(
        concurrency_low_count=1,
        concurrency_high_count=64,
        isl_low_tok=500.0,
        isl_high_tok=2000.0,
        osl_low_tok=100.0,
        osl_high_tok=400.0,
    )
    measured = replace(REPLICA, domain=domain)
    assert operate(measured, one(rate_req_per_s=2.0), 1).inside_domain
    point = operate(measured, one(rate_req_per_s=0.5, output_tok=fixed_lengths(3000)), 1)
    assert not point.inside_domain
    assert any("output" in text for text in point.notices)


def open_row(rate, tpot_s, served=None):
    row = Measurement(
        load_kind="rate",
        offered_rate_req_per_s=rate,
        request_rate_req_per_s=rate if served is None else served,
        isl_tok=500.0,
        osl_tok=250.0,
        tpot_s=Percentiles(p50=tpot_s),
        ttft_s=Percentiles(p50=0.05),
        e2e_s=Percentiles(p50=0.05 + 249 * tpot_s),
    )
    return SourcedMeasurement(measurement=row, source_id="s", source_label="A sweep", row_number=2)


def test_an_open_sweep_serves_what_it_was_seen_to_serve():
    tier = Tier(id="t", label="T", architecture="batched_accelerator")
    offer = Offer(tier=tier, model=Model(id="m", label="M", kind="closed"))
    rows = [open_row(1.0, 0.0100), open_row(4.0, 0.0130), open_row(8.0, 0.0190)]
    highest = one(rate_req_per_s=8.0, input_tok=fixed_lengths(500), output_tok=fixed_lengths(250))
    assert operate(fit(offer, rows), highest, 1).stable
    saturated = fit(offer, [*rows, open_row(50.0, 0.05, served=12.0)])
    assert max_rate(saturated, highest, 1) == pytest.approx(12.0, rel=0.05)
