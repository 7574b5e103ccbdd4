"""SGLang, the printed block, sweep tables and InferenceX: kin of vLLM's file, each with its own unit."""

import json
from pathlib import Path

import pytest

from data.imports import import_file

SAMPLES = Path(__file__).parent / "samples"


def imported(name):
    return import_file(name, (SAMPLES / name).read_bytes())


def warnings(found):
    return [str(problem) for problem in found.problems if problem.severity == "warning"]


def test_sglang_reads_a_bare_infinity_and_asks_for_the_model():
    found = imported("sglang.jsonl")
    closed, opened = found.measurements
    assert (closed.load_kind, closed.concurrency_count, closed.model) == ("concurrency", 6, None)
    assert (opened.load_kind, opened.offered_rate_req_per_s) == ("rate", 3.5)
    assert (closed.isl_tok, closed.osl_tok, closed.request_count, closed.error_count) == (
        300,
        101,
        None,
        None,
    )
    assert (closed.e2e_s.mean, closed.itl_s.p95, closed.ttft_s.p95) == (1.95, 0.03, None)
    assert closed.total_rate_tok_per_s == 1203
    assert any("does not name the model" in message for message in warnings(found))


def sglang(**changes):
    line = json.loads((SAMPLES / "sglang.jsonl").read_text("utf-8").splitlines()[1])
    return import_file("run.jsonl", json.dumps(line | changes).encode())


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"accept_length": 2.5}, "2.5 tokens"),
        ({"total_output_tokens_retokenized": 6000}, "holds 6,000 (150 tokens/s)"),
    ],
)
def test_sglang_says_what_its_counts_hide(changes, words):
    assert any(words in message for message in warnings(sglang(**changes)))


def test_sglang_counts_failures_where_the_lists_were_kept():
    (row,) = sglang(errors=["", "", "timed out"], model_path="ignored").measurements
    assert (row.request_count, row.error_count) == (3, 1)


def test_keys_without_ms_hold_seconds():
    found = imported("vllm_seconds.json")
    (row,) = found.measurements
    assert (row.ttft_s.p50, row.tpot_s.p50, row.e2e_s.p99) == (0.15, 0.018, 2.6)
    assert row.total_rate_tok_per_s == 1503  # input 1200 + output 303
    assert sum("read as seconds" in message for message in warnings(found)) == 1


def test_a_file_wrapped_in_config_and_results():
    inner = json.loads((SAMPLES / "vllm_plain.json").read_text("utf-8"))
    cap = inner.pop("max_concurrency")
    raw = json.dumps({"config": {"max_concurrency": cap}, "results": inner}).encode()
    assert import_file("x.json", raw).measurements == imported("vllm_plain.json").measurements


def test_the_first_gap_that_repeats_the_ttft_is_dropped():
    raw = json.dumps({"ttfts": [0.6], "itls": [[0.6, 0.03, 0.05]], "output_lens": [3], "input_lens": [64]})
    (row,) = import_file("lists.json", raw.encode()).measurements
    assert row.itl_s.mean == pytest.approx(0.04)
    assert row.e2e_s.mean == pytest.approx(0.68)
    assert (row.isl_tok, row.osl_tok, row.load_kind) == (64, 3, None)


@pytest.mark.parametrize("key", ["request_goodput", "request_goodput:"])
def test_goodput_is_noted_under_either_key(key):
    inner = json.loads((SAMPLES / "vllm_plain.json").read_text("utf-8")) | {"request_goodput": None, key: 1.7}
    (row,) = import_file("x.json", json.dumps(inner).encode()).measurements
    assert row.notes == "goodput 1.7 requests/s"


def test_printed_blocks_are_runs_whatever_stands_around_them():
    found = imported("vllm_console.txt")
    closed, flood = found.measurements
    assert (closed.concurrency_count, closed.request_count, closed.error_count) == (6, 152, 2)
    assert (closed.ttft_s.mean, closed.ttft_s.p99, closed.tpot_s.mean) == (0.15, 1.35, 0.018)
    assert (closed.isl_tok, closed.osl_tok, closed.total_rate_tok_per_s) == (400, 101, 1503)
    assert (flood.load_kind, flood.concurrency_count, flood.e2e_s.mean) == ("unbounded", None, 9.0)


def test_a_sweep_table_is_read_like_its_json():
    found = imported("vllm_sweep.csv")
    first, second = found.measurements
    assert (first.load_kind, first.concurrency_count) == ("concurrency", 6)
    assert (second.load_kind, second.offered_rate_req_per_s) == ("rate", 2.5)
    assert first.e2e_s.p50 == pytest.approx(2.0)
    assert any("2 runs used the seed 3" in message for message in warnings(found))


def test_inferencex_is_in_seconds_and_per_gpu():
    single, parted = imported("inferencex.json").measurements
    assert (single.accelerator_count, single.output_rate_tok_per_s, single.total_rate_tok_per_s) == (
        4,
        400,
        4400,
    )
    assert (single.ttft_s.mean, single.tpot_s.mean, single.e2e_s.mean) == (0.5, 0.02, 2.48)
    # Output is per decode GPU and input per prefill GPU: 6 x 100 and 2 x 3000.
    assert (parted.accelerator_count, parted.output_rate_tok_per_s, parted.total_rate_tok_per_s) == (
        8,
        600,
        6600,
    )


def test_the_web_export_tells_its_unit_by_the_speed_of_one_user():
    found = imported("inferencex_export.csv")
    mislabelled, honest = found.measurements
    for row in (mislabelled, honest):
        assert (row.ttft_s.mean, row.tpot_s.mean, row.e2e_s.mean) == (0.5, 0.02, 2.48)
        assert (row.accelerator_count, row.total_rate_tok_per_s) == (4, 4400)
    assert sum("hold seconds" in message for message in warnings(found)) == 1
