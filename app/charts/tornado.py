"""Which assumption moves the bill most? Each taken to both ends of its range, the others staying."""

from collections.abc import Sequence

from app.charts.picture import Picture, Span
from app.formatting import show
from models.decisions.sensitivity import Swing

KEY = "tornado"
MOST_SPANS = 14
PARTS = ("at its low end", "at its high end")


def rows(swings: Sequence[Swing]) -> Picture:
    """One span a lever, the widest first; levers that move nothing are left out."""
    moving = [each for each in swings if each.width_usd > 0][:MOST_SPANS]
    spans = tuple(
        Span(
            name=each.lever.name,
            low=each.low_usd,
            high=each.high_usd,
            low_note=each.lever.low_text,
            high_note=each.lever.high_text,
        )
        for each in moving
    )
    base = moving[0].base_usd if moving else None
    return Picture(
        key=KEY,
        title="Which assumption moves the bill most?",
        alt=_alt(moving),
        x_name="cost_usd_per_month",
        parts=PARTS,
        spans=spans,
        base=base,
    )


def _alt(moving: Sequence[Swing]) -> str:
    if not moving:
        return "No assumption moves the bill within its range."
    widest = moving[0]
    low, high = (show("cost_usd_per_month", usd) for usd in (widest.low_usd, widest.high_usd))
    return f"{widest.lever.name} moves the bill most: from {low} to {high} a month."
