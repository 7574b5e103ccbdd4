"""Laws that machines of every architecture obey: batched accelerators, wafers, disaggregated pools."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from models.machines import max_rate, operate
from models.performance import BatchedPerformance, PipelinePerformance, RequestClass
from models.uncertainty import with_speed
from tests.laws.batched_cases import LENGTHS, load_of
from tests.laws.machine_cases import ARRIVALS, MACHINES, MIXING

FEW = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
POINTS = 512
METRICS = ("ttft_s", "itl_s", "tpot_s", "e2e_s", "task_s")


def figures(latency, metric):
    return [v for v in getattr(latency, metric).as_dict().values() if v is not None]


def fraction_of_capacity(performance, inputs, outputs, replicas, utilisation, arrival=None):
    load = load_of(1.0, inputs, outputs)
    load = load if arrival is None else replace(load, arrival=arrival)
    rate = utilisation * max_rate(performance, load, replicas)
    return replace(load, classes=(replace(load.classes[0], rate_req_per_s=rate),))


@FEW
@given(MACHINES, LENGTHS, LENGTHS, st.integers(1, 20), st.floats(1e-4, 1.0 - 1e-6))
def test_below_saturation_every_latency_is_a_number_and_percentiles_rise(
    performance, inputs, outputs, replicas, utilisation
):
    load = fraction_of_capacity(performance, inputs, outputs, replicas, utilisation)
    point = operate(performance, load, replicas, point_count=POINTS)
    assert point.stable
    assert point.utilisation_fraction == pytest.approx(utilisation, rel=1e-6)
    for metric in METRICS:
        found = figures(point.latencies[0], metric)
        assert all(np.isfinite(found)), metric
        assert min(found, default=0.0) >= 0.0
        assert found[1:] == sorted(found[1:]), metric


@FEW
@given(MACHINES, LENGTHS, LENGTHS, st.integers(1, 20), st.floats(1.0, 5.0))
def test_past_saturation_there_is_no_latency(performance, inputs, outputs, replicas, utilisation):
    load = fraction_of_capacity(performance, inputs, outputs, replicas, utilisation)
    point = operate(performance, load, replicas)
    assert not point.stable
    assert point.latencies == ()
    assert point.utilisation_fraction >= 1.0 - 1e-6


@FEW
@given(MACHINES, LENGTHS, LENGTHS, st.integers(1, 20), st.floats(0.05, 0.9))
def test_more_load_is_never_faster(performance, inputs, outputs, replicas, utilisation):
    light, heavy = (
        operate(
            performance,
            fraction_of_capacity(performance, inputs, outputs, replicas, share),
            replicas,
            point_count=POINTS,
        ).latencies[0]
        for share in (utilisation, utilisation * 1.05)
    )
    for metric in ("ttft_s", "e2e_s"):
        before, after = getattr(light, metric), getattr(heavy, metric)
        assert after.mean >= before.mean * (1 - 5e-3), metric


@FEW
@given(MIXING, LENGTHS, LENGTHS, st.integers(1, 20), st.floats(0.1, 0.9))
def test_more_replicas_are_never_slower(performance, inputs, outputs, replicas, utilisation):
    load = fraction_of_capacity(performance, inputs, outputs, replicas, utilisation)
    few = operate(performance, load, replicas, point_count=POINTS)
    more = operate(performance, load, 2 * replicas, point_count=POINTS)
    assert more.max_rate_req_per_s >= few.max_rate_req_per_s * (2 - 1.01 / replicas)
    step_s = (
        performance.unloaded_token_s
        if isinstance(performance, PipelinePerformance)
        else performance.decode.step.alpha_s
    )
    allowed_s = few.latencies[0].e2e_s.mean * (1 + 1e-3) + 0.1 * step_s
    assert more.latencies[0].e2e_s.mean <= allowed_s


@FEW
@given(MIXING, LENGTHS, LENGTHS, st.integers(1, 10), st.floats(0.05, 0.9))
def test_a_machine_twice_as_slow_sustains_half_as_much(performance, inputs, outputs, replicas, utilisation):
    """Links keep their speed, so what they bound may fall by less."""
    load = fraction_of_capacity(performance, inputs, outputs, replicas, utilisation)
    fast, slow = max_rate(performance, load, replicas), max_rate(with_speed(performance, 2.0), load, replicas)
    assert fast / 2 * (1 - 1e-6) <= slow <= fast * (1 + 1e-9)
    if isinstance(performance, PipelinePerformance | BatchedPerformance):
        assert slow == pytest.approx(fast / 2, rel=1e-6)


@FEW
@given(MIXING, LENGTHS, LENGTHS, st.floats(0.1, 0.9), st.floats(0.1, 0.9))
def test_splitting_a_workload_in_two_equal_classes_changes_nothing(
    performance, inputs, outputs, utilisation, share
):
    whole = fraction_of_capacity(performance, inputs, outputs, 1, utilisation)
    rate = whole.classes[0].rate_req_per_s
    parts = tuple(
        RequestClass(name=name, rate_req_per_s=rate * part, input_tok=inputs, output_tok=outputs)
        for name, part in (("a", share), ("b", 1 - share))
    )
    one = operate(performance, whole, 1, point_count=POINTS).latencies[0]
    two = operate(performance, replace(whole, classes=parts), 1, point_count=POINTS)
    for each in two.latencies:
        assert each.e2e_s.mean == pytest.approx(one.e2e_s.mean, rel=1e-6)
        assert each.ttft_s.mean == pytest.approx(one.ttft_s.mean, rel=2e-2)


@FEW
@given(MIXING, LENGTHS, LENGTHS, ARRIVALS, st.floats(0.05, 0.95))
def test_swings_are_held_against_their_highest_rate(performance, inputs, outputs, arrival, utilisation):
    steady = max_rate(performance, load_of(1.0, inputs, outputs), 3)
    load = fraction_of_capacity(performance, inputs, outputs, 3, utilisation, arrival)
    assert max_rate(performance, load, 3) <= steady * (1 + 1e-9)
    point = operate(performance, load, 3, point_count=POINTS)
    assert point.stable
    assert all(np.isfinite(figures(point.latencies[0], "e2e_s")))
