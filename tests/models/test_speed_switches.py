"""Speculative decoding, distillation and quantisation: what they gain, and that parity is asked for."""

import copy
from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from app import workbench
from data.builtin_curves import builtin_measurements, matching
from data.catalogue_files import load_catalogue
from models.architectures import batched_accelerator
from models.performance import StepLaw
from models.speed_switches import other_numerics, tokens_per_step, with_speculation
from models.tiers import Speculation

DAY = date(2026, 11, 30)
STEP = StepLaw(alpha_s=0.02, beta_s_per_seq=2e-4, gamma_s_per_context_tok=1e-8, delta_s_per_input_tok=1e-5)


@pytest.mark.parametrize("kept", [0.0, 0.3, 0.7, 0.95])
@pytest.mark.parametrize("proposed", [1, 4, 8])
def test_tokens_per_step_are_those_of_the_draws(kept, proposed):
    draws = np.random.default_rng(5).random((400_000, proposed)) < kept
    run = np.cumprod(draws, axis=1).sum(axis=1)
    switch = Speculation(acceptance_fraction=kept, draft_token_count=proposed)
    assert tokens_per_step(switch) == pytest.approx(1 + run.mean(), rel=5e-3)


def test_all_kept_is_one_more_than_proposed():
    assert tokens_per_step(Speculation(acceptance_fraction=1.0, draft_token_count=4)) == 5.0


def gain(batch, kept=0.7):
    """How many times as fast a token comes at a batch."""
    faster = with_speculation(STEP, Speculation(acceptance_fraction=kept, draft_token_count=4))
    before, after = (law.alpha_s + law.beta_s_per_seq * batch for law in (STEP, faster))
    return before / after


def test_the_gain_shrinks_with_the_batch_and_turns_into_a_loss():
    gains = [gain(batch) for batch in (1, 16, 64, 256, 1024)]
    assert gains == sorted(gains, reverse=True)
    assert gains[0] == pytest.approx((1 - 0.7**5) / 0.3, rel=0.06)
    assert gains[-1] < 1.0


def test_a_draft_costs_its_time():
    free, paid = (
        with_speculation(
            STEP, Speculation(acceptance_fraction=0.7, draft_token_count=4, draft_cost_ratio=cost)
        ).alpha_s
        for cost in (0.0, 0.2)
    )
    assert paid == pytest.approx(1.2 * free)


def offer(**tier_changes):
    found = load_catalogue().offer("h200_sxm_x1_trt", "gpt-oss-120b", DAY)
    return replace(found, tier=replace(found.tier, **tier_changes))


def test_a_distilled_version_reads_fewer_weights():
    whole, half = (
        batched_accelerator.fit(offer(distilled_weight_fraction=share), ()) for share in (None, 0.5)
    )
    assert half.step.alpha_s + half.step.beta_s_per_seq < whole.step.alpha_s + whole.step.beta_s_per_seq
    assert half.kv_capacity_tok > whole.kv_capacity_tok


def test_a_distilled_version_is_not_measured_by_the_whole_models_points():
    points = matching(offer(), builtin_measurements())
    assert batched_accelerator.fit(offer(), points).quality is not None
    assert batched_accelerator.fit(offer(distilled_weight_fraction=0.5), points).quality is None


def test_numerics_of_the_models_own_width_are_its_own():
    assert other_numerics(offer()) == ()
    assert other_numerics(load_catalogue().offer("h100_sxm_x4_vllm", "llama-3.3-70b", DAY)) == (
        "quantised to fp8 from bf16",
    )


def plan(tier_changes, accepted=False):
    made = copy.deepcopy(workbench.worked_example())
    made["workloads"] = [each for each in made["workloads"] if each["kind"] == "research"]
    made["workloads"][0]["targets"] = []
    tier = {
        "id": "ours",
        "architecture": "batched_accelerator",
        "accelerator": "h200_sxm",
        "accelerator_count_per_replica": 2,
        "precision": "mxfp4",
        "price": {"basis": "hourly", "usd_per_accelerator_h": 3.5},
    }
    made["offers"] = [{"tier": tier | tier_changes, "model": "gpt-oss-120b"}]
    made["policy"]["accept_unverified_parity"] = accepted
    return workbench.view(made).plan


SPECULATION = {"speculation": {"acceptance_fraction": 0.7, "draft_token_count": 4}}


def parity(made):
    return [notice for notice in made.notices if "parity not shown" in notice.text]


def test_a_switch_needs_parity_or_the_users_word():
    assert parity(plan({})) == []
    (warned,) = parity(plan(SPECULATION))
    assert warned.level == "warning"
    assert "same model, other numerics (speculative decoding)" in warned.text
    (noted,) = parity(plan(SPECULATION, accepted=True))
    assert noted.level == "info"
    shown = SPECULATION | {"parity": {"grade": "A", "sense": "typical", "source": "our paired sample of May"}}
    assert parity(plan(shown)) == []


def test_a_plan_says_that_speculation_is_a_formula():
    texts = [notice.text for notice in plan(SPECULATION).allocations[0].notices]
    assert any("2.8 tokens a step" in text for text in texts)
