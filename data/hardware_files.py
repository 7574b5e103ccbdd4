"""Accelerators, models and GPU-hour rates of the catalogue, each value with its evidence."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal, cast, get_args

from data.reading import Reader, read_evidence, read_evidence_by_field
from models.evidence import Evidence
from models.problems import Problem
from models.tiers import Accelerator, HourlyPrice, Model

RateCard = Literal["on_demand", "spot", "rental_3_years", "tco_neocloud", "tco_hyperscaler"]
ModelKind = Literal["dense", "moe", "closed"]
ACCELERATOR_NUMBERS = (
    "memory_byte",
    "memory_bandwidth_byte_per_s",
    "scale_up_bandwidth_byte_per_s",
    "chip_power_w",
    "all_in_power_w",
)
MODEL_NUMBERS = (
    "total_parameter_count",
    "active_parameter_count",
    "kv_growing_byte_per_tok",
    "kv_fixed_byte",
)
MODEL_COUNTS = ("layer_count", "hidden_count", "expert_count", "experts_per_token_count", "max_context_tok")


@dataclass(frozen=True, slots=True, kw_only=True)
class HourlyRate:
    """What one hour of an accelerator costs on a rate card, from a day on (None: start unknown).

    Rates are appended, never overwritten. The range of offers stands in the evidence as low and high.
    """

    accelerator_id: str
    card: RateCard
    valid_from: date | None
    usd_per_accelerator_h: float
    evidence: Evidence


def read_accelerator(
    raw: object, path: str, problems: list[Problem], names: Mapping[str, str]
) -> Accelerator:
    """One entry of `accelerators.toml`: bytes, bytes per second, dense FLOP per second, watts."""
    reader = Reader(raw, path, problems)
    numbers = {name: reader.number(name, above=0) for name in ACCELERATOR_NUMBERS}
    domain = reader.integer("scale_up_domain_count", low=1)
    flops = _read_flops(reader)
    present = {name for name, value in numbers.items() if value is not None}
    present |= {"scale_up_domain_count"} if domain else set()
    present |= {"dense_flop_per_s"} if flops else set()
    accelerator = Accelerator(
        id=reader.text("id", required=True),
        label=reader.text("label", required=True),
        vendor=reader.text("vendor", required=True),
        year=reader.integer("year", low=2010),
        scale_up_domain_count=domain,
        dense_flop_per_s=flops,
        memory_kind=reader.text("memory_kind") or "",
        scale_up_link=reader.text("scale_up_link") or "",
        scale_out_link=reader.text("scale_out_link") or "",
        note=reader.text("note") or "",
        evidence=read_evidence_by_field(reader, present, names),
        **numbers,
    )
    reader.close()
    return accelerator


def _read_flops(reader: Reader) -> dict[str, float]:
    flops = reader.group("dense_flop_per_s")
    if flops is None:
        return {}
    by_precision = {name: flops.number(name, above=0) for name in ("bf16", "fp8", "fp4")}
    flops.close()
    return {name: value for name, value in by_precision.items() if value is not None}


def read_model_facts(reader: Reader) -> dict[str, Any]:
    """The figures of a model by field name, None where left out."""
    facts: dict[str, Any] = {name: reader.number(name, above=0) for name in MODEL_NUMBERS}
    facts |= {name: reader.integer(name, low=1) for name in MODEL_COUNTS}
    facts["native_precision"] = reader.text("native_precision")
    return facts


def read_model(raw: object, path: str, problems: list[Problem], names: Mapping[str, str]) -> Model:
    """One entry of `models.toml`."""
    reader = Reader(raw, path, problems)
    facts = read_model_facts(reader)
    model = Model(
        id=reader.text("id", required=True),
        label=reader.text("label", required=True),
        kind=cast(ModelKind, reader.choice("kind", get_args(ModelKind)) or "closed"),
        attention=reader.text("attention") or "",
        note=reader.text("note") or "",
        evidence=read_evidence_by_field(reader, {k for k, v in facts.items() if v is not None}, names),
        **facts,
    )
    reader.close()
    return model


def read_rate(
    raw: Mapping[str, Any], path: str, problems: list[Problem], names: Mapping[str, str]
) -> HourlyRate | None:
    """One row of `accelerator_rates.csv`; None where it has problems."""
    usd_keys = ("low_usd_per_accelerator_h", "usd_per_accelerator_h", "high_usd_per_accelerator_h")
    reader = Reader(raw, path, problems)
    low, usd, high = (reader.number(key, above=0, required=key == usd_keys[1]) for key in usd_keys)
    accelerator_id = reader.text("accelerator", required=True)
    card = reader.choice("card", get_args(RateCard))
    valid_from = reader.day("valid_from")
    rest = {key: value for key, value in raw.items() if key not in reader.asked}
    evidence = read_evidence(Reader(rest | _range(low, high), path, problems), source_names=names)
    if usd is None or card is None or evidence is None:
        return None
    return HourlyRate(
        accelerator_id=accelerator_id,
        card=cast(RateCard, card),
        valid_from=valid_from,
        usd_per_accelerator_h=usd,
        evidence=evidence,
    )


def _range(low: float | None, high: float | None) -> dict[str, float]:
    return {key: value for key, value in (("low", low), ("high", high)) if value is not None}


def price_on(
    rates: tuple[HourlyRate, ...], accelerator_id: str, card: str, as_of: date
) -> HourlyPrice | None:
    """The rate of a card in force on a day: the latest that had begun; None where none had."""
    begun = [
        rate
        for rate in rates
        if rate.accelerator_id == accelerator_id
        and rate.card == card
        and (rate.valid_from is None or rate.valid_from <= as_of)
    ]
    if not begun:
        return None
    latest = max(begun, key=lambda rate: rate.valid_from or date.min)
    return HourlyPrice(usd_per_accelerator_h=latest.usd_per_accelerator_h, evidence=latest.evidence)
