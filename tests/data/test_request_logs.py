"""Request logs of any size: the same figures read row by row or scanned on disk, and what they demand."""

import json
import os
import random
import signal
import statistics
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import pytest

from data import contained
from data.contained import import_contained, import_contained_file
from data.imported import as_json
from data.imports import import_file
from data.log_quantiles import quantiles
from data.request_demand import demand_as_json, demand_of_json
from data.store import open_store

ROOT = Path(__file__).resolve().parents[2]
HEADER = "request_id,timestamp,prompt_tokens,completion_tokens,ttft_ms,e2e_ms,status,padding"
MIDNIGHT = 1_780_012_800  # 2026-05-29 00:00 UTC


def requests(count, seed=3, gap_s=0.5):
    """Rows of a log whose figures the tests know, one in fifty failed."""
    rng = random.Random(seed)
    start = float(MIDNIGHT)
    rows = []
    for number in range(count):
        start += rng.expovariate(1 / gap_s)
        ttft, output = rng.lognormvariate(5.5, 0.5), rng.randint(1, 400)
        status = 503 if number % 50 == 7 else 200
        e2e = ttft + output * 20.0
        rows.append((f"id-{number}", start, rng.randint(1, 3000), output, ttft, e2e, status))
    return rows


def as_csv(rows, padding=90):
    lines = (
        f"{name},{start:.6f},{given},{output},{ttft:.3f},{e2e:.3f},{status},{'x' * padding}"
        for name, start, given, output, ttft, e2e, status in rows
    )
    return "\n".join((HEADER, *lines, "")).encode()


def words(found, severity="warning"):
    return " | ".join(str(problem) for problem in found.problems if problem.severity == severity)


@pytest.fixture(scope="module")
def rows():
    return requests(50_000)


@pytest.fixture(scope="module")
def big_file(rows, tmp_path_factory):
    path = tmp_path_factory.mktemp("log") / "big.csv"
    path.write_bytes(as_csv(rows))
    assert path.stat().st_size > contained.SCANNED_FROM_BYTE
    return path


def test_a_scanned_log_has_the_figures_of_its_rows(rows, big_file):
    (run,) = import_contained_file(big_file).measurements
    good = [row for row in rows if row[-1] == 200]
    ttft = [round(row[4], 3) / 1000 for row in good]
    tpot = [(round(row[5], 3) - round(row[4], 3)) / 1000 / (row[3] - 1) for row in good if row[3] > 1]
    assert (run.request_count, run.error_count) == (50_000, 1000)
    assert run.ttft_s.mean == pytest.approx(statistics.fmean(ttft))
    assert [run.ttft_s.p50, run.ttft_s.p99] == pytest.approx(list(np.quantile(ttft, [0.5, 0.99])))
    assert [run.tpot_s.p50, run.tpot_s.p95] == pytest.approx(list(np.quantile(tpot, [0.5, 0.95])))
    assert run.osl_tok == pytest.approx(statistics.fmean(row[3] for row in good))


def test_scanned_on_disk_and_read_row_by_row_are_the_same(big_file):
    scanned = import_contained_file(big_file)
    read = import_file("big.csv", big_file.read_bytes())
    assert scanned.sha256 == read.sha256
    assert scanned.measurements == read.measurements
    assert scanned.demand == read.demand
    assert import_contained("big.csv", big_file.read_bytes()) == scanned


def test_json_lines_are_scanned_like_a_table(rows, big_file, tmp_path):
    path = tmp_path / "log.jsonl"
    names = HEADER.split(",")
    lines = [json.dumps(dict(zip(names, (*row, "x" * 60), strict=True))) for row in rows]
    lines[30_000] = lines[30_000][:40]
    path.write_text("\n".join(lines))
    found = import_contained_file(path)
    assert found.rows_read == 50_000
    assert found.measurements[0].request_count == 49_999
    assert "line 30001: not valid JSON" in words(found, "error")
    whole = import_contained_file(big_file).measurements[0]
    assert found.measurements[0].ttft_s.p50 == pytest.approx(whole.ttft_s.p50, rel=1e-3)


def test_bad_rows_and_cells_of_a_scanned_log_are_counted_and_named(rows, tmp_path):
    lines = as_csv(rows).decode().splitlines()
    lines[100] = "only,three,cells"
    lines[200] = lines[200].replace("id-199,", 'id-"199,')
    cells = lines[300].split(",")
    lines[300] = ",".join((*cells[:4], "fast", *cells[5:]))
    cells = lines[400].split(",")
    lines[400] = ",".join((*cells[:5], "-12", *cells[6:]))
    path = tmp_path / "log.csv"
    path.write_text("\n".join(lines))
    found = import_contained_file(path)
    assert "row 101" in words(found, "error")
    assert "it has 3 cells and the header has 8" in words(found, "error")
    assert "column ttft_ms: 1 cells are no usable number" in words(found)
    assert "'fast'" in words(found)
    assert "'-12'" in words(found)
    assert found.rows_read == 50_000
    assert found.measurements[0].request_count >= 49_998


def test_a_log_with_decimal_commas_is_read_by_them():
    text = "request_id;output_tokens;ttft_s;e2e_s\na;11;0,512;1.234,5\nb;11;0,25;1,5\n"
    (run,) = import_file("log.csv", text.encode()).measurements
    assert run.ttft_s.mean == pytest.approx((0.512 + 0.25) / 2)
    assert run.e2e_s.mean == pytest.approx((1234.5 + 1.5) / 2)


def test_a_column_with_both_decimal_marks_is_refused():
    text = 'request_id,output_tokens,ttft_s,e2e_s\na,11,"0,512",1.5\nb,11,0.25,1.5\n'
    found = import_file("log.csv", text.encode())
    assert found.refused
    assert "column ttft_s: decimal points and commas are mixed" in words(found, "error")


@pytest.mark.parametrize(
    ("column", "cells", "failed"),
    [
        ("success", ("true", "false", "1", "0"), 2),
        ("error", ("false", "timed out", "", "1"), 2),
        ("status", ("200", "0", "503", "204"), 2),
        ("status", ("0", "1", "0", "ok"), 0),
    ],
)
def test_what_a_state_means_depends_on_its_heading(column, cells, failed):
    lines = [f"r{number},5,100,{cell}" for number, cell in enumerate(cells)]
    found = import_file("log.csv", "\n".join((f"request_id,output_tokens,e2e_ms,{column}", *lines)).encode())
    assert found.measurements[0].error_count == failed


def test_rows_without_an_id_repeat_nothing():
    found = import_file("log.csv", b"request_id,output_tokens,e2e_ms\n,5,100\n,6,200\nx,7,300\nx,7,310\n")
    assert found.measurements[0].request_count == 3


def log_of(starts, lengths=(100, 10)):
    rows = "\n".join(f"{start!r},{lengths[0]},{lengths[1]}" for start in starts)
    return import_file("trace.csv", f"timestamp,input_tokens,output_tokens\n{rows}\n".encode()).demand


def poisson(rate, span_s, rng, start=MIDNIGHT):
    return start + np.sort(rng.uniform(0, span_s, rng.poisson(rate * span_s)))


def test_poisson_arrivals_have_a_dispersion_of_one_also_when_their_rate_drifts():
    rng = np.random.default_rng(5)
    steady = log_of(poisson(20, 4000, rng).tolist())
    drifting = log_of(
        np.concatenate([poisson(5 + hour, 600, rng, MIDNIGHT + 600 * hour) for hour in range(12)]).tolist()
    )
    assert steady.dispersion_ratio == pytest.approx(1, abs=0.15)
    assert drifting.dispersion_ratio == pytest.approx(1, abs=0.15)


def test_groups_of_requests_raise_the_dispersion_to_their_size():
    """Poisson groups of k: variance of a count is k^2 x groups, its mean k x groups, so the ratio is k."""
    rng = np.random.default_rng(6)
    starts = np.repeat(poisson(4, 8000, rng), 5)
    assert log_of(starts.tolist()).dispersion_ratio == pytest.approx(5, rel=0.15)


def test_the_hours_of_the_day_and_the_busiest_hour():
    counts = [10 + 5 * (hour == 9) for hour in range(24)]
    starts = [
        MIDNIGHT + day * 86_400 + hour * 3600 + 3600 * (number + 0.5) / counts[hour]
        for day in range(3)
        for hour in range(24)
        for number in range(counts[hour])
    ]
    demand = log_of([MIDNIGHT, *starts, MIDNIGHT + 3 * 86_400])
    assert demand.peak_rate_req_per_s == pytest.approx(15 / 3600)
    assert demand.peak_window_s == 3600
    assert demand.hourly_fraction[9] == 1
    assert demand.hourly_fraction[10] == pytest.approx(10 / 15)
    assert sum(window.request_count for window in demand.windows) == demand.request_count


def test_half_a_day_shows_no_day_and_a_clock_from_zero_no_hours():
    rng = np.random.default_rng(7)
    assert log_of(poisson(0.1, 43_000, rng).tolist()).hourly_fraction is None
    found = import_file("t.csv", b"timestamp,input_tokens,output_tokens\n0,5,6\n90000,5,6\n")
    assert found.demand.hourly_fraction is None
    assert "count from zero without a unit" in words(found)


def test_a_trace_with_hash_ids_counts_milliseconds():
    lines = [
        json.dumps({"timestamp": t, "input_length": 9, "output_length": 8, "hash_ids": [0]})
        for t in (0, 3000)
    ]
    assert import_file("mooncake.jsonl", "\n".join(lines).encode()).demand.span_s == 3


def test_bins_keep_the_mean_of_the_lengths():
    rng = np.random.default_rng(8)
    lengths = np.maximum(1, rng.lognormal(6, 1, 3001)).astype(int)
    rows = "\n".join(f"r{number},{length},5" for number, length in enumerate(lengths))
    demand = import_file("t.csv", f"request_id,input_tokens,output_tokens\n{rows}\n".encode()).demand
    assert demand.input_tok.mean_tok == pytest.approx(lengths.mean())
    assert demand.input_tok.cv_ratio == pytest.approx(lengths.std() / lengths.mean())
    assert len(demand.input_tok.bins_tok) == 200
    assert np.mean(demand.input_tok.bins_tok) == pytest.approx(lengths.mean(), rel=2e-3)
    assert np.quantile(demand.input_tok.bins_tok, 0.9) == pytest.approx(np.quantile(lengths, 0.9), rel=0.02)
    assert demand.span_s is demand.peak_rate_req_per_s is demand.dispersion_ratio is None


@pytest.mark.parametrize(
    ("heading", "fraction"), [("cached_tokens", 30 / 200), ("cache_read_input_tokens", 30 / 230)]
)
def test_cached_tokens_lie_inside_or_beside_the_input_by_their_name(heading, fraction):
    text = f"request_id,input_tokens,{heading},output_tokens\na,100,30,5\nb,100,0,5\n"
    assert import_file("t.csv", text.encode()).demand.cached_input_fraction == pytest.approx(fraction)


def test_more_cached_than_input_leaves_the_share_unknown_and_says_so():
    found = import_file(
        "t.csv", b"request_id,input_tokens,cached_tokens,output_tokens\na,10,30,5\nb,90,1,5\n"
    )
    assert found.demand.cached_input_fraction is None
    assert "1 requests have more cached than input tokens" in words(found)


@pytest.mark.parametrize("seed", range(5))
def test_quantiles_by_bins_are_those_of_the_sorted_sample(seed):
    rng = np.random.default_rng(seed)
    sample = np.concatenate([rng.lognormal(0, 2, 500), np.full(30, 0.25), -rng.uniform(0, 1, 20)])[
        : 100 * seed + 1
    ]
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t AS SELECT unnest(?::DOUBLE[]) AS x", [sample.tolist()])
        found = quantiles(connection, "t", "x", (0.0, 0.5, 0.95, 1.0))
    assert found == pytest.approx(list(np.quantile(sample, [0.0, 0.5, 0.95, 1.0])))


def test_the_demand_survives_the_store_and_json(big_file, tmp_path):
    found = import_contained_file(big_file)
    assert demand_of_json(json.loads(json.dumps(demand_as_json(found.demand)))) == found.demand
    store = open_store(tmp_path / "store.duckdb")
    try:
        store.save(found)
        store.save(found)
        (kept,) = store.demands()
        assert (kept.demand, kept.source_id, kept.file_name) == (found.demand, found.source_id, "big.csv")
        store.delete(found.source_id)
        assert store.demands() == ()
        store.save(found)
        assert len(store.demands()) == 1
    finally:
        store.close()
    assert as_json(found)["demand"]["request_count"] == 50_000


def test_an_exception_in_progress_ends_the_worker_and_is_raised_on(big_file, monkeypatch):
    started = []
    real = subprocess.Popen
    monkeypatch.setattr(
        subprocess, "Popen", lambda *args, **more: started.append(real(*args, **more)) or started[0]
    )

    def stop(fraction, doing):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_contained_file(big_file, progress=stop)
    assert started[0].returncode == -signal.SIGKILL


def test_a_file_that_grows_while_it_is_read_is_refused(big_file, tmp_path):
    path = tmp_path / "growing.csv"
    path.write_bytes(big_file.read_bytes())

    def grow(fraction, doing):
        with path.open("a") as file:
            file.write("more\n")

    assert "it changed while it was read" in words(import_contained_file(path, progress=grow), "error")


@pytest.mark.skipif(sys.platform == "win32", reason="signals to a process group are POSIX")
def test_ctrl_c_leaves_the_store_as_it_was_and_no_scratch_behind(big_file, tmp_path):
    path = tmp_path / "store.duckdb"
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    process = subprocess.Popen(
        [sys.executable, "-m", "app", "import", str(big_file), "--db", str(path)],
        cwd=ROOT,
        env=environment,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
        # A shell that starts tests in the background has Ctrl-C ignored, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    deadline = time.monotonic() + 30
    while not list(tmp_path.glob("plimsoll-*")) and time.monotonic() < deadline:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert b"Traceback" not in errors
    assert list(tmp_path.glob("plimsoll-*")) == []
    store = open_store(path)
    assert store.runs() == ()
    store.close()


def test_limits_grow_with_the_file_and_end():
    from data.import_limits import LONGEST_S, limits_for

    small, large = limits_for(1), limits_for(1_000_000_000)
    assert (small.memory_byte, small.cpu_s, small.clock_s) == (1_500_000_000, 30, 60)
    assert small.cpu_s < large.cpu_s < LONGEST_S
    assert limits_for(10**15).memory_byte == large.memory_byte < 2**31
    assert limits_for(10**15).cpu_s == LONGEST_S


def test_a_large_file_of_another_format_is_no_log(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("concurrency,ttft_ms_p50,notes\n" + f"4,30,{'x' * 30_000}\n" * 200)
    found = import_contained_file(path)
    assert found.format_key == "csv"
    assert len(found.measurements) == 200
    assert replace(found.measurements[0], notes=None) == replace(found.measurements[1], notes=None)


@pytest.mark.parametrize("cell", ["inf", "-inf", "NaN", "1e30", "-5", "soon"])
@pytest.mark.parametrize("column", ["ttft_ms", "e2e_ms", "completion_tokens"])
def test_cells_that_can_be_no_figure_are_counted_and_the_first_is_named(cell, column):
    header = ["request_id", "completion_tokens", "ttft_ms", "e2e_ms"]
    rows = [[f"r{number}", "11", "100", "1100"] for number in range(10)]
    for number in (3, 7):
        rows[number][header.index(column)] = cell
    found = import_file("log.csv", "\n".join(",".join(row) for row in (header, *rows)).encode())
    (run,) = found.measurements
    assert f"log.csv, column {column}: 2 cells are no usable number" in words(found)
    assert f"line 5 '{cell}', line 9 '{cell}'" in words(found)
    assert "leave the cells empty" in words(found)
    assert (run.ttft_s.p99, run.e2e_s.p99, run.osl_tok) == (0.1, 1.1, 11)


def test_one_absurd_time_does_not_decide_the_unit_of_a_column_that_names_none():
    rows = "\n".join(f"r{number},11,{latency}" for number, latency in enumerate([1.5] * 20 + ["1e30"]))
    found = import_file("log.csv", f"request_id,completion_tokens,latency\n{rows}\n".encode())
    assert found.measurements[0].e2e_s.p50 == 1.5
    assert "1 cells are no usable number" in words(found)


def test_json_lines_with_numbers_that_never_end_are_counted_too():
    lines = [json.dumps({"id": n, "output_tokens": 11, "e2e_ms": 1100.0}) for n in range(5)]
    lines[2] = '{"id": 2, "output_tokens": 11, "e2e_ms": Infinity}'
    lines[3] = '{"id": 3, "output_tokens": 11, "e2e_ms": NaN}'
    found = import_file("log.jsonl", "\n".join(lines).encode())
    assert "column e2e_ms: 2 cells are no usable number" in words(found)
    assert found.measurements[0].e2e_s.p99 == 1.1


# clocks


def timed_log(*starts, header="timestamp,input_tokens,output_tokens,e2e_ms"):
    rows = "\n".join(f"{start},100,11,1000" for start in starts)
    return import_file("log.csv", f"{header}\n{rows}\n".encode())


def test_one_bad_time_of_day_leaves_the_rates_of_the_others():
    starts = [f"2026-05-29T10:00:{second:02d}Z" for second in range(10)]
    whole = timed_log(*starts).measurements[0]
    found = timed_log(*starts, "yesterday")
    (run,) = found.measurements
    assert run.request_rate_req_per_s == whole.request_rate_req_per_s == 1.0  # ten in ten seconds
    assert run.output_rate_tok_per_s == 11
    assert found.demand.mean_rate_req_per_s == whole_rate(found)
    assert "1 cells are no time that can be read and count as missing: line 12 'yesterday'" in words(found)
    assert "1 successful requests have no known start or end; the rates are of the other 10" in words(found)


def whole_rate(found):
    return 10 / found.demand.span_s


def test_offsets_are_converted_to_one_clock():
    found = timed_log("2026-05-29T12:00:00+02:00", "2026-05-29T10:00:04Z", "2026-05-29T05:00:08-0500")
    assert found.demand.span_s == 8
    assert found.measurements[0].request_rate_req_per_s == pytest.approx(3 / 9)
    assert "time zone" not in words(found)


def test_times_without_a_zone_among_others_count_as_missing():
    zoned = [f"2026-05-29T12:00:0{second}+02:00" for second in range(5)]
    found = timed_log(*zoned, "2026-05-29 12:00:07", "1780012800", "17")
    assert found.demand.span_s == 10 * 3600 + 4  # from midnight, 1780012800, to 10:00:04 UTC
    assert "1 requests have a start without a time zone and most with a time zone" in words(found)
    assert "1 requests have a start that counts from another zero and most with" in words(found)
    assert "such as 2026-11-30T14:05:00+01:00" in words(found)


def test_times_without_any_zone_are_read_as_utc_and_that_is_said():
    found = timed_log("2026-05-29 12:00:00", "2026-05-29 12:00:05")
    assert found.demand.first_start_s == MIDNIGHT + 12 * 3600
    assert "name no time zone and are read as UTC" in words(found)


# cached tokens and other columns


@pytest.mark.parametrize(
    ("heading", "isl", "message"),
    [
        (
            "cached_tokens",
            100,
            "read as a part of the input tokens, as OpenAI's interface counts: 40.0%",
        ),
        ("cache_read_tokens", 140, "read as input beside the input tokens, as Anthropic's interface"),
    ],
)
def test_what_cached_tokens_were_taken_for_is_said(heading, isl, message):
    found = import_file(
        "log.csv", f"request_id,input_tokens,{heading},output_tokens,e2e_ms\na,100,40,11,1000\n".encode()
    )
    assert f"column {heading}: {message}" in words(found)
    assert found.measurements[0].isl_tok == isl


def test_columns_of_a_log_that_are_not_used_are_named():
    found = import_file(
        "log.csv", b"request_id,output_tokens,e2e_ms,region,reasoning_tokens\na,11,1000,x,5\n"
    )
    assert "columns of the log that are not used: region, reasoning_tokens" in words(found)


def test_two_bad_cells_of_one_row_are_both_named():
    raw = b"request_id,output_tokens,ttft_ms,e2e_ms\na,11,100,1100\nb,many,inf,-3\n"
    found = import_file("log.csv", raw)
    for word in ("output_tokens: 1 cells", "ttft_ms: 1 cells", "e2e_ms: 1 cells"):
        assert f"column {word} are no usable number" in words(found)
