"""The routing as a gateway's configuration: LiteLLM proxy YAML, or the same policy as plain JSON.

Shape of the YAML: https://docs.litellm.ai/docs/proxy/configs and /docs/routing, read on 2026-12-01: groups of
deployments by `model_name`; `weight` shares a group under `simple-shuffle`; `fallbacks` name other groups;
`rpm` and `tpm` are a deployment's limits; `max_budget` with `budget_duration` is the proxy's own.
Seen to work with LiteLLM 1.108.7: the files load, shares follow the weights, a failing group goes to its
fallback, `service_tier` reaches the supplier.
"""

import json
import re
from typing import Any

from app import routing
from app.routing import routing_of
from app.workbench import View, write_yaml
from models.architectures import hosted_api
from models.routing.outage import Outage
from models.routing.routing import Routed, Routing
from models.tiers import Offer, Tier

FORMATS = ((".yaml", "LiteLLM proxy YAML", "application/yaml"), (".json", "plain JSON", "application/json"))
WEIGHT_STEPS = 1000  # LiteLLM draws by weight; whole numbers read better than fractions
# What LiteLLM calls a supplier; any other endpoint is spoken to as OpenAI-compatible at its own address.
PROVIDERS = {
    "OpenAI": "openai",
    "Anthropic": "anthropic",
    "Cerebras": "cerebras",
    "Groq": "groq",
    "SambaNova": "sambanova",
}
OWN_ADDRESS = "openai"
# Tiers that OpenAI sells under one model name, chosen by the request field `service_tier`.
SERVICE_TIERS = {"openai_fast": "priority", "openai_ultrafast": "ultrafast", "openai_flex": "flex"}
COMMENTS = (
    "Routing as planned by Plimsoll. Set the environment variables it names, and check that each model is",
    "called what your supplier calls it. Prompts cut by length are groups of their own: send a request to",
    "the group that its token count belongs to.",
)


def written(seen: View, suffix: str) -> bytes:
    """The configuration as a file of that suffix, `.yaml` or `.json`."""
    if suffix == ".json":
        return (json.dumps(policy_document(seen), indent=1, ensure_ascii=False) + "\n").encode()
    return write_yaml(litellm_document(seen), COMMENTS).encode()


def suffixes() -> tuple[str, ...]:
    """Suffixes of the files that can be written."""
    return tuple(suffix for suffix, _, _ in FORMATS)


def group_name(routed: Routed) -> str:
    """What a caller asks for: the workload, and which of its prompts."""
    part = routing.part_text(routed)
    return f"{routed.workload} (prompts {part})" if part else routed.workload


def policy_document(seen: View) -> dict[str, Any]:
    """The routing in glossary names: groups, their shares, and where each goes when its tier fails."""
    found = routing_of(seen)
    moved = _fallbacks(seen, found)
    return {
        "scenario": seen.scenario.name,
        "scenario_id": seen.scenario.id,
        "cost_usd_per_month": found.cost_usd_per_month,
        "budget_usd_per_month": seen.scenario.policy.budget_usd_per_month,
        "unserved": list(found.unserved),
        "bases": [
            {
                "workloads": list(each.workloads),
                "tier": seen.offer(each.offer_id).tier.id,
                "replica_count": each.replica_count,
                "place_count": each.place_count,
                "overflow_tier": seen.offer(each.overflow_offer_id).tier.id,
                "overflow_fraction": each.overflow_fraction,
                "saved_usd_per_month": each.saved_usd_per_month,
            }
            for each in routing.bases(seen)
            if each.saved_usd_per_month > 0
        ],
        "routes": [
            {
                "workload": each.workload,
                "prompt_part": each.part,
                "above_tok": each.above_tok,
                "tier": seen.offer(each.offer_id).tier.id,
                "model": seen.offer(each.offer_id).model.id,
                "share_fraction": each.share_fraction,
                "cost_usd_per_month": each.cost_usd_per_month,
                "fallbacks": list(moved.get(group_name(each), ())),
            }
            for each in found.routed
        ],
    }


def litellm_document(seen: View) -> dict[str, Any]:
    """The routing as LiteLLM's proxy reads it."""
    found = routing_of(seen)
    moved = _fallbacks(seen, found)
    models = [
        _deployment(seen.offer(each.offer_id), group_name(each), _weight(each, found))
        for each in found.routed
    ]
    spare = sorted({offer_id for offer_ids in moved.values() for offer_id in offer_ids})
    models += [_deployment(seen.offer(each), _fallback_group(each), None) for each in spare]
    document: dict[str, Any] = {
        "model_list": models,
        "router_settings": {
            "routing_strategy": "simple-shuffle",
            "enable_pre_call_checks": True,
            "num_retries": 1,
        },
    }
    fallbacks = [{group: [_fallback_group(each) for each in ids]} for group, ids in moved.items() if ids]
    if fallbacks:
        document["router_settings"]["fallbacks"] = fallbacks
    budget_usd = _token_budget_usd(seen, found)
    if budget_usd is not None:
        document["litellm_settings"] = {"max_budget": round(budget_usd, 2), "budget_duration": "30d"}
    return document


def _fallbacks(seen: View, found: Routing) -> dict[str, tuple[str, ...]]:
    """For each group, the offers that take its work over when a tier it is on fails, best first."""
    lost: dict[str, Outage] = {}
    moved: dict[str, tuple[str, ...]] = {}
    for each in found.routed:
        name = seen.offer(each.offer_id).tier.label
        lost.setdefault(name, routing.hour_without(seen, name))
        taken = next(item.taken_by for item in lost[name].moved if item.routed == each)
        known = moved.get(group_name(each), ())
        moved[group_name(each)] = tuple(dict.fromkeys((*known, *(taker.offer_id for taker in taken))))
    return moved


def _fallback_group(offer_id: str) -> str:
    return f"fallback: {offer_id}"


def _weight(routed: Routed, found: Routing) -> int:
    """Its part of its group, in thousandths; never none of it."""
    group = sum(each.share_fraction for each in found.routed if group_name(each) == group_name(routed))
    return max(1, round(WEIGHT_STEPS * routed.share_fraction / group))


def _deployment(offer: Offer, group: str, weight: int | None) -> dict[str, Any]:
    tier, key = offer.tier, _variable(offer.tier.id)
    provider = PROVIDERS.get(tier.supplier) if tier.architecture == hosted_api.KEY else None
    supplier_key = _variable(tier.supplier) if provider else key
    params: dict[str, Any] = {
        "model": f"{provider or OWN_ADDRESS}/{offer.model.id}",
        "api_key": f"os.environ/{supplier_key}_API_KEY",
    }
    if provider is None:
        params["api_base"] = f"os.environ/{key}_API_BASE"
    params |= {"weight": weight} if weight is not None else {}
    params |= _limits(tier)
    if tier.id in SERVICE_TIERS:
        params["service_tier"] = SERVICE_TIERS[tier.id]
    return {"model_name": group, "litellm_params": params, "model_info": {"id": f"{group} on {offer.id}"}}


def _limits(tier: Tier) -> dict[str, int]:
    limits = {"rpm": tier.request_limit_per_min, "tpm": tier.token_limit_per_min}
    return {name: int(limit) for name, limit in limits.items() if limit is not None}


def _variable(name: str) -> str:
    """A name as an environment variable's: capitals, digits and underscores."""
    return re.sub(r"[^A-Z0-9]+", "_", name.upper()).strip("_") or "TIER"


def _token_budget_usd(seen: View, found: Routing) -> float | None:
    """What the budget leaves for tokens after the machines, which the gateway does not bill."""
    budget_usd = seen.scenario.policy.budget_usd_per_month
    if budget_usd is None:
        return None
    billed = {pool.offer_id for pool in found.pools if pool.plan is None or pool.plan.replica_count is None}
    tokens_usd = sum(each.cost_usd_per_month for each in found.routed if each.offer_id in billed)
    left_usd = budget_usd - (found.cost_usd_per_month - tokens_usd)
    return left_usd if tokens_usd > 0 and left_usd > 0 else None
