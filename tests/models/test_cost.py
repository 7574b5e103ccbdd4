"""Costs against sums done by hand and against published figures."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.cost import (
    HOURS_PER_MONTH,
    calls_per_month,
    per_unit,
    usd_per_mtok,
    usd_per_request,
)
from models.evidence import Evidence, Grade, Sense
from models.lengths import fixed_lengths
from models.tiers import TokenPrice
from models.workloads import Demand, Workload

LISTED = Evidence(grade=Grade.VENDOR_WITH_METHOD, sense=Sense.LIST_PRICE, source="a price list")
B200_USD_PER_H = 4.99


def price(input_usd, output_usd, cached_usd=None):
    return TokenPrice(
        input_usd_per_mtok=input_usd,
        output_usd_per_mtok=output_usd,
        cached_input_usd_per_mtok=cached_usd,
        evidence=LISTED,
    )


def test_one_request_at_list_prices():
    # 2,000 x 4 USD/Mtok + 500 x 20 USD/Mtok = 0.008 + 0.010 USD
    assert usd_per_request(price(4, 20), 2000, 500) == pytest.approx(0.018)


def test_cached_tokens_are_part_of_the_input():
    # 1,000 fresh at 4, 1,000 cached at 0.4, 500 out at 20: 0.004 + 0.0004 + 0.010 USD
    assert usd_per_request(price(4, 20, 0.4), 2000, 500, 0.5) == pytest.approx(0.0144)


def test_without_a_cached_price_cached_input_costs_as_much_as_fresh():
    assert usd_per_request(price(4, 20), 2000, 500, 0.5) == usd_per_request(price(4, 20), 2000, 500)


def test_free_cached_input_is_not_an_unknown_price():
    assert usd_per_request(price(4, 20, 0.0), 2000, 0, 1.0) == 0.0


@given(st.floats(0, 1e6), st.floats(0, 1e6), st.floats(0, 1), st.floats(0, 100), st.floats(0, 100))
def test_a_cache_that_costs_less_never_raises_a_requests_price(input_tok, output_tok, share, usd, output_usd):
    full = usd_per_request(price(usd, output_usd, usd / 10), input_tok, output_tok, 0.0)
    assert usd_per_request(price(usd, output_usd, usd / 10), input_tok, output_tok, share) <= full * (
        1 + 1e-9
    )


def test_a_b200_at_the_rates_of_mlperf_inference_5_1():
    # MLPerf Inference v5.1, Server, per GPU: 12,499 tok/s; 4.99 USD an hour.
    # 4.99 / (12,499 x 3,600) x 10^6 = 0.1109 USD per million tokens
    assert usd_per_mtok(B200_USD_PER_H, 12_499) == pytest.approx(0.111, abs=5e-4)
    # At 7,517 tok/s and used 40 % of the time: 4.99 / (7,517 x 0.4 x 3,600) x 10^6 = 0.461
    assert usd_per_mtok(B200_USD_PER_H, 7_517 * 0.4) == pytest.approx(0.46, abs=5e-3)


def test_eight_accelerators_cost_and_produce_eight_times_as_much():
    assert usd_per_mtok(8 * B200_USD_PER_H, 8 * 12_499) == pytest.approx(usd_per_mtok(B200_USD_PER_H, 12_499))


def demand(rate_req_per_s, hourly_fraction=(1.0,) * 24, calls=1, fan_out=1):
    workload = Workload(
        name="w",
        kind="other",
        models=("m",),
        input_tok=fixed_lengths(10),
        output_tok=fixed_lengths(10),
        sequential_call_count=calls,
        fan_out_count=fan_out,
    )
    return Demand(workload=workload, peak_rate_req_per_s=rate_req_per_s, hourly_fraction=hourly_fraction)


def test_a_month_is_a_twelfth_of_the_mean_year():
    assert HOURS_PER_MONTH == 365.25 * 24 / 12


def test_calls_of_a_month_follow_the_shape_of_the_day():
    # One task a second, all day: 730.5 h x 3,600 s
    assert calls_per_month(demand(1.0)) == pytest.approx(2_629_800)
    # Half the day only, ten calls in sequence, two at once: x 0.5 x 20
    half = (1.0,) * 12 + (0.0,) * 12
    assert calls_per_month(demand(1.0, half, calls=10, fan_out=2)) == pytest.approx(26_298_000)


def test_nothing_to_divide_by_has_no_unit_cost():
    assert per_unit(10.0, 0.0) is None
    assert per_unit(10.0, float("inf")) is None
    assert per_unit(10.0, 4.0) == 2.5
