"""What waiting takes is told with its rows: they add up to the sentence, and nobody is left out silently."""

from datetime import date

import pytest

from app import workbench
from app.report.writing import compose
from app.value_rows import value_rows
from models.net_value import net_value_of, worth_lines
from tests.app import tiny

DAY = date(2026, 11, 30)


@pytest.fixture(scope="module")
def example():
    return workbench.view(workbench.worked_example())


def texts_of(seen, key):
    [section] = [each for each in compose(seen, DAY).sections if each.key == key]
    return " ".join(str(block) for block in section.blocks)


def with_value(value, **policy):
    workload = tiny.draft()["workloads"][0] | {"value": value}
    rules = {"accepted_p95_to_p50_ratio": 2} | policy
    return tiny.view(workloads=[workload], policy=rules)


def test_the_rows_add_up_to_what_the_sentence_says(example):
    found, lines = net_value_of(example.scenario, example.plan), worth_lines(example.scenario, example.plan)
    assert sum(line.value_usd_per_month or 0 for line in lines) == pytest.approx(found.value_usd_per_month)
    assert sum(line.lost_usd_per_month or 0 for line in lines) == pytest.approx(found.lost_usd_per_month)
    for line in lines:
        if line.value_usd_per_month is not None:
            assert line.value_usd_per_task * line.task_count_per_month == pytest.approx(
                line.value_usd_per_month
            )


def test_every_workload_that_states_a_worth_has_a_row_and_loops_are_named(example):
    stated = {each.workload.name for each in example.scenario.demands if each.workload.value is not None}
    loops = {
        each.workload.name
        for each in example.scenario.demands
        if each.workload.value is not None and each.workload.value.kind == "iterations"
    }
    assert loops
    assert {row.names["Workload"] for row in value_rows(example)} == stated
    cost = texts_of(example, "cost")
    assert all(name in cost.partition("Left out: ")[2] for name in loops)


def test_worth_stands_in_the_decision_only_where_it_decided():
    value = {"kind": "waiting_time", "value_usd_per_task": 1, "waiting_usd_per_h": 36}
    thrifty, aimed = with_value(value), with_value(value, objective="net_value")
    assert "Waiting takes" not in texts_of(thrifty, "decision")
    assert "Waiting takes" in texts_of(thrifty, "cost")
    assert "Waiting takes" in texts_of(aimed, "decision")
    assert "E: assumed" in texts_of(aimed, "decision")


def test_a_months_worth_by_hand():
    # 2 tasks/s over 730.5 h at one dollar each, as the hand-worked notes of the tiny scenario say.
    [line] = worth_lines(
        *(lambda seen: (seen.scenario, seen.plan))(
            with_value({"kind": "waiting_time", "value_usd_per_task": 1, "waiting_usd_per_h": 36})
        )
    )
    assert line.task_count_per_month == pytest.approx(2 * 730.5 * 3600)
    assert line.value_usd_per_month == pytest.approx(5_259_600)
