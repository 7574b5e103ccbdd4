"""Input widgets over the draft: each shows one value of it and writes it back.

A widget's key is the value's address in the draft, so the value survives leaving the page; labels, units
and help come from the glossary.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from app import state
from app.formatting import label
from models.quantities import BY_NAME

Address = tuple[str | int, ...]


def look_up(draft: Any, address: Address) -> Any:
    """The value at an address of the draft, or None where there is none."""
    for step in address:
        try:
            draft = draft[step]
        except (KeyError, IndexError, TypeError):
            return None
    return draft


def put(draft: Any, address: Address, value: Any) -> None:
    """Set the value at an address, making the tables on the way; None removes it."""
    *parents, last = address
    for step in parents:
        draft = draft.setdefault(step, {}) if isinstance(draft, dict) else draft[step]
    if value is None and isinstance(draft, dict):
        draft.pop(last, None)
    else:
        draft[last] = value


def _key(address: Address) -> str:
    return f"{state.epoch()}:" + "/".join(str(step) for step in address)


def _written(address: Address, convert: Callable[[Any], Any]) -> Callable[[], None]:
    """A callback that writes a widget's value into the draft."""
    key = _key(address)

    def write() -> None:
        value = st.session_state[key]
        state.edit(lambda draft: put(draft, address, None if value is None else convert(value)))

    return write


def number(
    address: Address,
    quantity_name: str,
    *,
    low: float | None = 0.0,
    high: float | None = None,
    step: float | None = None,
    name: str | None = None,
    whole: bool = False,
    empty: str | None = None,
    default: float | None = None,
) -> None:
    """A number of the draft. `empty` allows a blank and says what a blank means.

    `low` and `high` bound what is typed here; a file may hold a value beyond them, and it is shown as it is.
    """
    convert: Callable[[Any], Any] = int if whole else float
    current = look_up(state.draft(), address)
    value = default if current is None else current
    kind: Callable[[float], float] = int if whole else float
    shown: Any = None if value is None else kind(value)
    lowest: Any = None if low is None else kind(low if value is None else min(low, value))
    highest: Any = None if high is None else kind(high if value is None else max(high, value))
    st.number_input(
        name or label(quantity_name),
        value=shown,
        min_value=lowest,
        max_value=highest,
        step=None if step is None else kind(step),
        format=None if whole else "%g" if value is None or abs(value) < 1e6 else "%.0f",
        placeholder=empty,
        help=BY_NAME[quantity_name].help,
        key=_key(address),
        on_change=_written(address, convert),
    )


def text(address: Address, name: str, help_text: str) -> None:
    """A line of text of the draft."""
    current = look_up(state.draft(), address)
    st.text_input(
        name,
        value=current or "",
        max_chars=200,
        help=help_text,
        key=_key(address),
        on_change=_written(address, lambda value: value.strip() or None),
    )


def choice(
    address: Address,
    name: str,
    options: Mapping[str, str],
    help_text: str,
    default: str | None = None,
) -> None:
    """One of several words; options by value, with what to show."""
    current = look_up(state.draft(), address)
    listed = list(options) if current is None or current in options else [*options, str(current)]
    chosen = current if current is not None else default
    st.selectbox(
        name,
        listed,
        index=listed.index(chosen) if chosen in listed else None,
        help=help_text,
        key=_key(address),
        format_func=lambda value: options.get(value, value),
        on_change=_written(address, str),
    )


def switch(address: Address, name: str, help_text: str) -> None:
    """Yes or no."""
    st.toggle(
        name,
        value=bool(look_up(state.draft(), address)),
        help=help_text,
        key=_key(address),
        on_change=_written(address, bool),
    )


def several(
    address: Address, name: str, options: Sequence[str], help_text: str, *, new_too: bool = False
) -> None:
    """Any of several words; with `new_too` also words of one's own."""
    current = look_up(state.draft(), address) or []
    listed = list(dict.fromkeys([*options, *current]))
    st.multiselect(
        name,
        listed,
        default=current,
        help=help_text,
        key=_key(address),
        on_change=_written(address, list),
        accept_new_options=new_too,
    )


def lengths(address: Address, what: str) -> None:
    """A token-length distribution, by whichever numbers the draft describes it with."""
    current = look_up(state.draft(), address) or {}
    names = {
        "p50": f"{what}, median (tokens)",
        "p95": f"{what}, p95 (tokens)",
        "mean": f"{what}, mean (tokens)",
        "cv": f"{what}, coefficient of variation",
        "value": f"{what} (tokens)",
    }
    for key, shown in names.items():
        if key in current:
            quantity_name = (
                "cv_ratio" if key == "cv" else "input_tok" if "input" in str(address[-1]) else "output_tok"
            )
            number((*address, key), quantity_name, low=0.0 if key == "cv" else 1.0, name=shown)
    if current.get("kind") == "empirical" and current.get("values"):
        st.caption(f"{what}: {len(current['values'])} lengths of a log, each equally likely")


def policy() -> None:
    """The rules of choice that a plan keeps."""
    first, second, third = st.columns(3)
    with first:
        number(
            ("policy", "max_utilisation_fraction"),
            "max_utilisation_fraction",
            low=0.05,
            high=0.99,
            step=0.05,
            default=0.85,
        )
        number(("policy", "spare_unit_count"), "spare_unit_count", whole=True, high=100, step=1, default=1)
        choice(
            ("policy", "objective"),
            "What the plan aims at",
            {"least_cost": "Least cost", "net_value": "Net value"},
            "Net value: what answers are worth as they come, less the bill. A tier whose latency tail nobody "
            "knows cannot be weighed by it.",
        )
    with second:
        number(
            ("policy", "accepted_derate_ratio"),
            "accepted_derate_ratio",
            low=0.05,
            high=1.0,
            step=0.05,
            empty="blank: a ceiling sizes nothing",
        )
        number(
            ("policy", "accepted_p95_to_p50_ratio"),
            "accepted_p95_to_p50_ratio",
            low=1.0,
            high=20.0,
            step=0.1,
            empty="blank: no spread is invented",
        )
        choice(
            ("policy", "envelope_end"),
            "End that sizes unmeasured wafers",
            {end: end.capitalize() for end in ("pessimistic", "central", "optimistic")},
            "Nobody has published their behaviour under load; a load test replaces this.",
        )
    with third:
        number(
            ("policy", "budget_usd_per_month"), "budget_usd_per_month", step=1000.0, empty="blank: no limit"
        )
        several(
            ("policy", "allow_availability"),
            "Availability allowed",
            ("open", "limited", "waitlist", "announced"),
            "What may be planned with; add to look ahead.",
        )
        several(
            ("policy", "allow_regions"),
            "Regions allowed",
            ("EU", "US"),
            "Blank: anywhere. Names are those of your tiers; a hosted tier that names no region is refused.",
            new_too=True,
        )
