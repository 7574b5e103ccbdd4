"""Sizing against a law one can invert by hand: a latency that falls with the load of each replica."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.lengths import fixed_lengths
from models.percentiles import Percentiles
from models.performance import CannotServe, ClassLatency, Load, OperatingPoint, RequestClass
from models.sizing import MAX_REPLICA_COUNT, MOST_OVER_FLOOR_RATIO, first_miss, size, target_results
from models.workloads import Target

SERVICE_S = 0.1  # one replica serves 10 calls/s; alone, a call takes 0.1 s


def load(rate):
    single = RequestClass(
        name="w", rate_req_per_s=rate, input_tok=fixed_lengths(1), output_tok=fixed_lengths(1)
    )
    return Load(classes=(single,))


def operate(asked, count):
    """M/M/1 on each of `count` replicas (Kleinrock 1975): T = S / (1 - rho)."""
    utilisation = asked.rate_req_per_s * SERVICE_S / count
    if utilisation >= 1:
        return OperatingPoint(
            stable=False, utilisation_fraction=utilisation, max_rate_req_per_s=count / SERVICE_S
        )
    time = SERVICE_S / (1 - utilisation)
    seen = ClassLatency(name="w", ttft_s=Percentiles(p50=time, p95=3 * time))
    return OperatingPoint(
        stable=True, utilisation_fraction=utilisation, max_rate_req_per_s=count / SERVICE_S, latencies=(seen,)
    )


def within(limit_s, quantile=0.5, metric="ttft_s"):
    return {"w": (Target(metric=metric, quantile=quantile, limit_s=limit_s),)}


ALLOWED = 10.0 * 0.85


def test_without_targets_throughput_decides():
    # 100 calls/s at 8.5 a replica: 11.8
    sized = size(operate, load(100.0), {"w": ()}, ALLOWED)
    assert sized.replica_count == 12
    assert sized.binding_constraint == "throughput"
    assert sized.binding_workload == ""


def test_a_target_adds_replicas_until_it_holds():
    # T <= 0.2 s needs rho <= 0.5: 100 x 0.1 / 0.5 = 20 replicas
    sized = size(operate, load(100.0), within(0.2 * (1 + 1e-9)), ALLOWED)
    assert sized.replica_count == 20
    assert sized.binding_constraint == "TTFT target"
    assert sized.binding_workload == "w"


@given(st.floats(0.5, 5000.0), st.floats(0.101, 3.0))
def test_the_count_is_the_smallest_that_keeps_every_promise(rate, limit_s):
    sized = size(operate, load(rate), within(limit_s), ALLOWED)
    if isinstance(sized, CannotServe):
        # Promises just above the bare service time need more replicas than are worth searching.
        needed = rate * SERVICE_S / (1 - SERVICE_S / limit_s)
        assert needed > MOST_OVER_FLOOR_RATIO * rate / ALLOWED - 1
        return
    assert first_miss(sized.point, within(limit_s)) is None
    assert rate / sized.replica_count <= ALLOWED * (1 + 1e-9)
    fewer = sized.replica_count - 1
    if fewer >= 1 and rate / fewer <= ALLOWED:
        assert first_miss(operate(load(rate), fewer), within(limit_s)) is not None


def test_a_promise_faster_than_an_idle_replica_is_refused_with_what_would_fit():
    refused = size(operate, load(1.0), within(0.05), ALLOWED)
    assert isinstance(refused, CannotServe)
    assert refused.binding_constraint == "TTFT target"
    assert "even at light load" in refused.reasons[0]


def test_an_unknown_latency_keeps_no_promise():
    refused = size(operate, load(1.0), within(1000.0, quantile=0.99), ALLOWED)
    assert isinstance(refused, CannotServe)
    assert "not known" in refused.reasons[0]
    assert "measurement" in refused.would_fit_if


def test_more_replicas_than_anyone_plans_are_refused():
    refused = size(operate, load(MAX_REPLICA_COUNT * ALLOWED * 1.1), {"w": ()}, ALLOWED)
    assert isinstance(refused, CannotServe)
    assert refused.binding_constraint == "capacity"


def test_the_widest_miss_is_named():
    targets = {
        "w": (
            Target(metric="ttft_s", quantile=0.5, limit_s=0.05),
            Target(metric="ttft_s", quantile=0.95, limit_s=0.01),
        )
    }
    assert first_miss(operate(load(1.0), 1), targets).target.limit_s == 0.01
    unknown = within(1e9, metric="e2e_s")
    assert first_miss(operate(load(1.0), 1), unknown).predicted_s is None


def test_an_unstable_pool_predicts_nothing():
    results = target_results(operate(load(100.0), 1), within(1e9))["w"]
    assert [result.predicted_s for result in results] == [None]
    assert not results[0].holds


def test_an_exact_fit_is_not_rounded_up():
    # 0.1 x 3 = 0.30000000000000004: three replicas' worth, not four
    assert size(operate, load(3 * ALLOWED), {"w": ()}, ALLOWED).replica_count == 3
    assert size(operate, load(8.5 * (0.1 + 0.2) * 10), {"w": ()}, ALLOWED).replica_count == 3


@pytest.mark.parametrize("fewest", [1, 5, 20])
def test_a_count_known_to_be_needed_only_saves_time(fewest):
    sized = size(operate, load(100.0), within(0.2 * (1 + 1e-9)), ALLOWED, fewest)
    assert sized.replica_count == 20
    assert sized.binding_constraint == "TTFT target"
