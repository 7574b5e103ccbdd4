"""What a measurement is worth: never more than interpolation allows, nothing where all is known already."""

import math
from dataclasses import replace

import pytest

from app import workbench
from models.measuring_gain import measuring_gain
from models.performance import BatchedPerformance, Load
from models.pool_loads import load_of
from models.uncertainty import PRIOR_LOG_DEVIATION

LADDER = (1, 2, 4, 8, 16)
# Four times in five, a normal lies within this many deviations.
REACH = 1.2816


@pytest.fixture(scope="module")
def seen():
    return workbench.view(workbench.worked_example())


def case(seen, tier_id="mi325x_x1_vllm"):
    """A measured offer, its fit, its points."""
    offer = next(each for each in seen.scenario.offers if each.tier.id == tier_id)
    return offer, seen.performances[offer.id], seen.measurements[offer.id]


def load(seen, *names, rate=0.05):
    demands = [each for each in seen.scenario.demands if each.workload.name in names]
    classes = load_of(demands).classes
    return Load(classes=tuple(scaled(each, rate) for each in classes))


def scaled(each, rate):
    return replace(each, rate_req_per_s=rate)


def test_where_nothing_was_measured_the_band_is_the_priors_and_shrinks_to_that_of_interpolation(seen):
    offer, _, _ = case(seen)
    unmeasured = workbench.ARCHITECTURES[offer.tier.architecture].fit(offer, ())
    assert isinstance(unmeasured, BatchedPerformance)
    gain = measuring_gain(offer, unmeasured, (), load(seen, "research"), 1, LADDER)
    assert gain.point_count == 0
    assert gain.now.high_ratio == pytest.approx(math.exp(REACH * PRIOR_LOG_DEVIATION), rel=1e-3)
    assert gain.inside_then
    # 562 public curves: six per cent either way inside the measured loads
    assert gain.then.high_ratio == pytest.approx(1.06, abs=0.003)
    assert gain.narrows


def test_lengths_nobody_measured_come_inside(seen):
    offer, performance, points = case(seen)
    gain = measuring_gain(offer, performance, points, load(seen, "voice"), 1, LADDER)
    assert not gain.inside_now
    assert gain.inside_then
    assert gain.then.low_ratio > gain.now.low_ratio
    assert gain.then.high_ratio < gain.now.high_ratio


def test_the_errors_of_todays_fit_are_not_forgotten(seen):
    offer, performance, points = case(seen, "b200_sxm_x1_trt")
    gain = measuring_gain(offer, performance, points, load(seen, "voice"), 1, LADDER)
    residual = performance.quality.residual_fraction
    least = math.exp(REACH * residual / 0.6745)
    assert gain.then.high_ratio >= least * (1 - 1e-6)


@pytest.mark.parametrize("tier_id", ["mi325x_x1_vllm", "b200_sxm_x1_trt", "h100_sxm_x4_vllm"])
@pytest.mark.parametrize("name", ["operations", "voice", "research"])
def test_a_measurement_never_widens_the_band(seen, tier_id, name):
    offer, performance, points = case(seen, tier_id)
    gain = measuring_gain(offer, performance, points, load(seen, name), 2, LADDER)
    assert gain.then.high_ratio <= gain.now.high_ratio * (1 + 1e-9) or gain.inside_now
    assert 0 < gain.then.low_ratio < 1 < gain.then.high_ratio
