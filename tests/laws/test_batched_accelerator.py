"""Laws that a pool of batched accelerators obeys at any load."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from models.architectures.batched_accelerator import max_rate, operate
from models.performance import RequestClass
from tests.laws.batched_cases import LENGTHS, PERFORMANCES, load_of

FEW = settings(max_examples=40, deadline=None)
POINTS = 512
METRICS = ("ttft_s", "itl_s", "tpot_s", "e2e_s", "task_s")


def figures(point, metric):
    return [v for v in getattr(point.latencies[0], metric).as_dict().values() if v is not None]


@FEW
@given(PERFORMANCES, LENGTHS, LENGTHS, st.integers(1, 40), st.floats(1e-4, 1.0 - 1e-7))
def test_below_saturation_every_latency_is_a_number_and_percentiles_rise(
    performance, inputs, outputs, replicas, utilisation
):
    rate = utilisation * max_rate(performance, load_of(1.0, inputs, outputs), replicas)
    point = operate(performance, load_of(rate, inputs, outputs), replicas, point_count=POINTS)
    assert point.stable
    assert point.utilisation_fraction == pytest.approx(utilisation, rel=1e-6)
    for metric in METRICS:
        found = figures(point, metric)
        assert all(np.isfinite(found)), metric
        assert min(found, default=0.0) >= 0.0
        assert found[1:] == sorted(found[1:]), metric
    assert 0.0 < point.slot_occupancy_fraction <= 1.0
    assert 0.0 < point.busy_fraction <= 1.0
    assert 0.0 <= point.wait_probability_fraction <= 1.0


@FEW
@given(PERFORMANCES, LENGTHS, LENGTHS, st.integers(1, 40), st.floats(1.0, 5.0))
def test_past_saturation_there_is_no_latency(performance, inputs, outputs, replicas, utilisation):
    rate = utilisation * max_rate(performance, load_of(1.0, inputs, outputs), replicas)
    point = operate(performance, load_of(rate, inputs, outputs), replicas)
    assert not point.stable
    assert point.latencies == ()
    assert point.utilisation_fraction >= 1.0 - 1e-6


@FEW
@given(PERFORMANCES, LENGTHS, LENGTHS, st.integers(1, 40), st.floats(0.05, 0.9))
def test_a_machine_twice_as_slow_at_half_the_rate_shows_doubled_times(
    performance, inputs, outputs, replicas, utilisation
):
    rate = utilisation * max_rate(performance, load_of(1.0, inputs, outputs), replicas)
    step = performance.step
    slower = replace(
        performance,
        step=replace(
            step,
            alpha_s=2 * step.alpha_s,
            beta_s_per_seq=2 * step.beta_s_per_seq,
            gamma_s_per_context_tok=2 * step.gamma_s_per_context_tok,
            delta_s_per_input_tok=2 * step.delta_s_per_input_tok,
        ),
        overhead_s=2 * performance.overhead_s,
    )
    fast = operate(performance, load_of(rate, inputs, outputs), replicas, point_count=POINTS)
    slow = operate(slower, load_of(rate / 2, inputs, outputs), replicas, point_count=POINTS)
    assert slow.max_rate_req_per_s == pytest.approx(fast.max_rate_req_per_s / 2, rel=1e-9)
    assert slow.slot_occupancy_fraction == pytest.approx(fast.slot_occupancy_fraction, rel=1e-6)
    for metric in METRICS:
        doubled = [2 * each for each in figures(fast, metric)]
        assert figures(slow, metric) == pytest.approx(doubled, rel=1e-3, abs=1e-9), metric


@FEW
@given(PERFORMANCES, LENGTHS, LENGTHS, st.integers(1, 20), st.floats(0.05, 0.9))
def test_more_load_is_never_faster(performance, inputs, outputs, replicas, utilisation):
    rate = utilisation * max_rate(performance, load_of(1.0, inputs, outputs), replicas)
    light = operate(performance, load_of(rate, inputs, outputs), replicas, point_count=POINTS)
    heavy = operate(performance, load_of(rate * 1.05, inputs, outputs), replicas, point_count=POINTS)
    for metric in ("ttft_s", "e2e_s"):
        before, after = getattr(light.latencies[0], metric), getattr(heavy.latencies[0], metric)
        assert after.mean >= before.mean * (1 - 1e-3), metric


@FEW
@given(PERFORMANCES, LENGTHS, LENGTHS, st.integers(1, 20), st.floats(0.1, 0.9))
def test_more_replicas_are_never_slower(performance, inputs, outputs, replicas, utilisation):
    """But for a tenth of a step: counting requests is blind to how far a replica is in its step."""
    rate = utilisation * max_rate(performance, load_of(1.0, inputs, outputs), replicas)
    few = operate(performance, load_of(rate, inputs, outputs), replicas, point_count=POINTS)
    more = operate(performance, load_of(rate, inputs, outputs), 2 * replicas, point_count=POINTS)
    assert more.max_rate_req_per_s == pytest.approx(2 * few.max_rate_req_per_s, rel=1e-9)
    allowed_s = few.latencies[0].e2e_s.mean * (1 + 1e-3) + 0.1 * performance.step.alpha_s
    assert more.latencies[0].e2e_s.mean <= allowed_s


@FEW
@given(PERFORMANCES, LENGTHS, LENGTHS)
def test_more_slots_never_serve_less(performance, inputs, outputs):
    load = load_of(1.0, inputs, outputs)
    wider = replace(performance, slot_count=performance.slot_count * 2)
    assert max_rate(wider, load, 1) >= max_rate(performance, load, 1) * (1 - 1e-9)


@FEW
@given(PERFORMANCES, LENGTHS, LENGTHS, st.integers(1, 10), st.floats(0.05, 0.9))
def test_little_counts_the_busy_slots(performance, inputs, outputs, replicas, utilisation):
    """Busy slots = rate x time in a slot, which is E2E less the wait before the first prefill step."""
    assume(outputs.mean_tok >= 2.0)
    rate = utilisation * max_rate(performance, load_of(1.0, inputs, outputs), replicas)
    point = operate(performance, load_of(rate, inputs, outputs), replicas, point_count=POINTS)
    latency = point.latencies[0]
    decode_s = latency.e2e_s.mean - latency.ttft_s.mean
    busy = point.mean_busy_slot_count_per_replica * replicas
    assert rate * decode_s <= busy * (1 + 1e-9)
    assert busy <= rate * latency.e2e_s.mean * (1 + 1e-9)


@FEW
@given(PERFORMANCES, LENGTHS, LENGTHS, st.integers(2, 12), st.floats(0.05, 0.9))
def test_random_routing_is_single_replicas_side_by_side(performance, inputs, outputs, replicas, utilisation):
    rate = utilisation * max_rate(performance, load_of(1.0, inputs, outputs), 1)
    alone = operate(performance, load_of(rate, inputs, outputs), 1, point_count=POINTS)
    pool = operate(
        performance,
        load_of(rate * replicas, inputs, outputs),
        replicas,
        point_count=POINTS,
        routing="random",
    )
    assert pool.latencies[0].e2e_s.mean == pytest.approx(alone.latencies[0].e2e_s.mean, rel=1e-9)
    assert pool.latencies[0].ttft_s.p95 == pytest.approx(alone.latencies[0].ttft_s.p95, rel=1e-9)


@FEW
@given(PERFORMANCES, LENGTHS, LENGTHS, st.floats(0.1, 0.9), st.floats(0.1, 0.9))
def test_splitting_a_workload_in_two_equal_classes_changes_nothing(
    performance, inputs, outputs, utilisation, share
):
    rate = utilisation * max_rate(performance, load_of(1.0, inputs, outputs), 1)
    whole = load_of(rate, inputs, outputs)
    parts = tuple(
        RequestClass(name=name, rate_req_per_s=rate * part, input_tok=inputs, output_tok=outputs)
        for name, part in (("a", share), ("b", 1 - share))
    )
    one = operate(performance, whole, 1, point_count=POINTS).latencies[0]
    two = operate(performance, replace(whole, classes=parts), 1, point_count=POINTS)
    for each in two.latencies:
        assert each.e2e_s.mean == pytest.approx(one.e2e_s.mean, rel=1e-6)
        assert each.ttft_s.mean == pytest.approx(one.ttft_s.mean, rel=2e-2)
