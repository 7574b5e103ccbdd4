"""The only place where a number becomes text: friendly units, few digits, a dash for what is unknown."""

import math

from models.net_value import NetValue
from models.plans import TargetResult
from models.quantities import quantity
from models.sentences import listed, rounded_usd
from models.tiers import HourlyPrice, OwnedPrice, Price
from models.units import unit_of

DASH = "–"
MILLI = 1e3
SECONDS_SHOWN_AS_MS = 1.0


def show(name: str, value: float | None) -> str:
    """A value of the quantity of that name, as a reader wants it: `show("tpot_s", 0.0213)` is "21 ms"."""
    if value is None or not math.isfinite(value):
        return DASH
    unit = unit_of(name)
    if unit == "s":
        return duration(value)
    if unit.startswith("s/"):
        return f"{_small_duration(value)}/{unit.removeprefix('s/')}"
    if unit.startswith("USD"):
        return usd(value)
    if name.endswith("probability_fraction"):
        return chance(value)
    if name.endswith("_fraction"):
        return percent(value)
    text = number(value)
    return f"{text} {_friendly(unit)}" if unit else text


def duration(seconds: float) -> str:
    """Seconds in the unit a person would use, three digits at most."""
    if seconds == 0:
        return "0 s"
    if abs(seconds) < SECONDS_SHOWN_AS_MS:
        return f"{number(seconds * MILLI)} ms"
    if abs(seconds) < 120:
        return f"{number(seconds)} s"
    if abs(seconds) < 7200:
        return f"{number(seconds / 60)} min"
    return f"{number(seconds / 3600)} h"


def _small_duration(seconds: float) -> str:
    """Step-law coefficients, down to nanoseconds."""
    for factor, unit in ((1.0, "s"), (1e3, "ms"), (1e6, "µs")):
        if abs(seconds) * factor >= 1:
            return f"{number(seconds * factor)} {unit}"
    return f"{number(seconds * 1e9)} ns"


def replicas(replica_count: int | None, prefill_worker_count: int | None) -> str:
    """`7`, or `4 decode + 3 prefill` where the pool has two halves; a dash where there are no machines."""
    if replica_count is None:
        return DASH
    if prefill_worker_count is None:
        return str(replica_count)
    return f"{replica_count} decode + {prefill_worker_count} prefill"


def usd(value: float) -> str:
    """Money with as many digits as matter: `$0.00042`, `$3.89`, `$41,230`."""
    sign = "-" if value < 0 else ""
    size = abs(value)
    if size >= 1000:
        return f"{sign}${size:,.0f}"
    if size >= 0.095 or size == 0:
        return f"{sign}${size:,.2f}"
    digits = 1 - math.floor(math.log10(size))
    return f"{sign}${size:.{digits}f}"


def price_text(price: Price | None) -> str:
    """A price in words; a dash where none is published."""
    if price is None:
        return DASH
    if isinstance(price, HourlyPrice):
        term = "" if price.term == "on_demand" else f", {price.term}"
        return f"{usd(price.usd_per_accelerator_h)} per accelerator-hour{term}"
    if isinstance(price, OwnedPrice):
        return f"{usd(price.usd_per_accelerator_h)} per accelerator-hour, owned"
    extras = [
        text
        for text, holds in (
            ("dearer for long prompts", price.long_context is not None),
            ("cheaper off-peak", price.off_peak is not None),
            (f"at least {usd(price.minimum_usd_per_month)} a month", price.minimum_usd_per_month > 0),
        )
        if holds
    ]
    rates = f"{usd(price.input_usd_per_mtok)} in / {usd(price.output_usd_per_mtok)} out per Mtok"
    return ", ".join((rates, *extras))


def percent(fraction: float) -> str:
    """A share of one as a percentage; small shares keep a digit."""
    points = fraction * 100
    return f"{points:.0f} %" if abs(points) >= 10 or points == 0 else f"{points:.2g} %"


def chance(fraction: float) -> str:
    """A probability; never quite certain, never quite impossible."""
    if fraction > 0.99:
        return "> 99 %"
    return "< 1 %" if fraction < 0.01 else f"{fraction * 100:.0f} %"


def holding(result: TargetResult) -> str:
    """Whether a target holds by the prediction, never without its chance: `yes (70 %)`."""
    verdict = "yes" if result.holds else "no"
    odds = result.hold_probability_fraction
    return verdict if odds is None else f"{verdict} ({chance(odds)})"


def number(value: float) -> str:
    """Three significant digits, grouped thousands, no trailing zeros."""
    if value == 0:
        return "0"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def aim_sentence(weighed: bool) -> str:
    """What the plan was chosen for."""
    return "Chosen for net value." if weighed else "Chosen for least cost."


def value_sentence(found: NetValue, weighed: bool) -> str:
    """What waiting takes of the worth that the workloads state for a task, and who is left out of it."""
    return " ".join(filter(None, (_waiting_text(found, weighed), _left_out_text(found.left_out))))


def _waiting_text(found: NetValue, weighed: bool) -> str:
    if found.lost_usd_per_month is None or found.net_value_usd_per_month is None:
        return f"How much value waiting takes is unknown for {listed(list(found.unknown))}."
    if found.value_usd_per_month <= 0 and found.lost_usd_per_month <= 0:
        return "No workload says what waiting for its answers costs."
    lost = rounded_usd(found.lost_usd_per_month)
    if found.value_usd_per_month > 0:
        worth = rounded_usd(found.value_usd_per_month)
        text = f"Waiting takes {lost} of the {worth} a month that the workloads say their tasks are worth"
    else:
        text = f"Waiting costs {lost} a month by what the workloads say an hour of it costs"
    text = f"{text} (E: assumed)"
    net = found.net_value_usd_per_month
    left = f"{'-' if net < 0 else ''}{rounded_usd(abs(net))}"
    return f"{text}: {left} remain after the bill." if weighed else f"{text}; it is no part of the bill."


def _left_out_text(names: tuple[str, ...]) -> str:
    if not names:
        return ""
    return f"Left out: {listed(list(names))}, whose answers lose no stated worth one by one."


def label(name: str) -> str:
    """A quantity's label with its friendly unit: `Time to first token (ms)`."""
    known = quantity(name)
    unit = _friendly(known.unit)
    return f"{known.label} ({unit})" if unit else known.label


def _friendly(unit: str) -> str:
    return unit.replace("tokens/s", "tok/s").replace("requests/s", "req/s")
