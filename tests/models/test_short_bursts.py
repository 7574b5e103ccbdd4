"""Bunching within a step: none for Poisson arrivals, by the renewal function for others."""

import math

import pytest

from models.short_bursts import renewals


@pytest.mark.parametrize("mean_count", [0.01, 0.5, 3.0, 40.0])
def test_a_poisson_stream_expects_its_rate(mean_count):
    assert renewals(mean_count, 1.0) == pytest.approx(mean_count)


@pytest.mark.parametrize("mean_count", [0.05, 0.4, 2.0])
def test_gaps_of_two_exponential_stages_have_their_closed_renewal_function(mean_count):
    """m(t) = a t / 2 - (1 - exp(-2 a t)) / 4 for stages of rate a (D. R. Cox 1962, eq. 4.5.6)."""
    stages = 2.0 * mean_count  # a t, as the mean gap is 2 / a
    expected = stages / 2.0 - (1.0 - math.exp(-2.0 * stages)) / 4.0
    assert renewals(mean_count, 0.5) == pytest.approx(expected, rel=1e-9)


def test_over_long_stretches_bunching_adds_half_the_excess_variability():
    """m(t) -> t / mean + (scv - 1) / 2 (D. R. Cox 1962, eq. 4.2.3)."""
    assert renewals(200.0, 4.0) - 200.0 == pytest.approx(1.5, rel=0.01)
