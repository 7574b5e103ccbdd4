"""Cost: the bill of a month line by line, with what each cost per unit is divided by."""

from app.charts import monthly_cost
from app.formatting import show, value_sentence
from app.report.blocks import Block, Bullets, Chart, Paragraph, Table
from app.report.context import ReportContext
from app.value_rows import value_rows
from models.bill_lines import BillLine, bill_lines
from models.net_value import net_value_of, weighs_value

KEY = "cost"
TITLE = "Cost"

PART_NAMES = (
    "cost_usd_per_month",
    "work_cost_usd_per_month",
    "idle_cost_usd_per_month",
    "redundancy_cost_usd_per_month",
    "committed_cost_usd_per_month",
)
UNIT_NAMES = ("cost_usd_per_mtok_output", "cost_usd_per_request", "cost_usd_per_task")
HEADINGS = (
    *("Line", "Month", "of it work", "of it idle", "of it spare", "of it unused"),
    *("Mtok output", "Request", "Task"),
)
UNITS_NOTE = (
    "Per million output tokens, request and task: a line's whole amount of a month (work, idle and spare "
    "parts) over that line's own output tokens, requests and tasks of the month. Input tokens are paid for "
    "in the amount and are not counted in the divisor."
)
TOTAL_NOTE = (
    "The whole plan's figure per million output tokens has the whole bill above the line, what is committed "
    "and not used included, and the output tokens of all workloads below it: it may lie above every "
    "workload's own."
)


def blocks(context: ReportContext) -> tuple[Block, ...]:
    """The stacked bill, its lines with their sum, and what the unit costs are made of."""
    plan = context.view.plan
    lines = Table(
        caption="Cost by workload: what a month costs, its parts, and per unit of work; the lines add up",
        headings=HEADINGS,
        rows=tuple(_row(line) for line in bill_lines(plan)),
        numeric=tuple(range(1, len(HEADINGS))),
    )
    notes = Bullets(items=(UNITS_NOTE, TOTAL_NOTE))
    return (Chart(picture=monthly_cost.rows(plan)), lines, notes, *_worth(context))


def _worth(context: ReportContext) -> tuple[Block, ...]:
    """What waiting takes of the worth that the workloads state, with the rows it is the sum of."""
    view = context.view
    told = value_sentence(net_value_of(view.scenario, view.plan), weighs_value(view.scenario.policy))
    rows = [row.cells for row in value_rows(view)]
    if not rows:
        return (Paragraph(text=told),)
    table = Table(
        caption="What tasks are worth by what the workloads say, and what waiting takes of it",
        headings=tuple(rows[0]),
        rows=tuple(tuple(cells.values()) for cells in rows),
        numeric=(1, 2, 3, 4, 5),
    )
    return (Paragraph(text=told), table)


def _row(line: BillLine) -> tuple[str, ...]:
    return (line.name, *(show(name, getattr(line, name)) for name in (*PART_NAMES, *UNIT_NAMES)))
