"""Parity statistics against published examples, SciPy, and their own error rates by simulation."""

import numpy as np
import pytest
from scipy import stats

from models.decisions.parity import (
    Margin,
    bootstrap_interval,
    compare_pass_fail,
    compare_scores,
    holm,
    needed_pairs,
    paired_share_interval,
    quantile_shifts,
    verdict_of,
)

MARGIN = Margin(score=0.02)


def pairs_of(both, lost, gained, neither):
    """Pass or fail of baseline and candidate from a two-by-two table."""
    baseline = np.repeat([1.0, 1.0, 0.0, 0.0], [both, lost, gained, neither])
    candidate = np.repeat([1.0, 0.0, 1.0, 0.0], [both, lost, gained, neither])
    return baseline, candidate


def test_the_approval_of_a_prime_minister():
    """Agresti (2002), table 10.1: 944 and 880 of 1,600 approve, interval 0.021 to 0.059."""
    found = compare_pass_fail(
        "approve", *pairs_of(794, 150, 86, 570), Margin(score=0.1, alpha_fraction=0.025)
    )
    assert found.difference == pytest.approx(-0.04)
    assert (-found.high, -found.low) == pytest.approx((0.021, 0.059), abs=5e-4)
    assert found.p_value == pytest.approx(3.7e-5, rel=0.15)  # z^2 = 17.36 on one degree of freedom: 3.1e-5


def test_mcnemar_is_the_sign_test_of_those_who_differ():
    found = compare_pass_fail("x", *pairs_of(50, 9, 2, 39), MARGIN)
    assert found.p_value == pytest.approx(2 * sum(stats.binom.pmf(k, 11, 0.5) for k in range(3)))


def test_scores_are_a_paired_t_interval_and_wilcoxon():
    generator = np.random.default_rng(1)
    before = generator.normal(0.7, 0.1, 60)
    after = before + generator.normal(0.01, 0.05, 60)
    found = compare_scores("score", before, after, Margin(score=0.05))
    interval = stats.ttest_rel(after, before).confidence_interval(0.90)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high))
    assert found.p_value == pytest.approx(float(stats.wilcoxon(after, before).pvalue))


def test_the_bootstrap_agrees_with_the_t_interval_on_many_normal_scores():
    generator = np.random.default_rng(2)
    before = generator.normal(0.0, 1.0, 2000)
    after = before + generator.normal(0.1, 1.0, 2000)
    low, high = bootstrap_interval(before, after, 0.05, 3)
    found = compare_scores("score", before, after, MARGIN)
    assert (low, high) == pytest.approx((found.low, found.high), abs=0.01)


def test_identical_results_have_no_p_value_and_are_equivalent_once_there_are_enough():
    few = compare_pass_fail("x", *pairs_of(10, 0, 0, 0), MARGIN)
    many = compare_pass_fail("x", *pairs_of(2000, 0, 0, 0), MARGIN)
    assert few.p_value is None
    assert few.verdict == "undecided"
    assert many.verdict == "equivalent"


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (-0.01, 0.01, "equivalent"),
        (-0.01, 0.05, "not worse"),
        (0.03, 0.05, "not worse"),
        (-0.05, -0.03, "worse"),
        (-0.05, 0.01, "undecided"),
        (-0.02, 0.01, "undecided"),
    ],
)
def test_what_an_interval_says(low, high, verdict):
    assert verdict_of(low, high, 0.02) == verdict


def test_a_tier_that_is_worse_by_the_margin_is_rarely_called_not_worse():
    """Type I error of the one-sided verdict: 5 % at most, within the noise of 2,000 trials (0.5 % each)."""
    generator = np.random.default_rng(5)
    count, passes = 400, 0
    for _ in range(2000):
        draw = generator.random(count)
        # Lost 12 %, gained 10 %: exactly the margin of two points.
        baseline = np.where(draw < 0.12, 1.0, np.where(draw < 0.22, 0.0, 1.0))
        candidate = np.where(draw < 0.12, 0.0, 1.0)
        passes += compare_pass_fail("x", baseline, candidate, MARGIN).verdict in ("not worse", "equivalent")
    assert passes / 2000 <= 0.05 + 3 * 0.005


def test_scores_worse_by_the_margin_are_rarely_called_not_worse():
    generator = np.random.default_rng(6)
    passes = sum(
        compare_scores("x", np.zeros(40), generator.normal(-0.05, 0.2, 40), Margin(score=0.05)).verdict
        in ("not worse", "equivalent")
        for _ in range(2000)
    )
    assert passes / 2000 == pytest.approx(0.05, abs=0.015)


def test_the_number_of_pairs_asked_for_gives_a_verdict_four_times_in_five():
    """No true difference, 20 % of items differ, margin 5 points: simulated at the pairs asked for."""
    margin = Margin(score=0.05)
    needed = needed_pairs(0.0, 0.2, margin)
    generator = np.random.default_rng(8)
    decided = 0
    for _ in range(1000):
        draw = generator.random(needed)
        baseline = np.where(draw < 0.1, 1.0, np.where(draw < 0.2, 0.0, 1.0))
        candidate = np.where(draw < 0.1, 0.0, 1.0)
        decided += compare_pass_fail("x", baseline, candidate, margin).verdict in ("not worse", "equivalent")
    assert decided / 1000 == pytest.approx(0.8, abs=0.04)


def test_no_number_of_pairs_mends_a_difference_beyond_the_margin():
    assert needed_pairs(-0.03, 0.2, MARGIN) is None


def test_holm_by_hand():
    """Four p-values: 0.005 x 4, 0.01 x 3, 0.03 x 2, 0.04 no less than the one before."""
    assert holm([0.01, 0.04, None, 0.03, 0.005]) == pytest.approx([0.03, 0.06, None, 0.06, 0.02])


def test_the_interval_covers_what_it_claims():
    generator = np.random.default_rng(9)
    covered = 0
    for _ in range(2000):
        gained, lost, _ = generator.multinomial(150, [0.08, 0.05, 0.87])
        low, high = paired_share_interval(gained, lost, 150, 0.05)
        covered += low <= 0.03 <= high
    assert covered / 2000 == pytest.approx(0.90, abs=0.025)


def test_a_latency_twice_as_long_shifts_every_quantile_by_itself():
    generator = np.random.default_rng(10)
    before = generator.lognormal(0.0, 0.5, 3000)
    for shift in quantile_shifts(before, before * 2.0, 0.05, 1):
        assert shift.difference_s == pytest.approx(float(np.quantile(before, shift.quantile)))
        assert shift.low_s <= shift.difference_s <= shift.high_s
