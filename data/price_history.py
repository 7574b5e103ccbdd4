"""Every price the catalogue knows of an offer, by the day from which it holds."""

from datetime import date

from data.hardware_files import HourlyRate
from data.tier_files import Listing
from data.token_prices import PriceOverride, listed_days, listed_on
from models.tiers import DatedPrice, HourlyPrice

BEFORE_ANY_PRICE = date(2000, 1, 1)


def rate_history(rates: tuple[HourlyRate, ...], accelerator_id: str, card: str) -> tuple[DatedPrice, ...]:
    """The rows of one rate card of one accelerator."""
    return tuple(
        DatedPrice(
            valid_from=rate.valid_from,
            price=HourlyPrice(usd_per_accelerator_h=rate.usd_per_accelerator_h, evidence=rate.evidence),
        )
        for rate in rates
        if (rate.accelerator_id, rate.card) == (accelerator_id, card)
    )


def token_history(overrides: tuple[PriceOverride, ...], listing: Listing) -> tuple[DatedPrice, ...]:
    """The price list's steps up to the first dated row that stands in its place, then those rows."""
    own = [each for each in overrides if (each.tier_id, each.model_id) == listing.key]
    first = min((each.valid_from or date.min for each in own), default=date.max)
    rows: list[DatedPrice] = []
    if listing.listed is not None:
        for day in listed_days(listing.listed):
            price = listed_on(listing.listed, day or BEFORE_ANY_PRICE)
            if price is not None and (day or date.min) < first and not (rows and rows[-1].price == price):
                rows.append(DatedPrice(valid_from=day, price=price))
    return (*rows, *(DatedPrice(valid_from=each.valid_from, price=each.price) for each in own))
