"""Break-even multiples and shares against worked values with their source, and against brute force."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.cost import usd_per_request
from models.decisions.break_even import (
    break_even_multiple,
    loop_multiple,
    multiple_sweep,
    newsvendor_fraction,
    weighted_quantile,
)
from models.evidence import Evidence, Grade, Sense
from models.tiers import TokenPrice
from models.value import turns_per_day

LISTED = Evidence(grade=Grade.VENDOR_WITH_METHOD, sense=Sense.LIST_PRICE, source="list")
SOL = TokenPrice(input_usd_per_mtok=4.0, output_usd_per_mtok=20.0, evidence=LISTED)
STANDARD_S = 9.33  # 2,000 in + 500 out at about 54 tok/s (derived, OpenAI's 14x against 750 tok/s)


def test_sol_costs_what_its_list_price_says() -> None:
    assert usd_per_request(SOL, 2000.0, 500.0) == pytest.approx(0.018)


@pytest.mark.parametrize(
    ("waiting_usd_per_h", "fast_s", "multiple"),
    [
        (60.0, 0.67, 9.0),
        (60.0, 1.11, 8.6),
        (60.0, 1.67, 8.1),
        (20.0, 0.67, 3.7),
        (20.0, 1.11, 3.5),
        (20.0, 1.67, 3.4),
        (0.0, 0.67, 1.0),
    ],
)
def test_what_a_faster_answer_may_cost(waiting_usd_per_h, fast_s, multiple) -> None:
    """Arithmetic of 2026-11: 0.018 USD a task at Standard, 9.33 s against ceiling, derate 0.6, and 5.6x."""
    slow_usd = usd_per_request(SOL, 2000.0, 500.0)
    saved_usd = waiting_usd_per_h * (STANDARD_S - fast_s) / 3600.0
    assert break_even_multiple(saved_usd, slow_usd) == pytest.approx(multiple, abs=0.05)


def test_a_multiple_of_six_pays_from_about_forty_dollars_an_hour() -> None:
    """The same arithmetic: between 37 and 42 USD/h of somebody waiting."""
    slow_usd = usd_per_request(SOL, 2000.0, 500.0)
    for fast_s, usd_per_h in ((0.67, 37.4), (1.67, 42.3)):
        saved_usd = usd_per_h * (STANDARD_S - fast_s) / 3600.0
        assert break_even_multiple(saved_usd, slow_usd) == pytest.approx(6.0, abs=0.02)


@given(gain=st.floats(-0.5, 2.0), cost=st.floats(0.001, 1.0))
def test_at_the_break_even_nothing_is_gained_or_lost(gain, cost) -> None:
    multiple = break_even_multiple(gain, cost)
    (point,) = multiple_sweep(gain, cost, (multiple,))
    assert point.net_gain_usd_per_task == pytest.approx(0.0, abs=1e-9)


@given(
    value=st.floats(0.5, 10.0),
    cost=st.floats(0.01, 0.4),
    slow_s=st.floats(600.0, 20_000.0),
    speed_ratio=st.floats(1.5, 14.0),
)
def test_a_loop_earns_the_same_a_day_at_its_break_even(value, cost, slow_s, speed_ratio) -> None:
    fast_s = slow_s / speed_ratio
    multiple = loop_multiple(value, slow_s, fast_s, cost)
    slow_day = turns_per_day(slow_s) * (value - cost)
    fast_day = turns_per_day(fast_s) * (value - multiple * cost)
    assert fast_day == pytest.approx(slow_day, rel=1e-6, abs=1e-6)


@given(
    demands=st.lists(st.tuples(st.integers(1, 50), st.integers(1, 9)), min_size=1, max_size=6),
    under=st.floats(0.5, 5.0),
    over=st.floats(0.5, 5.0),
)
def test_the_newsvendor_quantile_is_the_cheapest_capacity(demands, under, over) -> None:
    """Brute force over whole capacities."""
    sizes, weights = [float(d) for d, _ in demands], [float(w) for _, w in demands]

    def cost(capacity: float) -> float:
        return sum(
            w * (over * max(capacity - d, 0.0) + under * max(d - capacity, 0.0))
            for d, w in zip(sizes, weights, strict=True)
        )

    chosen = weighted_quantile(sizes, weights, newsvendor_fraction(under, over))
    assert cost(chosen) <= min(cost(float(each)) for each in range(0, 52)) * (1 + 1e-9) + 1e-9
