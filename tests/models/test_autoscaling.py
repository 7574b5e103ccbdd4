"""A staircase counted by hand, and its laws."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.autoscaling import scaled_day

PER_REPLICA = 10.0


def replicas_for(rate):
    return math.ceil(rate / PER_REPLICA)


def rate_served_by(count):
    return count * PER_REPLICA


def day(rates, **more):
    return scaled_day(rates, replicas_for, rate_served_by, **({"start_up_s": 300.0} | more))


def test_a_staircase_by_hand():
    """5, 25, 25, 12 requests/s at 10 a replica: 1, 3, 3, 2; at 25 one replica lacks 15/s for 300 s."""
    found = day([5.0, 25.0, 25.0, 12.0])
    assert [hour.replica_count for hour in found.hours] == [1, 3, 3, 2]
    assert found.replica_h == 9.0
    assert found.largest_shortage_req_per_s == 15.0
    assert found.short_request_count == 15.0 * 300.0


def test_the_day_repeats_so_the_first_hour_follows_the_last():
    found = day([30.0, 5.0])
    assert found.hours[0].shortage_req_per_s == 20.0


def test_a_floor_at_the_peak_lacks_nothing_and_costs_every_hour():
    found = day([5.0, 25.0, 25.0, 12.0], floor_count=3)
    assert found.short_request_count == 0.0
    assert found.replica_h == 12.0


def test_reaction_and_start_up_add_and_end_with_the_hour():
    assert day([5.0, 25.0], reaction_s=60.0).hours[1].short_s == 360.0
    assert day([5.0, 25.0], start_up_s=9000.0).hours[1].short_s == 3600.0


@given(
    rates=st.lists(st.floats(0.0, 1000.0), min_size=24, max_size=24),
    floor=st.integers(1, 30),
    start_up_s=st.floats(0.0, 7200.0),
)
def test_laws_of_any_day(rates, floor, start_up_s):
    found, higher = (day(rates, floor_count=each, start_up_s=start_up_s) for each in (floor, floor + 1))
    for hour in found.hours:
        assert hour.replica_count >= max(floor, hour.rate_req_per_s / PER_REPLICA)
        assert 0.0 <= hour.shortage_req_per_s <= hour.rate_req_per_s
    assert found.replica_h <= max(hour.replica_count for hour in found.hours) * len(rates)
    assert higher.replica_h >= found.replica_h
    assert higher.short_request_count <= found.short_request_count + 1e-9
    assert day(rates, floor_count=floor, start_up_s=0.0).short_request_count == pytest.approx(0.0)
