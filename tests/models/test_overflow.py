"""Overflow against the Markov chain of primary and overflow group, solved without its formula."""

import numpy as np
import pytest

from models.overflow import overflow
from models.workloads import POISSON


def chain_moments(offered_load, place_count, most):
    """Mean and variance of busy overflow servers: the stationary chain on (primary, overflow), truncated."""
    size = (place_count + 1) * (most + 1)
    rates = np.zeros((size, size))

    def at(primary, over):
        return primary * (most + 1) + over

    for primary in range(place_count + 1):
        for over in range(most + 1):
            here = at(primary, over)
            if primary < place_count:
                rates[here, at(primary + 1, over)] += offered_load
            elif over < most:
                rates[here, at(primary, over + 1)] += offered_load
            if primary:
                rates[here, at(primary - 1, over)] += primary
            if over:
                rates[here, at(primary, over - 1)] += over
    rates -= np.diag(rates.sum(axis=1))
    system = np.vstack([rates.T, np.ones(size)])
    shares = np.linalg.lstsq(system, np.append(np.zeros(size), 1.0), rcond=None)[0]
    busy = shares.reshape(place_count + 1, most + 1).sum(axis=0)
    counts = np.arange(most + 1)
    mean = float(busy @ counts)
    return mean, float(busy @ counts**2) - mean**2


@pytest.mark.parametrize(("offered_load", "place_count"), [(0.5, 1), (2.0, 2), (5.0, 5), (4.0, 8), (8.0, 4)])
def test_overflow_equals_the_chain(offered_load, place_count) -> None:
    found = overflow(offered_load, place_count)
    mean, variance = chain_moments(offered_load, place_count, most=40)
    assert found.mean_busy_count == pytest.approx(mean, rel=1e-6)
    assert found.peakedness_ratio == pytest.approx(variance / mean, rel=1e-5)


def test_without_a_primary_everything_overflows_as_it_came() -> None:
    found = overflow(3.0, 0)
    assert found.overflow_fraction == pytest.approx(1.0)
    assert found.peakedness_ratio == pytest.approx(1.0)
    assert found.arrival == POISSON


def test_overflow_is_burstier_than_poisson_and_says_so_to_the_second_tier() -> None:
    found = overflow(20.0, 20)
    assert found.peakedness_ratio > 1.5
    assert found.arrival.scv_ratio == found.peakedness_ratio
