"""aiconfigurator's result as a tier: its estimates keep their grade, and what it leaves out is asked for."""

import copy
from pathlib import Path

import pytest

from app import workbench
from data.aiconfigurator_tiers import PlannedTier, planned_tier
from data.imports import import_file

SAMPLE = Path(__file__).parent / "samples" / "aiconfigurator_disagg.csv"
TEXT = SAMPLE.read_text(encoding="utf-8")


def test_the_first_row_becomes_a_tier_of_two_pools():
    found = planned_tier("best.csv", TEXT)
    assert isinstance(found, PlannedTier)
    assert found.model == "llama-3.3-70b"
    draft, prefill = found.draft, found.draft["prefill"]
    assert (draft["accelerator"], draft["accelerator_count_per_replica"]) == ("h200_sxm", 4)
    assert draft["slot_count"] == 32
    # 2.5 prompts of 4,000 tokens a second and worker
    assert prefill["delta_s_per_input_tok"] == pytest.approx(1 / (2.5 * 4000))
    # 14, 16 and 20 ms at 8, 16 and 32 sequences: 12 ms and 0.25 ms each
    assert draft["step"]["alpha_s"] == pytest.approx(0.012)
    assert draft["step"]["beta_s_per_seq"] == pytest.approx(2.5e-4)
    assert draft["evidence"]["step"]["grade"] == "E"
    assert "no link rate and no price" in found.problems[0].message


def test_one_batch_gives_a_flat_step_and_says_so():
    header, first, *_ = TEXT.splitlines(keepends=True)
    found = planned_tier("best.csv", header + first)
    assert found.draft["step"] == {"alpha_s": pytest.approx(0.02), "beta_s_per_seq": 0.0}
    assert any("taken as flat" in problem.message for problem in found.problems)


def test_the_tier_is_planned_once_link_and_prices_are_stated():
    found = planned_tier("best.csv", TEXT)
    price = {"basis": "hourly", "usd_per_accelerator_h": 3.5}
    own = copy.deepcopy(found.draft) | {"link": {"one_way_gbit_per_s": 400}, "price": price}
    own["prefill"]["price"] = price
    made = copy.deepcopy(workbench.worked_example())
    made["workloads"] = [each for each in made["workloads"] if each["kind"] == "research"]
    made["workloads"][0] |= {"targets": [], "models": [found.model]}
    made["offers"] = [{"tier": own, "model": found.model}]
    plan = workbench.view(made).plan
    assert plan.pools[0].prefill_worker_count >= 1
    assert plan.totals.weakest_grade == "E"
    del own["link"]
    (refused,) = workbench.view(made).plan.rejections
    assert "link" in refused.reasons[0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b\n1,2\n", "no disaggregated result"),
        (TEXT.splitlines()[0] + "\n", "holds no configuration"),
        (TEXT.replace("h200_sxm", "h999"), "no accelerator of the catalogue"),
        (TEXT.replace("llama-3.3-70b", "our-model"), "no model of the catalogue"),
        (TEXT.replace(",20.0,", ",,"), "is no positive number"),
        (TEXT.replace(",20.0,", ",-3,"), "is no positive number"),
    ],
)
def test_a_fault_is_named(text, words):
    problems = planned_tier("best.csv", text)
    assert isinstance(problems, tuple)
    assert any(words in str(problem) for problem in problems)


def test_a_taken_id_is_numbered():
    assert workbench.free_id("a", {"b"}) == "a"
    assert workbench.free_id("a", {"a", "a_2"}) == "a_3"


def test_its_estimates_are_not_taken_for_measurements():
    found = import_file("best_config_topn.csv", SAMPLE.read_bytes())
    assert found.measurements == ()
    assert any("estimates, not measurements" in str(problem) for problem in found.problems)
