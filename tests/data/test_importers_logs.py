"""Logs with one row per request, and files that lie beside a result."""

import json
from pathlib import Path

import pytest

from data.imports import import_file

SAMPLES = Path(__file__).parent / "samples"


def imported(name):
    return import_file(name, (SAMPLES / name).read_bytes())


def log(*lines):
    return import_file("log.csv", "\n".join(lines).encode())


def words(found, severity="warning"):
    return " | ".join(str(problem) for problem in found.problems if problem.severity == severity)


def test_a_log_is_one_run_of_its_successes():
    found = imported("requests.csv")
    (row,) = found.measurements
    assert found.format_key == "requests"
    assert (row.model, row.request_count, row.error_count) == ("toy-3b", 4, 1)
    assert (row.ttft_s.mean, row.e2e_s.mean) == pytest.approx((0.4, 1.4))
    assert row.tpot_s.mean == pytest.approx(0.1)  # one token of output has no TPOT
    assert (row.isl_tok, row.osl_tok) == pytest.approx((200, 11))
    assert row.duration_s == pytest.approx(3.6)  # the second starts at 01:00:01 in UTC
    assert "1 rows repeat a request" in words(found)
    assert "prompt" in words(found)
    assert "words" not in repr(found)


def test_json_lines_without_units_are_read_by_size_and_it_is_said():
    found = imported("requests.jsonl")
    (row,) = found.measurements
    assert (row.ttft_s.mean, row.e2e_s.mean) == pytest.approx((0.3, 1.5))
    assert (row.request_count, row.error_count) == (3, 1)
    assert row.duration_s == pytest.approx(3.0)  # from 0 to 1 + 2 s
    assert "by its size it is read in seconds" in words(found)


def test_large_numbers_without_a_unit_are_milliseconds():
    (row,) = log("request_id,output_tokens,latency", "a,11,1500", "b,11,2500").measurements
    assert row.e2e_s.mean == pytest.approx(2.0)


def test_a_first_token_after_zero_seconds_and_an_infinite_speed_are_missing():
    (row,) = log(
        "request_id,output_tokens,ttft_s,e2e_s,gen_tok_per_s",
        "a,1,0.4,0.4,inf",
        "b,1,0.0,0.9,inf",
        "c,11,0.6,1.6,10",
    ).measurements
    assert row.ttft_s.mean == pytest.approx(0.5)
    assert row.tpot_s.mean == pytest.approx(0.1)


def test_a_trace_without_latencies_is_demand_and_its_figures_are_named():
    found = log(
        "TIMESTAMP,ContextTokens,GeneratedTokens",
        "2026-05-11 18:17:03.9799600,1000,10",
        "2026-05-11 18:17:05,3000,20",
    )
    assert found.measurements == ()
    assert not found.refused
    assert "2 requests, over 1.02004" in words(found)
    assert "mean input 2000 tokens, mean output 15 tokens" in words(found)


def test_a_table_of_loads_is_no_log():
    found = log(
        "timestamp,concurrency,output_tokens,latency_ms_mean", "2026-01-01,4,100,900", "2026-01-02,8,100,950"
    )
    assert found.format_key == "csv"
    assert len(found.measurements) == 2


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        (b"timestamp, index, utilization.gpu [%], power.draw [W]\n1, 0, 0 %, 76.10 W\n", "telemetry"),
        (b"timestamp,DCGM_FI_DEV_POWER_USAGE\n1,76.4\n", "telemetry"),
        (b",,Benchmark  /  Model MLC  /  Scenario  /  Units\n,,Inference\nPublic ID,Org,toy\n", "MLPerf"),
        (b"avg_ts,n_prompt,n_gen\n40,0,128\n", "llama-bench"),
        (
            b'{"benchmark_version": "1", "traffic_scenario": [], "iteration_type": "batch_size"}',
            "genai-bench",
        ),
        (b'{"data": [{"session_id": "s", "payloads": [{"messages": []}]}]}', "inputs.json"),
        (
            b"api: {type: chat}\ndata: {type: random}\nload: {type: constant}\nserver: {model_name: toy}\n",
            "config.yaml",
        ),
        (b'{"model_type": "llama", "num_hidden_layers": 4}', "configuration of a model"),
        (b'{"usage": {"prompt_tokens": 4, "completion_tokens": 2}}', "usage record"),
        (b"model,input_price,output_price,unit\na,1,2,per_1M_tokens\n", "prices"),
        (b"pod,metric,value\np,vllm:num_requests_running,4\n", "per pod"),
        (b"metric,p1,p50,p99\nttft_ms,1,2,3\n", "p99 is the best case"),
    ],
)
def test_a_neighbour_is_named_and_what_it_lacks_is_said(raw, name):
    found = import_file("upload", raw)
    assert found.refused
    assert name in words(found, "error")


def test_ttft_that_falls_as_load_grows_is_a_warm_cache():
    found = log("concurrency,isl,ttft_ms_p50", "2,8000,1500", "4,8000,80", "8,8000,120", "16,8000,3000")
    assert "TTFT falls from 1500 to 80 ms as load grows from 2 to 4" in words(found)
    assert "prefix cache" not in words(
        log("concurrency,isl,ttft_ms_p50", "2,8000,150", "4,100,50", "8,8000,120")
    )


def test_a_ttft_that_waits_for_visible_text_is_noticed():
    found = log("concurrency,osl,ttft_ms_mean,tpot_ms_mean,e2e_ms_mean", "4,501,8200,20.0,10300")
    assert "the first came after 0.3 s" in words(found)  # 10.3 - 0.02 x 500


def test_words_of_failure_are_missing_and_listed():
    found = log("concurrency,ttft_ms_p50,output_tps", "4,210,320", "8,OOM,560", "16,timeout,0", "32,#DIV/0!,")
    assert [row.ttft_s.p50 for row in found.measurements] == [0.21, None, None]
    assert "'OOM' is taken as missing" in words(found)
    assert "output throughput is 0" in words(found)
    assert "row 5, column ttft_ms_p50: '#DIV/0!' is taken as missing" in words(found)
    assert "row 5: it holds no latency and no throughput" in words(found, "error")


def test_a_file_of_very_many_objects_is_refused_early():
    raw = b"[" + b"{}," * 200_001 + b"{}]"
    assert "more than 200,000 objects" in words(import_file("many.json", raw), "error")


def test_json_lines_are_read_in_time_that_grows_with_their_number():
    line = json.dumps({"id": 1, "timestamp": 1, "output_tokens": 5, "latency_ms": 10.0, "pad": "x" * 200})
    lines = "\n".join(line.replace('"id": 1', f'"id": {number}') for number in range(20_000))
    (row,) = import_file("long.jsonl", lines.encode()).measurements
    assert row.request_count == 20_000


def told(*more, status="200"):
    """Fifty good requests of 100 tokens, 1.0 s of decoding each, and some rows more."""
    lines = ["timestamp,input_tokens,output_tokens,ttft_ms,e2e_ms,status"]
    lines += [f"2026-11-30T10:00:{i:02d}Z,1000,101,{100 + i},{1100 + i},{status}" for i in range(50)]
    return import_file("log.csv", "\n".join([*lines, *more]).encode())


def test_a_first_token_after_the_last_is_no_latency():
    """Ten such rows would pull the mean time per token from 10 ms to 2.5 ms."""
    found = told(*(["2026-11-30T10:00:52Z,10,101,5000,1100,200"] * 10))
    (run,) = found.measurements
    assert run.tpot_s.mean == pytest.approx(0.010)
    assert run.ttft_s.p99 < 0.15
    assert run.request_count == 60
    assert any("first token after their last" in each.message for each in found.problems)


@pytest.mark.parametrize("status", ["stop", "length", "end_turn"])
def test_a_finish_reason_is_no_failure(status):
    (run,) = told(status=status).measurements
    assert run.error_count == 0
