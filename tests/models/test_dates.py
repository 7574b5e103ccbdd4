"""What a plan's date puts in doubt: prices too old, commitments at an end, tiers not sold yet."""

from datetime import date, timedelta

import pytest

from app import workbench
from models.dates import OLD_PRICE_DAYS
from tests.app import tiny

CHECKED = date(2026, 11, 30)


def priced_on(day):
    """A price of 4 and 20 USD read on a day."""
    evidence = {"grade": "C", "sense": "list_price", "source": "a list", "checked_on": day.isoformat()}
    return tiny.per_token(4, 20) | {"evidence": evidence}


def texts(**changes):
    """The notices of the tiny scenario with one tier priced on CHECKED."""
    more = changes.pop("tier", {})
    tier = tiny.own_tier("plain", "Plain API", speed=tiny.speed(100, 0.4), price=priced_on(CHECKED)) | more
    seen = tiny.view(offers=[{"tier": tier, "model": tiny.MODEL}], **changes)
    return [notice.text for notice in seen.plan.notices]


@pytest.mark.parametrize(("days", "said"), [(OLD_PRICE_DAYS, False), (OLD_PRICE_DAYS + 1, True)])
def test_prices_older_than_a_quarter_are_told_with_their_day(days, said):
    as_of = CHECKED + timedelta(days=days)
    found = [text for text in texts(as_of=as_of.isoformat()) if "newest price" in text]
    assert bool(found) == said
    if said:
        assert f"2026-11-30, {days} days before the plan" in found[0]


def test_a_worked_example_for_2035_says_that_its_prices_are_old():
    draft = workbench.worked_example() | {"as_of": "2035-06-01"}
    found = [each for each in workbench.view(draft).plan.notices if "newest price" in each.text]
    assert [each.level for each in found] == ["warning"]
    days = (date(2035, 6, 1) - CHECKED).days
    assert f"{days:,} days before the plan" in found[0].text


def test_a_commitment_that_ended_is_told_and_not_counted():
    draft = workbench.worked_example()
    plain = workbench.view(draft).plan.totals.cost_usd_per_month
    tier = draft["offers"][0]["tier"]
    draft["fleet"] = [{"tier": tier, "replica_count": 9, "committed_until": "2026-01-31"}]
    plan = workbench.view(draft).plan
    assert [text for each in plan.notices if "ended on 2026-01-31" in (text := each.text)]
    assert plan.totals.cost_usd_per_month == pytest.approx(plain)
    draft["fleet"][0]["committed_until"] = "2027-01-31"
    bound = workbench.view(draft).plan
    assert not [each for each in bound.notices if "ended on" in each.text]
    assert bound.totals.cost_usd_per_month > plain


def test_a_tier_serves_nothing_before_its_first_day_unless_one_looks_ahead():
    start = {"available_from": "2027-02-01"}
    seen = tiny.view(
        offers=[
            {
                "tier": tiny.own_tier(
                    "plain", "Plain API", speed=tiny.speed(100, 0.4), price=priced_on(CHECKED), **start
                ),
                "model": tiny.MODEL,
            }
        ]
    )
    assert seen.plan.unplaced == ("chat",)
    assert "not sold before 2027-02-01" in seen.plan.rejections[0].reasons
    ahead = texts(tier=start, policy={"allow_availability": ["open", "announced"]})
    assert [text for text in ahead if "sold from 2027-02-01, 63 days after" in text]
    assert not [text for text in texts(tier=start, as_of="2027-02-01") if "not sold" in text]


def test_evidence_past_its_last_day_is_told():
    price = priced_on(CHECKED)
    price["evidence"]["expires_on"] = "2026-11-01"
    assert [text for text in texts(tier={"price": price}) if "not to be used after 2026-11-01" in text]
