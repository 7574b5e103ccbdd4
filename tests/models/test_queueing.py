"""The classical formulas against closed forms, exact rational arithmetic and the books' limits."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.queueing import (
    erlang_b,
    erlang_c,
    md1_wait,
    mg1_wait,
    mgc_wait,
    mmc_wait,
    mmc_wait_quantile,
)
from tests.reference.queueing_values import ERLANG_B, ERLANG_C


@pytest.mark.parametrize(("load", "servers", "value", "source"), ERLANG_B)
def test_erlang_b_agrees_with_its_source(load, servers, value, source):
    assert erlang_b(load, servers) == pytest.approx(value, rel=1e-12), source


@pytest.mark.parametrize(("load", "servers", "value", "source"), ERLANG_C)
def test_erlang_c_agrees_with_its_source(load, servers, value, source):
    assert erlang_c(load, servers) == pytest.approx(value, rel=1e-12), source


@given(st.integers(1, 40), st.integers(1, 60))
def test_erlang_b_equals_exact_rational_arithmetic(servers, load):
    """B(n) = a B(n-1) / (n + a B(n-1)) in fractions has no rounding at all."""
    blocking = Fraction(1)
    for each in range(1, servers + 1):
        blocking = load * blocking / (each + load * blocking)
    assert erlang_b(float(load), servers) == pytest.approx(float(blocking), rel=1e-10)


@pytest.mark.parametrize("servers", [1_000, 100_000])
@pytest.mark.parametrize("utilisation", [0.5, 0.99, 1.0, 1.5])
def test_erlang_b_follows_its_own_recursion_with_very_many_servers(servers, utilisation):
    load = utilisation * servers
    step = servers + load * erlang_b(load, servers - 1)
    assert erlang_b(load, servers) == pytest.approx(load * erlang_b(load, servers - 1) / step, rel=1e-6)


def test_blocking_with_very_many_servers_at_full_load_is_the_normal_limit():
    """B(c, c) -> sqrt(2 / (pi c)) (D. L. Jagerman 1974)."""
    assert erlang_b(1e5, 100_000) == pytest.approx(math.sqrt(2.0 / (math.pi * 1e5)), rel=3e-3)


@given(st.floats(0.01, 0.99), st.floats(0.01, 100.0))
def test_one_exponential_server_waits_rho_over_one_minus_rho(utilisation, service_s):
    wait = mmc_wait(utilisation / service_s, service_s, 1)
    assert wait == pytest.approx(service_s * utilisation / (1.0 - utilisation), rel=1e-9)


@given(st.floats(0.01, 0.99), st.floats(0.01, 100.0))
def test_fixed_service_halves_the_wait_of_exponential_service(utilisation, service_s):
    rate = utilisation / service_s
    assert md1_wait(rate, service_s) == pytest.approx(mmc_wait(rate, service_s, 1) / 2.0, rel=1e-9)


@given(st.floats(0.01, 0.99), st.floats(0.0, 20.0))
def test_pollaczek_khinchine(utilisation, scv):
    """E[W] = lambda E[S^2] / (2 (1 - rho)) with E[S] = 1."""
    assert mg1_wait(utilisation, 1.0, scv) == pytest.approx(
        utilisation * (1.0 + scv) / (2.0 * (1.0 - utilisation)), rel=1e-9
    )


@given(st.integers(1, 5000), st.floats(1.0, 3.0))
def test_an_overloaded_queue_has_no_wait_rather_than_a_negative_one(servers, excess):
    rate = servers * excess
    assert mgc_wait(rate, 1.0, servers, service_scv_ratio=1.0) is None
    assert mmc_wait_quantile(rate, 1.0, servers, 0.95) is None
    assert erlang_c(rate, servers) == 1.0


@given(st.integers(1, 3000), st.floats(0.05, 0.98))
def test_waiting_never_gets_rarer_with_load_or_commoner_with_servers(servers, utilisation):
    load = utilisation * servers
    assert 0.0 <= erlang_b(load, servers) <= erlang_c(load, servers) <= 1.0
    assert erlang_c(load * 1.01, servers) >= erlang_c(load, servers) - 1e-12
    assert erlang_c(load, servers + 1) <= erlang_c(load, servers) + 1e-12


@given(st.integers(1, 200), st.floats(0.3, 0.97), st.floats(0.1, 0.999))
def test_the_wait_quantile_inverts_its_tail(servers, utilisation, quantile):
    """P(W > t) = C exp(-(c - a) t)."""
    load = utilisation * servers
    wait = mmc_wait_quantile(load, 1.0, servers, quantile)
    tail = erlang_c(load, servers) * math.exp(-(servers - load) * wait)
    assert tail <= 1.0 - quantile + 1e-9
    assert wait == 0.0 or tail == pytest.approx(1.0 - quantile, rel=1e-6)
