"""Two scenarios differ where they were changed and nowhere else; results that differ are both plans' own."""

from app import workbench
from app.formatting import DASH, show
from app.scenario_changes import Change, bill_sentence, input_changes, result_changes
from tests.app import tiny


def test_the_same_scenario_differs_in_nothing():
    assert input_changes(tiny.draft(), tiny.draft()) == ()
    assert result_changes(tiny.view(), tiny.view()) == ()
    assert bill_sentence(tiny.view(), tiny.view()).startswith("The bill stays at $94,673 a month")


def test_a_changed_input_is_told_by_its_address():
    changed = tiny.draft(seed=2)
    changed["workloads"][0]["peak_rate_req_per_s"] = 4
    changed["offers"][0]["tier"]["price"]["output_usd_per_mtok"] = 10
    assert set(input_changes(tiny.draft(), changed)) == {
        Change(address="seed", before="1", after="2"),
        Change(address="workloads[chat].peak_rate_req_per_s", before="2", after="4"),
        Change(
            address="offers[plain/tiny-1].tier.price.output_usd_per_mtok",
            before="20",
            after="10",
        ),
    }


def test_an_entry_is_known_by_its_name_wherever_it_stands():
    moved = tiny.draft()
    moved["offers"] = [moved["offers"][2], moved["offers"][0], moved["offers"][1]]
    assert input_changes(tiny.draft(), moved) == ()
    fewer = tiny.draft()
    del fewer["offers"][1]
    [change] = input_changes(tiny.draft(), fewer)
    assert change.address == "offers[quick/tiny-1]"
    assert change.after == DASH


def test_what_the_plan_says_otherwise_is_what_both_plans_say():
    before, changed = tiny.view(), tiny.draft()
    changed["workloads"][0]["targets"][0]["limit_s"] = 0.3  # only the quick one keeps it
    after = workbench.view(changed)
    found = {change.address: (change.before, change.after) for change in result_changes(before, after)}
    assert found["chat: served on"] == ("Plain API", "Quick API")
    bills = [show("cost_usd_per_month", each.plan.totals.cost_usd_per_month) for each in (before, after)]
    assert found["plan: cost per month"] == tuple(bills)
    # Both prices of the quick tier are twice the plain one's, so the bill rises by as much as it was.
    assert bill_sentence(before, after).startswith("The bill rises by $94,673, from $94,673 to ")


def test_a_workload_that_finds_no_place_is_a_dash():
    changed = tiny.draft()
    changed["workloads"][0]["targets"][0]["limit_s"] = 0.001
    found = {each.address: each.after for each in result_changes(tiny.view(), workbench.view(changed))}
    assert found["chat: served on"] == DASH
