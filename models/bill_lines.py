"""The bill line by line: each workload's part, what is paid and not used, and what they add up to."""

from dataclasses import dataclass
from typing import Literal

from models.cost import per_unit
from models.plans import Allocation, Plan

COMMITTED_NAME = "Committed, not used"
TOTAL_NAME = "Whole plan"


@dataclass(frozen=True, slots=True, kw_only=True)
class BillLine:
    """One line of the bill of a month, in USD; its four parts add up to it.

    kind   a workload's own part, what no workload needs, or the sum of all lines
    cost_usd_per_mtok_output, cost_usd_per_request, cost_usd_per_task   the line's money over the line's own
           output tokens, calls and tasks in a month; None where the line has none, or where tasks of several
           workloads would be counted together
    """

    name: str
    kind: Literal["workload", "committed", "total"]
    cost_usd_per_month: float
    work_cost_usd_per_month: float = 0.0
    idle_cost_usd_per_month: float = 0.0
    redundancy_cost_usd_per_month: float = 0.0
    committed_cost_usd_per_month: float = 0.0
    cost_usd_per_mtok_output: float | None = None
    cost_usd_per_request: float | None = None
    cost_usd_per_task: float | None = None
    cost_usd_per_resolved_task: float | None = None


def bill_lines(plan: Plan) -> tuple[BillLine, ...]:
    """Every workload's part of the bill, then what is committed and not used, then the plan's total."""
    lines = [_of_workload(each) for each in plan.allocations]
    unused_usd = plan.totals.committed_cost_usd_per_month
    if unused_usd > 0:
        lines.append(
            BillLine(
                name=COMMITTED_NAME,
                kind="committed",
                cost_usd_per_month=unused_usd,
                committed_cost_usd_per_month=unused_usd,
            )
        )
    return (*lines, _total(plan))


def dearest_sentence(plan: Plan) -> str:
    """What takes most of the bill; where that is money for what nobody needs, the dearest workload too."""
    workloads = [line for line in bill_lines(plan) if line.kind == "workload"]
    if not workloads:
        return ""
    dearest = max(workloads, key=lambda line: line.cost_usd_per_month)
    unused_usd = plan.totals.committed_cost_usd_per_month
    if unused_usd <= dearest.cost_usd_per_month:
        return f"{dearest.name} costs most"
    return f"what is committed and not used costs most, then {dearest.name}"


def _of_workload(each: Allocation) -> BillLine:
    cost = each.cost
    return BillLine(
        name=each.workload,
        kind="workload",
        cost_usd_per_month=cost.cost_usd_per_month,
        work_cost_usd_per_month=cost.cost_usd_per_month
        - cost.idle_cost_usd_per_month
        - cost.redundancy_cost_usd_per_month,
        idle_cost_usd_per_month=cost.idle_cost_usd_per_month,
        redundancy_cost_usd_per_month=cost.redundancy_cost_usd_per_month,
        cost_usd_per_mtok_output=cost.cost_usd_per_mtok_output,
        cost_usd_per_request=cost.cost_usd_per_request,
        cost_usd_per_task=cost.cost_usd_per_task,
        cost_usd_per_resolved_task=cost.cost_usd_per_resolved_task,
    )


def _total(plan: Plan) -> BillLine:
    totals = plan.totals
    return BillLine(
        name=TOTAL_NAME,
        kind="total",
        cost_usd_per_month=totals.cost_usd_per_month,
        work_cost_usd_per_month=totals.cost_usd_per_month
        - totals.idle_cost_usd_per_month
        - totals.redundancy_cost_usd_per_month
        - totals.committed_cost_usd_per_month,
        idle_cost_usd_per_month=totals.idle_cost_usd_per_month,
        redundancy_cost_usd_per_month=totals.redundancy_cost_usd_per_month,
        committed_cost_usd_per_month=totals.committed_cost_usd_per_month,
        cost_usd_per_mtok_output=totals.cost_usd_per_mtok_output,
        cost_usd_per_request=per_unit(totals.cost_usd_per_month, totals.request_count_per_month),
    )
