"""A tier of the catalogue as a scenario file would describe it, so that a user can make it their own."""

from typing import Any

from models.tiers import HourlyPrice, Offer, Price, TokenPrice

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
)
SPEED_FIELDS = ("stream_rate_tok_per_s", "stream_rate_ceiling_tok_per_s", "ttft_p50_s")


def tier_as_draft(offer: Offer) -> dict[str, Any]:
    """The keys of a scenario's own tier, for one model of it; what is not known is left out."""
    tier = offer.tier
    own_id = tier.id if tier.id.startswith(OWN) else f"{OWN}{tier.id}_{offer.model.id}"
    draft: dict[str, Any] = {"id": own_id}
    draft |= {name: getattr(tier, name) for name in PLAIN_FIELDS if getattr(tier, name) not in (None, "")}
    if tier.available_until is not None:
        draft["available_until"] = tier.available_until.isoformat()
    if tier.speed is not None:
        draft["speed"] = {
            name: getattr(tier.speed, name) for name in SPEED_FIELDS if getattr(tier.speed, name) is not None
        }
    if tier.price is not None:
        draft["price"] = price_as_draft(tier.price)
    return draft


def price_as_draft(price: Price) -> dict[str, Any]:
    """The price keys of a scenario's own tier."""
    if isinstance(price, HourlyPrice):
        return {"basis": price.basis, "usd_per_accelerator_h": price.usd_per_accelerator_h}
    return _token_price(price)


def _token_price(price: TokenPrice) -> dict[str, Any]:
    draft: dict[str, Any] = {
        "basis": price.basis,
        "input_usd_per_mtok": price.input_usd_per_mtok,
        "output_usd_per_mtok": price.output_usd_per_mtok,
    }
    if price.cached_input_usd_per_mtok is not None:
        draft["cached_input_usd_per_mtok"] = price.cached_input_usd_per_mtok
    return draft
