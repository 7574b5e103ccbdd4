"""Hand-made tables: what is understood, what is asked back, and that nothing is guessed in silence."""

from pathlib import Path

import pytest

from data.cell_numbers import NotANumber, decimal_mark_of, number_of
from data.column_names import meaning_of
from data.columns import MEASUREMENT_COLUMNS
from data.exports import TEMPLATE_COLUMNS, template_csv
from data.imported import as_json
from data.imports import import_file
from data.row_checks import MOST_PROBLEMS_SHOWN
from data.store import open_store
from models.problems import InputProblems

SAMPLES = Path(__file__).parent / "samples"


def table(*lines: str, encoding: str = "utf-8"):
    return import_file("table.csv", "\n".join(lines).encode(encoding))


def errors(imported):
    return [problem for problem in imported.problems if problem.severity == "error"]


def warnings(imported):
    return [problem for problem in imported.problems if problem.severity == "warning"]


def test_the_sample_table_is_read_in_base_units_without_a_complaint():
    imported = import_file("points.csv", (SAMPLES / "points.csv").read_bytes())
    assert (imported.format_key, imported.rows_read, imported.problems) == ("csv", 3, ())
    first = imported.measurements[0]
    assert (first.ttft_s.mean, first.ttft_s.p95, first.tpot_s.mean, first.e2e_s.mean) == (
        0.1,
        0.14,
        0.01,
        1.1,
    )
    assert (first.load_kind, first.concurrency_count, first.accelerator_count) == ("concurrency", 2, 2)
    assert (first.isl_tok, first.osl_tok, first.request_count, first.error_count) == (500, 101, 200, 0)
    assert imported.row_numbers == (3, 4, 5)


def test_a_german_table_is_read_by_its_own_decimal_comma():
    imported = import_file("german.csv", (SAMPLES / "german.csv").read_bytes())
    assert errors(imported) == []
    low, high = imported.measurements
    assert (low.ttft_s.p50, low.tpot_s.mean, low.output_rate_tok_per_s) == (0.0885, 0.01125, 1310.5)
    assert (high.ttft_s.p50, high.concurrency_count) == (1.402, 40)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_letters_survive_every_encoding_excel_writes(encoding):
    imported = table("model,concurrency,ttft_µs_mean", "modèle-7b,2,90000", encoding=encoding)
    assert imported.measurements[0].model == "modèle-7b"
    assert imported.measurements[0].ttft_s.mean == 0.09


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_any_delimiter(delimiter):
    imported = table(delimiter.join(["concurrency", "ttft_ms_p50"]), delimiter.join(["4", "12.5"]))
    assert imported.measurements[0].ttft_s.p50 == 0.0125


@pytest.mark.parametrize(
    ("heading", "target", "power"),
    [
        ("ttft_ms_p50", "ttft_s_p50", -3),
        ("TTFT p99 (ms)", "ttft_s_p99", -3),
        ("Median TTFT (s)", "ttft_s_p50", 0),
        ("time to first token [sec] mean", "ttft_s_mean", 0),
        ("TPOT mean (ms/token)", "tpot_s_mean", -3),
        ("mean_itl_ms", "itl_s_mean", -3),
        ("p95_latency_s", "e2e_s_p95", 0),
        ("end-to-end latency p90 (ms)", "e2e_s_p90", -3),
        ("e2el_ms_p99", "e2e_s_p99", -3),
        ("ttft_s_p50", "ttft_s_p50", 0),
        ("batch size", "batch_count", 0),
        ("request_rate_rps", "offered_rate_req_per_s", 0),
        ("generation throughput", "output_rate_tok_per_s", 0),
        ("n_accelerators", "accelerator_count", 0),
        ("gpu", "accelerator", 0),
        ("benchmark duration (s)", "duration_s", 0),
    ],
)
def test_a_heading_and_its_unit(heading, target, power):
    meaning = meaning_of(heading)
    assert (meaning.target, meaning.power, meaning.doubt) == (target, power, "")


@pytest.mark.parametrize(
    "heading", ["", "p50", "ttft_p33", "price", "ttftx_ms", "latency (tok)", "gpu_price"]
)
def test_an_unknown_heading_means_nothing(heading):
    assert meaning_of(heading) is None


def test_every_template_and_glossary_column_is_understood():
    assert all(meaning_of(name) for name in TEMPLATE_COLUMNS + MEASUREMENT_COLUMNS)
    imported = import_file("template.csv", template_csv())
    assert [problem.message for problem in imported.problems] == ["the table has a header and no rows"]


def test_a_unit_in_the_cell_is_read():
    imported = table("concurrency,ttft_mean,output_tps", '4,210 ms,"1,250.5 tok/s"', "8,0.3 s,2000")
    assert [row.ttft_s.mean for row in imported.measurements] == [0.21, 0.3]
    assert imported.measurements[0].output_rate_tok_per_s == 1250.5


def test_a_latency_without_any_unit_is_asked_back():
    imported = table("concurrency,ttft_mean", "4,210")
    assert imported.refused
    assert errors(imported)[0].path == "row 2, column ttft_mean"
    assert "unit" in errors(imported)[0].message


@pytest.mark.parametrize(
    ("cells", "mark"),
    [
        (["1.5"], "point"),
        (["1,5"], "comma"),
        (["1.234,5"], "comma"),
        (["1,234.5"], "point"),
        (["1,234"], None),
        (["1.234"], None),
        (["1.234.567"], "comma"),
        (["7", "n/a"], None),
    ],
)
def test_what_proves_the_decimal_mark(cells, mark):
    assert decimal_mark_of(cells) == (mark, None)


@pytest.mark.parametrize(
    ("digits", "mark", "value"),
    [
        ("1 234.5", "point", 1234.5),
        ("1'234", "point", 1234),
        ("1_000", None, 1000),
        ("1,234,567", "point", 1234567),
        ("1.234,5", "comma", 1234.5),
        ("1.5e3", None, 1500),
        ("-2", None, -2),
        (".5", None, 0.5),
    ],
)
def test_numbers_with_and_without_thousands(digits, mark, value):
    assert number_of(digits, mark) == value


@pytest.mark.parametrize("digits", ["1e999", "1 23", "1,23,4", "1..2", "1,234"])
def test_what_is_no_number(digits):
    with pytest.raises(NotANumber):
        number_of(digits, None)


def test_an_ambiguous_thousand_is_asked_back():
    imported = table("concurrency;ttft_ms_p50", "4;2,101", "8;3,202")
    assert imported.refused
    assert "thousand or a decimal" in errors(imported)[0].message


def test_a_column_with_both_decimal_marks_is_read_cell_by_cell_and_said():
    imported = table("concurrency;ttft_ms_p50", "4;2,5", "8;3.5", "16;1.234,5", "32;1,234.5", "64;1,234")
    assert [row.ttft_s.p50 for row in imported.measurements] == [0.0025, 0.0035, 1.2345, 1.2345]
    assert [problem.path for problem in errors(imported)] == ["row 6, column ttft_ms_p50"]
    assert any("mixed" in problem.message for problem in imported.problems)


def test_each_column_of_a_mixed_file_goes_by_its_own_proof():
    imported = table(
        "concurrency;ttft_ms_p50;output_tps", "4;1.234,5;1,234.5", "8;2,101;2,202", "16;2.101;2.202"
    )
    assert [row.ttft_s.p50 for row in imported.measurements] == [1.2345, 0.002101, 2.101]
    assert [row.output_rate_tok_per_s for row in imported.measurements] == [1234.5, 2202, 2.202]


@pytest.mark.parametrize("cell", ["2,101", "2.101"])
def test_a_column_without_proof_in_a_mixed_file_is_asked_back(cell):
    imported = table("concurrency;ttft_ms_p50;output_tps", f"4;{cell};1.234,5", "8;90;1,234.5", "16;80;7")
    assert [row.ttft_s.p50 for row in imported.measurements] == [0.09, 0.08]
    (error,) = errors(imported)
    assert error.path == "row 2, column ttft_ms_p50"
    assert "thousand or a decimal" in error.message


@pytest.mark.parametrize("cell", ["1,000", "1.000"])
def test_decimal_commas_between_commas_prove_nothing_for_other_columns(cell):
    imported = table("concurrency,ttft_ms_p50,output_tps", f'4,"{cell}","1.234,5"', '8,90,"2.234,5"')
    assert [row.concurrency_count for row in imported.measurements] == [8]
    assert errors(imported)[0].path == "row 2, column ttft_ms_p50"


def test_a_decimal_comma_is_not_carried_into_whole_numbers():
    imported = table("concurrency;n_requests;ttft_ms_p50", "4;1,000;12,5", "8;200;13,5")
    assert [row.request_count for row in imported.measurements] == [200]
    assert errors(imported)[0].path == "row 2, column n_requests"


def test_a_german_table_may_have_three_decimals_everywhere_in_a_column():
    imported = table("concurrency;ttft_ms_p50;output_tps", "4;210,512;1.234,5", "8;480,123;2.345,5")
    assert [row.ttft_s.p50 for row in imported.measurements] == [0.210512, 0.480123]


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("1 234,5", 1234.5),
        ("1\u00a0234,5", 1234.5),
        ("1\u202f234,5", 1234.5),
        ("1\u2009234\u2009567,5", 1234567.5),
        ("1'234,5", 1234.5),
        ("1\u2019234,5", 1234.5),
        ("1.234,5", 1234.5),
    ],
)
def test_thousands_of_a_table_with_decimal_commas(cell, value):
    assert table("concurrency;output_tps", f"4;{cell}").measurements[0].output_rate_tok_per_s == value


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("1,00,000", 100_000),
        ("12,34,567.5", 1_234_567.5),
        ("1 234.5", 1234.5),
        ("1'234'567", 1_234_567),
        ("0.123", 0.123),
    ],
)
def test_thousands_of_a_table_with_decimal_points(cell, value):
    assert table("concurrency;output_tps", f"4;{cell}").measurements[0].output_rate_tok_per_s == value


@pytest.mark.parametrize("cell", ["1.2.3", "1,2,3.5", "1,0,000", "1 23,5"])
def test_a_malformed_number_proves_no_decimal_mark_and_refuses_its_row(cell):
    imported = table("concurrency;output_tps", f"4;{cell}", "8;2,101.5")
    assert [row.output_rate_tok_per_s for row in imported.measurements] == [2101.5]
    assert errors(imported)[0].path == "row 2, column output_tps"


def test_equal_cells_are_the_same_reading_however_long_the_column():
    rows = [f"{load},{load % 7}.5,{load}.25" for load in range(1, 25_001)]
    imported = table("concurrency,ttft_ms_p50,output_tps", *rows)
    assert [row.ttft_s.p50 for row in imported.measurements] == [
        float(f"{load % 7}.5e-3") for load in range(1, 25_001)
    ]
    assert [row.output_rate_tok_per_s for row in imported.measurements][-1] == 25_000.25


@pytest.mark.parametrize("cell", ["oops", "NaN", "inf", "-inf", "1e999", "-5", "0x10", "1 2 3"])
def test_a_bad_cell_refuses_its_row_by_line_and_column_and_keeps_the_others(cell):
    imported = table("# a note", "concurrency,ttft_ms_p50", "2,10", f"4,{cell}", "8,30")
    assert [row.concurrency_count for row in imported.measurements] == [2, 8]
    (error,) = errors(imported)
    assert error.path == "row 4, column ttft_ms_p50"
    assert error.cure
    assert imported.rows_read == 3


@pytest.mark.parametrize("cell", ["", "-", "N/A", "n/a", "null", "—"])
def test_a_missing_cell_is_missing_and_not_zero(cell):
    imported = table("concurrency,ttft_ms_p50,ttft_ms_p99", f"4,{cell},30")
    assert imported.measurements[0].ttft_s.p50 is None
    assert errors(imported) == []


def test_a_bad_cell_far_down_is_found():
    lines = ["concurrency,ttft_ms_p50"] + ["4,10"] * 3000
    lines[2500] = "4,ten"
    imported = table(*lines)
    assert errors(imported)[0].path == "row 2501, column ttft_ms_p50"
    assert len(imported.measurements) == 2999
    (alike,) = warnings(imported)  # the same caveat of many rows is one problem
    assert "2997 more" in alike.path


def test_very_many_refusals_are_counted_and_not_all_listed():
    imported = table("concurrency,ttft_ms_p50", *["4,ten"] * 3000)
    assert len(imported.problems) == MOST_PROBLEMS_SHOWN + 1


@pytest.mark.parametrize(
    ("lines", "word"),
    [
        (["concurrency,ttft_ms_p50,ttft_ms_p99", "4,30,20"], "p99 is less"),
        (["concurrency,ttft_ms_mean,e2e_ms_mean", "4,30,20"], "after the last"),
        (["concurrency,ttft_ms_p50,n_requests,n_errors", "4,30,5,6"], "6 failures of 5"),
        (["concurrency,ttft_ms_p50,n_requests", "4,30,2.5"], "whole"),
        (["concurrency,ttft_ms_p50", "4,30,99"], "3 cells"),
        (["concurrency,ttft_ms_p50", "4"], "1 cells"),
        (["concurrency,ttft_ms_p50,measured_on", "4,30,soon"], "not a date"),
        (["concurrency,ttft_ms_p50,load_kind", "4,30,much"], "no kind of load"),
        (["concurrency,ttft_ms_p50,ttft_ms_p50", "4,30,30"], "mean the same"),
        (["concurrency,ttft_ms_p50,TTFT_ms_P50", "4,30,30"], "mean the same"),
        (["concurrency,ttft_ms_p50,ttft_s_p50", "4,30,30"], "mean the same"),
        (["model,ttft_ms_p50", "a,30", "a,40"], "no column says at which load"),
        (["concurrency,model", "4,a"], "no column holds a latency"),
        (["concurrency,ttft_ms_p50"], "no rows"),
        (["concurrency,ttft_ms_p50", '4,"30'], "cannot be read"),
        (["concurrency,ttft_ms_p50,notes", f"4,30,{'x' * 40_000}"], "limit is 32,767"),
        ([",".join(["concurrency", "ttft_ms_p50", *(f"c{i}" for i in range(500))]), "4,30"], "limit is 500"),
        (["hello", "world"], "no benchmark result known here"),
    ],
)
def test_what_is_refused_and_why_and_that_nothing_is_stored(lines, word):
    store = open_store(":memory:")
    imported = table(*lines)
    assert imported.refused
    assert any(word in problem.message for problem in errors(imported))
    assert all(problem.cure for problem in imported.problems)
    with pytest.raises(InputProblems):
        store.save(imported)
    assert store.runs() == store.measurements() == ()
    store.close()


@pytest.mark.parametrize(
    ("raw", "word"),
    [
        (b"", "empty"),
        (b" \n ", "empty"),
        (b"%PDF-1.7 ...", "PDF"),
        (b"\x89PNG\r\n\x1a\n....", "PNG"),
        (b"SQLite format 3\x00....", "SQLite"),
        (b"PK\x03\x04....", "Excel"),
        (b"\x00" * 7 + b"\x01DUCK", "DuckDB"),
        (b"<!DOCTYPE html><p>hi", "web page"),
        (b"a\x00b\x00\x00c,1", "binary"),
        (b"concurrency,ttft_ms_p50\n4,\x81", "encoding"),
        (b'{"hello": "world"}', "JSON"),
        (b"[" * 50_000, "JSON"),
        (b'{"a": 1, "a": 2}', "JSON"),
    ],
)
def test_what_is_no_benchmark_is_named_with_what_is_accepted(raw, word):
    imported = import_file("upload.csv", raw)
    assert imported.refused
    assert any(word in problem.message for problem in imported.problems)
    assert imported.format_key == ""


def test_a_file_over_the_cap_is_refused_before_it_is_read():
    raw = (SAMPLES / "points.csv").read_bytes()
    assert "MB" in import_file("points.csv", raw, size_limit_byte=100).problems[0].message
    assert not import_file("points.csv", raw, size_limit_byte=None).refused


def test_an_unknown_format_key_is_refused():
    assert "no format" in import_file("x.csv", b"concurrency,ttft_ms_p50\n1,2", "nope").problems[0].message


def test_a_file_name_is_only_shown():
    name = "../../etc/*.csv'; DROP TABLE runs; --"
    imported = import_file(name, b"concurrency,ttft_ms_p50\n1,2")
    store = open_store(":memory:")
    store.save(imported)
    assert store.runs()[0].file_name == name
    store.close()


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("4,500,101,100,20,1100,400,,4,", "E2E is 1.1 s"),
        ("4,500,101,100,10,1100,,,40,", "above the concurrency of 4"),
        ("4,500,101,100,10,1100,,,0.4,", "far below the concurrency"),
        ("4,500,101,100,10,1100,200,,4,", "request rate x output length gives 404"),
        ("4,500,101,100,10,1100,404,404,4,", "gives 2404"),
        ("1,,,,10,,900,,,", "one request at a time gives 900"),
        ("4,500,101,100,10,1100,404,2404,4,100", "chunks carry about 10 tokens"),
        ("4,500,101,,0.01,,,,,", "for one user"),
    ],
)
def test_figures_that_do_not_fit_are_flagged_and_kept(line, word):
    heading = (
        "concurrency,isl_tokens,osl_tokens,ttft_ms_mean,tpot_ms_mean,e2e_ms_mean,"
        "output_tps,total_tps,request_rps,itl_ms_mean"
    )
    imported = table(heading, line)
    assert len(imported.measurements) == 1
    assert any(word in problem.message for problem in warnings(imported)), imported.problems


def test_an_offered_rate_that_is_not_reached_is_saturated():
    imported = table("request_rate,request_throughput,ttft_ms_p50", "8,5.1,100", "2,1.99,90")
    assert [problem.path for problem in warnings(imported) if "saturated" in problem.message] == ["row 2"]
    assert {row.load_kind for row in imported.measurements} == {"rate"}


def test_a_missing_tpot_follows_from_the_means_and_says_so():
    imported = table("concurrency,osl_tokens,ttft_ms_mean,e2e_ms_mean", "4,101,100,1100")
    assert imported.measurements[0].tpot_s.mean == pytest.approx(0.010)
    assert imported.measurements[0].tpot_s.p50 is None
    assert any("TPOT is not in the file" in problem.message for problem in warnings(imported))


def test_users_with_think_time_are_not_requests_in_flight():
    imported = table("users,rps,mean_latency_s", "90,40,0.5")
    assert (imported.measurements[0].load_kind, imported.measurements[0].concurrency_count) == ("users", 20)
    assert any("20 in flight" in problem.message for problem in warnings(imported))


def test_per_accelerator_throughput_is_made_the_systems():
    imported = table("gpu,concurrency,output throughput (tok/s/GPU)", "4xTOY,8,100")
    (row,) = imported.measurements
    assert (row.accelerator, row.accelerator_count, row.output_rate_tok_per_s) == ("TOY", 4, 400)
    alone = table("concurrency,ttft_ms_p50,output throughput (tok/s/GPU)", "8,30,100").measurements[0]
    assert alone.output_rate_tok_per_s is None


def test_an_error_rate_becomes_a_count():
    imported = table("concurrency,ttft_ms_p50,n_requests,error rate", "8,100,200,1.5%")
    assert imported.measurements[0].error_count == 3


def test_prompts_and_secrets_are_dropped_and_named():
    imported = table("concurrency,ttft_ms_p50,prompt,api_key", "8,100,my secret,sk-123")
    assert "my secret" not in repr(imported)
    assert "sk-123" not in repr(imported)
    assert any("dropped: prompt, api_key" in problem.message for problem in warnings(imported))


def test_a_repeated_row_is_kept_and_said():
    imported = table("concurrency,ttft_ms_p50", "8,100", "8,100")
    assert len(imported.measurements) == 2
    assert any("repeats row 2" in problem.message for problem in warnings(imported))


def test_the_command_lines_json_has_its_keys_and_nests_statistics():
    document = as_json(table("concurrency,ttft_ms_p50,notes", "8,100,=x", "9,ten,y"))
    assert list(document) == ["file", "format", "format_label", "rows_read", "measurements", "problems"]
    (row,) = document["measurements"]
    assert row["ttft_s"] == {"mean": None, "p50": 0.1, "p90": None, "p95": None, "p99": None}
    assert row["model"] is None
    assert set(document["problems"][0]) == {"path", "message", "cure", "severity"}


def test_a_joined_export_of_a_grafana_panel_is_read_by_its_units():
    """One row a time: units stand in the cells, or in the metric's own name."""
    in_words = (
        '"Time","TTFT p50","TTFT p95","ITL p50","Running requests","Request throughput"\n'
        "2026-11-30 10:00:00,120 ms,340 ms,21 ms,12,3.1 reqps\n"
        "2026-11-30 10:01:00,130 ms,1.2 s,22 ms,16,4.0 reqps\n"
    )
    by_metric = (
        '"Time","vllm:time_to_first_token_seconds p95","vllm:num_requests_running"\n1764496800000,0.34,12\n'
    )
    found = import_file("panel.csv", in_words.encode()).measurements
    assert [each.ttft_s.p95 for each in found] == [0.340, 1.2]
    assert [each.itl_s.p50 for each in found] == [0.021, 0.022]
    assert [each.concurrency_count for each in found] == [12, 16]
    assert [each.request_rate_req_per_s for each in found] == [3.1, 4.0]
    (metric,) = import_file("metrics.csv", by_metric.encode()).measurements
    assert (metric.ttft_s.p95, metric.concurrency_count) == (0.34, 12)


@pytest.mark.parametrize(
    ("heading", "row", "words"),
    [
        (
            "tier,concurrency,ttft_ms_mean,ttft_ms_p50,ttft_ms_p99,output_tps",
            "a,8,900,100,200,500",
            "above the 99th",
        ),
        ("tier,concurrency,ttft_ms_p50,output_tps,total_tps", "a,8,100,500,400", "less than the output"),
    ],
)
def test_figures_that_contradict_each_other_are_named(heading, row, words):
    found = import_file("t.csv", f"{heading}\n{row}\n".encode())
    assert len(found.measurements) == 1
    assert any(words in each.message for each in found.problems)


def test_a_figure_without_a_unit_is_asked_for_its_unit():
    found = import_file("t.csv", b"tier,concurrency,ttft,output_tps\na,8,0.68,500\n")
    (cure,) = {each.cure for each in found.problems if "has no unit" in each.message}
    assert "heading" in cure
    assert "plain number" not in cure


@pytest.mark.parametrize(
    ("header", "row", "kind", "message"),
    [
        (
            "concurrency,request_rate_rps",
            "8,2",
            "rate",
            "the request rate defines it, and the concurrency is its cap",
        ),
        (
            "concurrency,batch",
            "8,4",
            "concurrency",
            "the concurrency defines it, and the batch size is only kept",
        ),
        (
            "concurrency,request_rate_rps,batch",
            "8,2,4",
            "rate",
            "the request rate defines it, and the concurrency is its cap and the batch size",
        ),
    ],
)
def test_several_loads_in_one_row_are_settled_and_that_is_said(header, row, kind, message):
    imported = table(f"{header},ttft_ms_p50", f"{row},30")
    assert imported.measurements[0].load_kind == kind
    assert any(message in problem.message for problem in warnings(imported))


def test_a_load_that_the_row_names_itself_needs_no_word():
    imported = table("concurrency,request_rate_rps,load_kind,ttft_ms_p50", "8,2,rate,30")
    assert not any("several loads" in problem.message for problem in imported.problems)


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("rate_rps", "rate"),
        ("QPS", "rate"),
        ("closed-loop", "concurrency"),
        ("batch size", "batch"),
        ("users", "users"),
    ],
)
def test_a_kind_of_load_may_be_called_by_its_common_names(word, kind):
    table = f"load_kind,load_value,isl_tokens,osl_tokens,tpot_ms_p50\n{word},4,100,100,9\n"
    (row,) = import_file("t.csv", table.encode()).measurements
    assert row.load_kind == kind
