"""Prices over time: rows are added, the plan's day picks one, and older ones still add up."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.catalogue_files import load_catalogue
from data.scenario_files import scenario_from, worked_example
from models.dated_prices import in_force
from models.evidence import Evidence, Grade, Sense
from models.problems import InputProblems
from models.tiers import DatedPrice, HourlyPrice

SAID = Evidence(grade=Grade.ASSUMED_OR_DERIVED, sense=Sense.ASSUMED, source="a contract")
DAYS = st.dates(date(2026, 1, 1), date(2026, 1, 20))


def row(valid_from, usd, own=True):
    return DatedPrice(
        valid_from=valid_from, price=HourlyPrice(usd_per_accelerator_h=usd, evidence=SAID), own=own
    )


def hourly(valid_from, usd):
    return {"valid_from": valid_from, "basis": "hourly", "usd_per_accelerator_h": usd}


def rent(as_of, *prices):
    """The first machine tier's rent on a day, with prices added to the catalogue's 2.95 from 2026-05-01."""
    draft = worked_example(load_catalogue()) | {"as_of": as_of}
    draft["offers"][0]["prices"] = list(prices)
    return scenario_from(draft, load_catalogue()).offers[0]


@pytest.mark.parametrize(
    ("as_of", "usd"),
    [
        ("2026-06-01", 2.95),
        ("2026-07-01", 2.5),
        ("2026-09-30", 2.5),
        ("2026-10-01", 2.25),
        ("2030-01-01", 2.25),
    ],
)
def test_the_plans_day_decides_which_price_holds(as_of, usd):
    offer = rent(as_of, hourly("2026-07-01", 2.5), hourly("2026-10-01", 2.25))
    assert offer.tier.price.usd_per_accelerator_h == usd
    assert [each.price.usd_per_accelerator_h for each in offer.prices] == [2.95, 2.5, 2.25]


def test_a_price_put_right_on_its_own_day_holds_and_the_mistake_stays_to_be_seen():
    offer = rent("2026-11-30", hourly("2026-07-01", 25.0), hourly("2026-07-01", 2.5))
    assert offer.tier.price.usd_per_accelerator_h == 2.5
    assert 25.0 in [each.price.usd_per_accelerator_h for each in offer.prices]


def test_a_price_of_another_kind_or_without_its_day_is_refused_with_its_address():
    undated = {key: value for key, value in hourly("2026-07-01", 2.5).items() if key != "valid_from"}
    tokens = {
        "valid_from": "2026-07-01",
        "basis": "per_token",
        "input_usd_per_mtok": 1,
        "output_usd_per_mtok": 2,
    }
    with pytest.raises(InputProblems) as caught:
        rent("2026-11-30", undated, tokens)
    assert {problem.path for problem in caught.value.problems} == {
        "offers[0].prices[0].valid_from",
        "offers[0].prices[1].basis",
    }


@given(st.lists(st.tuples(DAYS, st.booleans()), max_size=8), DAYS)
def test_the_latest_begun_own_row_holds_and_any_own_row_outdoes_the_catalogue(drawn, as_of):
    """By brute force: no begun row of the same owner begins later, and none later added on the same day."""
    rows = [row(day, 1.0 + index, own) for index, (day, own) in enumerate(drawn)]
    held = in_force(rows, as_of)
    begun = [each for each in rows if each.valid_from <= as_of]
    if not begun:
        assert held is None
        return
    assert held in begun
    assert held.own == any(each.own for each in begun)
    rivals = [each for each in begun if each.own == held.own and each is not held]
    at = rows.index(held)
    assert all(
        each.valid_from < held.valid_from or (each.valid_from == held.valid_from and rows.index(each) < at)
        for each in rivals
    )


def test_adding_a_row_leaves_every_older_plan_as_it_was():
    before = rent("2026-09-01", hourly("2026-07-01", 2.5))
    after = rent("2026-09-01", hourly("2026-07-01", 2.5), hourly("2026-12-01", 9.0))
    assert before.tier.price == after.tier.price


def test_the_catalogues_own_history_holds_what_its_price_says():
    catalogue, day = load_catalogue(), date(2026, 11, 30)
    for tier_id, model_id in catalogue.listings:
        offer = catalogue.offer(tier_id, model_id, day)
        held = in_force(offer.prices, day)
        assert (None if held is None else held.price) == offer.tier.price, offer.id
    steps = catalogue.offer("openai_standard", "gpt-5.6-sol", day).prices
    assert (steps[0].price.output_usd_per_mtok, steps[-1].price.output_usd_per_mtok) == (30.0, 20.0)
