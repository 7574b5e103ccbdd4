"""The ladder of cost as live formulas: change a blue cell and every rung from month to task follows."""

from collections.abc import Mapping
from typing import Any

from xlsxwriter.workbook import Workbook
from xlsxwriter.worksheet import Worksheet

from app.report.workbook_styles import Styles
from app.workbench import View
from models.bill_lines import BillLine, bill_lines
from models.cost import HOURS_PER_MONTH, SECONDS_PER_HOUR, calls_per_month
from models.workloads import Demand

NAME = "Cost ladder"
HEAD_ROW = 5  # counted from 0; the first workload stands under it
NARROW, WIDE = 15, 26
HEADS = (
    "Workload",
    "Cost per month [USD]",
    "Idle capacity [USD a month]",
    "Spare units [USD a month]",
    "Committed, not used [USD a month]",
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
# Columns of formulas by letter; {row} is the line's own row.
FORMULAS: Mapping[str, str] = {
    "F": "=B{row}-C{row}-D{row}-E{row}",
    "K": "=G{row}*I{row}*H{row}*$B$3*$B$4",
    "L": "=B{row}/$B$3",
    "M": '=IF(K{row}*J{row}=0,"",B{row}/(K{row}*J{row}/1000000))',
    "N": '=IF(K{row}=0,"",B{row}/K{row})',
    "O": '=IF(K{row}=0,"",B{row}/(K{row}/I{row}))',
}
# The row of the whole plan: sums of the lines above, and the whole bill over all tokens and requests.
TOTAL_FORMULAS: Mapping[str, str] = {
    **{letter: f"=SUM({letter}{{first}}:{letter}{{last}})" for letter in "BCDEFK"},
    "L": "=B{row}/$B$3",
    "M": '=IF(K{row}=0,"",B{row}/(SUMPRODUCT(K{first}:K{last},J{first}:J{last})/1000000))',
    "N": '=IF(K{row}=0,"",B{row}/K{row})',
}
MONEY = ("B", "C", "D", "E", "F")


def ladder(book: Workbook, styles: Styles, view: View) -> None:
    """One row a line of the bill: what is known in blue, what follows as formulas with their values kept."""
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
    *lines, total = bill_lines(view.plan)
    for row, line in enumerate(lines, start=HEAD_ROW + 1):
        _line(sheet, styles, row, line, demands.get(line.name) if line.kind == "workload" else None)
    if view.plan.allocations:
        _total(sheet, styles, view, total, len(lines))
        _monthly_chart(book, sheet, len(lines))
        _ladder_chart(book, sheet, len(view.plan.allocations), len(lines))


def _line(sheet: Worksheet, styles: Styles, row: int, line: BillLine, demand: Demand | None) -> None:
    """A workload's row, or the row of money that no workload uses, which has no units to divide by."""
    sheet.write_string(row, 0, line.name, styles.text)
    known: dict[int, float] = {
        1: line.cost_usd_per_month,
        2: line.idle_cost_usd_per_month,
        3: line.redundancy_cost_usd_per_month,
        4: line.committed_cost_usd_per_month,
    }
    kept: dict[str, float | None] = {
        "F": line.work_cost_usd_per_month,
        "L": line.cost_usd_per_month / HOURS_PER_MONTH,
    }
    if demand is not None:
        known |= {
            6: demand.peak_rate_req_per_s,
            7: demand.mean_to_peak_fraction,
            8: demand.workload.call_count_per_task,
            9: demand.workload.output_tok.mean_tok,
        }
        kept |= {
            "K": calls_per_month(demand),
            "M": line.cost_usd_per_mtok_output,
            "N": line.cost_usd_per_request,
            "O": line.cost_usd_per_task,
        }
    for column, amount in known.items():
        sheet.write_number(row, column, amount, styles.asked)
    for letter, value in kept.items():
        _formula(sheet, styles, letter, row, FORMULAS[letter].format(row=row + 1), value)


def _total(sheet: Worksheet, styles: Styles, view: View, total: BillLine, count: int) -> None:
    row, totals = HEAD_ROW + 1 + count, view.plan.totals
    sheet.write_string(row, 0, total.name, styles.text)
    kept: dict[str, float | None] = {
        "B": total.cost_usd_per_month,
        "C": total.idle_cost_usd_per_month,
        "D": total.redundancy_cost_usd_per_month,
        "E": total.committed_cost_usd_per_month,
        "F": total.work_cost_usd_per_month,
        "K": totals.request_count_per_month,
        "L": totals.cost_usd_per_h,
        "M": total.cost_usd_per_mtok_output,
        "N": total.cost_usd_per_request,
    }
    for letter, value in kept.items():
        formula = TOTAL_FORMULAS[letter].format(row=row + 1, first=HEAD_ROW + 2, last=row)
        _formula(sheet, styles, letter, row, formula, value)


def _formula(
    sheet: Worksheet, styles: Styles, letter: str, row: int, formula: str, value: float | None
) -> None:
    """A formula with the value that a reader without a calculator sees."""
    style = styles.money if letter in MONEY else styles.number if letter == "K" else styles.small_money
    sheet.write_formula(f"{letter}{row + 1}", formula, style, "" if value is None else value)


def _monthly_chart(book: Workbook, sheet: Worksheet, count: int) -> None:
    chart: Any = book.add_chart({"type": "bar", "subtype": "stacked"})
    for column, colour in ((5, "#3741C4"), (2, "#C27C0E"), (3, "#1897C0"), (4, "#F11364")):
        chart.add_series(_series(column, count) | {"fill": {"color": colour}})
    chart.set_title({"name": "Where does the money go in a month?"})
    chart.set_x_axis({"num_format": "$#,##0", "major_gridlines": {"visible": True}})
    chart.set_y_axis({"reverse": True})
    _place(sheet, chart, count, 0)


def _ladder_chart(book: Workbook, sheet: Worksheet, workload_count: int, count: int) -> None:
    chart: Any = book.add_chart({"type": "column"})
    for column in (12, 13, 14):
        chart.add_series(_series(column, workload_count))
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
