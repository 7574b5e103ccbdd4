"""Comparisons with a faster tier: what the plan holds against it, and the grade they wear."""

import pytest

from app import decisions, workbench
from models.evidence import weakest
from models.grading import figures_weighed, offer_grade


@pytest.fixture(scope="module", params=["worked", "buyer"])
def seen(request):
    """The two examples."""
    made = {"worked": workbench.worked_example, "buyer": workbench.buyer_example}[request.param]
    return workbench.view(made())


def test_what_the_plan_refuses_is_said_beside_what_would_pay(seen):
    """The reasons are the plan's own rejections, word by word; a tier not refused has none."""
    refused = {(each.workload, each.tier_id, each.model_id): each for each in seen.plan.rejections}
    own = {offer.id for offer in seen.scenario.offers}
    found = decisions.faster(seen, 54.0)
    assert found
    for each in found:
        rejection = refused.get((each.workload, each.tier_id, each.model_id))
        if f"{each.tier_id}/{each.model_id}" not in own:
            assert each.why_not.startswith("not among this scenario's tiers")
        else:
            assert each.why_not == ("; ".join(rejection.reasons) if rejection else "")


def test_a_comparison_wears_the_lowest_grade_of_both_tiers_and_the_workload(seen):
    for each in decisions.faster(seen, 54.0):
        assert each.weakest_grade == max(use.evidence.grade for use in each.evidence)
        subjects = {use.subject for use in each.evidence}
        assert {f"{each.tier_id}/{each.model_id}", each.workload} <= subjects
        assert any(use.quantity == "value" for use in each.evidence)
        assert each.weakest_use.evidence.grade == each.weakest_grade


def test_a_list_price_of_grade_c_makes_the_tier_c_at_best(seen):
    for offer in seen.scenario.offers:
        performance = seen.performances[offer.id]
        grade = offer_grade(offer, performance)
        if offer.tier.price is not None:
            assert grade >= offer.tier.price.evidence.grade
        assert grade == weakest(figures_weighed(offer, performance).values())


def test_the_plan_and_a_comparison_grade_a_tier_alike(seen):
    for each in seen.plan.allocations:
        offer = seen.offer(f"{each.tier_id}/{each.model_id}")
        assert each.weakest_grade == offer_grade(offer, seen.performances[offer.id])
    for each in decisions.faster(seen, 54.0):
        if f"{each.tier_id}/{each.model_id}" in seen.performances:
            offer = seen.offer(f"{each.tier_id}/{each.model_id}")
            assert each.fast_grade == offer_grade(offer, seen.performances[offer.id])
