"""How numbers read: friendly units, three digits, a dash for what nobody knows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.formatting import DASH, label, number, show, value_sentence
from models.net_value import NetValue
from models.quantities import QUANTITIES


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("tpot_s", 0.0213, "21.3 ms"),
        ("ttft_s", 0.3, "300 ms"),
        ("ttft_s", 0.0, "0 s"),
        ("e2e_s", 1.0, "1 s"),
        ("e2e_s", 33.74, "33.7 s"),
        ("task_s", 1309.4, "21.8 min"),
        ("task_s", 14_400.0, "4 h"),
        ("alpha_s", 0.0000004, "0.0004 ms"),
        ("beta_s_per_seq", 0.00002, "20 µs/sequence"),
        ("gamma_s_per_context_tok", 4e-9, "4 ns/token"),
        ("stream_rate_tok_per_s", 1234.5, "1,234 tok/s"),
        ("stream_rate_tok_per_s", 53.57, "53.6 tok/s"),
        ("offered_rate_req_per_s", 0.5, "0.5 req/s"),
        ("utilisation_fraction", 0.853, "85 %"),
        ("residual_fraction", 0.031, "3.1 %"),
        ("utilisation_fraction", 0.0, "0 %"),
        ("cost_usd_per_month", 21_074.925, "$21,075"),
        ("cost_usd_per_request", 0.00096, "$0.00096"),
        ("cost_usd_per_request", 0.0000004, "$0.00000040"),
        ("cost_usd_per_mtok_output", 1.5197, "$1.52"),
        ("cost_usd_per_mtok_output", 0.111, "$0.11"),
        ("extra_cost_usd_per_month", -12.0, "-$12.00"),
        ("isl_tok", 1_000_000.0, "1,000,000 tokens"),
        ("replica_count", 5.0, "5"),
        ("scv_ratio", 12.25, "12.2"),
    ],
)
def test_a_number_reads_as_a_person_says_it(name, value, text):
    assert show(name, value) == text


@pytest.mark.parametrize("value", [None, float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("quantity", QUANTITIES, ids=lambda each: each.name)
def test_what_is_not_known_is_a_dash(quantity, value):
    assert show(quantity.name, value) == DASH


@given(st.floats(1e-12, 1e15))
def test_three_digits_keep_the_number(value):
    assert float(number(value).replace(",", "")) == pytest.approx(value, rel=0.0051)


@given(st.sampled_from(QUANTITIES), st.floats(1e-9, 1e12))
def test_every_quantity_has_a_short_text(quantity, value):
    text = show(quantity.name, value)
    assert 0 < len(text) <= 40
    assert text != DASH
    assert any(sign.isdigit() for sign in text)


@given(st.floats(1e-6, 1e6), st.floats(1.02, 100.0))
def test_a_longer_time_never_reads_as_a_shorter_one(seconds, ratio):
    assert read_back(show("ttft_s", seconds)) <= read_back(show("ttft_s", seconds * ratio)) * (1 + 1e-9)


def read_back(text):
    """Seconds of a duration as shown."""
    amount, unit = text.split(" ")
    return float(amount.replace(",", "")) * {"ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}[unit]


def test_labels_carry_friendly_units():
    assert label("ttft_s") == "Time to first token (s)"
    assert label("stream_rate_tok_per_s") == "Stream speed (tok/s)"
    assert label("replica_count") == "Replicas"


def test_what_waiting_takes_is_told_as_the_assumption_it_is():
    def told(value, lost, net, weighed, unknown=(), left_out=()):
        return value_sentence(
            NetValue(
                value_usd_per_month=value,
                lost_usd_per_month=lost,
                cost_usd_per_month=20e3,
                net_value_usd_per_month=net,
                unknown=unknown,
                left_out=left_out,
            ),
            weighed,
        )

    assert told(0.0, 0.0, -20e3, False) == "No workload says what waiting for its answers costs."
    assert "$10k of the $50k" in told(50e3, 10e3, 20e3, False)
    assert told(50e3, 10e3, 20e3, False).endswith("(E: assumed); it is no part of the bill.")
    assert told(50e3, 40e3, -10e3, True).endswith("(E: assumed): -$10k remain after the bill.")
    assert "unknown for voice" in told(50e3, None, None, True, ("voice",))
    assert "Left out: loop and batch," in told(50e3, 10e3, 20e3, False, (), ("loop", "batch"))
    assert told(0.0, 5e3, -25e3, False).startswith("Waiting costs $5,000 a month")
