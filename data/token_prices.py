"""Token prices on a day: our dated overrides first, then the price list of `genai-prices`.

A variant (batch, flex, fast) counts only from the day the list knows it; before that the price is
unknown, not the standard one. An override without figures says that a price is unpublished.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from functools import lru_cache
from importlib.metadata import version
from typing import Any

from data.reading import Reader, read_evidence
from models.evidence import Evidence, Grade, Sense
from models.problems import Problem
from models.tiers import TokenPrice

# The list carries no date of its own: the day each version was read. A version not listed here has none.
LIST_READ_ON = {"0.2.3": date(2026, 11, 30)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedPrice:
    """Where a price stands in the list: provider, model and the request's variant."""

    provider: str
    model: str
    variant: Mapping[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceOverride:
    """A price that the list lacks, from a day on (None: start unknown); `price` None: unpublished."""

    tier_id: str
    model_id: str
    valid_from: date | None
    price: TokenPrice | None
    evidence: Evidence


def read_listed_price(reader: Reader) -> ListedPrice:
    """The `listed` entry of a hosted tier's model."""
    variant = reader.value("variant") or {}
    listed = ListedPrice(
        provider=reader.text("provider", required=True),
        model=reader.text("model", required=True),
        variant={str(key): str(value) for key, value in variant.items()},
    )
    reader.close()
    return listed


def read_override(
    raw: Mapping[str, Any], path: str, problems: list[Problem], names: Mapping[str, str]
) -> PriceOverride | None:
    """One row of `token_price_overrides.csv`; None where it has problems."""
    reader = Reader(raw, path, problems)
    tier_id, model_id = reader.text("tier", required=True), reader.text("model", required=True)
    valid_from = reader.day("valid_from")
    fresh, cached, output = (
        reader.number(f"{kind}_usd_per_mtok", low=0) for kind in ("input", "cached_input", "output")
    )
    rest = {key: value for key, value in raw.items() if key not in reader.asked}
    evidence = read_evidence(Reader(rest | {"sense": "list_price"}, path, problems), source_names=names)
    if evidence is None:
        return None
    price = None
    if fresh is not None and output is not None:
        price = TokenPrice(
            input_usd_per_mtok=fresh,
            cached_input_usd_per_mtok=cached,
            output_usd_per_mtok=output,
            evidence=evidence,
        )
    return PriceOverride(
        tier_id=tier_id, model_id=model_id, valid_from=valid_from, price=price, evidence=evidence
    )


def overriding(
    overrides: tuple[PriceOverride, ...], tier_id: str, model_id: str, as_of: date
) -> PriceOverride | None:
    """The override in force on a day; None where there is none."""
    begun = [
        each
        for each in overrides
        if (each.tier_id, each.model_id) == (tier_id, model_id)
        and (each.valid_from is None or each.valid_from <= as_of)
    ]
    return max(begun, key=lambda each: each.valid_from or date.min, default=None)


def listed_on(listed: ListedPrice, as_of: date) -> TokenPrice | None:
    """The listed price at noon UTC of a day, base rate of the shortest prompts; None where not listed."""
    return _listed_on(listed.provider, listed.model, tuple(sorted(listed.variant.items())), as_of)


def listed_days(listed: ListedPrice) -> list[date | None]:
    """The days from which the list has a price of its own for the entry; None: from the beginning."""
    from genai_prices.data_snapshot import get_snapshot

    try:
        _, entry = get_snapshot().find_provider_model(listed.model, None, listed.provider, None)
    except LookupError:
        return []
    priced: Any = entry.prices
    rows = [*(priced if isinstance(priced, list) else []), *(entry.price_variants or ())]
    starts = {getattr(row.constraint, "start_date", None) for row in rows}
    return [None, *sorted(day for day in starts if day is not None)]


@lru_cache(maxsize=1024)
def _listed_on(
    provider: str, model: str, variant: tuple[tuple[str, str], ...], as_of: date
) -> TokenPrice | None:
    # Imported here because the list takes most of a second to load.
    from genai_prices.data_snapshot import get_snapshot

    try:
        _, entry = get_snapshot().find_provider_model(model, None, provider, None)
    except LookupError:
        return None
    noon = datetime.combine(as_of, time(12), tzinfo=UTC)
    wanted = dict(variant)
    if wanted and not any(_applies(each, wanted, noon) for each in entry.price_variants or ()):
        return None
    prices = entry.get_prices(noon, wanted)
    fresh, cached, output = (
        _base_rate(getattr(prices, key, None)) for key in ("input_mtok", "cache_read_mtok", "output_mtok")
    )
    if fresh is None or output is None:
        return None
    return TokenPrice(
        input_usd_per_mtok=fresh,
        cached_input_usd_per_mtok=cached,
        output_usd_per_mtok=output,
        evidence=_list_evidence(provider, entry.id, wanted, tiered=hasattr(prices.input_mtok, "tiers")),
    )


def _applies(variant: Any, wanted: Mapping[str, str], noon: datetime) -> bool:
    begun = variant.constraint is None or variant.constraint.active(noon)
    return begun and all(wanted.get(key) == value for key, value in variant.when.items())


def _base_rate(price: Any) -> float | None:
    return None if price is None else float(getattr(price, "base", price))


def _list_evidence(provider: str, model: str, variant: Mapping[str, str], *, tiered: bool) -> Evidence:
    asked = "".join(f", {key} {value}" for key, value in variant.items())
    return Evidence(
        grade=Grade.VENDOR_WITH_METHOD,
        sense=Sense.LIST_PRICE,
        source=f"genai-prices {version('genai-prices')}",
        locator=f"{provider}/{model}{asked}",
        stated_by=provider,
        checked_on=LIST_READ_ON.get(version("genai-prices")),
        licence="MIT",
        note="Base rate; long prompts cost more." if tiered else "",
    )
