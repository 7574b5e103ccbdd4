"""The built-in facts: accelerators, models, tiers, prices, claims and workload defaults, with evidence.

The files under `catalogue/` are the truth; this module reads them once and refuses a value without evidence.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from types import MappingProxyType
from typing import Any, TypeVar

from data.claims import Claim, Conflict, read_claim, read_conflict
from data.hardware_files import HourlyRate, price_on, read_accelerator, read_model, read_rate
from data.machine_tiers import read_machine_tier
from data.price_history import rate_history, token_history
from data.reading import close_names
from data.sources import Source, read_source, source_names
from data.tables import csv_rows, toml_table
from data.tier_files import Listing, read_hosted_tier, read_rented_tier
from data.token_prices import PriceOverride, listed_on, overriding, read_override
from data.workload_defaults import DayShape, WorkloadDefault, read_day_shape, read_workload_default
from models.problems import InputProblems, Problem
from models.tiers import Accelerator, DatedPrice, Model, Offer, PrefillSide, Price, Tier, TokenPrice
from models.wafers import with_wafer_count

Record = TypeVar("Record")


class UnknownName(KeyError):
    """An id that the catalogue does not hold; `cure` lists the nearest ones."""

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        self.what, self.name, self.cure = what, name, close_names(name, known)
        super().__init__(f"{what} '{name}' is not in the catalogue. {self.cure}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """All built-in facts by id. Prices, availability and end dates depend on a day: ask `offer`."""

    accelerators: Mapping[str, Accelerator]
    models: Mapping[str, Model]
    tiers: Mapping[str, Tier]
    listings: Mapping[tuple[str, str], Listing]
    hourly_rates: tuple[HourlyRate, ...]
    price_overrides: tuple[PriceOverride, ...]
    claims: Mapping[str, Claim]
    conflicts: tuple[Conflict, ...]
    workload_defaults: Mapping[str, WorkloadDefault]
    day_shapes: Mapping[str, DayShape]
    sources: Mapping[str, Source]

    def models_on(self, tier_id: str) -> tuple[str, ...]:
        """Ids of the models a tier sells."""
        return tuple(model for tier, model in self.listings if tier == tier_id)

    def offer(self, tier_id: str, model_id: str, as_of: date) -> Offer:
        """A model on a tier as it is sold on a day; `UnknownName` (a KeyError) where it is not listed.

        The price is None where it is unpublished or unknown on that day.
        """
        if tier_id not in self.tiers:
            raise UnknownName("tier", tier_id, self.tiers)
        listing = self.listings.get((tier_id, model_id))
        if listing is None:
            raise UnknownName(f"on tier '{tier_id}', model", model_id, self.models_on(tier_id))
        tier = replace(
            self.tiers[tier_id],
            price=self._price(listing, as_of),
            precision=listing.precision,
            availability=listing.availability_on(as_of),
            available_from=listing.available_from,
            available_until=listing.available_until,
            region=listing.region,
            request_limit_per_min=listing.request_limit_per_min,
            token_limit_per_min=listing.token_limit_per_min,
            speed=listing.speed,
            evidence=listing.evidence,
            prefill=self._prefill(listing, as_of),
            standard_price=self._standard_price(listing, as_of),
        )
        offer = self.assembled(tier, self.models[model_id])
        return with_wafer_count(replace(offer, prices=self._history(listing)))

    def assembled(self, tier: Tier, model: Model) -> Offer:
        """A model on a tier with the accelerators that the tier names."""
        side = tier.prefill
        return Offer(
            tier=tier,
            model=model,
            accelerator=self.accelerators.get(tier.accelerator or ""),
            prefill_accelerator=self.accelerators.get((side and side.accelerator) or ""),
        )

    def _history(self, listing: Listing) -> tuple[DatedPrice, ...]:
        """Every dated price of a listing."""
        tier = self.tiers[listing.tier_id]
        if listing.card is not None and tier.accelerator is not None:
            return rate_history(self.hourly_rates, tier.accelerator, listing.card)
        if tier.price is not None:
            return (DatedPrice(valid_from=None, price=tier.price),)
        return token_history(self.price_overrides, listing)

    def _standard_price(self, listing: Listing, as_of: date) -> TokenPrice | None:
        """What the same model costs on the supplier's Standard tier; None where there is none."""
        standard = self.listings.get((listing.standard_tier_id or "", listing.model_id))
        price = None if standard is None else self._price(standard, as_of)
        return price if isinstance(price, TokenPrice) else None

    def _prefill(self, listing: Listing, as_of: date) -> PrefillSide | None:
        """The prefill half with the price of the day."""
        side = self.tiers[listing.tier_id].prefill
        if side is None or side.accelerator is None or listing.prefill_card is None:
            return side
        price = price_on(self.hourly_rates, side.accelerator, listing.prefill_card, as_of)
        return replace(side, price=price)

    def _price(self, listing: Listing, as_of: date) -> Price | None:
        accelerator = self.tiers[listing.tier_id].accelerator
        if listing.card is not None and accelerator is not None:
            return price_on(self.hourly_rates, accelerator, listing.card, as_of)
        if self.tiers[listing.tier_id].price is not None:
            return self.tiers[listing.tier_id].price
        override = overriding(self.price_overrides, listing.tier_id, listing.model_id, as_of)
        if override is not None:
            return override.price
        return None if listing.listed is None else listed_on(listing.listed, as_of)


@lru_cache(maxsize=1)
def load_catalogue() -> Catalogue:
    """The built-in catalogue; `InputProblems` with every fault if a catalogue file was broken."""
    problems: list[Problem] = []
    raw_sources = toml_table("sources.toml")
    sources = {key: read_source(key, raw, f"sources.{key}", problems) for key, raw in raw_sources.items()}
    names = source_names(sources)
    tiers, listings = _tiers(problems, names)
    catalogue = Catalogue(
        accelerators=_by_id(_entries("accelerators.toml", "accelerator", problems, read_accelerator, names)),
        models=_by_id(_entries("models.toml", "model", problems, read_model, names)),
        tiers=tiers,
        listings=listings,
        hourly_rates=_rows("accelerator_rates.csv", problems, read_rate, names),
        price_overrides=_rows("token_price_overrides.csv", problems, read_override, names),
        claims=_by_id(_rows("claims.csv", problems, read_claim)),
        conflicts=_rows("conflicts.csv", problems, read_conflict),
        workload_defaults=_tables("workloads.toml", problems, read_workload_default, names),
        day_shapes=_tables("day_shapes.toml", problems, read_day_shape, names),
        sources=MappingProxyType(sources),
    )
    problems += _dangling(catalogue)
    if problems:
        raise InputProblems(problems)
    return catalogue


def _entries(
    file: str, key: str, problems: list[Problem], read: Callable[..., Record], names: Mapping[str, str]
) -> list[Record]:
    table = toml_table(file)[key]
    return [read(raw, f"{file} {key}[{index}]", problems, names) for index, raw in enumerate(table)]


def _rows(
    file: str, problems: list[Problem], read: Callable[..., Record | None], *more: Mapping[str, str]
) -> tuple[Record, ...]:
    # Row 1 of the file is the header.
    read_rows = (
        read(raw, f"{file} row {index + 2}", problems, *more) for index, raw in enumerate(csv_rows(file))
    )
    return tuple(row for row in read_rows if row is not None)


def _tables(
    file: str, problems: list[Problem], read: Callable[..., Record], names: Mapping[str, str]
) -> Mapping[str, Record]:
    table = toml_table(file)
    return MappingProxyType(
        {key: read(key, raw, f"{file} {key}", problems, names) for key, raw in table.items()}
    )


def _by_id(records: Iterable[Any]) -> Mapping[str, Any]:
    return MappingProxyType({record.id: record for record in records})


def _tiers(
    problems: list[Problem], names: Mapping[str, str]
) -> tuple[Mapping[str, Tier], Mapping[tuple[str, str], Listing]]:
    rented = _rows("rented_tiers.csv", problems, read_rented_tier)
    hosted = _entries("hosted_tiers.toml", "tier", problems, read_hosted_tier, names)
    machines = _entries("machine_tiers.toml", "tier", problems, read_machine_tier, names)
    described = [*machines, *hosted]
    tiers = {tier.id: tier for tier, _ in rented} | {tier.id: tier for tier, _ in described}
    listings = [listing for _, listing in rented] + [each for _, sold in described for each in sold]
    return MappingProxyType(tiers), MappingProxyType({listing.key: listing for listing in listings})


def _dangling(catalogue: Catalogue) -> list[Problem]:
    """References from tiers and prices to things that the catalogue does not hold."""
    accelerators, listings = catalogue.accelerators, catalogue.listings
    references: list[tuple[str, object, Collection[object], str]] = [
        *(("model", model, catalogue.models, f"tier {tier}") for tier, model in listings),
        *(
            ("accelerator", tier.accelerator, accelerators, f"tier {tier.id}")
            for tier in catalogue.tiers.values()
            if tier.accelerator
        ),
        *(
            ("accelerator", rate.accelerator_id, accelerators, "accelerator_rates.csv")
            for rate in catalogue.hourly_rates
        ),
        *(
            ("listing", (each.tier_id, each.model_id), listings, "token_price_overrides.csv")
            for each in catalogue.price_overrides
        ),
    ]
    return [
        Problem(
            path=path, message=f"{what} {name!r} is not in the catalogue", cure="Add it or mend the name."
        )
        for what, name, known, path in references
        if name not in known
    ]
