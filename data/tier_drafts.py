"""A tier of the catalogue as a scenario file would describe it, so that a user can make it their own."""

from dataclasses import asdict, fields
from typing import Any

from models.tiers import Fallback, Offer, PrefillSide, Price

OWN = "own_"
PLAIN_FIELDS = (
    "label",
    "architecture",
    "supplier",
    "accelerator",
    "accelerator_count_per_replica",
    "engine",
    "precision",
    "slot_count",
    "failure_unit",
    "availability",
    "region",
    "request_limit_per_min",
    "token_limit_per_min",
    "pipeline_stage_count",
    "prefill_rate_tok_per_s",
    "distilled_weight_fraction",
)
STEP_FIELDS = ("alpha_s", "beta_s_per_seq", "exponent", "gamma_s_per_context_tok")
SPEED_FIELDS = ("stream_rate_tok_per_s", "stream_rate_ceiling_tok_per_s", "ttft_p50_s")


def tier_as_draft(offer: Offer) -> dict[str, Any]:
    """The keys of a scenario's own tier, for one model of it; what is not known is left out."""
    tier = offer.tier
    own_id = tier.id if tier.id.startswith(OWN) else f"{OWN}{tier.id}_{offer.model.id}"
    draft: dict[str, Any] = {"id": own_id}
    draft |= {name: getattr(tier, name) for name in PLAIN_FIELDS if getattr(tier, name) not in (None, "")}
    for name, day in (("available_from", tier.available_from), ("available_until", tier.available_until)):
        if day is not None:
            draft[name] = day.isoformat()
    if tier.speed is not None:
        draft["speed"] = {
            name: getattr(tier.speed, name) for name in SPEED_FIELDS if getattr(tier.speed, name) is not None
        }
    if tier.price is not None:
        draft["price"] = price_as_draft(tier.price)
    if tier.fallback is not None:
        draft["fallback"] = _fallback(tier.fallback)
    if tier.speculation is not None:
        draft["speculation"] = _stated(tier.speculation)
    if tier.link is not None:
        draft["link"] = _stated(tier.link)
    if tier.split is not None:
        draft["split"] = _stated(tier.split)
    if tier.step is not None:
        draft["step"] = {name: value for name, value in _stated(tier.step).items() if name in STEP_FIELDS}
    if tier.prefill is not None:
        draft["prefill"] = _prefill(tier.prefill)
    return draft


def _fallback(fallback: Fallback) -> dict[str, Any]:
    stated: dict[str, Any] = {
        "label": fallback.label,
        "probability_fraction": fallback.probability_fraction,
    }
    if speed := _stated(fallback.speed):
        stated["speed"] = {name: value for name, value in speed.items() if name in SPEED_FIELDS}
    if fallback.price is not None:
        stated["price"] = price_as_draft(fallback.price)
    return stated


def _stated(record: Any) -> dict[str, Any]:
    """The fields of a record of numbers that say something."""
    values = {each.name: getattr(record, each.name) for each in fields(record)}
    return {name: value for name, value in values.items() if value not in (None, 0.0)}


def _prefill(side: PrefillSide) -> dict[str, Any]:
    stated = _stated(side)
    stated.pop("evidence", None)
    if side.price is not None:
        stated["price"] = price_as_draft(side.price)
    return stated


def price_as_draft(price: Price) -> dict[str, Any]:
    """The price keys of a scenario's own tier; what is left at its default is left out."""
    draft: dict[str, Any] = {"basis": price.basis}
    for each in fields(price):
        value = getattr(price, each.name)
        if each.name not in ("basis", "evidence") and value != each.default:
            draft[each.name] = value if isinstance(value, int | float | str) else _rule(value)
    return draft


def _rule(rule: Any) -> dict[str, Any]:
    return {name: value for name, value in asdict(rule).items() if value is not None}
