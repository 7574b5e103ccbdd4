"""What answers are worth: closed forms, published pairs of figures, and laws of ageing."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.percentiles import Percentiles, percentiles_of
from models.value import (
    conversion_fraction,
    expected_value_usd,
    lost_usd_per_task,
    turns_per_day,
    value_usd,
)
from models.workloads import Value

HALF_LIFE = Value(kind="half_life", half_life_s=900.0, value_usd_per_task=50.0)
DEADLINE = Value(kind="deadline", deadline_s=0.8, value_usd_per_task=0.05)
WAITING = Value(kind="waiting_time", waiting_usd_per_h=20.0)
PATIENCE = Value(kind="patience", patience_mean_s=60.0, value_usd_per_task=2.0)
CONVERSION = Value(
    kind="conversion", loss_fraction_per_100_ms=0.024, loss_fraction_at_2_s=0.365, value_usd_per_task=0.1
)
AGEING = (HALF_LIFE, DEADLINE, WAITING, PATIENCE, CONVERSION)


def lognormal(median_s: float, sigma: float) -> Percentiles:
    """Exact percentiles of a lognormal."""
    normal = {"p50": 0.0, "p90": 1.281551565545, "p95": 1.644853626951, "p99": 2.326347874041}
    return Percentiles(
        mean=median_s * math.exp(sigma**2 / 2),
        **{name: median_s * math.exp(sigma * z) for name, z in normal.items()},
    )


def test_half_a_life_halves_the_value() -> None:
    assert value_usd(HALF_LIFE, np.array([0.0, 900.0, 1800.0])) == pytest.approx([50.0, 25.0, 12.5])


def test_a_deadline_is_missed_by_the_tail_not_by_the_mean() -> None:
    late = 1.0 - 0.5 * math.erfc(-math.log(0.8 / 0.5) / 0.4 / math.sqrt(2.0))  # P(lognormal(0.5, 0.4) > 0.8)
    lost = lost_usd_per_task(DEADLINE, lognormal(0.5, 0.4))
    assert lost == pytest.approx(0.05 * late, rel=0.01)
    assert lognormal(0.5, 0.4).mean < 0.8  # at the mean nothing would be lost


def test_waiting_costs_the_mean_wait() -> None:
    assert lost_usd_per_task(WAITING, lognormal(3.0, 0.7)) == pytest.approx(
        20.0 / 3600.0 * 3.0 * math.exp(0.7**2 / 2), rel=0.005
    )


def test_patience_is_the_laplace_transform_of_the_wait() -> None:
    generator = np.random.default_rng(3)
    wait_s = generator.lognormal(math.log(20.0), 0.6, 400_000)
    kept = 2.0 * float(np.exp(-wait_s / 60.0).mean())
    assert expected_value_usd(PATIENCE, lognormal(20.0, 0.6)) == pytest.approx(kept, rel=0.005)


def test_the_conversion_curve_passes_through_both_published_losses() -> None:
    """Akamai 2017: desktop -2.4 % at 0.1 s and -36.5 % at 2 s; phone -7.1 % and -26.2 %."""
    for at_100_ms, at_2_s in ((0.024, 0.365), (0.071, 0.262)):
        kept = conversion_fraction(np.array([0.0, 0.1, 2.0, 9.0]), at_100_ms, at_2_s)
        assert kept == pytest.approx([1.0, 1.0 - at_100_ms, 1.0 - at_2_s, 1.0 - at_2_s], abs=1e-9)


def test_compounding_one_published_loss_gives_the_known_extrapolations() -> None:
    """0.976^20 = 0.615: 38.5 % lost at 2 s; 0.929^20 = 0.229: 77 % lost."""
    assert conversion_fraction(np.array([2.0]), 0.024, None) == pytest.approx([0.615], abs=5e-4)
    assert conversion_fraction(np.array([2.0]), 0.071, None) == pytest.approx([0.229], abs=5e-4)


def test_a_published_median_alone_says_nothing_of_the_value_lost() -> None:
    assert lost_usd_per_task(DEADLINE, Percentiles(p50=0.2)) is None


def test_a_loop_loses_turns_not_value_per_turn() -> None:
    loop = Value(kind="iterations", value_usd_per_task=5.0)
    assert lost_usd_per_task(loop, lognormal(10.0, 0.2)) is None
    assert turns_per_day(3600.0) == 24
    assert turns_per_day(3601.0) == 23


@given(
    value=st.sampled_from(AGEING),
    median_s=st.floats(0.01, 100.0),
    sigma=st.floats(0.01, 1.5),
    slower_ratio=st.floats(1.0, 20.0),
)
def test_slower_never_gains_value(value, median_s, sigma, slower_ratio) -> None:
    fast, slow = lognormal(median_s, sigma), lognormal(median_s * slower_ratio, sigma)
    lost_fast, lost_slow = lost_usd_per_task(value, fast), lost_usd_per_task(value, slow)
    assert 0.0 <= lost_fast <= lost_slow * (1.0 + 1e-9)


@given(sigma=st.floats(0.05, 1.2), median_s=st.floats(0.01, 50.0))
def test_the_mean_of_the_quantile_function_is_that_of_a_large_sample(sigma, median_s) -> None:
    generator = np.random.default_rng(11)
    sample = generator.lognormal(math.log(median_s), sigma, 20_000)
    lost = lost_usd_per_task(WAITING, percentiles_of(sample))
    assert lost == pytest.approx(20.0 / 3600.0 * sample.mean(), rel=0.05)
