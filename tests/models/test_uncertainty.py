"""Chances against drawing them: quadrature must agree with a plain Monte Carlo of the same assumptions."""

import math

import numpy as np
import pytest

from models.lengths import fixed_lengths
from models.percentiles import Percentiles
from models.performance import (
    BatchedPerformance,
    ClassLatency,
    Domain,
    FitQuality,
    Load,
    OperatingPoint,
    RequestClass,
    StepLaw,
)
from models.scenario import DemandScenario
from models.uncertainty import (
    MODEL_ERROR,
    NORMAL_QUANTILE_90,
    PRIOR_LOG_DEVIATION,
    pool_odds,
    speed_log_deviation,
    with_speed,
)
from models.workloads import Target

CAPACITY_REQ_PER_S = 10.0
SCENARIOS = (
    DemandScenario(name="base", weight=0.6, rate_ratio=1.0),
    DemandScenario(name="high", weight=0.3, rate_ratio=1.6),
    DemandScenario(name="flood", weight=0.1, rate_ratio=3.0),
)
TARGET = Target(metric="ttft_s", quantile=0.95, limit_s=0.35)


def machine(residual_fraction: float = 0.05) -> BatchedPerformance:
    return BatchedPerformance(
        step=StepLaw(alpha_s=0.01, beta_s_per_seq=0.0001),
        slot_count=64,
        quality=FitQuality(point_count=9, shape_count=1, residual_fraction=residual_fraction),
        domain=Domain(concurrency_low_count=1, concurrency_high_count=64),
    )


def load(rate_req_per_s: float = 5.0) -> Load:
    lengths = fixed_lengths(100)
    return Load(
        classes=(
            RequestClass(name="a", rate_req_per_s=rate_req_per_s, input_tok=lengths, output_tok=lengths),
        )
    )


def toy_operate(performance: BatchedPerformance, asked: Load, replica_count: int) -> OperatingPoint:
    """A queue with a closed form: latency = 10 alpha / (1 - rho), capacity falling as steps slow down."""
    slowness = performance.step.alpha_s / 0.01
    utilisation = asked.rate_req_per_s * slowness / (CAPACITY_REQ_PER_S * replica_count)
    if utilisation >= 1:
        return OperatingPoint(stable=False, utilisation_fraction=utilisation, max_rate_req_per_s=None)
    latency_s = 10 * performance.step.alpha_s / (1 - utilisation)
    latency = ClassLatency(name="a", ttft_s=Percentiles(p95=latency_s))
    return OperatingPoint(
        stable=True, utilisation_fraction=utilisation, max_rate_req_per_s=None, latencies=(latency,)
    )


def drawn(count: int = 400_000) -> np.ndarray:
    """Latencies drawn one by one; infinite where the backlog grows."""
    generator = np.random.default_rng(11)
    deviation = 0.05 / 0.6745
    slowness = np.exp(deviation * generator.standard_normal(count))
    weights = [each.weight for each in SCENARIOS]
    ratio = generator.choice([each.rate_ratio for each in SCENARIOS], size=count, p=weights)
    utilisation = 5.0 * ratio * slowness / CAPACITY_REQ_PER_S
    error = np.exp(MODEL_ERROR["ttft_s", True] / NORMAL_QUANTILE_90 * generator.standard_normal(count))
    with np.errstate(divide="ignore"):
        latency = 0.1 * slowness / (1 - utilisation) * error
    return np.where(utilisation >= 1, np.inf, latency)


def test_chance_and_quantiles_agree_with_drawing_them():
    odds = pool_odds(toy_operate, machine(), load(), 1, {"a": (TARGET,)}, SCENARIOS, True).targets[0]
    latencies = drawn()
    assert odds.hold_probability_fraction == pytest.approx((latencies <= TARGET.limit_s).mean(), abs=0.01)
    for value, share in ((odds.low_s, 0.1), (odds.middle_s, 0.5)):
        assert value == pytest.approx(np.quantile(latencies, share), rel=0.03)


def test_a_quantile_among_growing_backlogs_is_no_number():
    floods = (DemandScenario(name="flood", weight=1.0, rate_ratio=3.0),)
    odds = pool_odds(toy_operate, machine(), load(), 1, {"a": (TARGET,)}, floods, True)
    assert odds.hold_probability_fraction == 0.0
    assert odds.targets[0].low_s is None


def test_a_sure_thing_is_sure_and_more_replicas_never_lower_the_chance():
    chances = [
        pool_odds(toy_operate, machine(), load(), count, {"a": (TARGET,)}, SCENARIOS, True)
        for count in (1, 2, 4, 50)
    ]
    found = [each.hold_probability_fraction for each in chances]
    assert found == sorted(found)
    assert found[-1] == pytest.approx(1.0, abs=1e-6)


def test_the_pool_is_as_sure_as_its_weakest_target_at_most():
    loose = Target(metric="ttft_s", quantile=0.95, limit_s=10.0)
    odds = pool_odds(toy_operate, machine(), load(), 1, {"a": (TARGET, loose)}, SCENARIOS, True)
    assert odds.hold_probability_fraction <= min(each.hold_probability_fraction for each in odds.targets)


def test_the_spread_of_speeds_follows_what_the_fit_showed():
    # A median absolute error m of a normal has deviation m / 0.6745 (quartile of the normal distribution).
    assert speed_log_deviation(machine(0.06745), True) == pytest.approx(0.1)
    assert speed_log_deviation(machine(0.06745), False) > speed_log_deviation(machine(0.06745), True)
    unmeasured = BatchedPerformance(step=StepLaw(alpha_s=0.01, beta_s_per_seq=0.0), slot_count=8)
    assert speed_log_deviation(unmeasured, True) == PRIOR_LOG_DEVIATION


def test_a_slower_machine_takes_longer_in_every_term():
    law = StepLaw(
        alpha_s=1, beta_s_per_seq=2, exponent=0.5, gamma_s_per_context_tok=3, delta_s_per_input_tok=4
    )
    slower = with_speed(BatchedPerformance(step=law, slot_count=8), math.e).step
    assert slower.exponent == law.exponent
    terms = ("alpha_s", "beta_s_per_seq", "gamma_s_per_context_tok", "delta_s_per_input_tok")
    assert all(getattr(slower, term) == pytest.approx(math.e * getattr(law, term)) for term in terms)
