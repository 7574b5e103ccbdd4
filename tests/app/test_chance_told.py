"""The chance that all targets hold is explained where the reader would otherwise multiply."""

import math
import re

import pytest

from app import workbench
from app.formatting import chance, holding
from models.sentences import WEAK_SPOTS_NOTE, chance_sentence
from tests.app import tiny


@pytest.fixture(scope="module")
def plan():
    return workbench.view(workbench.worked_example()).plan


def test_the_product_that_a_reader_would_work_out_is_printed(plan):
    chances = [result.hold_probability_fraction for each in plan.allocations for result in each.targets]
    known = [each for each in chances if each is not None]
    told = chance_sentence(plan)
    [printed] = re.findall(r"would be (\d+) %", told)
    assert abs(int(printed) - 100 * math.prod(known)) <= 0.5
    assert f"all {len(known)} targets" in told
    assert plan.totals.hold_probability_fraction >= math.prod(known)
    assert WEAK_SPOTS_NOTE in told


def test_nothing_is_explained_where_no_chance_is_known():
    assert chance_sentence(tiny.view().plan) == ""


def test_no_target_with_a_chance_is_told_by_a_bare_yes(plan):
    for each in plan.allocations:
        for result in each.targets:
            odds = result.hold_probability_fraction
            told = holding(result)
            assert told.startswith("yes" if result.predicted_s <= result.target.limit_s else "no")
            assert told.endswith(f"({chance(odds)})") if odds is not None else told in ("yes", "no")
