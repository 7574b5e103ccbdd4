"""Plans whose figures can be worked out by hand, and inputs that must be refused or spoken of."""

import copy

import pytest

from app import workbench
from models.curves import load_curve
from models.problems import InputProblems
from tests.app import tiny

HOURS_PER_MONTH = 730.5
API = {
    "id": "my_api",
    "label": "My API",
    "architecture": "hosted_api",
    "price": {"basis": "per_token", "input_usd_per_mtok": 1, "output_usd_per_mtok": 4},
}
PAIR = {
    "id": "my_pair",
    "label": "My pair",
    "architecture": "disaggregated_pools",
    "accelerator_count_per_replica": 4,
    "slot_count": 64,
    "price": {"basis": "hourly", "usd_per_accelerator_h": 2},
    "link": {"one_way_gbyte_per_s": 100},
    "step": {"alpha_s": 0.01, "beta_s_per_seq": 1e-4, "exponent": 1, "gamma_s_per_context_tok": 1e-8},
    "prefill": {"accelerator_count_per_worker": 4, "alpha_s": 0.02, "delta_s_per_input_tok": 5e-5},
}


def draft_on(tier, **changes):
    """One workload of 1,000 tokens in and 200 out, two a second all day, on a tier of one's own."""
    workload = {
        "name": "a",
        "kind": "other",
        "models": ["gpt-oss-120b"],
        "peak_rate_req_per_s": 2,
        "hourly_fraction": "all_day",
        "input_tok": {"kind": "fixed", "value": 1000},
        "output_tok": {"kind": "fixed", "value": 200},
    }
    return tiny.draft() | {
        "workloads": [workload],
        "offers": [{"tier": copy.deepcopy(tier), "model": "gpt-oss-120b"}],
        **changes,
    }


def test_a_floor_of_autoscaling_above_the_need_is_in_machines_and_bill_alike():
    draft = workbench.worked_example()
    draft["policy"]["autoscale"] = {"enabled": True, "min_replica_count": 50, "start_up_s": 300}
    plan = workbench.view(draft).plan
    for pool in plan.pools:
        assert pool.replica_count == 50 + pool.spare_replica_count
    usd_per_h = {"mi325x_x1_vllm": 1.95, "b200_sxm_x1_trt": 4.99}
    paid = sum(pool.replica_count * usd_per_h[pool.tier_id] * HOURS_PER_MONTH for pool in plan.pools)
    assert plan.totals.cost_usd_per_month == pytest.approx(paid, rel=1e-3)


def test_a_pair_without_a_price_of_its_prefill_half_is_rejected_not_planned():
    plan = workbench.view(draft_on(PAIR)).plan
    assert plan.unplaced == ("a",)
    (rejection,) = plan.rejections
    assert rejection.reasons == ("no price of its prefill half is known",)


@pytest.mark.parametrize(
    ("as_of", "says"), [("2025-12-15", "the first is of 2026-01-01"), ("2026-01-01", "")]
)
def test_before_the_first_dated_price_the_reason_names_its_day(as_of, says):
    unpriced = {name: value for name, value in API.items() if name != "price"}
    draft = draft_on(unpriced, as_of=as_of)
    draft["offers"][0]["prices"] = [API["price"] | {"valid_from": "2026-01-01"}]
    plan = workbench.view(draft).plan
    reasons = [text for each in plan.rejections for text in each.reasons]
    assert any("2026-01-01" in text for text in reasons) == bool(says)


def test_an_old_price_is_told_of_the_tier_that_is_used():
    draft = draft_on(API)
    draft["offers"][0]["prices"] = [API["price"] | {"valid_from": "2026-01-01"}]
    draft["as_of"] = "2026-11-30"
    texts = [each.text for each in workbench.view(draft).plan.notices]
    assert any(text.startswith("My API: the newest price is of 2026-01-01, 333 days") for text in texts)


def test_a_minimum_is_in_the_cost_of_a_token_at_every_load():
    """2 requests/s x 730.5 h x 200 tokens are 1,052 Mtok a month, for 50,000 USD or by use if more."""
    priced = API | {"price": API["price"] | {"minimum_usd_per_month": 50_000}}
    seen = workbench.view(draft_on(priced))
    (offer,), (demand,) = seen.scenario.offers, seen.scenario.demands
    points = load_curve(offer, seen.performances[offer.id], demand, 1)
    near = min(points, key=lambda each: abs(each.offered_rate_req_per_s - 2))
    mtok = near.offered_rate_req_per_s * HOURS_PER_MONTH * 3600 * 200 / 1e6
    by_use = (1000 * 1 + 200 * 4) / 200
    assert near.cost_usd_per_mtok_output == pytest.approx(max(50_000 / mtok, by_use))


@pytest.mark.parametrize(
    ("tier", "path"),
    [
        (
            API
            | {
                "price": API["price"]
                | {"cached_input_usd_per_mtok": 0.1}
                | {"long_context": {"above_tok": 9, "input_usd_per_mtok": 2, "output_usd_per_mtok": 6}}
            },
            "offers[0].tier.price.long_context.cached_input_usd_per_mtok",
        ),
        (
            {
                "id": "mine",
                "architecture": "batched_accelerator",
                "accelerator": "h200_sxm",
                "accelerator_count_per_replica": 8,
                "link": {"one_way_gbyte_per_s": 5},
                "price": {"basis": "hourly", "usd_per_accelerator_h": 3},
            },
            "offers[0].tier.link",
        ),
    ],
)
def test_what_would_be_ignored_is_refused(tier, path):
    with pytest.raises(InputProblems) as caught:
        workbench.scenario_of(draft_on(tier))
    assert path in {problem.path for problem in caught.value.problems}


def test_points_of_tensor_parallel_replicas_do_not_speak_for_stages_in_a_row():
    """One accelerator after the other reads all weights for a token: bytes over bandwidth at least."""
    tier = {
        "id": "mine",
        "architecture": "batched_accelerator",
        "accelerator": "h200_sxm",
        "accelerator_count_per_replica": 8,
        "precision": "fp8",
        "split": {"tensor_parallel_count": 1, "pipeline_parallel_count": 8},
        "price": {"basis": "hourly", "usd_per_accelerator_h": 3},
    }
    draft = draft_on(tier)
    draft["workloads"][0]["models"] = ["llama-3.3-70b"]
    draft["offers"][0]["model"] = "llama-3.3-70b"
    (allocation,) = workbench.view(draft).plan.allocations
    assert allocation.tpot_s.p50 >= 70e9 / 4.8e12


def test_many_alike_workloads_are_planned_alike_in_any_order():
    draft = workbench.worked_example()
    first = draft["workloads"][1]
    many = [{**first, "name": f"w{index}", "peak_rate_req_per_s": 0.4 + 0.3 * index} for index in range(9)]
    plans = [workbench.view(draft | {"workloads": order}).plan for order in (many, many[::-1])]
    bills = [plan.totals.cost_usd_per_month for plan in plans]
    assert bills[0] == pytest.approx(bills[1])
    for each in plans[0].allocations:
        assert each.runner_up is None or each.runner_up.extra_cost_usd_per_month >= -0.01
