"""Where does the money go? The bill of a month by workload: work, idle capacity, spares."""

from app.charts.picture import Bar, Picture
from app.formatting import show
from models.plans import Plan

KEY = "monthly_cost"
PARTS = ("work", "idle capacity", "spare units")


def rows(plan: Plan) -> Picture:
    """One stacked bar a workload, the dearest first."""
    dearest = sorted(plan.allocations, key=lambda each: -each.cost.cost_usd_per_month)
    bars = tuple(
        Bar(
            name=each.workload,
            amounts=(
                each.cost.cost_usd_per_month
                - each.cost.idle_cost_usd_per_month
                - each.cost.redundancy_cost_usd_per_month,
                each.cost.idle_cost_usd_per_month,
                each.cost.redundancy_cost_usd_per_month,
            ),
        )
        for each in dearest
    )
    unused_usd = plan.totals.committed_cost_usd_per_month
    if unused_usd > 0:
        bars = (*bars, Bar(name="paid, not needed", amounts=(0.0, unused_usd, 0.0)))
    total = show("cost_usd_per_month", plan.totals.cost_usd_per_month)
    first = f"; {bars[0].name} costs most" if bars else ""
    return Picture(
        key=KEY,
        title="Where does the money go in a month?",
        alt=f"The plan costs {total} a month{first}.",
        x_name="cost_usd_per_month",
        parts=PARTS,
        bars=bars,
    )
