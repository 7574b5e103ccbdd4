"""Workbooks, archives, and the process that reads uploads: many parts, no paths, no bombs."""

import io
import json
import pickle
import time
import zipfile
from pathlib import Path

import pytest

from data import contained
from data.contained import import_contained
from data.imports import import_file
from models.problems import Problem

SAMPLES = Path(__file__).parent / "samples"
TYPES = (
    '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/></Types>'
)
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"


def zipped(**files: bytes | str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def cell(value: object) -> str:
    if isinstance(value, str):
        return f'<c t="inlineStr"><is><t>{value}</t></is></c>'
    return "<c/>" if value is None else f"<c><v>{value}</v></c>"


def workbook(**sheets: list[list[object]]) -> bytes:
    """The least that a spreadsheet program calls a workbook."""
    listed = "".join(f'<sheet name="{n}" sheetId="{i}" r:id="r{i}"/>' for i, n in enumerate(sheets, 1))
    links = "".join(
        f'<Relationship Id="r{i}" Type="{OFFICE}/worksheet" Target="worksheets/s{i}.xml"/>'
        for i in range(1, len(sheets) + 1)
    )
    files = {
        "[Content_Types].xml": TYPES,
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}"><Relationship Id="r0" '
        f'Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}">'
        f"<sheets>{listed}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}">{links}</Relationships>',
    }
    for i, rows in enumerate(sheets.values(), 1):
        body = "".join(f"<row>{''.join(map(cell, row))}</row>" for row in rows)
        files[f"xl/worksheets/s{i}.xml"] = (
            f'<worksheet xmlns="{MAIN}"><sheetData>{body}</sheetData></worksheet>'
        )
    return zipped(**files)


def words(found) -> str:
    return " | ".join(str(problem) for problem in found.problems)


def test_every_sheet_of_a_workbook_is_a_table():
    raw = workbook(
        eight=[
            ["A title"],
            ["model", "concurrency", "ttft_ms_p50"],
            ["toy-3b", 8, 210.5],
            ["toy-3b", 16, 260],
        ],
        large=[["model", "concurrency", "ttft_ms_p50"], ["toy-9b", 8, 1234.5]],
        empty=[],
        notes=[["nothing but a remark"]],
    )
    found = import_file("book.xlsx", raw)
    assert found.format_key == "workbook"
    assert [(row.model, row.ttft_s.p50) for row in found.measurements] == [
        ("toy-3b", 0.2105),
        ("toy-3b", 0.26),
        ("toy-9b", 1.2345),
    ]
    assert found.row_numbers == (1, 2, 3)
    assert "sheet 'notes'" in words(found)


def test_a_fault_in_a_sheet_names_the_sheet():
    raw = workbook(one=[["concurrency", "ttft_ms_p50"], [8, 200], [16, "ten"]])
    assert "sheet 'one', row 3, column ttft_ms_p50" in words(import_file("book.xlsx", raw))


def test_a_broken_workbook_is_a_problem():
    files = {"xl/workbook.xml": "<workbook"}
    found = import_file("book.xlsx", zipped(**files))
    assert found.refused
    assert "workbook cannot be read" in words(found)


def sample(name: str) -> bytes:
    return (SAMPLES / name).read_bytes()


def test_several_files_of_an_archive_are_one_import():
    raw = zipped(
        **{"a/run.json": sample("vllm_plain.json"), "b/run.jsonl": sample("sglang.jsonl"), "readme": "hello"}
    )
    found = import_file("runs.zip", raw)
    assert len(found.measurements) == 3
    assert found.row_numbers == (1, 2, 3)
    assert "vLLM" in found.format_label
    assert "SGLang" in found.format_label
    assert "readme: left out" in words(found)


def test_a_run_that_lies_there_in_several_layouts_is_taken_once():
    raw = zipped(
        **{
            "x/aiperf.json": sample("aiperf.json"),
            "x/aiperf.csv": sample("aiperf.csv"),
            "x/requests.jsonl": sample("aiperf_requests.jsonl"),
            "x/warmup/aiperf.json": sample("aiperf.json"),
            "sweep_aggregate/sweep.json": sample("aiperf_sweep.json"),
        }
    )
    found = import_file("aiperf.zip", raw)
    assert [row.concurrency_count for row in found.measurements] == [8]
    assert "same run as a better file" in words(found)
    assert "warm-up" in words(found)


def test_stages_win_over_their_summary_and_settings_name_the_model():
    stage = json.loads(sample("inference_perf_stage.json"))
    summary = json.dumps(stage | {"load_summary": {"count": 210}})
    settings = (
        "api: {type: chat}\ndata: {type: random}\nload: {type: constant}\nserver: {model_name: toy-3b}\n"
    )
    raw = zipped(
        **{
            "r/stage_0_lifecycle_metrics.json": json.dumps(stage),
            "r/summary_lifecycle_metrics.json": summary,
            "r/config.yaml": settings,
        }
    )
    (row,) = import_file("run.zip", raw).measurements
    assert (row.model, row.load_kind) == ("toy-3b", "rate")


def test_copies_in_an_archive_are_taken_once():
    raw = zipped(**{"a.json": sample("vllm_plain.json"), "b.json": sample("vllm_plain.json")})
    found = import_file("runs.zip", raw)
    assert len(found.measurements) == 1
    assert "stands in a.json too" in words(found)


def test_runs_of_one_archive_are_compared_with_each_other():
    table = "model,concurrency,isl,ttft_ms_p50\ntoy-3b,{},8000,{}\n"
    raw = zipped(**{"a.csv": table.format(2, 1500), "b.csv": table.format(4, 80)})
    assert "TTFT falls from 1500 to 80 ms" in words(import_file("runs.zip", raw))


@pytest.mark.parametrize("name", ["../../etc/passwd", "/abs/x.json", "C:\\x.json", "a\x07b.json"])
def test_a_members_name_is_a_label_and_never_a_path(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = import_file("runs.zip", zipped(**{name: sample("vllm_plain.json")}))
    assert len(found.measurements) == 1
    assert list(tmp_path.rglob("*")) == []


def test_an_archive_in_an_archive_is_not_opened():
    inner = zipped(**{"a.json": sample("vllm_plain.json")})
    found = import_file("outer.zip", zipped(**{"inner.zip": inner}))
    assert found.refused
    assert "archive" in words(found)


def test_too_many_or_too_large_members_are_refused_unread():
    many = zipped(**{f"{number}.json": b"{}" for number in range(501)})
    assert "501 files" in words(import_file("many.zip", many))
    large = zipped(**{"zeros": b"\0" * 101_000_000})
    assert len(large) < 200_000
    start = time.monotonic()
    assert "unpacks to 101 MB" in words(import_file("large.zip", large))
    assert time.monotonic() - start < 1


@pytest.mark.parametrize("cut", [10, 100, 300])
def test_a_damaged_archive_is_a_problem(cut):
    raw = zipped(**{"a.json": sample("vllm_plain.json")})
    assert import_file("cut.zip", raw[:-cut]).problems
    damaged = raw[:60] + bytes(20) + raw[80:]
    assert import_file("bad.zip", damaged).problems


@pytest.mark.parametrize(
    "name", ["vllm_plain.json", "german.csv", "llmd_old.yaml", "neighbour_llama_bench.json"]
)
def test_the_contained_reader_gives_the_same_as_the_open_one(name):
    assert import_contained(name, sample(name)) == import_file(name, sample(name))


def test_the_contained_reader_is_up_within_a_second_and_a_half():
    start = time.monotonic()
    import_contained("x.csv", b"concurrency,ttft_ms_p50\n4,30\n")
    assert time.monotonic() - start < 1.5


def test_a_format_can_be_named_and_a_limit_holds():
    found = import_contained("x.csv", sample("points.csv"), "no-such-format")
    assert "no format has the key" in words(found)
    assert "an upload may have 0 MB" in words(
        import_contained("x.csv", sample("points.csv"), size_limit_byte=10)
    )


def test_what_takes_too_long_is_stopped():
    found = import_contained("slow.csv", sample("points.csv"), clock_limit_s=0.001)
    assert found.refused
    assert "was stopped" in words(found)
    assert len(found.sha256) == 64


def test_a_reader_that_breaks_is_a_problem(monkeypatch):
    for start in ("import os; os.abort()", "import sys; sys.exit(3)", "print('no pickle')"):
        monkeypatch.setattr(contained, "START", start)
        assert "broke the reader" in words(import_contained("x.csv", sample("points.csv")))


def test_memory_is_limited(monkeypatch):
    pytest.importorskip("resource")
    limited = contained.START.replace("import main; main()", "import limit_this_process as limit; limit()")
    monkeypatch.setattr(contained, "START", limited + "; bytearray(2_000_000_000)")
    assert "1.5 GB" in words(import_contained("x.csv", sample("points.csv")))


class Attack:
    def __reduce__(self):
        return (print, ("taken over",))


def test_only_our_own_records_come_back(monkeypatch, capsys):
    stream = pickle.dumps(Attack())
    monkeypatch.setattr(contained, "START", f"import sys; sys.stdout.buffer.write({stream!r})")
    assert "broke the reader" in words(import_contained("x.csv", sample("points.csv")))
    monkeypatch.setattr(
        contained,
        "START",
        f"import sys; sys.stdout.buffer.write({pickle.dumps(Problem(path='', message='', cure=''))!r})",
    )
    assert "broke the reader" in words(import_contained("x.csv", sample("points.csv")))
    assert "taken over" not in capsys.readouterr().out
