"""Cost: the bill of a month, its idle and spare parts, and the ladder down to a task."""

from app.charts import monthly_cost
from app.formatting import show
from app.report.blocks import Block, Chart, Table
from app.report.context import ReportContext

KEY = "cost"
TITLE = "Cost"


def blocks(context: ReportContext) -> tuple[Block, ...]:
    """The stacked bill and the ladder of unit costs."""
    plan = context.view.plan
    ladder = Table(
        caption="Cost by workload: month, idle and spare parts, and per unit of work",
        headings=("Workload", "Month", "Idle", "Spare", "Mtok output", "Request", "Task"),
        rows=tuple(
            (
                each.workload,
                show("cost_usd_per_month", each.cost.cost_usd_per_month),
                show("idle_cost_usd_per_month", each.cost.idle_cost_usd_per_month),
                show("redundancy_cost_usd_per_month", each.cost.redundancy_cost_usd_per_month),
                show("cost_usd_per_mtok_output", each.cost.cost_usd_per_mtok_output),
                show("cost_usd_per_request", each.cost.cost_usd_per_request),
                show("cost_usd_per_task", each.cost.cost_usd_per_task),
            )
            for each in plan.allocations
        ),
        numeric=(1, 2, 3, 4, 5, 6),
    )
    return (Chart(picture=monthly_cost.rows(plan)), ladder)
