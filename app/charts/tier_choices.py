"""What does each tier make of one workload alone? Its bill against the time of an answer."""

from collections.abc import Sequence

from app.charts.picture import Dots, Picture
from app.formatting import show
from models.routing.routing import TierChoice

KEY = "tier_choices"


def rows(choices: Sequence[TierChoice], order: Sequence[str] = ()) -> Picture:
    """A dot a tier that keeps the workload's promises; those that are cheaper or faster than all others."""
    best = [each.label for each in choices if not any(other.beats(each) for other in choices)]
    dots = tuple(
        Dots(
            name=each.label,
            group=each.label,
            x=(each.e2e_s,),
            y=(each.cost_usd_per_month,),
            notes=("on the frontier" if each.label in best else "dearer and slower than another",),
            own=each.label in best,
        )
        for each in choices
    )
    return Picture(
        key=KEY,
        title="What does a faster median answer cost, the whole workload on one tier?",
        alt=_alt(choices),
        x_name="e2e_s",
        y_name="cost_usd_per_month",
        y_log=True,
        dots=dots,
        order=tuple(order),
    )


def _alt(choices: Sequence[TierChoice]) -> str:
    if not choices:
        return "No tier keeps this workload's promises with a known answer time."
    fastest = min(choices, key=lambda each: each.e2e_s)
    cheapest = min(choices, key=lambda each: each.cost_usd_per_month)
    return (
        f"Cheapest is {cheapest.label} at {show('cost_usd_per_month', cheapest.cost_usd_per_month)} a month; "
        f"fastest is {fastest.label} at {show('e2e_s', fastest.e2e_s)}."
    )
