"""What can happen to the store's file: each fault is named with its path and cure, and the data stay."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from data.migrations import migrations
from data.store import open_store
from data.store_faults import StoreFault
from tests.data.test_store import imported

ROOT = Path(__file__).parents[2]


def fingerprint(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def filled(path: Path) -> Path:
    store = open_store(path)
    store.save(imported())
    store.close()
    return path


def child(code: str, *arguments: str, **options) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def test_an_empty_database_gets_the_whole_schema(tmp_path):
    path = tmp_path / "empty.duckdb"
    duckdb.connect(str(path)).close()
    assert filled(path).exists()
    assert not list(tmp_path.glob("*.backup"))


def test_a_newer_schema_is_refused_naming_both_versions_and_left_alone(tmp_path):
    path = filled(tmp_path / "newer.duckdb")
    with duckdb.connect(str(path)) as connection:
        connection.execute("INSERT INTO schema_steps VALUES (99, 'from the future', now()::TIMESTAMP)")
    before = fingerprint(path)
    with pytest.raises(StoreFault, match=f"version 99 .* up to {len(migrations())}"):
        open_store(path)
    assert fingerprint(path) == before


def test_an_older_schema_is_copied_aside_before_it_is_changed(tmp_path, monkeypatch):
    path = filled(tmp_path / "older.duckdb")
    steps = migrations()
    added = type(steps[0])(
        version=len(steps) + 1, name="more", sql="CREATE TABLE more (a INT); INSERT INTO more VALUES (1);"
    )
    monkeypatch.setattr("data.store.migrations", lambda: (*steps, added))
    store = open_store(path)
    assert store.query("SELECT * FROM store.more").rows == ((1,),)
    assert len(store.runs()) == 1
    store.close()
    (backup,) = tmp_path.glob("*.backup")
    monkeypatch.undo()
    kept = open_store(backup)
    assert len(kept.runs()) == 1
    kept.close()


def test_a_step_that_fails_leaves_the_old_version_whole(tmp_path, monkeypatch):
    path = filled(tmp_path / "half.duckdb")
    steps = migrations()
    broken = type(steps[0])(
        version=len(steps) + 1, name="broken", sql="CREATE TABLE more (a INT); SELECT no_such_thing;"
    )
    monkeypatch.setattr("data.store.migrations", lambda: (*steps, broken))
    with pytest.raises(StoreFault):
        open_store(path)
    monkeypatch.undo()
    store = open_store(path)
    assert len(store.runs()) == 1
    with pytest.raises(Exception, match="more"):
        store.query("SELECT * FROM store.more")
    store.close()


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"SQLite format 3\x00" + bytes(4096), "SQLite"),
        (b"", "not a DuckDB database"),
        (b"just some words", "not a DuckDB database"),
    ],
)
def test_another_kind_of_file_is_refused_and_left_alone(tmp_path, content, word):
    path = tmp_path / "other.duckdb"
    path.write_bytes(content)
    with pytest.raises(StoreFault, match=word):
        open_store(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize("damage", ["cut", "header", "blocks"])
def test_a_damaged_file_is_refused_and_left_alone(tmp_path, damage):
    path = filled(tmp_path / "damaged.duckdb")
    raw = bytearray(path.read_bytes())
    if damage == "cut":
        del raw[10_000:]
    elif damage == "header":
        raw[4096 + 16] ^= 0xFF
        raw[8192 + 16] ^= 0xFF
    else:
        for place in range(12_288 + 64, len(raw), 4096):
            raw[place] ^= 0xFF
    path.write_bytes(raw)
    with pytest.raises(StoreFault) as fault:
        open_store(path).measurements()
    assert "damaged" in fault.value.message
    assert fault.value.cure
    assert path.read_bytes() == raw


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreFault, match="cannot be written"):
        open_store(tmp_path / "file" / "kept.duckdb")


def test_a_folder_in_place_of_the_file_is_named(tmp_path):
    with pytest.raises(StoreFault, match="folder"):
        open_store(tmp_path)


def test_a_second_process_is_told_who_holds_the_file(tmp_path):
    path = tmp_path / "held.duckdb"
    store = open_store(path)
    code = "import sys\nfrom data.store import open_store\nopen_store(sys.argv[1])"
    second = child(code, str(path))
    _, errors = second.communicate(timeout=30)
    assert second.returncode != 0
    assert f"in use by PID {os.getpid()}" in errors
    store.close()
    third = child(code, str(path))
    third.communicate(timeout=30)
    assert third.returncode == 0


def test_a_hard_link_is_not_opened_beside_its_twin(tmp_path):
    path = filled(tmp_path / "one.duckdb")
    twin = tmp_path / "twin.duckdb"
    twin.hardlink_to(path)
    store = open_store(path)
    with pytest.raises(StoreFault, match="already open"):
        open_store(twin)
    store.save(imported("b"))
    store.close()


def test_a_file_deleted_while_in_use_is_noticed_and_the_store_goes_on(tmp_path):
    path = filled(tmp_path / "gone.duckdb")
    store = open_store(path)
    aside = path.rename(tmp_path / "aside.duckdb")
    with pytest.raises(StoreFault, match="removed or replaced"):
        store.save(imported("b"))
    with pytest.raises(StoreFault, match="Put it back"):
        store.runs()
    assert not path.exists()
    aside.rename(path)
    assert len(store.runs()) == 1
    store.save(imported("b"))
    assert len(store.runs()) == 2
    store.close()


def test_an_import_the_disk_has_no_room_for_is_refused_before_writing(tmp_path, monkeypatch):
    store = open_store(tmp_path / "full.duckdb")
    monkeypatch.setattr("data.store_files.shutil.disk_usage", lambda _: _Usage())
    with pytest.raises(StoreFault, match="1 MB free"):
        store.save(imported())
    monkeypatch.undo()
    assert store.runs() == ()
    store.save(imported())
    store.close()


class _Usage:
    free = 1_000_000


FULL_DISK = """
import resource, signal, sys
from dataclasses import replace
from data.store import open_store
from data.store_faults import StoreFault
from tests.data.test_store import POINT, imported

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # so that a write fails as on a full disk
store = open_store(sys.argv[1])
store.save(imported("a"))
many = tuple(replace(POINT, concurrency_count=float(index), notes="x" * 50) for index in range(1500))
resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, resource.RLIM_INFINITY))
failures = 0
for digit in "bcdef012345":
    try:
        store.save(imported(digit, *many))
    except StoreFault as fault:
        failures += 1
        assert fault.path and fault.cure, fault
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
kept = {run.source_id: run.row_count for run in store.runs()}
assert failures and "sha256:" + "a" * 64 in kept, (failures, kept)
for digit in "bcdef012345":
    store.save(imported(digit, *many))
rows = store.query("SELECT source_id, count(*) FROM measurements GROUP BY ALL").rows
assert len(rows) == 12 and all(count == (1 if "a" * 64 in source else 1500) for source, count in rows), rows
store.close()
print("went on")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the limit on file sizes is POSIX's")
def test_a_full_disk_is_survived_without_a_restart_and_without_doubles(tmp_path):
    run = child(FULL_DISK, str(tmp_path / "full.duckdb"))
    output, errors = run.communicate(timeout=60)
    assert "went on" in output, errors


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_may_not_use_the_parents_store(tmp_path):
    code = """
import os, sys
from data.store import open_store
from data.store_faults import StoreFault
store = open_store(sys.argv[1])
if os.fork() == 0:
    try:
        store.runs()
    except StoreFault:
        os._exit(7)
    os._exit(0)
print(os.waitstatus_to_exitcode(os.wait()[1]))
"""
    output, errors = child(code, str(tmp_path / "forked.duckdb")).communicate(timeout=30)
    assert output.strip() == "7", errors
