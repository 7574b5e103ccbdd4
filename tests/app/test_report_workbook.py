"""The workbook's figures are the plan's, its ladder follows by its formulas, its texts stay texts."""

import io
import re
from datetime import date

import formualizer
import pytest
from python_calamine import CalamineWorkbook

from app import workbench
from app.report.writing import compose, write
from models.bill_lines import TOTAL_NAME
from tests.app import tiny
from tests.app.report_reading import cells_of, sheets_of
from tests.app.test_report import HOSTILE, hostile_draft

DAY = date(2026, 11, 30)
FIRST_ROW = 7
LADDER = "Cost ladder"
LETTERS = "ABCDEFGHIJKLMNO"


def workbook(seen):
    return write(compose(seen, DAY), ".xlsx")


def ladder_of(raw):
    return next(sheet for sheet in sheets_of(raw) if sheet.title == LADDER)


def engine_of(raw):
    """The workbook in a calculation engine of somebody else's, every formula worked out anew."""
    engine = formualizer.load_workbook_bytes(raw)
    engine.evaluate_all()
    return engine


def worked_out(engine, address):
    """The value of a cell of the ladder as the engine has it."""
    return engine.evaluate_cell(LADDER, int(address[1:]), LETTERS.index(address[0]) + 1)


def bound_to_machines():
    """The worked example while nine replicas of a tier are paid that the plan needs less of."""
    draft = workbench.worked_example()
    entry = {"tier": "mi300x_x1_vllm", "replica_count": 9, "committed_until": "2027-06-30"}
    return workbench.view(draft | {"fleet": [entry]})


SCENARIOS = {
    "two endpoints": tiny.view,
    "worked example": lambda: workbench.view(workbench.worked_example()),
    "committed": bound_to_machines,
}


@pytest.fixture(scope="module", params=list(SCENARIOS))
def seen(request):
    return SCENARIOS[request.param]()


def test_the_ladders_formulas_give_the_plans_costs(seen):
    raw = workbook(seen)
    sheet, engine = ladder_of(raw), engine_of(raw)
    for row, each in enumerate(seen.plan.allocations, start=FIRST_ROW):
        assert sheet[f"A{row}"].value == each.workload
        for letter, expected in (
            ("L", each.cost.cost_usd_per_h),
            ("M", each.cost.cost_usd_per_mtok_output),
            ("N", each.cost.cost_usd_per_request),
            ("O", each.cost.cost_usd_per_task),
        ):
            assert str(sheet[f"{letter}{row}"].value).startswith("=")
            assert worked_out(engine, f"{letter}{row}") == pytest.approx(expected, rel=1e-9)


def test_its_last_row_is_the_whole_plan(seen):
    raw = workbook(seen)
    sheet, engine, totals = ladder_of(raw), engine_of(raw), seen.plan.totals
    last = next(row for row in range(FIRST_ROW, 40) if sheet[f"A{row}"].value == TOTAL_NAME)
    for letter, expected in (
        ("B", totals.cost_usd_per_month),
        ("C", totals.idle_cost_usd_per_month),
        ("D", totals.redundancy_cost_usd_per_month),
        ("E", totals.committed_cost_usd_per_month),
        ("K", totals.request_count_per_month),
        ("L", totals.cost_usd_per_h),
        ("M", totals.cost_usd_per_mtok_output),
    ):
        assert str(sheet[f"{letter}{last}"].value).startswith("=")
        assert worked_out(engine, f"{letter}{last}") == pytest.approx(expected, rel=1e-9), letter


def test_what_is_committed_and_not_used_has_a_row_of_its_own():
    seen = bound_to_machines()
    unused_usd = seen.plan.totals.committed_cost_usd_per_month
    assert unused_usd > 0
    sheet = ladder_of(workbook(seen))
    row = FIRST_ROW + len(seen.plan.allocations)
    assert sheet[f"A{row}"].value == "Committed, not used"
    assert sheet[f"B{row}"].value == sheet[f"E{row}"].value == pytest.approx(unused_usd)


def test_a_changed_input_moves_every_rung():
    engine = engine_of(workbook(tiny.view()))
    before = [worked_out(engine, f"{letter}{FIRST_ROW}") for letter in "LMNO"]
    engine.set_value(LADDER, FIRST_ROW, 2, 2 * worked_out(engine, f"B{FIRST_ROW}"))
    after = [worked_out(engine, f"{letter}{FIRST_ROW}") for letter in "LMNO"]
    assert after == pytest.approx([2 * value for value in before])


def test_a_reader_without_a_calculator_sees_the_same_values(seen):
    """The values kept beside the formulas, for previews that calculate nothing."""
    raw = workbook(seen)
    kept = CalamineWorkbook.from_filelike(io.BytesIO(raw)).get_sheet_by_name(LADDER).to_python()
    sheet, engine = ladder_of(raw), engine_of(raw)
    formulas = [cell for row in sheet for cell in row if cell.data_type == "f"]
    assert len(formulas) > len(seen.plan.allocations)
    for cell in formulas:
        found = worked_out(engine, cell.coordinate)
        assert kept[cell.row - 1][cell.column - 1] == pytest.approx(found, rel=1e-9, abs=1e-9), (
            cell.coordinate
        )


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
    assert all(re.fullmatch(r'=(SUM|SUMPRODUCT|IF)?[A-Z\d$()*/+\-:=,"]+', each) for each in formulas)
    assert [cell for cell in cells if cell.hyperlink] == []
    named = [cell for cell in cells if isinstance(cell.value, str) and text.strip() in cell.value]
    assert named
    assert all(cell.quotePrefix for cell in named)
