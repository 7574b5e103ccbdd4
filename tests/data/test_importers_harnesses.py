"""Harnesses such as LLMPerf, genai-bench and llm-d: definitions that differ, brought to ours."""

import json
from pathlib import Path

import pytest
import yaml

from data.imports import import_file

SAMPLES = Path(__file__).parent / "samples"


def imported(name):
    return import_file(name, (SAMPLES / name).read_bytes())


def changed(name, change):
    document = json.loads((SAMPLES / name).read_text("utf-8"))
    change(document)
    return import_file("changed.json", json.dumps(document).encode())


def warnings(found):
    return [str(problem) for problem in found.problems if problem.severity == "warning"]


def test_llmperf_summary_has_no_tpot_of_its_own():
    found = imported("llmperf_summary.json")
    (row,) = found.measurements
    assert row.tpot_s.mean == pytest.approx((2.22 - 0.22) / 100)  # not the 0.03 s that counts the TTFT
    assert row.tpot_s.p50 is None
    assert not row.itl_s.known
    assert (row.request_rate_req_per_s, row.duration_s, row.output_rate_tok_per_s) == (2, 75, 202)
    assert (row.request_count, row.error_count, row.concurrency_count) == (160, 10, 5)
    assert (row.ttft_s.p95, row.e2e_s.p99) == (0.35, 3)


def test_llmperf_responses_without_failures_and_empty_answers():
    found = imported("llmperf_individual.json")
    (row,) = found.measurements
    assert row.ttft_s.mean == 1.5
    assert row.tpot_s.mean == pytest.approx((4 / 100 + 2 / 40) / 2)
    assert (row.request_count, row.error_count, row.osl_tok) == (4, 1, 71)
    assert any("1 requests produced no tokens" in message for message in warnings(found))
    assert any("GEN_TEXT" in message for message in warnings(found))


def test_a_stage_is_a_run_at_its_offered_rate():
    (row,) = imported("inference_perf_stage.json").measurements
    assert (row.load_kind, row.offered_rate_req_per_s, row.duration_s) == ("rate", 4, 50)
    assert (row.request_count, row.error_count, row.isl_tok, row.osl_tok) == (210, 10, 300, 101)
    assert (row.ttft_s.mean, row.tpot_s.mean, row.e2e_s.p99) == (0.2, 0.01, 2.0)
    assert (row.itl_s.mean, row.itl_s.p50) == (0.009, None)


def test_a_summary_names_no_rate_and_says_so():
    found = changed("inference_perf_stage.json", lambda stage: stage["load_summary"].pop("requested_rate"))
    assert found.measurements[0].load_kind is None
    assert any("mixes stages" in message for message in warnings(found))


def test_what_was_not_streamed_has_no_first_token():
    def change(stage):
        for metric in ("time_per_output_token", "time_to_first_token", "inter_token_latency"):
            stage["successes"]["latency"][metric] = None

    found = changed("inference_perf_stage.json", change)
    (row,) = found.measurements
    assert not row.ttft_s.known
    assert not row.tpot_s.known
    assert row.e2e_s.mean == 1.2
    assert any("not streaming" in message for message in warnings(found))


def test_a_tpot_of_chunks_is_replaced_by_what_the_means_give():
    def change(stage):
        stage["successes"]["latency"]["time_per_output_token"]["mean"] = 0.004

    found = changed("inference_perf_stage.json", change)
    assert found.measurements[0].tpot_s.mean == pytest.approx(0.01)
    assert any("4 ms is per chunk" in message for message in warnings(found))


def test_cached_prompts_are_said_with_their_share():
    def change(stage):
        stage["successes"]["prompt_tokens"]["cached"] = 45000.0

    assert any("75%" in message for message in warnings(changed("inference_perf_stage.json", change)))


def test_the_servers_view_of_a_stage_is_no_second_run():
    found = import_file("x.json", json.dumps({"successes": {"rate": 4.0, "count": 9}}).encode())
    assert found.refused
    assert "not another run" in str(found.problems[0])


def test_single_requests_of_a_clock_without_a_date():
    (row,) = imported("inference_perf_requests.json").measurements
    assert (row.request_count, row.error_count, row.duration_s) == (3, 1, 5)
    assert (row.ttft_s.mean, row.e2e_s.mean) == (1.5, 3.5)
    assert row.tpot_s.mean == pytest.approx((2 / 10 + 2 / 20) / 2)


def test_trtllm_pushes_everything_at_once_unless_told():
    found = imported("trtllm_bench.json")
    (row,) = found.measurements
    assert (row.load_kind, row.accelerator_count, row.duration_s) == ("unbounded", 4, 100)
    assert (row.ttft_s.mean, row.tpot_s.p90, row.e2e_s.p99) == (0.2, 0.022, 3.0)
    assert (row.output_rate_tok_per_s, row.total_rate_tok_per_s) == (404, 1604)
    assert any("90.5 were in flight" in message for message in warnings(found))

    def limit(report):
        report["world_info"]["issue_rate"] = 4.5

    assert changed("trtllm_bench.json", limit).measurements[0].offered_rate_req_per_s == 4.5


@pytest.mark.parametrize(("name", "count"), [("llmd_old.yaml", 5), ("llmd_new.json", 2 * 4 + 3)])
def test_units_of_a_report_are_data(name, count):
    (row,) = imported(name).measurements
    assert (row.model, row.accelerator, row.accelerator_count) == ("toy/model-9b", "TOY-80", count)
    assert (row.ttft_s.mean, row.tpot_s.mean, row.e2e_s.mean, row.e2e_s.p50) == (0.2, 0.01, 1.2, 1.1)
    assert (row.load_kind, row.offered_rate_req_per_s) == ("rate", 2)
    assert (row.output_rate_tok_per_s, row.total_rate_tok_per_s) == (202, 802)
    assert row.duration_s == (100 if name == "llmd_old.yaml" else 100.5)


def test_seconds_under_a_label_of_milliseconds_are_noticed_by_their_speed():
    report = yaml.safe_load((SAMPLES / "llmd_old.yaml").read_text("utf-8"))
    latency = report["metrics"]["latency"]
    for metric in ("request_latency", "time_per_output_token"):
        latency[metric] = {"units": latency[metric]["units"]} | {
            key: value / 1000 for key, value in latency[metric].items() if key != "units"
        }
    found = import_file("report.yaml", yaml.safe_dump(report).encode())
    (row,) = found.measurements
    assert (row.ttft_s.mean, row.tpot_s.mean, row.e2e_s.mean) == pytest.approx((0.2, 0.01, 1.2))
    assert any("100,000 tokens/s while the whole server makes 202" in message for message in warnings(found))


def test_fmperf_chunks_become_requests_and_requests_runs():
    two, eight = imported("fmperf.json").measurements
    assert (two.concurrency_count, eight.concurrency_count) == (2, 8)
    assert (two.request_count, two.error_count, two.duration_s) == (3, 1, 10)
    assert two.ttft_s.mean == pytest.approx(0.3)
    assert two.itl_s.mean == pytest.approx(0.02)  # gaps of 10, 30 and 20 ms
    assert two.e2e_s.mean == pytest.approx((0.24 + 0.42) / 2)
    assert two.output_rate_tok_per_s == pytest.approx(5 / 10)


@pytest.mark.parametrize("name", ["genai_bench.json", "evalscope.json", "evalscope_ms.json"])
def test_one_run_written_by_three_tools_is_the_same_run(name):
    (row,) = imported(name).measurements
    assert (row.load_kind, row.concurrency_count, row.duration_s) == ("concurrency", 4, 50)
    assert (row.request_count, row.error_count, row.isl_tok, row.osl_tok) == (84, 4, 200, 101)
    assert (row.ttft_s.mean, row.tpot_s.mean, row.e2e_s.mean) == pytest.approx((0.3, 0.02, 0.3 + 0.02 * 100))
    assert row.output_rate_tok_per_s == pytest.approx(80 * 101 / 50)
    assert row.total_rate_tok_per_s == pytest.approx(80 * 301 / 50)
    assert not row.itl_s.known


def test_genai_bench_says_its_unit_or_is_read_as_seconds_with_a_word():
    in_ms = changed("genai_bench.json", lambda run: run.update({"_time_unit": "ms"}))
    assert in_ms.measurements[0].ttft_s.mean == pytest.approx(0.0003)
    silent = changed("genai_bench.json", lambda run: run.pop("_time_unit"))
    assert silent.measurements[0].ttft_s.mean == 0.3
    assert any("read as seconds" in message for message in warnings(silent))
    strange = changed("genai_bench.json", lambda run: run.update({"_time_unit": "min"}))
    assert strange.refused


def test_genai_bench_by_rate_and_by_the_minute():
    def by_rate(run):
        metrics = run["aggregated_metrics"]
        metrics.update({"iteration_type": "request_rate", "request_rate": 2})
        metrics["requests_per_minute"] = 60 * metrics.pop("requests_per_second")

    (row,) = changed("genai_bench.json", by_rate).measurements
    assert (row.load_kind, row.offered_rate_req_per_s, row.concurrency_count) == ("rate", 2, None)
    assert row.request_rate_req_per_s == pytest.approx(1.6)


def test_evalscope_percentiles_alone_are_no_run():
    found = import_file("p.json", b'[{"Percentiles": "50%", "TTFT (s)": 0.2, "Latency (s)": 1.0}]')
    assert found.refused
    assert "neither the load" in found.problems[0].message
