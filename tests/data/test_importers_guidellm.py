"""GuideLLM's reports: JSON, YAML and both layouts of its CSV say the same in our terms."""

import json
from pathlib import Path

import pytest
import yaml

from data.imports import import_file

SAMPLES = Path(__file__).parent / "samples"
REPORT = json.loads((SAMPLES / "guidellm.json").read_text("utf-8"))


def imported(name):
    return import_file(name, (SAMPLES / name).read_bytes())


def with_benchmark(change):
    report = json.loads(json.dumps(REPORT))
    report["benchmarks"] = report["benchmarks"][:1]
    change(report["benchmarks"][0])
    return import_file("report.json", json.dumps(report).encode())


def warnings(found):
    return [str(problem) for problem in found.problems if problem.severity == "warning"]


@pytest.mark.parametrize("name", ["guidellm.json", "guidellm_three_rows.csv", "guidellm_one_row.csv"])
def test_every_layout_gives_the_same_first_run(name):
    row = imported(name).measurements[0]
    assert (row.model, row.load_kind, row.concurrency_count) == ("toy-3b", "concurrency", 4)
    assert (row.isl_tok, row.osl_tok, row.duration_s) == (300, 41, 50)
    assert (row.request_count, row.error_count, row.incomplete_count) == (200, 0, 0)
    assert (row.ttft_s.mean, row.tpot_s.mean, row.e2e_s.mean, row.e2e_s.p50) == (
        0.1,
        0.01,
        0.5,
        0.49 if name != "guidellm.json" else 0.495,
    )
    assert not row.itl_s.known
    # 200 requests of 41 tokens in 50 s; the stated means run five percent high, as in 0.5.
    assert row.request_rate_req_per_s == pytest.approx(4)
    assert row.output_rate_tok_per_s == pytest.approx(164)
    assert row.total_rate_tok_per_s == pytest.approx(4 * 341)


def test_an_open_loop_has_a_rate_and_no_cap():
    for name, rate in (("guidellm.json", 5.0), ("guidellm_three_rows.csv", 5.5)):
        row = imported(name).measurements[1]
        assert (row.load_kind, row.offered_rate_req_per_s, row.concurrency_count) == ("rate", rate, None)
        assert row.error_count == 4


def test_the_list_of_percentiles_has_no_median_in_it():
    ttft = imported("guidellm_three_rows.csv").measurements[0].ttft_s
    assert (ttft.p50, ttft.p90, ttft.p95, ttft.p99) == (0.09, 0.15, 0.2, 0.3)


def test_yaml_is_read_like_json():
    raw = yaml.safe_dump(REPORT).encode()
    assert import_file("report.yaml", raw).measurements == imported("guidellm.json").measurements


def test_secrets_and_answers_are_dropped_and_named():
    found = imported("guidellm.json")
    assert "sk-made-up" not in repr(found)
    assert any("api_key, output, request_args, target" in message for message in warnings(found))
    assert found.measurements[0].accelerator_count == 2


def test_cut_off_requests_hide_throughput_and_it_is_said():
    def change(benchmark):
        benchmark["config"]["strategy"] = {"type_": "throughput", "max_concurrency": 64}
        benchmark["metrics"]["request_totals"] |= {"incomplete": 300, "total": 500}
        benchmark["metrics"]["output_tokens_per_second"]["total"]["mean"] = 700.0

    found = with_benchmark(change)
    (row,) = found.measurements
    assert (row.load_kind, row.incomplete_count, row.request_count) == ("unbounded", 300, 500)
    assert "700" in row.notes
    assert any("300 of 500 requests were cut off" in message for message in warnings(found))


def test_a_clock_that_leaked_into_ttft_leaves_the_throughput():
    def change(benchmark):
        benchmark["metrics"]["time_to_first_token_ms"]["successful"]["mean"] = -1.7e12

    (row,) = with_benchmark(change).measurements
    assert not row.ttft_s.known
    assert row.output_rate_tok_per_s == pytest.approx(164)


def test_a_report_of_the_first_version_is_named_as_too_old():
    raw = json.dumps({"benchmarks": [{"mode": "synchronous", "request_data": [], "results": []}]}).encode()
    found = import_file("old.json", raw)
    assert found.refused
    assert "0.1" in str(found.problems[0])
