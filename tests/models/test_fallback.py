"""A tier asked for and a tier that serves: the mixture's tail, its bill, and what two medians do not tell."""

import copy

import numpy as np
import pytest

from app import workbench
from models.fallback import mixed_percentiles
from models.percentiles import Percentiles, percentiles_of
from tests.app.tiny import draft, per_token, speed

GENERATOR = np.random.default_rng(3)


def lognormal(median, sigma):
    return percentiles_of(median * np.exp(sigma * GENERATOR.normal(size=200_000)))


@pytest.mark.parametrize("fraction", [0.02, 0.1, 0.4])
def test_the_tail_of_a_mixture_is_that_of_its_slower_part(fraction):
    served = GENERATOR.random(400_000) < fraction
    fast = 0.5 * np.exp(0.3 * GENERATOR.normal(size=400_000))
    slow = 5.0 * np.exp(0.2 * GENERATOR.normal(size=400_000))
    truth = percentiles_of(np.where(served, slow, fast))
    found = mixed_percentiles(lognormal(0.5, 0.3), lognormal(5.0, 0.2), fraction)
    for name in ("mean", "p50", "p99"):
        assert getattr(found, name) == pytest.approx(getattr(truth, name), rel=0.06), name


def test_two_medians_tell_nothing_of_their_mixture():
    found = mixed_percentiles(Percentiles(p50=1.0), Percentiles(p50=5.0), 0.1)
    assert not found.known


def test_none_or_all_served_elsewhere_is_one_tier():
    fast, slow = Percentiles(p50=1.0), Percentiles(p50=5.0)
    assert mixed_percentiles(fast, slow, 0.0) == fast
    assert mixed_percentiles(fast, slow, 1.0) == slow


def plan_of(share, spread=1.5, limit_s=20.0):
    made = copy.deepcopy(draft())
    tier = made["offers"][1]["tier"] | {
        "fallback": {
            "label": "Plain API",
            "probability_fraction": share,
            "speed": speed(100, 0.4),
            "price": per_token(4, 20),
        }
    }
    made["offers"] = [{"tier": tier, "model": made["offers"][0]["model"]}]
    made["workloads"][0]["targets"] = [{"metric": "e2e_s", "quantile": 0.95, "limit_s": limit_s}]
    made["policy"] = {"accepted_p95_to_p50_ratio": spread}
    return workbench.view(made).plan


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.0])
def test_each_request_is_billed_at_the_tier_that_serves_it(share):
    # Quick costs 8 and 40 USD per million, Plain 4 and 20: 0.036 and 0.018 a request of 2,000 and 500 tokens
    usd = plan_of(share).allocations[0].cost.cost_usd_per_request
    assert usd == pytest.approx((1 - share) * 0.036 + share * 0.018)


def test_a_few_requests_served_elsewhere_break_a_promise_on_the_tail():
    assert plan_of(0.0, limit_s=3.0).allocations
    refused = plan_of(0.1, limit_s=3.0)
    assert not refused.allocations
    assert refused.rejections[0].binding_constraint == "E2E target"


def test_the_plan_says_who_serves():
    texts = [notice.text for notice in plan_of(0.1).allocations[0].notices]
    assert any("10% of the requests are served, and billed, by Plain API" in text for text in texts)


def test_a_promise_is_not_kept_by_medians_alone():
    refused = plan_of(0.1, spread=None)
    assert not refused.allocations
