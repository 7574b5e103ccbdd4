"""A process killed at any moment of an import leaves each file whole or absent."""

import random
import subprocess
import sys
import time
from pathlib import Path

from data.store import open_store

ROOT = Path(__file__).parents[2]
ROW_COUNT = 300
KILLS = 15

IMPORTING = f"""
import hashlib, sys
from dataclasses import replace
from data.store import open_store
from tests.data.test_store import POINT, imported

store = open_store(sys.argv[1])
many = tuple(replace(POINT, concurrency_count=float(index)) for index in range({ROW_COUNT}))
print("ready", flush=True)
for number in range(100_000):
    sha256 = hashlib.sha256(f"{{sys.argv[2]}} {{number}}".encode()).hexdigest()
    print(store.save(replace(imported("a", *many), sha256=sha256)).source_id, flush=True)
"""


def test_fifteen_kills_lose_nothing_acknowledged_and_tear_nothing(tmp_path):
    path = tmp_path / "killed.duckdb"
    moments = random.Random(7)
    acknowledged: set[str] = set()
    for attempt in range(KILLS):
        child = subprocess.Popen(
            [sys.executable, "-c", IMPORTING, str(path), str(attempt)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert child.stdout is not None
        assert child.stdout.readline().strip() == "ready"
        time.sleep(moments.uniform(0.0, 0.25))
        child.kill()
        acknowledged.update(line.strip() for line in child.stdout if len(line.strip()) == 71)
        child.wait()
    began = time.monotonic()
    store = open_store(path)
    assert time.monotonic() - began < 5
    counted = "SELECT source_id, count(*) FROM measurements GROUP BY ALL"
    counts = dict(store.query(counted, row_limit=10_000).rows)
    assert acknowledged
    assert acknowledged <= {run.source_id for run in store.runs()}
    assert set(counts.values()) == {ROW_COUNT}
    assert set(counts) == {run.source_id for run in store.runs()}
    store.close()
