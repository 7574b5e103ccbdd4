"""Two scenarios to begin with: five workloads on one open model, and an API buyer's choice of tiers."""

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from data.catalogue_files import Catalogue

AS_OF = "2026-11-30"
SEED = 7
# One open model that is measured on six accelerators and sold per token on three kinds of other silicon.
OPEN_MODEL = "gpt-oss-120b"
OPEN_MODEL_TIERS = (
    "h100_sxm_x4_vllm",
    "h200_sxm_x1_trt",
    "b200_sxm_x1_trt",
    "mi300x_x1_vllm",
    "mi325x_x1_vllm",
    "cerebras_api",
    "groq_api",
    "sambanova_api",
)
FIVE_WORKLOADS = {
    "operations": "operations",
    "finance": "finance",
    "voice": "support_voice",
    "commerce": "commerce",
    "research": "research",
}
BUYER_WORKLOADS = {"operations": "operations", "support chat": "support_chat", "research": "research"}
BUYER_OFFERS = (
    ("openai_standard", "gpt-5.6-sol"),
    ("openai_fast", "gpt-5.6-sol"),
    ("openai_ultrafast", "gpt-5.6-sol"),
    ("openai_standard", "gpt-6.1-sol"),
    ("openai_ultrafast", "gpt-6.1-sol"),
    ("openai_ultrafast", "gpt-6-astra"),
)


def worked_example(catalogue: Catalogue) -> dict[str, Any]:
    """The draft of five workloads on gpt-oss-120b, over rented GPUs and per-token endpoints."""
    return _draft(
        catalogue,
        name="Five workloads on gpt-oss-120b",
        workloads=FIVE_WORKLOADS,
        models=(OPEN_MODEL,),
        offers=[(tier, OPEN_MODEL) for tier in OPEN_MODEL_TIERS],
        allow_availability=("open",),
    )


def api_buyer_example(catalogue: Catalogue) -> dict[str, Any]:
    """The draft of an API buyer: GPT-5.6 Sol Standard, Fast and unpriced Ultrafast, and its successors.

    Nobody published first-token times of these tiers, so the interactive workloads wait for a measurement;
    the research loop makes no promise, and price alone decides.
    """
    draft = _draft(
        catalogue,
        name="GPT-5.6 Sol: Standard, Fast or Ultrafast",
        workloads=BUYER_WORKLOADS,
        models=("gpt-5.6-sol", "gpt-6.1-sol", "gpt-6-astra"),
        offers=BUYER_OFFERS,
        allow_availability=("open", "limited", "waitlist"),
    )
    for workload in draft["workloads"]:
        if workload["kind"] == "research":
            workload["targets"] = []
    return draft


def _draft(
    catalogue: Catalogue,
    *,
    name: str,
    workloads: Mapping[str, str],
    models: Sequence[str],
    offers: Sequence[tuple[str, str]],
    allow_availability: Sequence[str],
) -> dict[str, Any]:
    return {
        "schema": "plimsoll/1",
        "name": name,
        "as_of": AS_OF,
        "seed": SEED,
        "workloads": [
            workload_draft(catalogue, default, name=each, models=models)
            for each, default in workloads.items()
        ],
        "offers": [{"tier": tier, "model": model} for tier, model in offers],
        "fleet": [],
        "policy": {
            "max_utilisation_fraction": 0.85,
            "spare_unit_count": 1,
            "autoscale": {"enabled": False, "start_up_s": 300, "min_replica_count": 1},
            "accepted_derate_ratio": None,
            "accepted_p95_to_p50_ratio": None,
            "accept_unverified_parity": False,
            "allow_availability": list(allow_availability),
            "max_supplier_share_fraction": 1.0,
            "budget_usd_per_month": None,
        },
        "demand": {
            "growth_fraction_per_month": 0.0,
            "horizon_months": 12,
            "scenarios": [
                {"name": "base", "weight": 0.6, "rate_ratio": 1.0},
                {"name": "high", "weight": 0.2, "rate_ratio": 1.8},
                {"name": "low", "weight": 0.2, "rate_ratio": 0.6},
            ],
        },
    }


def workload_draft(
    catalogue: Catalogue, default_id: str, *, name: str, models: Sequence[str]
) -> dict[str, Any]:
    """A workload as a scenario file holds it, filled with the catalogue's proposal of that id."""
    default = catalogue.workload_defaults[default_id]
    return {"name": name, "kind": default.kind, "models": list(models), **copy.deepcopy(dict(default.draft))}
