"""Uploads are read in a process of their own, with limits of memory and time: a bomb ends as a problem.

Every upload goes this way, small ones too: a few kilobytes are enough for a bomb, and starting the process
costs less than a click is felt.
"""

import hashlib
import io
import json
import pickle
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from data.column_mapping import (
    ColumnChoice,
    ColumnMapping,
    RecognisedColumn,
    RecognisedTable,
    UnitDoubt,
)
from data.columns import measurements_of_columns
from data.import_limits import ImportLimits, limits_for
from data.import_worker import SCANNED_FROM_BYTE, needs_a_folder
from data.imported import ImportedFile
from data.imports import UPLOAD_LIMIT_BYTE, import_file
from data.mapping_files import text_of
from data.request_demand import LogWindow, RequestDemand, TokenSample
from models.measurements import Measurement
from models.percentiles import Percentiles
from models.problems import Problem

ROOT = Path(__file__).resolve().parent.parent
START = "import sys; sys.path.insert(0, sys.argv[1]); from data.import_worker import main; main()"
OWN_RECORDS = {
    (record.__module__, record.__qualname__): record
    for record in (
        *(ImportedFile, Measurement, Percentiles, Problem, date, datetime, timedelta, timezone),
        *(RecognisedTable, RecognisedColumn, ColumnChoice, UnitDoubt),
        *(RequestDemand, TokenSample, LogWindow),
    )
}
Progress = Callable[[float, str], None]


def import_contained(
    name: str,
    raw: bytes,
    format_key: str | None = None,
    *,
    size_limit_byte: int | None = UPLOAD_LIMIT_BYTE,
    clock_limit_s: float | None = None,
    mappings: Sequence[ColumnMapping] = (),
    progress: Progress | None = None,
) -> ImportedFile:
    """Like `import_file`, but parsed in a process of its own, within the limits of `limits_for` its size.

    Never raises for bad input. What `progress` raises ends the reading, and is raised on.
    """
    if not raw or (size_limit_byte is not None and len(raw) > size_limit_byte):
        return import_file(name, raw, format_key, size_limit_byte=size_limit_byte)  # refused unparsed
    limits = limits_for(len(raw))
    if clock_limit_s is not None:
        limits = replace(limits, clock_s=clock_limit_s)
    blank = ImportedFile(file_name=name, sha256=hashlib.sha256(raw).hexdigest())
    request = _request(blank, format_key, mappings, limits)
    return _contained(blank, request, raw, len(raw), limits, progress)


def import_contained_file(
    path: Path,
    format_key: str | None = None,
    *,
    mappings: Sequence[ColumnMapping] = (),
    progress: Progress | None = None,
) -> ImportedFile:
    """A file of any size, read by its path so that this process never holds it; OSError where it cannot be.

    Refused where it changes while it is read, as its hash would then name other bytes.
    """
    before = path.stat()
    if not before.st_size:
        return import_file(path.name, b"", format_key)
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    blank = ImportedFile(file_name=path.name, sha256=digest)
    limits = limits_for(before.st_size)
    request = _request(blank, format_key, mappings, limits) | {"path": str(path.resolve())}
    found = _contained(blank, request, b"", before.st_size, limits, progress)
    after = path.stat()
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        cure = (
            "Wait until the benchmark or the log's writer has ended, or copy the file, and import it again."
        )
        problem = Problem(path=path.name, message="it changed while it was read", cure=cure)
        return replace(blank, problems=(problem,))
    return found


def _request(
    blank: ImportedFile, format_key: str | None, mappings: Sequence[ColumnMapping], limits: ImportLimits
) -> dict[str, Any]:
    """What the worker is told before the bytes."""
    return {
        "name": blank.file_name,
        "sha256": blank.sha256,
        "format_key": format_key,
        "mappings": [(text_of(each), each.said_on and each.said_on.isoformat()) for each in mappings],
        "path": None,
        "scratch": None,
        "memory_byte": limits.memory_byte,
        "cpu_s": limits.cpu_s,
    }


def _contained(
    blank: ImportedFile,
    request: dict[str, Any],
    raw: bytes,
    size_byte: int,
    limits: ImportLimits,
    progress: Progress | None,
) -> ImportedFile:
    with ExitStack() as stack:
        if size_byte > SCANNED_FROM_BYTE or needs_a_folder(_head_of(request, raw)):
            request["scratch"] = stack.enter_context(
                tempfile.TemporaryDirectory(prefix="plimsoll-", ignore_cleanup_errors=True)
            )
        reply = _reply_of_worker(json.dumps(request).encode() + b"\n" + raw, limits.clock_s, progress)
    if isinstance(reply, str):
        return _stopped(blank, reply)
    if reply is None:
        spent = f"{limits.cpu_s} seconds or {limits.memory_byte / 1e9:g} GB"
        return _stopped(blank, f"reading it used up {spent}, or broke the reader")
    try:
        found, columns = _OwnUnpickler(io.BytesIO(reply)).load()
        rows = measurements_of_columns(columns, len(found.row_numbers))
        whole = replace(found, measurements=tuple(rows))
    except Exception:  # whatever a broken stream may raise, the file was not read
        return _stopped(blank, "reading it broke the reader")
    return whole if isinstance(whole, ImportedFile) else _stopped(blank, "reading it broke the reader")


def _head_of(request: dict[str, Any], raw: bytes) -> bytes:
    """The first bytes, wherever they are; none where the file cannot be opened, which the worker tells."""
    if request["path"] is None:
        return raw[:8]
    try:
        with Path(request["path"]).open("rb") as file:
            return file.read(8)
    except OSError:
        return b""


def _reply_of_worker(request: bytes, clock_s: float, progress: Progress | None) -> bytes | str | None:
    """The pickled reply; None where the worker ended without one, words where the clock ran out.

    However this is left, also by an exception in `progress` or Ctrl-C, the worker is ended first.
    """
    deadline = time.monotonic() + clock_s
    worker = subprocess.Popen(  # noqa: S603  (our own interpreter and module)
        [sys.executable, "-c", START, str(ROOT)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    heard: SimpleQueue[dict[str, Any] | bytes] = SimpleQueue()
    threads = [
        Thread(target=_send, args=(worker, request), daemon=True),
        Thread(target=_listen, args=(worker, heard), daemon=True),
    ]
    try:
        for thread in threads:
            thread.start()
        while True:
            try:
                word = heard.get(timeout=max(0.0, deadline - time.monotonic()))
            except Empty:
                return f"reading it took longer than {clock_s:g} seconds"
            if isinstance(word, bytes):
                return word if worker.wait() == 0 and word else None
            if progress is not None:
                progress(float(word["fraction"]), str(word["doing"]))
    finally:
        worker.kill()
        worker.wait()
        for thread in threads:
            if thread.ident is not None:  # Ctrl-C may come before it was started
                thread.join()


def _send(worker: "subprocess.Popen[bytes]", request: bytes) -> None:
    assert worker.stdin is not None  # noqa: S101  a pipe was asked for
    try:
        with worker.stdin:
            worker.stdin.write(request)
    except OSError:
        pass  # it ended before it had read all, which its exit code tells


def _listen(worker: "subprocess.Popen[bytes]", heard: "SimpleQueue[dict[str, Any] | bytes]") -> None:
    """Pass on each step of progress, then the reply; b"" where the stream breaks off."""
    assert worker.stdout is not None  # noqa: S101  a pipe was asked for
    reply = b""
    try:
        with worker.stdout:
            for line in worker.stdout:
                if line == b"\n":
                    reply = worker.stdout.read()
                    break
                heard.put(json.loads(line))
    except (OSError, ValueError):
        reply = b""
    heard.put(reply)


class _OwnUnpickler(pickle.Unpickler):
    """Builds our own records and nothing else, whatever the stream asks for."""

    def find_class(self, module: str, name: str) -> Any:
        record = OWN_RECORDS.get((module, name))
        if record is None:
            raise pickle.UnpicklingError(f"{module}.{name} is no record of ours")
        return record


def _stopped(blank: ImportedFile, message: str) -> ImportedFile:
    problem = Problem(
        path=blank.file_name,
        message=f"{message}, and was stopped",
        cure="Split it, or leave out the single requests and prompts, and import it again.",
    )
    return replace(blank, problems=(problem,))
