"""Where does the money go? The bill of a month by workload: work, idle, spares, and what is unused."""

from app.charts.picture import Bar, Picture
from app.formatting import show
from models.bill_lines import bill_lines, dearest_sentence
from models.plans import Plan

KEY = "monthly_cost"
PARTS = ("work", "idle capacity", "spare units")
UNUSED_PART = "committed, not used"


def rows(plan: Plan) -> Picture:
    """One stacked bar a workload and one for what is committed and not used, the dearest first."""
    lines = [line for line in bill_lines(plan) if line.kind != "total"]
    unused = any(line.kind == "committed" for line in lines)
    bars = tuple(
        Bar(
            name=line.name,
            amounts=(
                line.work_cost_usd_per_month,
                line.idle_cost_usd_per_month,
                line.redundancy_cost_usd_per_month,
                *((line.committed_cost_usd_per_month,) if unused else ()),
            ),
        )
        for line in sorted(lines, key=lambda line: -line.cost_usd_per_month)
    )
    total = show("cost_usd_per_month", plan.totals.cost_usd_per_month)
    dearest = dearest_sentence(plan)
    return Picture(
        key=KEY,
        title="Where does the money go in a month?",
        alt=f"The plan costs {total} a month{'; ' if dearest else ''}{dearest}.",
        x_name="cost_usd_per_month",
        parts=(*PARTS, UNUSED_PART) if unused else PARTS,
        bars=bars,
    )
