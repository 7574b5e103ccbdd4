"""AIPerf and genai-perf: the same run as JSON, as tables, as a sweep and as its requests."""

import json
from pathlib import Path

import pytest

from data.imports import import_file

SAMPLES = Path(__file__).parent / "samples"
REPORT = json.loads((SAMPLES / "aiperf.json").read_text("utf-8"))


def imported(name):
    return import_file(name, (SAMPLES / name).read_bytes())


def warnings(found):
    return [str(problem) for problem in found.problems if problem.severity == "warning"]


@pytest.mark.parametrize("name", ["aiperf.json", "aiperf.csv", "genai_perf.json", "genai_perf.csv"])
def test_every_layout_gives_the_same_latencies_whatever_its_column_order(name):
    (row,) = imported(name).measurements
    assert tuple(row.ttft_s.as_dict().values()) == (0.15, 0.14, 0.2, 0.25, 0.35)
    assert tuple(row.tpot_s.as_dict().values()) == pytest.approx((0.018, 0.0178, 0.02, 0.021, 0.024))
    assert tuple(row.e2e_s.as_dict().values()) == (1.95, 1.9, 2.2, 2.3, 2.6)
    assert (row.output_rate_tok_per_s, row.request_rate_req_per_s) == (404, 4)
    assert row.duration_s == pytest.approx(40)  # genai-perf: 160 requests at 4 per second


def test_the_load_of_the_measured_phase_and_the_unit_of_each_metric():
    found = imported("aiperf.json")
    (row,) = found.measurements
    assert (row.model, row.load_kind, row.concurrency_count) == ("toy-3b", "concurrency", 8)
    assert (row.request_count, row.error_count) == (163, 3)
    assert row.itl_s.mean == 0.019  # written in microseconds
    assert (row.isl_tok, row.osl_tok, row.total_rate_tok_per_s) == (400, 101, 2004)
    assert found.tool_version == "0.13.0"


@pytest.mark.parametrize(
    ("settings", "load"),
    [
        ({"loadgen": {"concurrency": 8, "request_rate": None}}, ("concurrency", 8, None)),
        ({"loadgen": {"concurrency": 8, "request_rate": 2.5}}, ("rate", None, 2.5)),
        ({"phases": [{"name": "profiling", "type": "poisson", "rate": 2.5}]}, ("rate", None, 2.5)),
        ({"phases": [{"kind": "profiling", "type": "fixed_schedule"}]}, ("trace", None, None)),
        ({}, (None, None, None)),
    ],
)
def test_the_kind_of_load_in_old_and_new_settings(settings, load):
    raw = json.dumps(REPORT | {"input_config": settings}).encode()
    (row,) = import_file("report.json", raw).measurements
    assert (row.load_kind, row.concurrency_count, row.offered_rate_req_per_s) == load


def test_failures_are_completed_requests_that_did_not_succeed():
    (row,) = imported("aiperf.csv").measurements
    assert (row.request_count, row.error_count, row.load_kind) == (163, 3, None)


def test_a_unit_that_is_not_known_refuses_the_run():
    report = REPORT | {"time_to_first_token": {"unit": "fortnights", "avg": 1.0}}
    found = import_file("report.json", json.dumps(report).encode())
    assert found.refused
    assert "fortnights" in str(found.problems[0])


@pytest.mark.parametrize("name", ["aiperf_sweep.json", "aiperf_sweep.csv"])
def test_a_sweep_is_one_run_per_combination(name):
    low, high = imported(name).measurements
    assert (low.concurrency_count, high.concurrency_count) == (4, 8)
    assert (low.e2e_s.mean, low.ttft_s.mean, low.tpot_s.mean) == (1.95, 0.15, 0.018)


def test_percentiles_of_repeats_are_not_averaged():
    sweep = json.loads((SAMPLES / "aiperf_sweep.json").read_text("utf-8"))
    sweep["metadata"]["num_trials_per_value"] = 3
    row = import_file("sweep.json", json.dumps(sweep).encode()).measurements[0]
    assert (row.e2e_s.mean, row.e2e_s.p50) == (1.95, None)


def test_requests_one_per_line_without_warm_up_failures_and_cut_offs():
    (row,) = imported("aiperf_requests.jsonl").measurements
    assert (row.request_count, row.error_count, row.incomplete_count) == (5, 1, 1)
    assert row.ttft_s.mean == pytest.approx(0.3)  # 0.2, 0.3, 0.4 s
    assert row.e2e_s.mean == pytest.approx(2.0)  # written in seconds
    assert row.itl_s.mean == pytest.approx(0.2)  # gaps of 0.1 and 0.3 s, pooled
    assert row.tpot_s.mean == pytest.approx(1.7 / 9)  # of 1.8, 1.7 and 1.6 s over nine tokens
    assert row.duration_s == pytest.approx(4.0, abs=1e-6)  # first start 0 s, last end 2 + 2 s
    assert row.output_rate_tok_per_s == pytest.approx(3 * 10 / 4.0, abs=1e-5)


def test_a_raw_export_has_times_and_no_tokens():
    found = imported("genai_perf_raw.json")
    (row,) = found.measurements
    assert row.ttft_s.mean == pytest.approx(0.375, abs=1e-6)
    assert row.e2e_s.mean == pytest.approx(2.5, abs=1e-6)
    assert (row.osl_tok, row.load_kind, row.concurrency_count) == (None, "concurrency", 4)
    assert any("counts no tokens" in message for message in warnings(found))
