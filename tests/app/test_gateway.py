"""The gateway's file: LiteLLM's documented shape, no key in it, names that stay in their place."""

import json
from copy import deepcopy

import pytest
import yaml

from app import cli, gateway, routing, workbench
from tests.app.clicking import button, open_page, tables, words

EVIL = 'voice: "x"\n- {a: &b !!python/name:os.system} # *'


@pytest.fixture(scope="module")
def buyer():
    """An API buyer with a budget, whose workloads accept a spread around published medians."""
    return workbench.buyer_example()


def document_of(draft):
    return yaml.safe_load(gateway.written(workbench.view(draft), ".yaml"))


def test_groups_weights_and_tier_follow_the_routing(buyer) -> None:
    seen = workbench.view(buyer)
    written = document_of(buyer)
    assert set(written) <= {"model_list", "router_settings", "litellm_settings"}
    assert written["router_settings"]["routing_strategy"] == "simple-shuffle"
    planned = {gateway.group_name(each) for each in routing.routing_of(seen).routed}
    groups = {each["model_name"] for each in written["model_list"]}
    assert planned <= groups
    for group in planned:
        weights = [
            each["litellm_params"]["weight"] for each in written["model_list"] if each["model_name"] == group
        ]
        assert sum(weights) == pytest.approx(gateway.WEIGHT_STEPS, abs=1)
    for fallbacks in written["router_settings"].get("fallbacks", []):
        for group, others in fallbacks.items():
            assert group in planned
            assert groups.issuperset(others)


def test_keys_and_addresses_are_references_only(buyer) -> None:
    for draft in (buyer, workbench.worked_example()):
        for each in document_of(draft)["model_list"]:
            params = each["litellm_params"]
            assert params["api_key"].startswith("os.environ/")
            assert params.get("api_base", "os.environ/").startswith("os.environ/")
            assert set(params) <= {"model", "api_key", "api_base", "weight", "rpm", "tpm", "service_tier"}


def test_a_tier_sold_under_one_model_name_is_asked_for_by_service_tier(buyer) -> None:
    offer = next(each for each in workbench.view(buyer).scenario.offers if each.tier.id == "openai_ultrafast")
    params = gateway._deployment(offer, "g", 1)["litellm_params"]
    assert params["service_tier"] == "ultrafast"
    assert params["model"] == f"openai/{offer.model.id}"
    assert params["api_key"] == "os.environ/OPENAI_API_KEY"


def test_a_budget_is_the_proxys(buyer) -> None:
    draft = deepcopy(buyer)
    draft.setdefault("policy", {})["budget_usd_per_month"] = 100_000.0
    settings = document_of(draft)["litellm_settings"]
    assert settings == {"max_budget": 100_000.0, "budget_duration": "30d"}


def test_a_name_comes_back_letter_for_letter(buyer) -> None:
    draft = deepcopy(buyer)
    placed = routing.routing_of(workbench.view(draft)).routed[0].workload
    at = next(index for index, each in enumerate(draft["workloads"]) if each["name"] == placed)
    evil = EVIL.replace("\n", " ")
    draft["workloads"][at]["name"] = evil
    assert evil in {each["model_name"] for each in document_of(draft)["model_list"]}


def test_the_plain_policy_adds_up(buyer) -> None:
    policy = json.loads(gateway.written(workbench.view(buyer), ".json"))
    shares = {}
    for each in policy["routes"]:
        shares[each["workload"]] = shares.get(each["workload"], 0.0) + each["share_fraction"]
    assert all(share == pytest.approx(1.0) for share in shares.values())
    spent = sum(each["cost_usd_per_month"] for each in policy["routes"])
    assert spent == pytest.approx(policy["cost_usd_per_month"])


def test_the_command_line_writes_it_and_refuses_other_formats(buyer, tmp_path, capsys) -> None:
    scenario, out = tmp_path / "s.yaml", tmp_path / "gateway.yaml"
    scenario.write_text(workbench.write_draft(buyer), encoding="utf-8")
    command = ["plan", str(scenario), "--db", ":memory:", "--gateway"]
    assert cli.main([*command, str(out)]) in (0, 3)
    assert yaml.safe_load(out.read_text(encoding="utf-8"))["model_list"]
    assert cli.main([*command, str(tmp_path / "gateway.toml")]) == 2
    assert "--gateway" in capsys.readouterr().err


def test_a_tier_is_taken_away_with_one_click(app) -> None:
    app.run()
    open_page(app, "routing")
    button(app, "Take it away").click().run()
    assert list(app.exception) == []
    shown = words(app)
    assert "An hour at the peak without" in shown
    assert "Planned without it for good" in shown
    assert "Goes to" in tables(app)
