"""Wafers and disaggregated pools in a scenario file, and links in units that cannot be mixed."""

import copy

import pytest

from app import workbench
from app.plan_simulation import check_plan
from app.presenters import allocation_row
from data.link_reading import read_link
from data.reading import Reader
from data.scenario_files import scenario_from, worked_example
from data.tier_drafts import tier_as_draft
from models.problems import InputProblems
from models.tiers import OwnedPrice

CATALOGUE = workbench.load_catalogue()
WAFERS = {
    "id": "our_wafers",
    "architecture": "wafer_scale_pipeline",
    "accelerator": "cerebras_wse3",
    "precision": "bf16",
    "speed": {"stream_rate_ceiling_tok_per_s": 2000},
    "link": {"one_way_gbit_per_s": 800, "base_s": 1e-6},
    "pipeline_stage_count": 8,
    "prefill_rate_tok_per_s": 30000,
    "price": {
        "basis": "owned",
        "purchase_usd_per_accelerator": 2.5e6,
        "life_years": 4,
        "resale_value_fraction": 0.2,
        "accelerator_power_w": 23000,
        "energy_usd_per_kwh": 0.1,
        "colocation_usd_per_kw_month": 180,
    },
}
PAIR = {
    "id": "our_pair",
    "architecture": "disaggregated_pools",
    "accelerator": "h200_sxm",
    "accelerator_count_per_replica": 4,
    "precision": "fp8",
    "link": {"two_way_gbyte_per_s": 100, "overlap_fraction": 0.5},
    "step": {"alpha_s": 0.01, "beta_s_per_seq": 1e-4},
    "price": {"basis": "hourly", "usd_per_accelerator_h": 3.5},
    "prefill": {
        "accelerator": "h100_sxm",
        "accelerator_count_per_worker": 4,
        "precision": "fp8",
        "first_token": "after_transfer",
        "price": {"basis": "hourly", "usd_per_accelerator_h": 2.95},
    },
}


def draft(tier, model="llama-3.3-70b"):
    made = copy.deepcopy(worked_example(CATALOGUE))
    for workload in made["workloads"]:
        workload["models"] = [model]
    return made | {"offers": [{"tier": tier, "model": model}]}


def offer_of(tier):
    (offer,) = scenario_from(draft(tier), CATALOGUE).offers
    return offer


def problems(tier):
    with pytest.raises(InputProblems) as error:
        scenario_from(draft(tier), CATALOGUE)
    return {problem.path.removeprefix("offers[0].tier."): str(problem) for problem in error.value.problems}


def link(**keys):
    found = []
    read = read_link(Reader(keys, "link", found))
    return read, [str(problem) for problem in found]


@pytest.mark.parametrize(
    ("key", "value", "byte_per_s"),
    [
        # NVLink 5: 1.8 TB/s both ways, 0.9 one way; InfiniBand NDR: 400 Gb/s; XDR: 800 Gb/s
        ("two_way_gbyte_per_s", 1800, 9e11),
        ("one_way_gbyte_per_s", 900, 9e11),
        ("one_way_gbit_per_s", 400, 5e10),
        ("one_way_gbit_per_s", 800, 1e11),
        ("bandwidth_byte_per_s", 5e10, 5e10),
    ],
)
def test_a_link_is_bytes_one_way_whatever_its_source_says(key, value, byte_per_s):
    read, found = link(**{key: value})
    assert found == []
    assert read.bandwidth_byte_per_s == byte_per_s


def test_nvlink_is_18_times_infiniband_and_not_36():
    nvlink, infiniband = link(two_way_gbyte_per_s=1800)[0], link(one_way_gbit_per_s=400)[0]
    assert nvlink.bandwidth_byte_per_s / infiniband.bandwidth_byte_per_s == 18


def test_two_rates_for_one_link_are_refused():
    read, (problem,) = link(two_way_gbyte_per_s=1800, one_way_gbit_per_s=400)
    assert read is None
    assert "a second time beside two_way_gbyte_per_s" in problem


@pytest.mark.parametrize("key", ["gb_per_s", "bandwidth_gbps", "gbit_per_s", "bandwidth_gb_s"])
def test_a_unit_that_does_not_say_bits_bytes_and_direction_is_refused(key):
    read, (problem,) = link(**{key: 400})
    assert read is None
    assert "does not say bits or bytes, one way or both" in problem
    assert "one_way_gbit_per_s" in problem


def test_a_link_without_a_rate_is_refused():
    assert "is missing" in link(base_s=1e-6)[1][0]


def test_own_wafers_are_read_whole():
    offer = offer_of(WAFERS)
    tier = offer.tier
    assert tier.failure_unit == "wafer"
    assert tier.accelerator_count_per_replica == 4
    assert tier.link.bandwidth_byte_per_s == 1e11
    assert (tier.pipeline_stage_count, tier.prefill_rate_tok_per_s) == (8, 30000)
    assert isinstance(tier.price, OwnedPrice)
    wear = 2.5e6 * 0.8 / (4 * 8766)
    assert tier.price.usd_per_accelerator_h == pytest.approx(wear + 23 * 0.1 + 23 * 180 / 730.5)


def test_an_own_pair_is_read_whole():
    offer = offer_of(PAIR)
    side = offer.tier.prefill
    assert offer.tier.link.bandwidth_byte_per_s == 5e10
    assert offer.tier.link.overlap_fraction == 0.5
    assert offer.tier.step.alpha_s == 0.01
    assert (side.accelerator, side.accelerator_count_per_worker) == ("h100_sxm", 4)
    assert side.first_token == "after_transfer"
    assert side.price.usd_per_accelerator_h == 2.95
    assert offer.prefill_accelerator.id == "h100_sxm"


@pytest.mark.parametrize("tier", [WAFERS, PAIR], ids=["wafers", "pair"])
def test_a_tier_written_out_reads_back_the_same(tier):
    offer = offer_of(tier)
    written = tier_as_draft(offer)
    again = offer_of(written)
    for name in ("link", "step", "pipeline_stage_count", "prefill_rate_tok_per_s", "price"):
        assert getattr(again.tier, name) == getattr(offer.tier, name), name
    assert again.tier.prefill == offer.tier.prefill


@pytest.mark.parametrize(
    ("tier", "change", "path", "words"),
    [
        (
            PAIR,
            {"price": {"basis": "per_token", "input_usd_per_mtok": 1, "output_usd_per_mtok": 2}},
            "price.basis",
            "hourly",
        ),
        (
            PAIR,
            {"prefill": {"price": {"basis": "per_token", "input_usd_per_mtok": 1, "output_usd_per_mtok": 1}}},
            "prefill.price.basis",
            "not paid per token",
        ),
        (PAIR, {"prefill": {"alpha_s": 0.01}}, "prefill.delta_s_per_input_tok", "State both"),
        (WAFERS, {"step": {"alpha_s": 0.01}}, "step", "says nothing on wafer_scale_pipeline"),
        (WAFERS, {"prefill": {}}, "prefill", "says nothing on wafer_scale_pipeline"),
        (WAFERS, {"pipeline_stages": 3}, "pipeline_stages", "pipeline_stage_count"),
        (WAFERS, {"link": {"gb_s": 3}}, "link.gb_s", "bits or bytes"),
    ],
)
def test_a_fault_has_its_address_and_a_cure(tier, change, path, words):
    found = problems(tier | change)
    assert set(found) == {path}
    assert words in found[path]


def test_a_plan_with_wafers_says_whether_its_decision_is_robust():
    made = draft(WAFERS)
    made["policy"]["accepted_derate_ratio"] = 0.6
    made["offers"].append({"tier": "h200_sxm_x1_trt", "model": "gpt-oss-120b"})
    plan = workbench.view(made).plan
    texts = [notice.text for notice in plan.notices if "obust" in notice.text]
    assert len(texts) == 1
    assert "pessimistic" in texts[0]


def plan_at(end, tier=PAIR):
    made = draft(tier)
    made["workloads"] = [each for each in made["workloads"] if each["kind"] == "research"]
    made["workloads"][0]["targets"] = []
    made["policy"] |= {"accepted_derate_ratio": 0.6, "envelope_end": end}
    return workbench.view(made).plan


def test_a_pair_is_planned_with_both_halves():
    (pool,) = plan_at("pessimistic").pools
    assert pool.prefill_worker_count >= 1
    assert pool.accelerator_count == 4 * (pool.prefill_worker_count + pool.replica_count)


def test_the_policy_chooses_the_end_that_sizes_wafers():
    pessimistic, optimistic = plan_at("pessimistic", WAFERS), plan_at("optimistic", WAFERS)
    assert pessimistic.totals.replica_count > optimistic.totals.replica_count
    assert any("planned at the optimistic end" in n.text for n in optimistic.allocations[0].notices)
    for plan in (pessimistic, optimistic):
        assert "Robust" in plan.notices[0].text


@pytest.mark.parametrize(
    ("tier", "end"), [(PAIR, "pessimistic"), (WAFERS, "optimistic"), (WAFERS, "central")]
)
def test_a_plan_of_such_machines_is_checked_by_simulation(tier, end):
    made = draft(tier)
    made["workloads"] = [each for each in made["workloads"] if each["kind"] == "research"]
    made["workloads"][0] |= {"targets": [], "arrival": {"kind": "poisson"}}
    made["policy"] |= {"accepted_derate_ratio": 0.6, "envelope_end": end}
    (checked,) = check_plan(workbench.view(made), request_count=20_000)
    predicted, seen = checked.allocation, checked.simulated
    for metric in ("itl_s", "e2e_s"):
        assert getattr(predicted, metric).mean == pytest.approx(getattr(seen, metric)["mean"].value, rel=0.10)


def test_both_halves_of_a_pair_are_shown():
    (allocation,) = plan_at("pessimistic").allocations
    text = allocation_row(allocation)["Replicas"]
    assert text == f"{allocation.replica_count} decode + {allocation.prefill_worker_count} prefill"


def test_what_cannot_be_bought_leaves_nothing_to_be_robust_about():
    unpriced = {key: value for key, value in WAFERS.items() if key != "price"}
    made = draft(unpriced)
    made["policy"]["accepted_derate_ratio"] = 0.6
    assert not any("obust" in notice.text for notice in workbench.view(made).plan.notices)
