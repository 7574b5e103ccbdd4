"""The ladder of cost as live formulas: change a blue cell and every rung from month to task follows."""

from collections.abc import Mapping
from typing import Any

from xlsxwriter.workbook import Workbook
from xlsxwriter.worksheet import Worksheet

from app.report.workbook_styles import Styles
from app.workbench import View
from models.cost import HOURS_PER_MONTH, SECONDS_PER_HOUR, calls_per_month
from models.plans import Allocation
from models.workloads import Demand

NAME = "Cost ladder"
HEAD_ROW = 5  # counted from 0; the first workload stands under it
NARROW, WIDE = 15, 26
HEADS = (
    "Workload",
    "Cost per month [USD]",
    "Idle capacity [USD a month]",
    "Spare units [USD a month]",
    "Work [USD a month]",
    "Tasks at peak [1/s]",
    "Mean of day to peak",
    "Calls per task",
    "Output tokens per request",
    "Requests per month",
    "Per hour [USD]",
    "Per million output tokens [USD]",
    "Per request [USD]",
    "Per task [USD]",
)
# Columns of formulas by letter; {row} is the workload's own row.
FORMULAS: Mapping[str, str] = {
    "E": "=B{row}-C{row}-D{row}",
    "J": "=F{row}*H{row}*G{row}*$B$3*$B$4",
    "K": "=B{row}/$B$3",
    "L": '=IF(J{row}*I{row}=0,"",B{row}/(J{row}*I{row}/1000000))',
    "M": '=IF(J{row}=0,"",B{row}/J{row})',
    "N": '=IF(J{row}=0,"",B{row}/(J{row}/H{row}))',
}


def ladder(book: Workbook, styles: Styles, view: View) -> None:
    """One row a workload: what is known in blue, what follows as formulas with the plan's values kept."""
    sheet = book.add_worksheet(NAME)
    sheet.set_column(0, 0, WIDE)
    sheet.set_column(1, len(HEADS) - 1, NARROW)
    sheet.set_row(HEAD_ROW, 48)
    sheet.write_string(0, 0, "Cost ladder: month, hour, million tokens, request, task", styles.title)
    sheet.write_string(1, 0, "Blue cells are inputs; the others follow from them.", styles.faint)
    sheet.write_string(2, 0, "Hours in a month", styles.text)
    sheet.write_number(2, 1, HOURS_PER_MONTH, styles.asked)
    sheet.write_string(3, 0, "Seconds in an hour", styles.text)
    sheet.write_number(3, 1, SECONDS_PER_HOUR, styles.asked)
    for column, head in enumerate(HEADS):
        sheet.write_string(HEAD_ROW, column, head, styles.wrapped)
    demands = {demand.workload.name: demand for demand in view.scenario.demands}
    for row, each in enumerate(view.plan.allocations, start=HEAD_ROW + 1):
        _inputs(sheet, styles, row, each, demands[each.workload])
        _rungs(sheet, styles, row, each, demands[each.workload])
    count = len(view.plan.allocations)
    if count:
        _total(sheet, styles, view, count)
        _monthly_chart(book, sheet, count)
        _ladder_chart(book, sheet, count)


def _inputs(sheet: Worksheet, styles: Styles, row: int, each: Allocation, demand: Demand) -> None:
    sheet.write_string(row, 0, each.workload, styles.text)
    known = {
        1: each.cost.cost_usd_per_month,
        2: each.cost.idle_cost_usd_per_month,
        3: each.cost.redundancy_cost_usd_per_month,
        5: demand.peak_rate_req_per_s,
        6: demand.mean_to_peak_fraction,
        7: demand.workload.call_count_per_task,
        8: demand.workload.output_tok.mean_tok,
    }
    for column, value in known.items():
        sheet.write_number(row, column, value, styles.asked)


def _rungs(sheet: Worksheet, styles: Styles, row: int, each: Allocation, demand: Demand) -> None:
    cost = each.cost
    kept = {
        "E": cost.cost_usd_per_month - cost.idle_cost_usd_per_month - cost.redundancy_cost_usd_per_month,
        "J": calls_per_month(demand),
        "K": cost.cost_usd_per_h,
        "L": cost.cost_usd_per_mtok_output,
        "M": cost.cost_usd_per_request,
        "N": cost.cost_usd_per_task,
    }
    for letter, formula in FORMULAS.items():
        style = {"E": styles.money, "J": styles.number}.get(letter, styles.small_money)
        value = kept[letter]
        sheet.write_formula(
            f"{letter}{row + 1}", formula.format(row=row + 1), style, "" if value is None else value
        )


def _total(sheet: Worksheet, styles: Styles, view: View, count: int) -> None:
    row, first = HEAD_ROW + 1 + count, HEAD_ROW + 2
    sheet.write_string(row, 0, "All workloads", styles.text)
    total = sum(each.cost.cost_usd_per_month for each in view.plan.allocations)
    sheet.write_formula(row, 1, f"=SUM(B{first}:B{row})", styles.money, total)


def _monthly_chart(book: Workbook, sheet: Worksheet, count: int) -> None:
    chart: Any = book.add_chart({"type": "bar", "subtype": "stacked"})
    for column, colour in ((4, "#3741C4"), (2, "#C27C0E"), (3, "#1897C0")):
        chart.add_series(_series(column, count) | {"fill": {"color": colour}})
    chart.set_title({"name": "Where does the money go in a month?"})
    chart.set_x_axis({"num_format": "$#,##0", "major_gridlines": {"visible": True}})
    chart.set_y_axis({"reverse": True})
    _place(sheet, chart, count, 0)


def _ladder_chart(book: Workbook, sheet: Worksheet, count: int) -> None:
    chart: Any = book.add_chart({"type": "column"})
    for column in (11, 12, 13):
        chart.add_series(_series(column, count))
    chart.set_title({"name": "Cost per million tokens, request and task"})
    chart.set_y_axis({"log_base": 10, "num_format": "$0.######", "crossing": 1e-6})
    _place(sheet, chart, count, 6)


def _series(column: int, count: int) -> dict[str, Any]:
    first, last = HEAD_ROW + 1, HEAD_ROW + count
    return {
        "name": [NAME, HEAD_ROW, column],
        "categories": [NAME, first, 0, last, 0],
        "values": [NAME, first, column, last, column],
    }


def _place(sheet: Worksheet, chart: Any, count: int, column: int) -> None:
    chart.set_size({"width": 620, "height": 340})
    chart.set_legend({"position": "bottom"})
    sheet.insert_chart(HEAD_ROW + count + 4, column, chart)
