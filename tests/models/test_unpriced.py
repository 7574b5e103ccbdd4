"""A tier without a price: the plan answers with the price at which it would cost the same, never with one."""

import pytest

from app import workbench
from tests.app import tiny
from tests.app.tiny import draft


def plan_of(**changes):
    return workbench.view(draft(**changes)).plan


def test_an_unpriced_tier_is_answered_with_a_multiple():
    (found,) = plan_of().break_evens
    # chosen: Plain at 4 and 20 USD; measured by Plain's own prices
    assert (found.tier_id, found.reference) == ("secret", "Plain API")
    assert found.price_ratio == pytest.approx(1.0)
    assert found.misses == ""


def test_the_multiple_is_of_the_cheapest_known_price_of_the_model():
    offers = draft()["offers"]
    dear = [offers[1], offers[2]]
    dear[0] = dear[0] | {"model": tiny.MODEL}
    (found,) = plan_of(offers=dear).break_evens
    assert found.reference == "Quick API"
    assert found.price_ratio == pytest.approx(1.0)


def buyer_plan():
    """Research alone, with its targets gone: Standard, Fast, and Ultrafast without a price."""
    made = workbench.buyer_example()
    made["workloads"] = [each for each in made["workloads"] if each["kind"] == "research"]
    made["offers"] = [
        {"tier": tier, "model": "gpt-5.6-sol"}
        for tier in ("openai_standard", "openai_fast", "openai_ultrafast")
    ]
    return workbench.view(made).plan


def test_sol_ultrafast_is_measured_by_standard():
    plan = buyer_plan()
    (chosen,) = plan.allocations
    assert chosen.tier_id == "openai_standard"
    (found,) = plan.break_evens
    assert (found.tier_id, found.reference) == ("openai_ultrafast", "Standard")
    # who pays Standard's price breaks even at once Standard's price
    assert found.price_ratio == pytest.approx(1.0)
    assert "a ceiling sizes nothing" in found.misses
    assert plan.totals.cost_usd_per_month == pytest.approx(chosen.cost.cost_usd_per_month)


def test_machines_without_a_price_break_even_at_a_rent():
    made = workbench.worked_example()
    made["workloads"] = [each for each in made["workloads"] if each["kind"] == "research"]
    made["workloads"][0]["targets"] = []
    made["policy"]["accepted_derate_ratio"] = 0.6
    made["policy"]["envelope_end"] = "optimistic"
    made["offers"] = [
        {"tier": "h100_sxm_x4_vllm", "model": "gpt-oss-120b"},
        {"tier": "cs3_rented", "model": "gpt-oss-120b"},
    ]
    plan = workbench.view(made).plan
    (found,) = plan.break_evens
    assert found.price_ratio is None
    # at that rent the same wafers, spares and all, cost what the chosen machines do
    made["offers"][1] = {
        "tier": workbench.tier_as_draft(workbench.view(made).offer("cs3_rented/gpt-oss-120b"))
        | {"price": {"basis": "hourly", "usd_per_accelerator_h": found.usd_per_accelerator_h}},
        "model": "gpt-oss-120b",
    }
    again = workbench.view(made).plan
    assert again.allocations[0].cost.cost_usd_per_month == pytest.approx(
        plan.allocations[0].cost.cost_usd_per_month
    )
    extra = again.allocations[0].runner_up.extra_cost_usd_per_month
    assert extra == pytest.approx(0.0, abs=0.01)


def test_a_waiting_list_excludes_by_default_and_says_why():
    made = workbench.buyer_example()
    made["policy"]["allow_availability"] = ["open"]
    plan = workbench.view(made).plan
    closed = [
        each
        for each in plan.rejections
        if each.tier_id == "openai_ultrafast" and each.model_id == "gpt-5.6-sol"
    ]
    assert {each.binding_constraint for each in closed} == {"availability"}
    assert all("waitlist" in each.reasons[0] and "Preview" in each.reasons[1] for each in closed)
