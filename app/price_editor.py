"""Prices of a tier over time: what was stated when, and a form that adds a row and changes none."""

from collections.abc import Sequence
from datetime import date
from typing import Any

import streamlit as st

from app import presenters, state
from app.formatting import DASH, label, price_text
from models.dated_prices import in_force
from models.tiers import DatedPrice, HourlyPrice, Offer, TokenPrice

INCOMPLETE_KEY = "own_price_incomplete"
OPTIONAL = ("cached_input_usd_per_mtok",)  # blank: cached input costs as much as fresh


def popover(index: int, offer: Offer, as_of: date) -> None:
    """The prices known of an offer, and a form to add one of the user's own from a day on."""
    with st.popover("Prices", icon=":material/edit:"):
        history([offer], as_of)
        form = f"own_price:{state.epoch()}:{index}"
        basis, fields = _fields(offer)
        with st.form(form, border=False):
            for name, value in fields.items():
                st.number_input(label(name), min_value=0.0, value=value, format="%g", key=f"{form}:{name}")
            st.date_input("Holds from", value=as_of, key=f"{form}:valid_from")
            st.text_input("Where it comes from", placeholder="our contract of March", key=f"{form}:source")
            # A callback: the link is a widget, and is written before the page is drawn again.
            st.form_submit_button("Add this price", on_click=_add, args=(index, basis, tuple(fields), form))
        if st.session_state.get(INCOMPLETE_KEY) == form:
            st.error("Fill in every price and its day, or leave the tier as it is.")


def history(offers: Sequence[Offer], as_of: date) -> None:
    """Every dated price of some offers; rows are added and none is overwritten."""
    presenters.table(
        [row for offer in offers for row in _rows(offer, as_of)],
        alt="Prices over time",
        empty="No price is known.",
    )


def _rows(offer: Offer, as_of: date) -> list[dict[str, str]]:
    held = in_force(offer.prices, as_of)
    rows = sorted(offer.prices, key=lambda row: row.valid_from or date.min)
    return [
        {
            "Tier": f"{offer.tier.label} · {offer.model.label}",
            "Holds from": DASH if row.valid_from is None else row.valid_from.isoformat(),
            "Price": "none published" if row.price is None else price_text(row.price),
            "On the plan's date": _standing(row, row is held, as_of),
            "Stated by": "you" if row.own else "catalogue",
            "Grade": DASH if row.price is None else str(row.price.evidence.grade),
            "Source": DASH if row.price is None else row.price.evidence.source,
        }
        for row in rows
        if row.price is not None or not row.own  # a tier of one's own that had no price yet stated none
    ]


def _standing(row: DatedPrice, holds: bool, as_of: date) -> str:
    if holds:
        return "holds"
    return "not yet" if row.valid_from is not None and row.valid_from > as_of else "superseded"


def _fields(offer: Offer) -> tuple[str, dict[str, float | None]]:
    """The basis an offer is paid by, and the figures of its price now."""
    price = offer.tier.price
    if offer.tier.architecture == "hosted_api":
        known = price if isinstance(price, TokenPrice) else None
        return "per_token", {
            "input_usd_per_mtok": known.input_usd_per_mtok if known else None,
            "output_usd_per_mtok": known.output_usd_per_mtok if known else None,
            "cached_input_usd_per_mtok": known.cached_input_usd_per_mtok if known else None,
        }
    usd = price.usd_per_accelerator_h if isinstance(price, HourlyPrice) else None
    return "hourly", {"usd_per_accelerator_h": usd}


def _add(index: int, basis: str, names: tuple[str, ...], form: str) -> None:
    """Append what was typed to the offer's prices in the draft."""
    values = {name: st.session_state[f"{form}:{name}"] for name in names}
    day = st.session_state[f"{form}:valid_from"]
    values = {name: value for name, value in values.items() if value is not None or name not in OPTIONAL}
    if day is None or any(value is None for value in values.values()):
        st.session_state[INCOMPLETE_KEY] = form
        return
    st.session_state.pop(INCOMPLETE_KEY, None)
    row: dict[str, Any] = {"valid_from": day.isoformat(), "basis": basis, **values}
    source = st.session_state[f"{form}:source"].strip()
    if source:
        row["evidence"] = {"grade": "E", "sense": "assumed", "source": source}
    fresh = state.draft()
    fresh["offers"][index].setdefault("prices", []).append(row)
    state.save(fresh, reread_widgets=True)
