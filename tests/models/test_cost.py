"""Costs against sums done by hand and against published figures."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.builtin_curves import builtin_measurements
from models.cost import (
    HOURS_PER_MONTH,
    calls_per_month,
    mean_usd_per_request,
    per_unit,
    tokens_usd_per_month,
    usd_per_mtok,
    usd_per_request,
    usd_per_resolved_task,
)
from models.evidence import Evidence, Grade, Sense
from models.lengths import empirical_lengths, fixed_lengths
from models.tiers import LongContextRule, OffPeakRule, OwnedPrice, TokenPrice
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


def owned(**fields):
    return OwnedPrice(purchase_usd_per_accelerator=394_000 / 8, life_years=3, evidence=LISTED, **fields)


def test_a_node_written_off_over_three_years():
    """394,000 USD / 3 years / 8 GPUs: 1.87 USD an hour, 1.31 with 30 % left (worked in 2026-11)."""
    assert owned().usd_per_accelerator_h == pytest.approx(1.87, abs=0.005)
    assert owned(resale_value_fraction=0.3).usd_per_accelerator_h == pytest.approx(1.31, abs=0.005)


def test_colocation_of_an_h100():
    """1.73 kW at 200 USD/kW-month: 0.47 USD an hour."""
    housed = owned(accelerator_power_w=1730, colocation_usd_per_kw_month=200)
    assert housed.usd_per_accelerator_h - owned().usd_per_accelerator_h == pytest.approx(0.47, abs=0.005)


def test_pue_counts_once_and_for_energy_only():
    """1 kW x 1.5 x 0.10 USD/kWh = 0.15 USD an hour; without a PUE the power is all-in."""
    base = owned(accelerator_power_w=1000, energy_usd_per_kwh=0.10)
    assert base.usd_per_accelerator_h - owned().usd_per_accelerator_h == pytest.approx(0.10)
    built = owned(accelerator_power_w=1000, energy_usd_per_kwh=0.10, pue_ratio=1.5)
    assert built.usd_per_accelerator_h - owned().usd_per_accelerator_h == pytest.approx(0.15)


def test_a_long_prompt_pays_its_own_rates_for_the_whole_request():
    long = TokenPrice(
        input_usd_per_mtok=1.25,
        output_usd_per_mtok=10,
        evidence=LISTED,
        long_context=LongContextRule(above_tok=200_000, input_usd_per_mtok=2.5, output_usd_per_mtok=15),
    )
    assert usd_per_request(long, 200_000, 1000) == pytest.approx(0.25 + 0.01)
    assert usd_per_request(long, 200_001, 1000) == pytest.approx(0.5000025 + 0.015)
    # Half of the prompts are long, though the mean is not.
    mixed = empirical_lengths([10_000, 300_000], (1, 1_000_000))
    mean = mean_usd_per_request(long, mixed, fixed_lengths(1000), 0.0)
    assert mean == pytest.approx((0.0125 + 0.010 + 0.75 + 0.015) / 2, rel=0.01)


def test_half_a_day_at_half_price():
    night = TokenPrice(
        input_usd_per_mtok=1,
        output_usd_per_mtok=1,
        evidence=LISTED,
        off_peak=OffPeakRule(from_h=18, to_h=6, price_ratio=0.5),
    )
    always = demand(2.0)
    full = tokens_usd_per_month(price(1, 1), always)
    assert tokens_usd_per_month(night, always) == pytest.approx(0.75 * full)


def test_writing_to_a_cache_is_paid_for_fresh_input():
    writes = TokenPrice(
        input_usd_per_mtok=4,
        output_usd_per_mtok=20,
        cached_input_usd_per_mtok=0.4,
        cache_write_usd_per_mtok=5,
        evidence=LISTED,
    )
    # 1,000 fresh, written at 5 (1.25 times 4), 1,000 cached at 0.4, 500 out at 20: 0.005 + 0.0004 + 0.010 USD
    assert usd_per_request(writes, 2000, 500, 0.5) == pytest.approx(0.0154)


def test_a_resolved_task_pays_for_attempts_and_for_people():
    # 1.5 attempts at 0.10 USD, one task in five to a person at 6 USD: (0.15 + 1.20) / 0.8
    assert usd_per_resolved_task(0.10, 1.5, 0.8, 6.0) == pytest.approx(1.6875)


def cost_meter_sweeps():
    """Output rates by offered rate of the twelve published sweeps of arXiv 2606.11690 (H100, vLLM)."""
    sweeps = {}
    for each in builtin_measurements():
        if each.source_id.startswith("vllm_cost_meter"):
            sweeps.setdefault(each.source_id, []).append(each)
    return sweeps


def test_idling_costs_what_the_published_sweeps_show():
    """At 1 request/s a token costs about 5 to 36 times what it costs at saturation, they report."""
    penalties = []
    for rows in cost_meter_sweeps().values():
        usd = {
            row.measurement.offered_rate_req_per_s: usd_per_mtok(
                2.95 * row.measurement.accelerator_count, row.measurement.output_rate_tok_per_s
            )
            for row in rows
        }
        penalties.append(usd[1.0] / min(usd.values()))
    assert len(penalties) == 12
    assert min(penalties) == pytest.approx(5.0, rel=0.05)
    assert max(penalties) == pytest.approx(36.0, rel=0.05)


def test_our_cost_against_load_is_the_published_arithmetic_at_measured_points():
    """USD per hour over measured tokens per hour, against ours from the offered rate and the lengths."""
    errors = []
    for rows in cost_meter_sweeps().values():
        for row in rows:
            point = row.measurement
            finished = point.request_rate_req_per_s / point.offered_rate_req_per_s
            if row.quality != "ok" or not 0.98 <= finished <= 1.02:
                continue  # a backlog grew or was worked off: not a steady state
            published = usd_per_mtok(2.95 * point.accelerator_count, point.output_rate_tok_per_s)
            ours = usd_per_mtok(2.95 * point.accelerator_count, point.offered_rate_req_per_s * point.osl_tok)
            errors.append(abs(ours / published - 1.0))
    assert len(errors) >= 12
    assert max(errors) <= 0.02 + 1e-3
