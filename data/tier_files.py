"""Tiers of the catalogue: which models each sells, and what differs from model to model."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, cast, get_args

from data.reading import Reader, read_evidence_by_field
from data.token_prices import ListedPrice, read_listed_price
from models.evidence import Evidence
from models.problems import Problem
from models.tiers import Availability, FailureUnit, Speed, Tier

SPEED_FIELDS = ("stream_rate_tok_per_s", "stream_rate_ceiling_tok_per_s", "ttft_p50_s")
LIMIT_FIELDS = ("request_limit_per_min", "token_limit_per_min")


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """One model on one tier: what `Tier` says for this model alone, and where its price stands.

    card       the GPU-hour rate card of a rented tier, or None; prefill_card: of its prefill half
    standard_tier_id   the supplier's Standard tier, whose prices this one's are multiples of
    listed     the entry of the token price list, or None (an override may still hold)
    """

    tier_id: str
    model_id: str
    precision: str | None = None
    availability: Availability = "open"
    available_from: date | None = None
    available_until: date | None = None
    region: str | None = None
    request_limit_per_min: float | None = None
    token_limit_per_min: float | None = None
    speed: Speed | None = None
    card: str | None = None
    prefill_card: str | None = None
    standard_tier_id: str | None = None
    listed: ListedPrice | None = None
    evidence: Mapping[str, Evidence] = field(default_factory=dict, hash=False)

    @property
    def key(self) -> tuple[str, str]:
        """Tier and model."""
        return self.tier_id, self.model_id

    def availability_on(self, as_of: date) -> Availability:
        """Announced before its first day, retired after its last, else as listed."""
        if self.available_from is not None and as_of < self.available_from:
            return "announced"
        if self.available_until is not None and as_of > self.available_until:
            return "retired"
        return self.availability


def read_hosted_tier(
    raw: object, path: str, problems: list[Problem], names: Mapping[str, str]
) -> tuple[Tier, list[Listing]]:
    """One entry of `hosted_tiers.toml` and the models it sells."""
    reader = Reader(raw, path, problems)
    tier = Tier(
        id=reader.text("id", required=True),
        label=reader.text("label", required=True),
        architecture="hosted_api",
        supplier=reader.text("supplier", required=True),
        failure_unit="endpoint",
        note=reader.text("note") or "",
    )
    standard = reader.text("standard")
    listings = [
        replace(_read_hosted_listing(tier.id, entry, names), standard_tier_id=standard)
        for entry in reader.groups("model", what="the models it sells", at_least_one=True)
    ]
    reader.close()
    return tier, listings


def _read_hosted_listing(tier_id: str, reader: Reader, names: Mapping[str, str]) -> Listing:
    model_id = reader.text("id", required=True)
    values: dict[str, Any] = {
        "available_from": reader.day("available_from"),
        "available_until": reader.day("available_until"),
        "region": reader.text("region"),
        **{name: reader.number(name, above=0) for name in LIMIT_FIELDS},
    }
    rates = {name: reader.number(name, above=0) for name in SPEED_FIELDS}
    if reader.value("availability") is not None:
        values["availability"] = reader.choice("availability", get_args(Availability))
    present = {name for name, value in (values | rates).items() if value is not None}
    evidence = read_evidence_by_field(reader, present, names)
    listed = reader.group("listed")
    listing = Listing(
        tier_id=tier_id,
        model_id=model_id,
        speed=speed_of(rates, evidence),
        listed=None if listed is None else read_listed_price(listed),
        evidence={name: each for name, each in evidence.items() if name not in SPEED_FIELDS},
        **values,
    )
    reader.close()
    return listing


def speed_of(rates: Mapping[str, float | None], evidence: Mapping[str, Evidence]) -> Speed | None:
    """What is published of a tier's speed, each figure with its evidence; None where nothing is."""
    if all(value is None for value in rates.values()):
        return None
    return Speed(**rates, evidence={name: each for name, each in evidence.items() if name in SPEED_FIELDS})


def read_rented_tier(raw: object, path: str, problems: list[Problem]) -> tuple[Tier, Listing]:
    """One row of `rented_tiers.csv`: a model on a tier of rented accelerators."""
    reader = Reader(raw, path, problems)
    tier = Tier(
        id=reader.text("tier", required=True),
        label=reader.text("label", required=True),
        architecture="batched_accelerator",
        supplier="rented GPU",
        accelerator=reader.text("accelerator", required=True),
        accelerator_count_per_replica=reader.integer("accelerator_count_per_replica", low=1, required=True),
        engine=reader.text("engine", required=True),
        # A replica on fewer accelerators than a node holds is rented, and fails, on its own.
        failure_unit=cast(
            FailureUnit, reader.choice("failure_unit", ("accelerator", "node", "rack")) or "node"
        ),
    )
    listing = Listing(
        tier_id=tier.id,
        model_id=reader.text("model", required=True),
        precision=reader.text("precision", required=True),
        card=reader.text("card", required=True),
    )
    reader.close()
    return tier, listing
