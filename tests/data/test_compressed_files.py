"""Compressed files and Parquet: the same rows as the plain file, and bombs that end as a problem."""

import bz2
import gzip
import io
import lzma

import duckdb
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from data import compressed
from data.contained import import_contained, import_contained_file
from data.imports import import_file

TABLE = b"model,concurrency,ttft_ms_p50,output_tps\ntoy-3b,2,30,90\ntoy-3b,4,40,150\n"
HEADER = "request_id,timestamp,input_tokens,output_tokens,ttft_ms,e2e_ms"
LOG = "\n".join(
    (HEADER, *(f"r{n},{1_780_012_800 + n},500,{10 + n % 5},{100 + n},{1000 + 2 * n}" for n in range(300)))
).encode()


def words(found):
    return " | ".join(str(problem) for problem in found.problems)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("raw", [TABLE, LOG])
def test_a_compressed_file_holds_the_rows_of_the_plain_one(pack, raw):
    plain, packed = import_file("x.csv", raw), import_contained("x.csv.gz", pack(raw))
    assert packed.measurements == plain.measurements
    assert packed.demand == plain.demand
    assert packed.sha256 != plain.sha256
    assert import_file("x.csv.gz", pack(raw)).measurements == plain.measurements


def test_a_large_compressed_log_is_scanned_on_disk(tmp_path):
    rows = "\n".join(
        f"r{n},{1_780_012_800 + n},500,11,{100 + n % 50},{1100 + n % 50}" for n in range(150_000)
    )
    path = tmp_path / "log.csv.gz"
    path.write_bytes(gzip.compress(f"{HEADER}\n{rows}\n".encode(), 1))
    found = import_contained_file(path)
    assert (found.rows_read, found.measurements[0].osl_tok) == (150_000, 11)


def test_a_compressed_bomb_ends_as_a_problem(monkeypatch):
    monkeypatch.setattr(compressed, "LARGEST_UNPACKED_BYTE", 1_000_000)
    found = import_file("bomb.gz", gzip.compress(b"0" * 2_000_000))
    assert "it unpacks to more than 1 MB" in words(found)


def test_the_worker_refuses_a_bomb_too():
    bomb = gzip.compress(gzip.compress(b"0" * 400_000_000, 1) + b"", 1)
    assert "compressed twice" in words(import_file("bomb.gz", bomb))
    assert "more than 300 MB" in words(import_contained("bomb.gz", gzip.compress(b"0" * 400_000_000, 6)))


@pytest.mark.parametrize("cut", [5, 40, -8])
def test_a_damaged_compressed_file_is_a_problem(cut):
    found = import_contained("cut.gz", gzip.compress(LOG)[:cut])
    assert found.refused
    assert "unpacked" in words(found)


def as_parquet(columns) -> bytes:
    out = io.BytesIO()
    parquet.write_table(pa.table(columns), out)
    return out.getvalue()


def test_a_log_in_parquet_has_the_figures_of_the_same_log_as_text():
    names = HEADER.split(",")
    rows = [line.split(",") for line in LOG.decode().splitlines()[1:]]
    columns = {name: [row[place] for row in rows] for place, name in enumerate(names)}
    typed = {
        name: values if name == "request_id" else [float(value) for value in values]
        for name, values in columns.items()
    }
    found = import_contained("log.parquet", as_parquet(typed))
    plain = import_file("log.csv", LOG)
    assert found.measurements == plain.measurements
    assert found.demand == plain.demand


def test_times_of_parquet_keep_their_zone():
    moments = duckdb.sql(
        "SELECT TIMESTAMPTZ '2026-05-29 10:00:00+02' AS t UNION ALL SELECT TIMESTAMPTZ '2026-05-29 08:00:06Z'"
    ).fetchall()
    columns = {
        "timestamp": [row[0] for row in moments],
        "output_tokens": [10, 10],
        "e2e_ms": [1000.0, 1000.0],
    }
    found = import_contained("log.parquet", as_parquet(columns))
    assert found.demand.span_s == 6
    assert "time zone" not in words(found)


def test_a_table_of_runs_in_parquet_is_read_like_a_csv():
    columns = {"concurrency": [2, 4], "ttft_ms_p50": [30.0, 40.5], "tags": [["a"], ["b"]]}
    found = import_contained("runs.parquet", as_parquet(columns))
    assert [(row.concurrency_count, row.ttft_s.p50) for row in found.measurements] == [(2, 0.03), (4, 0.0405)]


def test_what_is_no_parquet_in_truth_is_refused():
    for raw in (b"PAR1" + b"x" * 200 + b"PAR1", as_parquet({"a": [1]})[:-7], as_parquet({"a": [1, 2]})):
        found = import_contained("bad.parquet", raw)
        assert found.refused
        assert found.problems


def test_parquet_with_more_rows_than_a_table_may_have_is_refused_by_its_count():
    found = import_contained("many.parquet", as_parquet({"a": pa.array([1]).take(pa.array([0] * 600_000))}))
    assert "600,000 rows" in words(found)
