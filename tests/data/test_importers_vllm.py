"""vLLM's result files: plain, appended, detailed, old and broken."""

import json
from pathlib import Path

import pytest

from data.imports import import_file

SAMPLES = Path(__file__).parent / "samples"
PLAIN = json.loads((SAMPLES / "vllm_plain.json").read_text("utf-8"))


def run(**changes):
    document = {key: value for key, value in (PLAIN | changes).items() if value != "gone"}
    return import_file("result.json", json.dumps(document).encode())


def messages(imported, severity="warning"):
    return [str(problem) for problem in imported.problems if problem.severity == severity]


def test_a_plain_file_in_seconds_with_its_metadata():
    imported = import_file("plain.json", (SAMPLES / "vllm_plain.json").read_bytes())
    (row,) = imported.measurements
    assert (imported.format_key, imported.rows_read, imported.problems) == ("vllm", 1, ())
    assert (row.ttft_s.mean, row.ttft_s.p50, row.ttft_s.p99) == (0.15, 0.14, 0.35)
    assert (row.tpot_s.mean, row.itl_s.p99, row.e2e_s.mean) == (0.018, 0.04, 1.95)
    assert (row.isl_tok, row.osl_tok, row.request_count, row.error_count) == (400, 101, 150, 0)
    assert (row.accelerator, row.accelerator_count, row.engine) == ("TOY-80", 2, None)
    assert (row.load_kind, row.concurrency_count, row.offered_rate_req_per_s) == ("concurrency", 6, None)
    assert row.measured_on.isoformat() == "2026-03-15"


def test_documents_one_after_the_other_whatever_lies_between():
    raw = (SAMPLES / "vllm_append.json").read_bytes()
    assert not raw.endswith(b"\n")
    for text in (raw, raw.replace(b"}\n{", b"}{"), b"[" + raw.replace(b"}\n{", b"},{") + b"]"):
        closed, opened = import_file("appended.json", text).measurements
        assert (closed.load_kind, closed.concurrency_count) == ("concurrency", 6)
        assert (opened.load_kind, opened.offered_rate_req_per_s) == ("rate", 2.5)


def test_lists_give_what_the_summary_lacks_from_successes_only():
    imported = import_file("detailed.json", (SAMPLES / "vllm_detailed.json").read_bytes())
    (row,) = imported.measurements
    # TTFT of the four successes: 0.1, 0.2, 0.3, 0.4 s; the failed one's 0.0 is not among them.
    assert row.ttft_s.p50 == pytest.approx(0.25)
    assert row.ttft_s.p90 == pytest.approx(0.37)  # linear: 0.3 + 0.7 x 0.1
    # TPOT per request 10, 20, 30, 40 ms, and E2E = TTFT + ten gaps: 0.2, 0.4, 0.6, 0.8 s.
    assert row.tpot_s.mean == pytest.approx(0.025)
    assert row.e2e_s.p50 == pytest.approx(0.5)
    assert row.itl_s.mean == pytest.approx(0.025)
    assert (row.request_count, row.error_count, row.load_kind) == (5, 1, "unbounded")


def test_answers_and_keys_are_dropped_with_a_warning():
    imported = import_file("detailed.json", (SAMPLES / "vllm_detailed.json").read_bytes())
    assert "sk-not-a-real-key" not in repr(imported)
    assert any("dropped: api_key, generated_texts" in message for message in messages(imported))


def test_an_old_file_has_no_failed_and_no_percentiles_but_three():
    imported = run(
        failed="gone", completed=140, mean_e2el_ms="gone", median_e2el_ms="gone", p99_e2el_ms="gone"
    )
    (row,) = imported.measurements
    assert row.error_count == 10
    assert row.ttft_s.p95 is None
    assert not row.e2e_s.known


@pytest.mark.parametrize(
    ("rate", "cap", "load"),
    [
        ("inf", 4, ("concurrency", 4, None)),
        (float("inf"), 4, ("concurrency", 4, None)),
        ("inf", None, ("unbounded", None, None)),
        (3.0, None, ("rate", None, 3.0)),
        (3.0, 4, ("rate", None, 3.0)),
    ],
)
def test_the_kind_of_load(rate, cap, load):
    (row,) = run(request_rate=rate, max_concurrency=cap).measurements
    assert (row.load_kind, row.concurrency_count, row.offered_rate_req_per_s) == load


def test_nan_is_missing_and_not_zero():
    imported = run(mean_tpot_ms=float("nan"), median_tpot_ms=float("nan"), mean_e2el_ms="gone")
    (row,) = imported.measurements
    assert row.tpot_s.mean is None
    assert row.tpot_s.p50 is None


def test_a_run_in_which_all_failed_has_no_latencies():
    zeros = {key: 0.0 for key in PLAIN if key.endswith("_ms")}
    imported = run(completed=0, failed=150, total_output_tokens=0, output_throughput=0.0, **zeros)
    (row,) = imported.measurements
    assert not any(latency.known for latency in (row.ttft_s, row.tpot_s, row.itl_s, row.e2e_s))
    assert (row.request_count, row.error_count) == (150, 150)
    assert any("no request succeeded" in message for message in messages(imported))


def test_several_tokens_per_chunk_are_noticed():
    assert any("chunks carry about 10" in message for message in messages(run(mean_itl_ms=180.0)))


@pytest.mark.parametrize(
    "changes",
    [
        {"total_input_tokens": -1},
        {"mean_ttft_ms": 1e400},
        {"mean_ttft_ms": "fast"},
        {"mean_ttft_ms": True},
        {"p99_ttft_ms": 100.0},
        {"completed": 1.5},
        {"max_concurrency": -4},
        {"request_rate": "soon"},
        {"num_prompts": 10**30},
    ],
)
def test_a_wrong_value_refuses_the_run_and_names_it(changes):
    imported = run(**changes)
    assert imported.refused
    assert messages(imported, "error")


def test_a_broken_document_is_named_by_line_and_the_others_stay():
    good = json.dumps(PLAIN)
    imported = import_file("log.json", f'{good}\n{{"half": "a\n{good}'.encode())
    assert len(imported.measurements) == 2
    (error,) = messages(imported, "error")
    assert "line 2" in error


def test_a_key_used_twice_refuses_the_document():
    text = json.dumps(PLAIN)[:-1] + ', "duration": 1.0}'
    imported = import_file("twice.json", text.encode())
    assert imported.refused
    assert any("appears twice" in message for message in messages(imported, "error"))


def test_a_negative_latency_is_left_out_and_the_throughput_stays():
    imported = run(mean_ttft_ms=-1.7e12)
    (row,) = imported.measurements
    assert not row.ttft_s.known
    assert row.tpot_s.mean == 0.018
    assert row.output_rate_tok_per_s == PLAIN["output_throughput"]
    assert any("negative" in message for message in messages(imported))
