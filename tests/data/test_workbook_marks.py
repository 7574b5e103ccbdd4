"""What a workbook shows and its values do not tell: errors, formulas without results, what is hidden."""

import io
import zipfile

import openpyxl
import pytest
import xlsxwriter

from data.imports import import_file
from data.workbook_marks import cell_address, marks_of_sheets

OFFICE = "urn:oasis:names:tc:opendocument:xmlns:"


def book(change, *rows, name="runs") -> bytes:
    """A workbook of one table after `change` was made to it, as openpyxl writes it: without any result."""
    made = openpyxl.Workbook()
    sheet = made.active
    sheet.title = name
    for row in rows:
        sheet.append(row)
    change(made, sheet)
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def open_document(*rows: str, columns: str = "", styles: str = "", style: str = "") -> bytes:
    content = (
        f'<?xml version="1.0"?><office:document-content xmlns:office="{OFFICE}office:1.0" '
        f'xmlns:table="{OFFICE}table:1.0" xmlns:text="{OFFICE}text:1.0" xmlns:style="{OFFICE}style:1.0">'
        f"<office:automatic-styles>{styles}</office:automatic-styles><office:body><office:spreadsheet>"
        f'<table:table table:name="runs"{style}>{columns}{"".join(rows)}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", content)
        archive.writestr("META-INF/manifest.xml", "<manifest/>")
    return out.getvalue()


def text_cell(text: str) -> str:
    return f'<table:table-cell office:value-type="string"><text:p>{text}</text:p></table:table-cell>'


def number_cell(value: float) -> str:
    return f'<table:table-cell office:value-type="float" office:value="{value}"/>'


def ods_row(*cells: str, more: str = "") -> str:
    return f"<table:table-row{more}>{''.join(cells)}</table:table-row>"


def words(found) -> str:
    return " | ".join(str(problem) for problem in found.problems)


def errors(found) -> str:
    return " | ".join(str(problem) for problem in found.problems if problem.severity == "error")


HEADER = ("model", "concurrency", "ttft_ms_p50", "output_tps")


def test_cells_go_by_the_names_a_spreadsheet_program_gives_them():
    assert [cell_address(0, 0), cell_address(2, 1), cell_address(9, 26), cell_address(0, 701)] == [
        "A1",
        "B3",
        "AA10",
        "ZZ1",
    ]


def test_a_formula_without_its_result_refuses_its_row_and_names_the_cell():
    raw = book(lambda *_: None, HEADER, ("toy-3b", 2, 30, 90), ("toy-3b", 4, "=C2*1.2", 150))
    found = import_file("book.xlsx", raw)
    assert [row.concurrency_count for row in found.measurements] == [2]
    assert "sheet 'runs', row 3, column ttft_ms_p50: '#NO VALUE =C2*1.2' is a formula" in errors(found)
    assert "cells C3 (#NO VALUE =C2*1.2): formulas were saved without their results" in words(found)
    assert "save it there" in words(found)


def test_a_formula_without_its_result_is_no_name_either():
    raw = book(lambda *_: None, HEADER, ('="toy-"&"3b"', 2, 30, 90))
    found = import_file("book.xlsx", raw)
    assert found.refused
    assert "row 2, column model" in errors(found)


def test_a_zero_that_a_library_wrote_for_want_of_a_result_is_none():
    out = io.BytesIO()
    made = xlsxwriter.Workbook(out)
    sheet = made.add_worksheet("runs")
    sheet.write_row(0, 0, HEADER)
    sheet.write_row(1, 0, ("toy-3b", 2, 30))
    sheet.write_formula(1, 3, "=2*45")  # xlsxwriter writes 0 as its result and asks for a calculation
    sheet.write_row(2, 0, ("toy-3b", 4, 40))
    sheet.write_formula(2, 3, "=4*40", None, 160)
    made.close()
    found = import_file("book.xlsx", out.getvalue())
    assert [row.output_rate_tok_per_s for row in found.measurements] == [160]
    assert "row 2, column output_tps" in errors(found)


def test_a_formula_with_its_result_is_read_as_that():
    out = io.BytesIO()
    made = xlsxwriter.Workbook(out)
    sheet = made.add_worksheet("runs")
    sheet.write_row(0, 0, HEADER)
    sheet.write_row(1, 0, ("toy-3b", 2))
    sheet.write_formula(1, 2, "=10*3", None, 30)
    made.close()
    found = import_file("book.xlsx", out.getvalue())
    (row,) = found.measurements
    assert row.ttft_s.p50 == 0.03
    assert "formula" not in words(found)


def test_cells_that_show_an_error_are_named():
    def fail(_, sheet):
        for cell, error in (("C3", "#DIV/0!"), ("C4", "#N/A"), ("A5", "#REF!")):
            sheet[cell] = error
            sheet[cell].data_type = "e"

    rows = [("toy-3b", load, 30 + load, 40 * load) for load in (2, 4, 8, 16)]
    found = import_file("book.xlsx", book(fail, HEADER, *rows))
    assert [(row.model, row.ttft_s.p50) for row in found.measurements] == [
        ("toy-3b", 0.032),
        ("toy-3b", None),
        ("toy-3b", None),
        (None, 0.046),
    ]
    for word in (
        "row 3, column ttft_ms_p50: '#DIV/0!'",
        "row 4, column ttft_ms_p50: '#N/A'",
        "row 5, column model",
    ):
        assert f"sheet 'runs', {word}" in words(found)
    assert "cells C3 (#DIV/0!), C4 (#N/A), A5 (#REF!): cells that show an error have no value" in words(found)


def test_a_hidden_sheet_is_not_read_and_that_is_said():
    def hide(made, _):
        for title, state in (("old", "hidden"), ("older", "veryHidden")):
            sheet = made.create_sheet(title)
            sheet.append(HEADER)
            sheet.append(("old-3b", 2, 99, 9))
            sheet.sheet_state = state

    found = import_file("book.xlsx", book(hide, HEADER, ("toy-3b", 2, 30, 90)))
    assert [row.model for row in found.measurements] == ["toy-3b"]
    assert "sheet 'old', and 1 more: the sheet is hidden and was not read" in words(found)


def test_a_workbook_whose_runs_are_all_hidden_is_refused_with_the_reason():
    def hide(made, sheet):
        made.create_sheet("front").append(["See the other sheet"])
        sheet.sheet_state = "hidden"

    found = import_file("book.xlsx", book(hide, HEADER, ("toy-3b", 2, 30, 90)))
    assert found.refused
    assert "sheet 'runs': the sheet is hidden and was not read. Unhide it" in words(found)


def test_hidden_rows_and_columns_are_read_and_that_is_said():
    def hide(_, sheet):
        sheet.row_dimensions[3].hidden = sheet.row_dimensions[4].hidden = True
        sheet.column_dimensions["D"].hidden = True

    rows = [("toy-3b", load, 30 + load, 40 * load) for load in (2, 4, 8, 16)]
    found = import_file("book.xlsx", book(hide, HEADER, *rows))
    assert len(found.measurements) == 4
    assert "sheet 'runs', rows 3-4: hidden or filtered out, and read all the same" in words(found)
    assert "sheet 'runs', columns D: hidden, and read all the same" in words(found)


def test_an_open_document_says_the_same():
    failed = (
        '<table:table-cell table:formula="of:=[.A1]/0" office:value-type="string" office:string-value="">'
        "<text:p>#DIV/0!</text:p></table:table-cell>"
    )
    pending = '<table:table-cell table:formula="of:=[.C2]*2"/>'
    done = '<table:table-cell table:formula="of:=3*10" office:value-type="float" office:value="30"/>'
    raw = open_document(
        ods_row(*(text_cell(each) for each in HEADER)),
        ods_row(text_cell("toy-3b"), number_cell(2), done, number_cell(90)),
        ods_row(text_cell("toy-3b"), number_cell(4), failed, number_cell(150)),
        ods_row(text_cell("toy-3b"), number_cell(8), pending, number_cell(260)),
        ods_row(
            text_cell("toy-3b"),
            number_cell(16),
            number_cell(70),
            number_cell(400),
            more=' table:visibility="filter"',
        ),
        columns='<table:table-column table:number-columns-repeated="4"/>',
    )
    found = import_file("book.ods", raw)
    assert [(row.concurrency_count, row.ttft_s.p50) for row in found.measurements] == [
        (2, 0.03),
        (4, None),
        (16, 0.07),
    ]
    assert "cells C3 (#DIV/0!)" in words(found)
    assert "row 4, column ttft_ms_p50: '#NO VALUE =[.C2]*2' is a formula" in errors(found)
    assert "row 5: hidden or filtered out, and read all the same" in words(found)


def test_a_formula_that_stands_in_a_csv_refuses_its_row():
    found = import_file("t.csv", b"concurrency,ttft_ms_p50\n2,30\n4,=B2*2\n")
    assert [row.ttft_s.p50 for row in found.measurements] == [0.03]
    assert "row 3, column ttft_ms_p50: '=B2*2' is a formula without its result" in errors(found)


def test_a_workbook_that_declares_a_document_type_is_not_expanded():
    raw = book(lambda *_: None, HEADER, ("toy-3b", 2, "=1+1", 90))
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            body = old.read(name)
            if name.endswith("sheet1.xml"):
                body = b'<!DOCTYPE worksheet [<!ENTITY a "aaaa">]>' + body
            new.writestr(name, body)
    found = import_file("book.xlsx", out.getvalue())
    assert found.problems  # read without its marks, or refused: never expanded


def test_marks_that_repeat_without_end_take_no_memory():
    error = (
        '<table:table-cell table:formula="of:=1/0" table:number-columns-repeated="999999999" '
        'office:value-type="string"><text:p>#DIV/0!</text:p></table:table-cell>'
    )
    endless = ' table:number-rows-repeated="999999999" table:visibility="collapse"'
    columns = '<table:table-column table:number-columns-repeated="999999999" table:visibility="collapse"/>'
    (marks,) = marks_of_sheets(open_document(ods_row(error, more=endless), columns=columns)).values()
    assert len(marks.errors) == 1_000
    assert (len(marks.hidden_rows), len(marks.hidden_columns)) == (1_048_576, 16_384)


@pytest.mark.parametrize("place", range(40, 400, 30))
def test_a_workbook_with_damaged_members_is_read_or_refused(place):
    raw = bytearray(book(lambda *_: None, HEADER, ("toy-3b", 2, "=1+1", 90)))
    raw[place : place + 4] = b"\xff\x00\xff\x00"
    found = import_file("book.xlsx", bytes(raw))
    assert found.measurements or found.problems
