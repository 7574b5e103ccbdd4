"""How much dearer may a faster tier be? What it gains a task, after its price, at each price multiple."""

from collections.abc import Sequence

from app.charts.picture import Limit, Line, Mark, Picture
from models.decisions.break_even import SWEPT_MULTIPLES, multiple_sweep
from models.decisions.faster import FasterTier

KEY = "price_multiple"
# Multiples at which suppliers sell Fast and Ultrafast tiers of a model today (catalogue, 2026-11).
SOLD_MULTIPLES = (Mark(name="2x: Fast", x=2.0), Mark(name="6x: Ultrafast", x=6.0))


def rows(found: Sequence[FasterTier]) -> Picture:
    """Net gain per task against the price multiple, one line a workload and faster tier; above 0 it pays."""
    lines = tuple(_line(each) for each in found)
    best = max(found, key=lambda each: each.break_even_price_ratio, default=None)
    return Picture(
        key=KEY,
        title="How much dearer may the faster tier be?",
        alt="No workload has a faster tier to weigh."
        if best is None
        else f"{best.workload} would pay most for speed: up to {best.break_even_price_ratio:.3g} times its "
        f"cost a task on {best.slow_tier_label}.",
        x_name="price_ratio",
        y_name="net_gain_usd_per_task",
        lines=lines,
        limits=(Limit(name="breaks even", y=0.0),) if lines else (),
        marks=SOLD_MULTIPLES if lines else (),
        named_below=True,
    )


def _line(each: FasterTier) -> Line:
    gain = (each.break_even_price_ratio - 1.0) * each.slow_cost_usd_per_task
    points = multiple_sweep(gain, each.slow_cost_usd_per_task, (1.0, *SWEPT_MULTIPLES))
    return Line(
        name=f"{each.workload}: {each.tier_label}" + (" (the plan refuses it)" if each.why_not else ""),
        group=f"{each.workload}: {each.tier_label}",
        x=tuple(point.price_ratio for point in points),
        y=tuple(point.net_gain_usd_per_task for point in points),
    )
