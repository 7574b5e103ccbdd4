"""A command that only reads answers while another process holds the store, with all that was committed."""

import subprocess
import sys
from pathlib import Path

import pytest

from app.cli import main
from data import store_copies
from data.store_copies import copy_of
from data.store_faults import StoreFault
from tests.app.clicking import sweep
from tests.house.sources import ROOT

HOLDER = """
import sys
from data.imports import import_file
from data.store import open_store
store = open_store(sys.argv[1])
for name in sys.argv[2:]:
    store.save(import_file(name, open(name, "rb").read()))
print("ready", flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def held(tmp_path):
    """A store with two files, held by another process, its newest rows still in the log."""
    files = []
    for number, base in enumerate((4.0, 8.0)):
        files.append(tmp_path / f"{number}.csv")
        files[-1].write_bytes(sweep(base_tpot_ms=base))
    path = tmp_path / "store.duckdb"
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path), *map(str, files)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "ready\n"
    yield path
    process.communicate("\n", timeout=20)


def test_a_reading_command_answers_from_a_copy_and_says_so(held, capfdbinary):
    assert held.with_name("store.duckdb.wal").stat().st_size > 0
    before = held.read_bytes()
    assert (
        main(
            [
                "sql",
                "SELECT count(*) AS n, count(DISTINCT source_id) AS f FROM measurements",
                "--db",
                str(held),
            ]
        )
        == 0
    )
    seen = capfdbinary.readouterr()
    assert seen.out.split() == [b"n,f", b"10,2"]
    assert b"read from a copy" in seen.err
    assert held.read_bytes() == before


def test_a_writing_command_is_still_refused(held, tmp_path, capfd):
    assert main(["import", str(tmp_path / "0.csv"), "--db", str(held)]) == 1
    assert "in use by PID" in capfd.readouterr().err


def test_a_file_that_is_written_to_all_the_time_is_not_copied(tmp_path, monkeypatch):
    path = tmp_path / "store.duckdb"
    path.write_bytes(b"x")
    copied = []

    def copy_while_it_grows(source, target):
        copied.append(Path(target).parent)
        Path(target).write_bytes(Path(source).read_bytes())
        path.write_bytes(path.read_bytes() + b"x")

    monkeypatch.setattr(store_copies.shutil, "copyfile", copy_while_it_grows)
    monkeypatch.setattr(store_copies, "PAUSE_S", 0)
    with pytest.raises(StoreFault, match="written to all the time"):
        copy_of(path)
    assert not copied[0].exists()
