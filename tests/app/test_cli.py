"""The command line: exit codes, what goes where, and the same numbers as the workbench and the page."""

import csv
import io
import json
import os
import subprocess
import sys
import zipfile
from datetime import date
from pathlib import Path

import pytest

from app import workbench
from app.cli import ALL_DONE, DONE_IN_PART, NOTHING_DONE, main
from app.formatting import show
from app.plan_json import plan_as_json
from app.report.writing import compose, suffixes, write
from tests.app import tiny
from tests.app.clicking import metrics, sweep
from tests.app.report_reading import words_of
from tests.house.sources import ROOT


@pytest.fixture
def scenario_file(tmp_path):
    """The tiny scenario as a file."""
    path = tmp_path / "scenario.yaml"
    path.write_text(workbench.write_draft(tiny.draft()), encoding="utf-8")
    return str(path)


@pytest.fixture
def database(tmp_path):
    """Where this test's measurements go."""
    return str(tmp_path / "store.duckdb")


def written(path, content):
    path.write_bytes(content)
    return str(path)


def test_a_plan_goes_to_standard_output_as_json(scenario_file, capfdbinary):
    assert main(["plan", scenario_file, "--json", "-", "--db", ":memory:"]) == ALL_DONE
    document = json.loads(capfdbinary.readouterr().out)
    assert document == json.loads(json.dumps(plan_as_json(tiny.view().plan)))
    [allocation] = document["allocations"]
    assert allocation["tier_id"] == "plain"
    assert set(allocation["tpot_s"]) == {"mean", "p50", "p90", "p95", "p99"}
    # 2 calls/s x 730.5 h x 3,600 s x (2,000 x 4 + 500 x 20) / 10^6 USD
    assert document["totals"]["cost_usd_per_month"] == pytest.approx(2 * 730.5 * 3600 * 0.018)


def test_a_plan_that_leaves_work_out_is_done_in_part(tmp_path, capfd):
    draft = tiny.draft()
    draft["workloads"][0]["targets"] = [{"metric": "ttft_s", "quantile": 0.95, "limit_s": 1}]
    path = written(tmp_path / "hard.yaml", workbench.write_draft(draft).encode())
    assert main(["plan", path, "--db", ":memory:"]) == DONE_IN_PART
    seen = capfd.readouterr()
    assert "No offer can serve" in seen.out
    assert "refused: chat on " in seen.err
    assert "It would fit if" in seen.err


@pytest.mark.parametrize("ending", suffixes())
def test_a_report_is_written_where_asked(scenario_file, tmp_path, ending):
    target = tmp_path / f"report{ending}"
    assert (
        main(["plan", scenario_file, "--report", str(target), "--date", "2026-11-30", "--db", ":memory:"])
        == ALL_DONE
    )
    text = words_of(target.read_bytes(), ending)
    assert "Two endpoints" in text
    assert "2026-11-30" in text
    assert target.read_bytes() == write(compose(tiny.view(), date(2026, 11, 30)), ending)
    assert [path.name for path in tmp_path.iterdir() if path.name.endswith(".tmp")] == []


def test_a_report_for_finance_has_their_sections_alone(scenario_file, tmp_path):
    target = tmp_path / "report.json"
    asked = ["plan", scenario_file, "--report", str(target), "--audience", "finance", "--db", ":memory:"]
    assert main(asked) == ALL_DONE
    found = [section["key"] for section in json.loads(target.read_bytes())["sections"]]
    assert found == ["decision", "cost", "inputs", "evidence", "reproducibility"]


def test_a_plan_is_compared_with_another_scenario(scenario_file, tmp_path, capfd):
    other = tiny.draft()
    other["workloads"][0]["peak_rate_req_per_s"] = 4
    against = written(tmp_path / "other.yaml", workbench.write_draft(other).encode())
    target = tmp_path / "report.json"
    asked = ["plan", scenario_file, "--against", against, "--report", str(target), "--db", ":memory:"]
    assert main(asked) == ALL_DONE
    # twice the calls at the same prices: half the bill is saved
    assert "The bill falls by $94,673, from $189,346 to $94,673 a month" in capfd.readouterr().out
    found = json.loads(target.read_text())
    assert "comparison" in [section["key"] for section in found["sections"]]
    assert found["against"]["plan"]["totals"]["cost_usd_per_month"] == pytest.approx(189_345.60)
    assert main([*asked[:2], "--against", str(tmp_path / "none.yaml"), "--db", ":memory:"]) == NOTHING_DONE


def test_an_unknown_report_format_is_wrong_usage(scenario_file, tmp_path, capfd):
    assert main(["plan", scenario_file, "--report", str(tmp_path / "x.docx"), "--db", ":memory:"]) == 2
    assert ".html" in capfd.readouterr().err
    assert not (tmp_path / "x.docx").exists()


@pytest.mark.parametrize("arguments", [["fly"], ["plan"], ["scenario", "burn", "x"], ["--port", "many"]])
def test_wrong_usage_ends_with_two(arguments, capfd):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert "usage:" in capfd.readouterr().err


def test_a_report_into_no_folder_says_so(scenario_file, tmp_path, capfd):
    target = str(tmp_path / "missing" / "report.html")
    assert main(["plan", scenario_file, "--report", target, "--db", ":memory:"]) == NOTHING_DONE
    assert "cannot be written" in capfd.readouterr().err


def test_the_worked_example_is_written_once_and_checks_out(tmp_path, capfd):
    path = str(tmp_path / "new.yaml")
    assert main(["scenario", "new", path]) == ALL_DONE
    assert main(["scenario", "check", path]) == ALL_DONE
    assert "5 workloads, 8 offers" in capfd.readouterr().out
    assert main(["scenario", "new", path]) == NOTHING_DONE
    assert "exists already" in capfd.readouterr().err


def test_a_check_lists_every_problem_with_its_address(tmp_path, capfd):
    draft = tiny.draft(nam="x")
    draft["workloads"][0]["peak_rate_req_per_s"] = -1
    draft["offers"][0]["tier"]["price"]["output_usd_per_mtok"] = "n/a"
    path = written(tmp_path / "wrong.yaml", workbench.write_draft(draft).encode())
    assert main(["scenario", "check", path]) == NOTHING_DONE
    complaints = capfd.readouterr().err
    for address in ("nam:", "workloads[0].peak_rate_req_per_s", "offers[0].tier.price.output_usd_per_mtok"):
        assert address in complaints
    assert "Traceback" not in complaints


@pytest.mark.parametrize(
    "raw", [b"", b"\x00\x01", b"- a\n- b", b"{", b"a: &x [*x]", b"!!python/object:os.system x"]
)
def test_a_file_that_is_no_scenario_is_refused(tmp_path, capfd, raw):
    assert main(["plan", written(tmp_path / "no.yaml", raw), "--db", ":memory:"]) == NOTHING_DONE
    assert "error: " in capfd.readouterr().err


def test_a_missing_file_is_refused(tmp_path, capfd):
    assert main(["plan", str(tmp_path / "none.yaml"), "--db", ":memory:"]) == NOTHING_DONE
    assert "cannot be read" in capfd.readouterr().err


def test_a_good_import_stores_and_says_so(tmp_path, database, capfd):
    good = written(tmp_path / "good.csv", sweep())
    assert main(["import", good, "--db", database]) == ALL_DONE
    assert "5 of 5 rows read, stored" in capfd.readouterr().out
    assert main(["import", good, "--db", database]) == ALL_DONE
    assert "already in the store" in capfd.readouterr().out


def test_good_and_bad_together_are_done_in_part(tmp_path, database, capfdbinary):
    good = written(tmp_path / "good.csv", sweep())
    bad = written(tmp_path / "bad.csv", b"concurrency,tpot_ms_p50\n1,fast\n")
    assert main(["import", good, bad, "--db", database, "--json", "-"]) == DONE_IN_PART
    seen = capfdbinary.readouterr()
    first, second = json.loads(seen.out)["files"]
    assert (first["rows_read"], len(first["measurements"])) == (5, 5)
    assert first["measurements"][0]["tpot_s"]["p50"] == pytest.approx(0.004125)
    assert first["measurements"][0]["itl_s"]["p50"] is None
    assert second["measurements"] == []
    assert second["problems"][0]["path"]
    assert b"bad.csv" in seen.err


def test_nothing_but_bad_files_does_nothing(tmp_path, database):
    assert main(["import", written(tmp_path / "bad.csv", b"<html>"), "--db", database]) == NOTHING_DONE
    assert main(["import", str(tmp_path / "none.csv"), "--db", database]) == NOTHING_DONE


def test_a_store_that_is_none_is_left_alone(tmp_path, capfd):
    other = tmp_path / "notes.db"
    other.write_bytes(b"SQLite format 3\x00" + bytes(100))
    before = other.read_bytes()
    assert main(["import", written(tmp_path / "good.csv", sweep()), "--db", str(other)]) == NOTHING_DONE
    assert "SQLite" in capfd.readouterr().err
    assert other.read_bytes() == before


def test_sql_answers_as_csv(tmp_path, database, capfdbinary):
    main(["import", written(tmp_path / "good.csv", sweep()), "--db", database])
    capfdbinary.readouterr()
    assert (
        main(["sql", "SELECT concurrency_count FROM measurements ORDER BY 1", "--db", database]) == ALL_DONE
    )
    rows = list(csv.reader(io.StringIO(capfdbinary.readouterr().out.decode())))
    assert rows == [["concurrency_count"], ["1.0"], ["4.0"], ["16.0"], ["64.0"], ["128.0"]]


@pytest.mark.parametrize("query", ["DROP TABLE runs", "SELECT * FROM read_csv('/etc/passwd')", "SELEC", ""])
def test_sql_only_reads_what_is_there(database, capfd, query):
    assert main(["sql", query, "--db", database]) == NOTHING_DONE
    seen = capfd.readouterr()
    assert seen.err.strip()
    assert "root:" not in seen.out + seen.err
    assert "Traceback" not in seen.err


def test_curves_of_one_tier(capfdbinary):
    assert main(["curves", "--tier", "b200_sxm_x1_trt", "--json", "-", "--db", ":memory:"]) == ALL_DONE
    curves = json.loads(capfdbinary.readouterr().out)["curves"]
    assert curves
    assert {each["tier_id"] for each in curves} == {"b200_sxm_x1_trt"}
    measured = curves[0]
    assert measured["measured"]
    assert all(point["tpot_s"] > 0 for point in measured["fitted"])


def test_curves_of_an_unknown_tier_are_refused_with_near_names(capfd):
    assert main(["curves", "--tier", "b200_sxm_x1", "--db", ":memory:"]) == NOTHING_DONE
    assert "b200_sxm_x1_trt" in capfd.readouterr().err


def test_command_line_workbench_and_page_show_the_same_numbers(app, tmp_path, capfdbinary):
    path = written(tmp_path / "example.yaml", workbench.write_draft(workbench.worked_example()).encode())
    assert main(["plan", path, "--json", "-", "--db", ":memory:"]) == ALL_DONE
    totals = json.loads(capfdbinary.readouterr().out)["totals"]
    plan = workbench.view(workbench.worked_example()).plan
    assert totals["cost_usd_per_month"] == plan.totals.cost_usd_per_month
    assert totals["replica_count"] == plan.totals.replica_count
    app.run()
    shown = metrics(app)
    assert shown["Cost per month"] == show("cost_usd_per_month", totals["cost_usd_per_month"])
    assert shown["Whole bill per Mtok output"] == show(
        "cost_usd_per_mtok_output", totals["cost_usd_per_mtok_output"]
    )
    assert shown["Weakest evidence"] == totals["weakest_grade"]


def test_two_processes_write_the_same_bytes(scenario_file):
    command = [sys.executable, "-m", "app", "plan", scenario_file, "--json", "-", "--db", ":memory:"]
    outputs = [
        subprocess.run(
            command, cwd=ROOT, env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    ]
    assert outputs[0] == outputs[1]


# what a command leaves behind, and what it refuses to begin


def test_a_failed_command_leaves_no_earlier_result_where_its_own_was_to_be(tmp_path, capfd):
    out = tmp_path / "plan.json"
    out.write_text("of an earlier run", encoding="utf-8")
    broken = written(tmp_path / "broken.yaml", b"schema: [")
    for command in (
        ["plan", broken, "--json", str(out)],
        ["simulate", broken, "--json", str(out)],
        ["operate", broken, "--json", str(out)],
        ["curves", "--tier", "none", "--json", str(out)],
        ["plan", broken, "--report", str(out)],
    ):
        out.write_text("of an earlier run", encoding="utf-8")
        assert main(command) == NOTHING_DONE
        assert not out.exists(), command
        assert "removed, because it was of an earlier run" in capfd.readouterr().err


def test_a_failed_command_keeps_its_own_input(tmp_path, capfd):
    broken = written(tmp_path / "broken.yaml", b"schema: [")
    assert main(["plan", broken, "--json", broken]) == NOTHING_DONE
    assert Path(broken).exists()


@pytest.mark.parametrize(
    "command", [["curves"], ["sql", "SELECT 1"], ["plan", "SCENARIO"], ["simulate", "SCENARIO"]]
)
def test_a_store_to_read_from_must_be_there(command, scenario_file, tmp_path, capfd):
    missing = tmp_path / "missing.duckdb"
    arguments = [scenario_file if word == "SCENARIO" else word for word in command]
    assert main([*arguments, "--db", str(missing)]) == NOTHING_DONE
    assert "there is no store of measurements" in capfd.readouterr().err
    assert not missing.exists()


def test_an_import_into_nothing_is_refused(tmp_path, capfd, monkeypatch):
    file = written(tmp_path / "points.csv", sweep())
    assert main(["import", file, "--db", ":memory:"]) == NOTHING_DONE
    heard = capfd.readouterr()
    assert "is gone when the command ends" in heard.err
    assert "stored" not in heard.out
    monkeypatch.setenv("PLIMSOLL_DB", ":memory:")
    assert main(["import", file]) == NOTHING_DONE


LOG = b"request_id,output_tokens,ttft_ms,e2e_ms\na,11,100,1100\nb,11,100,1100\n"


def test_labels_and_a_load_can_be_said_on_import(tmp_path, database, capfdbinary):
    file = written(tmp_path / "log.csv", LOG)
    arguments = ["--db", database, "--tier", "fast", "--model", "toy-3b", "--accelerator", "TOY"]
    assert main(["import", file, *arguments, "--accelerators", "4", "--concurrency", "8"]) == ALL_DONE
    query = (
        "SELECT tier, model, accelerator, accelerator_count, load_kind, concurrency_count FROM measurements"
    )
    capfdbinary.readouterr()
    assert main(["sql", query, "--db", database]) == ALL_DONE
    row = capfdbinary.readouterr().out.decode().splitlines()[1]
    assert row == "fast,toy-3b,TOY,4,concurrency,8.0"


def test_a_load_is_not_said_of_runs_that_name_their_own(tmp_path, database, capfd):
    file = written(tmp_path / "points.csv", sweep())
    assert main(["import", file, "--db", database, "--rate", "2"]) == NOTHING_DONE
    assert "names its own load" in capfd.readouterr().err


def test_every_cure_that_speaks_of_a_label_names_where_it_is_said(tmp_path, database, capfd):
    main(["import", written(tmp_path / "log.csv", LOG), "--db", database])
    heard = capfd.readouterr().err
    assert "Say it with --concurrency or --rate on import" in heard
    assert "by hand" not in heard


def test_an_archive_with_a_member_that_cannot_be_read_is_done_in_part(tmp_path, database, capfdbinary):
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("more.csv", sweep())
    outer = io.BytesIO()
    with zipfile.ZipFile(outer, "w") as archive:
        archive.writestr("points.csv", sweep())
        archive.writestr("inner.zip", inner.getvalue())
        archive.writestr("readme.md", "hello")
    file = written(tmp_path / "runs.zip", outer.getvalue())
    assert main(["import", file, "--db", database, "--json", "-"]) == DONE_IN_PART
    heard = capfdbinary.readouterr()
    (entry,) = json.loads(heard.out)["files"]
    said = [problem["path"] for problem in entry["problems"]]
    assert any("inner.zip" in path for path in said)
    assert any("readme.md" in path for path in said)
    assert b"inner.zip" in heard.err
    assert b"readme.md" in heard.err


def scrape(count, total_s, more=""):
    name, label = "vllm:e2e_request_latency_seconds", '{model_name="toy"}'
    return f"{name}_count{label} {count}\n{name}_sum{label} {total_s}\n{more}".encode()


def test_two_scrapes_of_one_server_in_two_files_are_the_window_between_them(tmp_path, database, capfdbinary):
    files = [
        written(tmp_path / "before.prom", scrape(100, 300)),
        written(tmp_path / "points.csv", sweep()),
        written(tmp_path / "after.prom", scrape(300, 500)),
    ]
    assert main(["import", *files, "--db", database, "--json", "-"]) == ALL_DONE
    heard = capfdbinary.readouterr()
    first, second = json.loads(heard.out)["files"]
    assert first["measurements"][0]["request_count"] == 200
    assert first["measurements"][0]["e2e_s"]["mean"] == 1.0
    assert len(second["measurements"]) > 1
    assert b"scrapes of one server were put together" in heard.err


@pytest.mark.parametrize(
    "more", ["process_start_time_seconds 1.7e9\n", "vllm:other 1\nvllm:another 2\nvllm:third 3\n"]
)
def test_scrapes_of_two_servers_stay_two(more, tmp_path, database, capfdbinary):
    start = "process_start_time_seconds 1.6e9\n" if "process" in more else ""
    files = [
        written(tmp_path / "one.prom", scrape(100, 300, start)),
        written(tmp_path / "two.prom", scrape(300, 500, more)),
    ]
    main(["import", *files, "--db", database, "--json", "-"])
    counts = [
        each["measurements"][0]["request_count"] for each in json.loads(capfdbinary.readouterr().out)["files"]
    ]
    assert counts == [100, 300]
