"""Read what may be bought: offers from the catalogue, and tiers and models of the user's own."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, cast, get_args

from data.catalogue_files import Catalogue, UnknownName
from data.catalogue_names import known_accelerator
from data.half_reading import read_prefill, read_step
from data.hardware_files import ModelKind, read_model_facts
from data.link_reading import read_link, read_split
from data.price_reading import read_dated_price, read_price
from data.reading import ASSUMED_BY_USER, Reader, close_names, read_evidence
from data.switch_reading import read_switches
from data.tier_files import LIMIT_FIELDS, SPEED_FIELDS
from models.dated_prices import fits, with_own_prices
from models.evidence import Evidence, Sense
from models.tiers import (
    Availability,
    DatedPrice,
    FailureUnit,
    Fallback,
    Model,
    Offer,
    Speed,
    Tier,
    TokenPrice,
)
from models.wafers import with_wafer_count

ARCHITECTURES = ("batched_accelerator", "hosted_api", "wafer_scale_pipeline", "disaggregated_pools")
EVIDENCED_FIELDS = (
    *LIMIT_FIELDS,
    "slot_count",
    "link",
    "step",
    "pipeline_stage_count",
    "prefill_rate_tok_per_s",
    "speculation",
    "split",
)
# Keys that only some architectures read; the first is the one they are for.
HOMES = {
    "speculation": ("batched_accelerator", "disaggregated_pools"),
    "distilled_weight_fraction": ("batched_accelerator", "disaggregated_pools"),
    "fallback": ("hosted_api",),
    "link": ("disaggregated_pools", "wafer_scale_pipeline", "batched_accelerator"),
    "split": ("batched_accelerator",),
    "prefill": ("disaggregated_pools",),
    "step": ("disaggregated_pools",),
    "pipeline_stage_count": ("wafer_scale_pipeline", "disaggregated_pools"),
    "prefill_rate_tok_per_s": ("wafer_scale_pipeline",),
}
DEFAULT_FAILURE_UNIT: Mapping[str, FailureUnit] = {"hosted_api": "endpoint", "wafer_scale_pipeline": "wafer"}


@dataclass(slots=True, kw_only=True)
class OwnThings:
    """Tiers and models that the file itself defines, by id, as far as it was read."""

    tiers: dict[str, Tier] = field(default_factory=dict)
    models: dict[str, Model] = field(default_factory=dict)


def read_offers(reader: Reader, catalogue: Catalogue, as_of: date) -> tuple[Offer, ...]:
    """The `offers` of a scenario; those with problems are left out."""
    own = OwnThings()
    what = "a tier and a model, such as {tier: cerebras_api, model: gpt-oss-120b}"
    entries = reader.groups("offers", what=what, at_least_one=True)
    for entry in entries:
        _define(entry, catalogue, own)
    read = [_read_offer(entry, catalogue, own, as_of) for entry in entries]
    offers: dict[str, Offer] = {}
    for entry, offer in zip(entries, read, strict=True):
        if offer is not None and offer.id in offers:
            entry.refuse("", f"offers {offer.id} a second time", "Keep one of the two.")
        elif offer is not None:
            offers[offer.id] = offer
    return tuple(offers.values())


def _define(entry: Reader, catalogue: Catalogue, own: OwnThings) -> None:
    """Take in the tier and the model that an offer defines itself."""
    if isinstance(entry.value("tier"), Mapping):
        tier_reader = cast(Reader, entry.group("tier"))
        tier = read_tier(tier_reader, catalogue)
        if tier is not None and (tier.id in own.tiers or tier.id in catalogue.tiers):
            tier_reader.refuse("id", f"'{tier.id}' is taken by another tier", "Choose another id.")
        elif tier is not None:
            own.tiers[tier.id] = tier
    if isinstance(entry.value("model"), Mapping):
        model_reader = cast(Reader, entry.group("model"))
        model = _read_model(model_reader)
        if model is not None and (model.id in own.models or model.id in catalogue.models):
            model_reader.refuse("id", f"'{model.id}' is taken by another model", "Choose another id.")
        elif model is not None:
            own.models[model.id] = model


def _read_offer(entry: Reader, catalogue: Catalogue, own: OwnThings, as_of: date) -> Offer | None:
    tier_id, model_id = _id_at(entry, "tier"), _id_at(entry, "model")
    listed = entry.value("measurements")
    measurement_ids = entry.texts("measurements", what="measurement ids such as sha256:4f1c...")
    dated = [(each, read_dated_price(each)) for each in entry.groups("prices", what="prices with valid_from")]
    entry.close()
    if tier_id is None or model_id is None:
        return None
    offer = _offer(entry, tier_id, model_id, catalogue, own, as_of)
    if offer is None:
        return None
    offer = replace(offer, measurement_ids=None if listed is None else measurement_ids)
    return with_own_prices(offer, _fitting(offer, dated), as_of)


def _fitting(offer: Offer, dated: list[tuple[Reader, DatedPrice | None]]) -> list[DatedPrice]:
    """The prices added to an offer; one of another basis than its tier is paid by is refused."""
    hosted = offer.tier.architecture == "hosted_api"
    cure = "Choose per_token." if hosted else "Choose hourly or owned."
    for reader, row in dated:
        if row is not None and not fits(row, offer):
            reader.refuse("basis", f"{offer.tier.label} is paid otherwise", cure)
    return [row for _, row in dated if row is not None and fits(row, offer)]


def _id_at(entry: Reader, key: str) -> str | None:
    value = entry.value(key)
    if isinstance(value, Mapping):
        inner = value.get("id")
        return inner if isinstance(inner, str) else None
    return entry.text(key, required=True) or None


def _offer(
    entry: Reader, tier_id: str, model_id: str, catalogue: Catalogue, own: OwnThings, as_of: date
) -> Offer | None:
    tier = own.tiers.get(tier_id)
    if tier is None and isinstance(entry.value("tier"), Mapping):
        return None  # its definition was refused
    if tier is None:
        return _listed_offer(entry, tier_id, model_id, catalogue, own, as_of)
    model = own.models.get(model_id) or catalogue.models.get(model_id)
    if model is None:
        known = [*own.models, *catalogue.models]
        entry.refuse("model", f"'{model_id}' is not in the catalogue", close_names(model_id, known))
        return None
    offer = with_wafer_count(catalogue.assembled(tier, model))
    return replace(offer, prices=(DatedPrice(valid_from=None, price=tier.price, own=True),))


def _listed_offer(
    entry: Reader, tier_id: str, model_id: str, catalogue: Catalogue, own: OwnThings, as_of: date
) -> Offer | None:
    try:
        return catalogue.offer(tier_id, model_id, as_of)
    except UnknownName:
        if tier_id not in catalogue.tiers:
            cure = close_names(tier_id, [*own.tiers, *catalogue.tiers])
            entry.refuse("tier", f"'{tier_id}' is not in the catalogue", cure)
        else:
            cure = close_names(model_id, catalogue.models_on(tier_id))
            entry.refuse("model", f"tier '{tier_id}' does not sell '{model_id}'", cure)
        return None


def _refuse_strangers(reader: Reader, architecture: str) -> None:
    """Keys that say nothing on this architecture, or lack what it cannot do without."""
    for key, at_home in HOMES.items():
        if reader.raw.get(key) is not None and architecture not in at_home:
            reader.refuse(key, f"says nothing on {architecture}", f"Leave it out; it is for {at_home[0]}.")
    price = reader.raw.get("price")
    basis = price.get("basis") if isinstance(price, Mapping) else None
    if basis == "per_token" and architecture != "hosted_api":
        reader.refuse("price.basis", f"{architecture} is not paid per token", "Choose hourly or owned.")
    if basis in ("hourly", "owned") and architecture == "hosted_api":
        reader.refuse("price.basis", "a hosted_api is paid per token", "Choose per_token.")


def read_tier(reader: Reader, catalogue: Catalogue) -> Tier | None:
    """A tier of the user's own; None where it has problems. Figures typed without evidence are grade E."""
    known_problem_count = len(reader.problems)
    architecture = reader.choice("architecture", ARCHITECTURES) or ARCHITECTURES[0]
    fields: dict[str, Any] = {name: reader.number(name, above=0) for name in LIMIT_FIELDS}
    tier_id = reader.text("id", required=True)
    on_machines = architecture in ("batched_accelerator", "disaggregated_pools")
    fields |= {
        "label": reader.text("label") or tier_id,
        "supplier": reader.text("supplier") or tier_id,
        "accelerator": known_accelerator(reader, "accelerator", tuple(catalogue.accelerators)),
        "accelerator_count_per_replica": reader.integer(
            "accelerator_count_per_replica", low=1, required=on_machines
        ),
        "engine": reader.text("engine"),
        "precision": reader.text("precision"),
        "slot_count": reader.integer("slot_count", low=1),
        "failure_unit": reader.choice(
            "failure_unit", get_args(FailureUnit), DEFAULT_FAILURE_UNIT.get(architecture, "node")
        ),
        "availability": reader.choice("availability", get_args(Availability), "open"),
        "available_from": reader.day("available_from"),
        "available_until": reader.day("available_until"),
        "region": reader.text("region"),
        "note": reader.text("note") or "",
        "price": read_price(reader.group("price")),
        **read_switches(reader),
        "fallback": _read_fallback(reader.group("fallback")),
        "link": read_link(reader.group("link")),
        "split": read_split(reader.group("split"), reader.raw.get("accelerator_count_per_replica")),
        "prefill": read_prefill(reader.group("prefill"), tuple(catalogue.accelerators)),
        "step": read_step(reader.group("step")),
        "pipeline_stage_count": reader.integer("pipeline_stage_count", low=1),
        "prefill_rate_tok_per_s": reader.number("prefill_rate_tok_per_s", above=0),
        "speed": _read_speed(reader.group("speed")),
    }
    limits = {name for name in EVIDENCED_FIELDS if fields[name] is not None}
    evidence = _own_evidence(reader.group("evidence"), limits)
    reader.close()
    _refuse_strangers(reader, architecture)
    if architecture == "batched_accelerator" and fields["link"] and fields["split"] is None:
        reader.refuse(
            "link",
            "says nothing of a replica without its split",
            "Say how its accelerators share the model (split), or leave the link out.",
        )
    if len(reader.problems) > known_problem_count:
        return None
    return Tier(id=tier_id, architecture=architecture, evidence=evidence, **fields)


def _read_fallback(reader: Reader | None) -> Fallback | None:
    """The tier that serves some of a hosted tier's requests instead; None where left out or refused."""
    if reader is None:
        return None
    label = reader.text("label", required=True)
    share = reader.number("probability_fraction", low=0, high=1, required=True)
    speed, price = _read_speed(reader.group("speed")), read_price(reader.group("price"))
    given = reader.group("evidence")
    evidence = ASSUMED_BY_USER if given is None else read_evidence(given)
    if price is not None and not isinstance(price, TokenPrice):
        reader.refuse("price.basis", "a hosted tier is paid per token", "Choose per_token.")
        price = None
    reader.close()
    if share is None:
        return None
    return Fallback(
        label=label, probability_fraction=share, speed=speed or Speed(), price=price, evidence=evidence
    )


def _read_speed(reader: Reader | None) -> Speed | None:
    if reader is None:
        return None
    figures = {name: reader.number(name, above=0) for name in SPEED_FIELDS}
    given = reader.group("evidence")
    evidence = (ASSUMED_BY_USER if given is None else read_evidence(given)) or ASSUMED_BY_USER
    stated = {name for name, value in figures.items() if value is not None}
    by_field = dict.fromkeys(sorted(stated), evidence) | _by_figure(
        reader.group("evidence_by_figure"), stated
    )
    reader.close()
    ceiling = by_field.get("stream_rate_ceiling_tok_per_s")
    if ceiling is not None:
        by_field["stream_rate_ceiling_tok_per_s"] = replace(ceiling, sense=Sense.CEILING)
    return Speed(**figures, evidence=by_field)


def _by_figure(reader: Reader | None, stated: set[str]) -> dict[str, Evidence]:
    """Evidence of single figures of a speed, beside what backs the others."""
    if reader is None:
        return {}
    given = {name: reader.group(name) for name in sorted(stated)}
    reader.close()
    read = {name: each and read_evidence(each) for name, each in given.items()}
    return {name: each for name, each in read.items() if each}


def _own_evidence(reader: Reader | None, limits: set[str]) -> dict[str, Evidence]:
    """Evidence by limit: as given under `evidence`, else the user's own word."""
    evidence = dict.fromkeys(sorted(limits), ASSUMED_BY_USER)
    if reader is not None:
        for name in sorted(limits):
            given = reader.group(name)
            evidence[name] = (given and read_evidence(given)) or ASSUMED_BY_USER
        reader.close()
    return evidence


def _read_model(reader: Reader) -> Model | None:
    known_problem_count = len(reader.problems)
    facts = read_model_facts(reader)
    model_id = reader.text("id", required=True)
    label = reader.text("label") or model_id
    kind = cast(ModelKind, reader.choice("kind", get_args(ModelKind), "closed"))
    reader.close()
    if len(reader.problems) > known_problem_count:
        return None
    present = [name for name, value in facts.items() if value is not None]
    return Model(
        id=model_id, label=label, kind=kind, evidence=dict.fromkeys(present, ASSUMED_BY_USER), **facts
    )
