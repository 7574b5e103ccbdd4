"""Prices of one offer over time: rows are added and never changed, and the plan's day says which holds."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from models.tiers import DatedPrice, Offer, TokenPrice


def in_force(rows: Sequence[DatedPrice], as_of: date) -> DatedPrice | None:
    """The row that holds on a day: the latest begun, the user's own before the catalogue's.

    Of two that begin on one day the later added holds: that is how a mistyped price is put right. None
    where none has begun.
    """
    begun = [row for row in rows if row.valid_from is None or row.valid_from <= as_of]
    own = [row for row in begun if row.own] or begun
    latest = max((row.valid_from or date.min for row in own), default=None)
    return next((row for row in reversed(own) if (row.valid_from or date.min) == latest), None)


def with_own_prices(offer: Offer, added: Sequence[DatedPrice], as_of: date) -> Offer:
    """The offer with prices added to its history, priced by the row that holds on the day."""
    rows = (*offer.prices, *added)
    held = in_force(rows, as_of)
    if held is None or not held.own:
        return replace(offer, prices=rows)
    return replace(offer, prices=rows, tier=replace(offer.tier, price=held.price))


def fits(row: DatedPrice, offer: Offer) -> bool:
    """Whether a price is of the kind that the offer is paid by: per token if hosted, else by the machine."""
    return isinstance(row.price, TokenPrice) == (offer.tier.architecture == "hosted_api")
