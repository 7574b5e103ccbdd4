"""Stated chances come true as often as stated: simulated outcomes of drawn speeds and demands."""

import pytest
from scipy.stats import binom

from tests.models.probability_trials import STATED, run_trial

TRIAL_COUNT = 200


@pytest.fixture(scope="module")
def trials():
    """Independent trials, a fifth about each stated chance."""
    return [run_trial(seed) for seed in range(TRIAL_COUNT)]


@pytest.mark.parametrize("wanted", STATED)
def test_targets_hold_as_often_as_stated(trials, wanted):
    """Counts within the 99.8 % binomial interval of what was stated."""
    own = [each for each in trials if abs(each.stated_fraction - wanted) < 0.1]
    assert len(own) == TRIAL_COUNT // len(STATED)
    stated = sum(each.stated_fraction for each in own) / len(own)
    low, high = binom.ppf([0.001, 0.999], len(own), stated)
    assert low <= sum(each.held for each in own) <= high


def test_higher_chances_come_true_more_often(trials):
    held = [
        sum(each.held for each in trials if abs(each.stated_fraction - wanted) < 0.1) for wanted in STATED
    ]
    assert held == sorted(held)
    assert held[0] < held[-1] / 2
