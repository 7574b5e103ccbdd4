"""Read a price of the user's own: rented by the hour, owned, or paid per token."""

from typing import Any, cast, get_args

from data.reading import ASSUMED_BY_USER, Reader, read_evidence
from models.evidence import Evidence
from models.tiers import (
    DatedPrice,
    HourlyPrice,
    LongContextRule,
    MachinePrice,
    OffPeakRule,
    OwnedPrice,
    Price,
    RentalTerm,
    TokenPrice,
)

BASES = ("hourly", "owned", "per_token")
LAST_HOUR_H = 24
# A price of 0 would win every comparison without a word; a price nobody published is another thing.
FOR_NOTHING = "is 0, and a tier for nothing would win every comparison"
LEFT_OUT = "Leave the price out where none is published: the plan then says what the tier may cost"


def read_price(reader: Reader | None) -> Price | None:
    """The `price` of a tier; None where there is none or it has problems."""
    if reader is None:
        return None
    basis = reader.choice("basis", BASES)
    given = reader.group("evidence")
    evidence = ASSUMED_BY_USER if given is None else read_evidence(given)
    known_problem_count = len(reader.problems)
    fields: dict[str, Any] = {}
    if basis is not None:
        fields = {"hourly": _hourly, "owned": _owned, "per_token": _per_token}[basis](reader)
        reader.close()
    if basis is None or evidence is None or len(reader.problems) > known_problem_count:
        return None
    return _price(basis, fields, evidence)


def read_dated_price(reader: Reader) -> DatedPrice | None:
    """One of an offer's `prices`: a price, and the day from which it holds."""
    valid_from = reader.day("valid_from", required=True)
    price = read_price(reader)
    if valid_from is None or price is None:
        return None
    return DatedPrice(valid_from=valid_from, price=price, own=True)


def read_machine_price(reader: Reader | None) -> MachinePrice | None:
    """The price of machines, rented or owned; a price per token is refused."""
    price = read_price(reader)
    if reader is not None and isinstance(price, TokenPrice):
        reader.refuse("basis", "machines are not paid per token", "Choose hourly or owned.")
    return None if isinstance(price, TokenPrice) else price


def _price(basis: str, fields: dict[str, Any], evidence: Evidence) -> Price:
    if basis == "hourly":
        return HourlyPrice(evidence=evidence, **fields)
    if basis == "owned":
        return OwnedPrice(evidence=evidence, **fields)
    return TokenPrice(evidence=evidence, **fields)


def _hourly(reader: Reader) -> dict[str, Any]:
    term = reader.choice("term", get_args(RentalTerm), "on_demand")
    rent = reader.number("usd_per_accelerator_h", low=0, required=True)
    if rent == 0:
        reader.refuse(
            "usd_per_accelerator_h", FOR_NOTHING, f"{LEFT_OUT}; for machines of your own, basis: owned."
        )
    return {
        "usd_per_accelerator_h": rent,
        "term": cast(RentalTerm, term),
    }


def _owned(reader: Reader) -> dict[str, Any]:
    fields = {
        "purchase_usd_per_accelerator": reader.number("purchase_usd_per_accelerator", above=0, required=True),
        "life_years": reader.number("life_years", above=0, required=True),
        "resale_value_fraction": reader.number("resale_value_fraction", low=0, high=1) or 0.0,
        "accelerator_power_w": reader.number("accelerator_power_w", low=0) or 0.0,
        "pue_ratio": reader.number("pue_ratio", low=1, high=3),
        "energy_usd_per_kwh": reader.number("energy_usd_per_kwh", low=0) or 0.0,
        "colocation_usd_per_kw_month": reader.number("colocation_usd_per_kw_month", low=0) or 0.0,
        "upkeep_usd_per_accelerator_year": reader.number("upkeep_usd_per_accelerator_year", low=0) or 0.0,
    }
    paid_by_power = ("pue_ratio", "energy_usd_per_kwh", "colocation_usd_per_kw_month")
    named = [name for name in paid_by_power if fields[name]]
    if named and not fields["accelerator_power_w"]:
        reader.refuse(
            "accelerator_power_w",
            f"{named[0]} is given, but not the power it applies to",
            "Give the watts of one accelerator with its share of the server.",
        )
    return fields


def _per_token(reader: Reader) -> dict[str, Any]:
    fresh = reader.number("input_usd_per_mtok", low=0, required=True)
    output = reader.number("output_usd_per_mtok", low=0, required=True)
    if fresh == 0 and output == 0:
        reader.refuse("output_usd_per_mtok", FOR_NOTHING, f"{LEFT_OUT}.")
    return {
        "input_usd_per_mtok": fresh,
        "cached_input_usd_per_mtok": reader.number("cached_input_usd_per_mtok", low=0),
        "cache_write_usd_per_mtok": reader.number("cache_write_usd_per_mtok", low=0),
        "output_usd_per_mtok": output,
        "long_context": _long_context(
            reader.group("long_context"), reader.raw.get("cached_input_usd_per_mtok")
        ),
        "off_peak": _off_peak(reader.group("off_peak")),
        "minimum_usd_per_month": reader.number("minimum_usd_per_month", low=0) or 0.0,
    }


def _long_context(reader: Reader | None, usual_cached_usd: object) -> LongContextRule | None:
    if reader is None:
        return None
    above_tok = reader.number("above_tok", above=0, required=True)
    fresh = reader.number("input_usd_per_mtok", low=0, required=True)
    output = reader.number("output_usd_per_mtok", low=0, required=True)
    cached = reader.number("cached_input_usd_per_mtok", low=0)
    if usual_cached_usd is not None and reader.raw.get("cached_input_usd_per_mtok") is None:
        reader.refuse(
            "cached_input_usd_per_mtok",
            "is missing, and short prompts have one",
            "Give the price of cached input in long prompts; without a discount it is the input price.",
        )
    reader.close()
    if above_tok is None or fresh is None or output is None:
        return None
    return LongContextRule(
        above_tok=above_tok,
        input_usd_per_mtok=fresh,
        output_usd_per_mtok=output,
        cached_input_usd_per_mtok=cached,
    )


def _off_peak(reader: Reader | None) -> OffPeakRule | None:
    if reader is None:
        return None
    from_h = reader.integer("from_h", low=0, high=LAST_HOUR_H, required=True)
    to_h = reader.integer("to_h", low=0, high=LAST_HOUR_H, required=True)
    ratio = reader.number("price_ratio", low=0, required=True)
    reader.close()
    if from_h is None or to_h is None or ratio is None:
        return None
    return OffPeakRule(from_h=from_h, to_h=to_h, price_ratio=ratio)
