"""The workbook's figures are the plan's, its ladder follows by its formulas, its texts stay texts."""

import io
import re
from datetime import date

import pytest
from python_calamine import CalamineWorkbook

from app import workbench
from app.report.writing import compose, write
from tests.app import tiny
from tests.app.report_reading import cells_of, sheets_of
from tests.app.test_report import HOSTILE, hostile_draft

DAY = date(2026, 11, 30)
FIRST_ROW = 7
CELL = re.compile(r"\$?([A-Z])\$?(\d+)")


def workbook(seen):
    return write(compose(seen, DAY), ".xlsx")


def ladder_of(raw):
    return next(sheet for sheet in sheets_of(raw) if sheet.title == "Cost ladder")


def worked_out(sheet, address):
    """The value of a cell by its formula; only what the ladder uses: + - * /, IF and SUM of a column."""
    value = sheet[address].value
    if not isinstance(value, str) or not value.startswith("="):
        return value
    text = re.sub(r"SUM\(([A-Z])(\d+):\1(\d+)\)", _summed, value[1:])
    branch = re.fullmatch(r'IF\((.+)=0,"",(.+)\)', text)
    if branch:
        return "" if _sum(sheet, branch[1]) == 0 else _sum(sheet, branch[2])
    return _sum(sheet, text)


def _summed(found):
    return "+".join(f"{found[1]}{row}" for row in range(int(found[2]), int(found[3]) + 1))


def _sum(sheet, expression):
    numbers = CELL.sub(lambda cell: repr(float(worked_out(sheet, cell[1] + cell[2]))), expression)
    assert re.fullmatch(r"[\d.e+\-*/()]+", numbers)
    return eval(numbers)


@pytest.fixture(scope="module", params=["two endpoints", "worked example"])
def seen(request):
    return tiny.view() if request.param == "two endpoints" else workbench.view(workbench.worked_example())


def test_the_ladders_formulas_give_the_plans_costs(seen):
    sheet = ladder_of(workbook(seen))
    for row, each in enumerate(seen.plan.allocations, start=FIRST_ROW):
        assert sheet[f"A{row}"].value == each.workload
        for letter, expected in (
            ("K", each.cost.cost_usd_per_h),
            ("L", each.cost.cost_usd_per_mtok_output),
            ("M", each.cost.cost_usd_per_request),
            ("N", each.cost.cost_usd_per_task),
        ):
            assert str(sheet[f"{letter}{row}"].value).startswith("=")
            assert worked_out(sheet, f"{letter}{row}") == pytest.approx(expected, rel=1e-9)
    last = FIRST_ROW + len(seen.plan.allocations)
    assert worked_out(sheet, f"B{last}") == pytest.approx(seen.plan.totals.cost_usd_per_month, rel=1e-9)


def test_a_changed_input_moves_every_rung():
    sheet = ladder_of(workbook(tiny.view()))
    before = [worked_out(sheet, f"{letter}{FIRST_ROW}") for letter in "KLMN"]
    sheet[f"B{FIRST_ROW}"] = 2 * sheet[f"B{FIRST_ROW}"].value
    after = [worked_out(sheet, f"{letter}{FIRST_ROW}") for letter in "KLMN"]
    assert after == pytest.approx([2 * value for value in before])


def test_a_reader_without_a_calculator_sees_the_same_values(seen):
    """The values kept beside the formulas, for previews that calculate nothing."""
    raw = workbook(seen)
    kept = CalamineWorkbook.from_filelike(io.BytesIO(raw)).get_sheet_by_name("Cost ladder").to_python()
    sheet = ladder_of(raw)
    for row in range(FIRST_ROW, FIRST_ROW + len(seen.plan.allocations)):
        for column, letter in enumerate("ABCDEFGHIJKLMN"):
            found = worked_out(sheet, f"{letter}{row}")
            assert kept[row - 1][column] == (found if isinstance(found, str) else pytest.approx(found))


def test_the_figures_are_numbers_and_what_is_unknown_is_blank():
    seen = tiny.view()
    raw = workbook(seen)
    sheets = {sheet.title: sheet for sheet in sheets_of(raw)}
    heads = [cell.value for cell in sheets["Allocations"][1]]
    row = dict(zip(heads, [cell.value for cell in sheets["Allocations"][2]], strict=True))
    [allocation] = seen.plan.allocations
    assert row["Time to first token [s], p50"] == pytest.approx(allocation.ttft_s.p50)
    assert allocation.ttft_s.p95 is None
    assert row["Time to first token [s], p95"] is None
    assert sheets["Pools"]["A2"].value == seen.plan.pools[0].name
    assert sheets["Targets"]["D2"].value == seen.plan.allocations[0].targets[0].target.limit_s


def test_the_workbook_has_native_charts_of_the_ladder():
    assert len(ladder_of(workbook(tiny.view()))._charts) == 2


@pytest.mark.parametrize("text", [*HOSTILE, "+1+1", "-2+3", "@SUM(A1)", "\t=1+1", "=cmd|' /C calc'!A0"])
def test_no_name_becomes_a_formula_or_a_link(text):
    own = workbench.view(hostile_draft(text.strip() or text))
    cells = cells_of(workbook(own))
    formulas = {cell.value for cell in cells if cell.data_type == "f"}
    assert all(re.fullmatch(r'=(SUM|IF)?[A-Z\d$()*/+\-:=,"]+', each) for each in formulas)
    assert [cell for cell in cells if cell.hyperlink] == []
    named = [cell for cell in cells if isinstance(cell.value, str) and text.strip() in cell.value]
    assert named
    assert all(cell.quotePrefix for cell in named)
