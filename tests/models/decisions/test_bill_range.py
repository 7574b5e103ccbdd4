"""The range of a bill against bills drawn one by one from the stated distributions, and worked values."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from app import workbench
from models.decisions.bill_range import (
    bill_range,
    log_deviation,
    pool_usd,
    price_ends,
    price_ratio,
)
from models.desk import settled
from models.scenario import Outlook

PREMIUM = 1.25
TRIAL_COUNT = 400


@pytest.fixture(scope="module")
def placed():
    """The worked example's desk and pools."""
    seen = workbench.view(workbench.worked_example())
    return settled(seen.scenario, tuple(seen.performances.items()), workbench.desk_of(seen).plan_pool)


def drawn_bill(desk, groups, generator):
    """One bill: a demand by its weight, and a speed and a price of its own for each pool's tier."""
    futures = desk.scenario.outlook.scenarios
    weights = np.array([each.weight for each in futures])
    future = futures[generator.choice(len(futures), p=weights / weights.sum())]
    bill = 0.0
    for group in groups:
        slowness = math.exp(log_deviation(desk, group) * generator.standard_normal())
        usd = pool_usd(desk, group, future.rate_ratio, slowness, PREMIUM)
        bill += usd * float(
            price_ratio(desk.offers[group.offer_id].tier.price, generator.standard_normal(1))[0]
        )
    return bill


def test_eight_of_ten_bills_fall_between_p10_and_p90(placed):
    """Speeds are drawn from the whole normal, not at the model's fifteen; counts within binomial 99.9 %."""
    desk, groups = placed
    found = bill_range(desk, groups, PREMIUM)
    generator = np.random.default_rng(2026)
    bills = np.array([drawn_bill(desk, groups, generator) for _ in range(TRIAL_COUNT)])
    for count, share in (
        (((bills >= found.p10_usd) & (bills <= found.p90_usd)).sum(), 0.8),
        ((bills < found.p10_usd).sum(), 0.1),
        ((bills <= found.p50_usd).sum(), 0.5),
    ):
        low, high = binom.ppf([0.0005, 0.9995], TRIAL_COUNT, share)
        assert low <= count <= high, (share, count)


def test_prices_and_speeds_widen_the_range_beyond_demand(placed):
    desk, groups = placed
    found = bill_range(desk, groups, PREMIUM)
    assert {"demand", "speed of 1 x B200 SXM (TensorRT-LLM)", "price of 1 x B200 SXM (TensorRT-LLM)"} <= set(
        found.drawn
    )
    one = replace(desk.scenario, outlook=Outlook())
    still = bill_range(replace(desk, scenario=one), groups, PREMIUM)
    assert "demand" not in still.drawn
    assert still.p10_usd < still.p50_usd < still.p90_usd


def test_a_price_range_is_its_tenth_and_ninetieth_percentile(placed):
    """P10 and P90 of a standard normal are -1.2816 and 1.2816; at 0 the price is itself."""
    desk, _ = placed
    price = desk.offers["b200_sxm_x1_trt/gpt-oss-120b"].tier.price
    low, high = price_ends(price)
    assert (low, high) == (
        pytest.approx(price.evidence.low / price.usd_per_accelerator_h),
        pytest.approx(price.evidence.high / price.usd_per_accelerator_h),
    )
    at = price_ratio(price, np.array([-1.2815515655, 0.0, 1.2815515655]))
    assert at == pytest.approx([low, 1.0, high])


def test_what_nobody_gives_a_range_for_has_one_bill():
    """Tokens at list prices without a range, at one demand: the bill is the plan's own."""
    from tests.app import tiny

    seen = tiny.view()
    desk, groups = settled(seen.scenario, tuple(seen.performances.items()), workbench.desk_of(seen).plan_pool)
    found = bill_range(desk, groups, PREMIUM)
    assert found.drawn == ()
    usd = pytest.approx(seen.plan.totals.cost_usd_per_month)
    assert (found.p10_usd, found.p50_usd, found.p90_usd) == (usd, usd, usd)
