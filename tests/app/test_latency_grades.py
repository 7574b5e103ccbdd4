"""A latency wears the grade of what is known of latencies; a price's weaker grade does not touch it."""

from datetime import date

import pytest

from app import workbench
from app.report.blocks import Table
from app.report.writing import compose
from models.grading import latency_grade, offer_grade


@pytest.fixture(scope="module")
def example():
    return workbench.view(workbench.worked_example())


def graded_rows(seen, key, head):
    [section] = [each for each in compose(seen, date(2026, 11, 30)).sections if each.key == key]
    [table] = [
        block
        for block in section.blocks
        if isinstance(block, Table) and {head, "Grade"} <= set(block.headings)
    ]
    column = table.headings.index("Grade")
    return {row[0]: row[column] for row in table.rows}


@pytest.mark.parametrize(("key", "head"), [("capacity", "TTFT p50"), ("origins", "Mean")])
def test_latency_rows_wear_the_weakest_grade_of_their_own_evidence(example, key, head):
    shown = graded_rows(example, key, head)
    for each in example.plan.allocations:
        performance = example.performances[f"{each.tier_id}/{each.model_id}"]
        own = max(str(evidence.grade) for evidence in performance.evidence.values())
        assert shown[each.workload] == own


def test_a_price_may_lower_the_offers_grade_and_not_the_latencies(example):
    offers = {offer.id: offer for offer in example.scenario.offers}
    pairs = []
    for each in example.plan.allocations:
        offer_id = f"{each.tier_id}/{each.model_id}"
        performance = example.performances[offer_id]
        pairs.append((latency_grade(performance), offer_grade(offers[offer_id], performance)))
    assert all(mine <= whole for mine, whole in pairs)
    assert any(mine < whole for mine, whole in pairs)
