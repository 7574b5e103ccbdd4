"""Tiers of the catalogue on machines without a list price by the GPU-hour: wafers, and two pools in a row."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast, get_args

from data.half_reading import read_prefill
from data.link_reading import read_link
from data.price_reading import read_machine_price
from data.reading import Reader, read_evidence, read_evidence_by_field
from data.tier_files import SPEED_FIELDS, Listing, speed_of
from models.evidence import Evidence
from models.problems import Problem
from models.tiers import Availability, FailureUnit, Link, PrefillSide, Tier

ARCHITECTURES = ("wafer_scale_pipeline", "disaggregated_pools")
OPEN: Availability = "open"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cards:
    """The rate cards that a tier's machines are rented by, None where they are not."""

    own: str | None
    prefill: str | None


def read_machine_tier(
    raw: object, path: str, problems: list[Problem], names: Mapping[str, str]
) -> tuple[Tier, list[Listing]]:
    """One entry of `machine_tiers.toml` and the models it is described for."""
    reader = Reader(raw, path, problems)
    evidence: dict[str, Evidence] = {}
    link = _link(reader.group("link"), evidence, names)
    side, prefill_card = _prefill(reader.group("prefill"))
    availability = reader.choice("availability", get_args(Availability), OPEN)
    said = reader.group("availability_evidence")
    if said is not None and (read := read_evidence(said, source_names=names)) is not None:
        evidence["availability"] = read
    cards = Cards(own=reader.text("card"), prefill=prefill_card)
    tier = Tier(
        id=reader.text("id", required=True),
        label=reader.text("label", required=True),
        architecture=reader.choice("architecture", ARCHITECTURES) or ARCHITECTURES[0],
        supplier=reader.text("supplier", required=True),
        accelerator=reader.text("accelerator", required=True),
        accelerator_count_per_replica=reader.integer("accelerator_count_per_replica", low=1),
        failure_unit=cast(FailureUnit, reader.choice("failure_unit", get_args(FailureUnit))),
        price=read_machine_price(_with_source(reader.group("price"), names)),
        link=link,
        prefill=side,
        note=reader.text("note") or "",
    )
    listings = [
        _listing(tier, entry, cards, cast(Availability, availability), evidence, names)
        for entry in reader.groups("model", what="the models it is described for", at_least_one=True)
    ]
    reader.close()
    return tier, listings


def _with_source(price: Reader | None, names: Mapping[str, str]) -> Reader | None:
    """The price with its source's id turned into the source's name; a problem where it is not listed."""
    if price is None:
        return None
    said = dict(price.raw.get("evidence") or {})
    if said.get("source") not in names:
        price.refuse("evidence.source", "is not a listed source", "Add it to sources.toml.")
        return price
    said["source"] = names[said["source"]]
    return Reader(dict(price.raw) | {"evidence": said}, price.path, price.problems)


def _link(reader: Reader | None, evidence: dict[str, Evidence], names: Mapping[str, str]) -> Link | None:
    if reader is None:
        return None
    said = reader.group("evidence")
    if said is None:
        reader.refuse("evidence", "is missing", "Say where the link's rate comes from.")
    elif (read := read_evidence(said, source_names=names)) is not None:
        evidence["link"] = read
    return read_link(reader)


def _prefill(reader: Reader | None) -> tuple[PrefillSide | None, str | None]:
    if reader is None:
        return None, None
    card = reader.text("card")
    return read_prefill(reader, ()), card


def _listing(
    tier: Tier,
    reader: Reader,
    cards: Cards,
    availability: Availability,
    evidence: Mapping[str, Evidence],
    names: Mapping[str, str],
) -> Listing:
    rates: dict[str, Any] = {name: reader.number(name, above=0) for name in SPEED_FIELDS}
    said = read_evidence_by_field(reader, {name for name, rate in rates.items() if rate}, names)
    listing = Listing(
        tier_id=tier.id,
        model_id=reader.text("id", required=True),
        precision=reader.text("precision", required=True),
        availability=availability,
        speed=speed_of(rates, said),
        card=cards.own,
        prefill_card=cards.prefill,
        evidence=dict(evidence),
    )
    reader.close()
    return listing
