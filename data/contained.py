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
from collections.abc import Sequence
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from data.column_mapping import (
    ColumnChoice,
    ColumnMapping,
    RecognisedColumn,
    RecognisedTable,
    UnitDoubt,
)
from data.import_worker import CPU_LIMIT_S
from data.imported import ImportedFile
from data.imports import UPLOAD_LIMIT_BYTE, import_file
from data.mapping_files import text_of
from models.measurements import Measurement
from models.percentiles import Percentiles
from models.problems import Problem

CLOCK_LIMIT_S = 60
ROOT = Path(__file__).resolve().parent.parent
START = "import sys; sys.path.insert(0, sys.argv[1]); from data.import_worker import main; main()"
OWN_RECORDS = {
    (record.__module__, record.__qualname__): record
    for record in (
        *(ImportedFile, Measurement, Percentiles, Problem, date, datetime, timedelta, timezone),
        *(RecognisedTable, RecognisedColumn, ColumnChoice, UnitDoubt),
    )
}


def import_contained(
    name: str,
    raw: bytes,
    format_key: str | None = None,
    *,
    size_limit_byte: int | None = UPLOAD_LIMIT_BYTE,
    clock_limit_s: float = CLOCK_LIMIT_S,
    mappings: Sequence[ColumnMapping] = (),
) -> ImportedFile:
    """Like `import_file`, but parsed in a process of its own, which may use 1.5 GB, 30 seconds of processor
    time and `clock_limit_s` on the clock. Never raises for bad input.
    """
    if not raw or (size_limit_byte is not None and len(raw) > size_limit_byte):
        return import_file(name, raw, format_key, size_limit_byte=size_limit_byte)  # refused unparsed
    said = [(text_of(each), each.said_on and each.said_on.isoformat()) for each in mappings]
    header = {"name": name, "format_key": format_key, "mappings": said}
    request = json.dumps(header).encode() + b"\n" + raw
    try:
        ended = subprocess.run(  # noqa: S603  (our own interpreter and module)
            [sys.executable, "-c", START, str(ROOT)],
            input=request,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=clock_limit_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return _stopped(name, raw, f"reading it took longer than {clock_limit_s:g} seconds")
    if ended.returncode != 0:
        return _stopped(name, raw, f"reading it used up {CPU_LIMIT_S} seconds or 1.5 GB, or broke the reader")
    try:
        found = _OwnUnpickler(io.BytesIO(ended.stdout)).load()
    except Exception:  # whatever a broken stream may raise, the file was not read
        return _stopped(name, raw, "reading it broke the reader")
    return found if isinstance(found, ImportedFile) else _stopped(name, raw, "reading it broke the reader")


class _OwnUnpickler(pickle.Unpickler):
    """Builds our own records and nothing else, whatever the stream asks for."""

    def find_class(self, module: str, name: str) -> Any:
        record = OWN_RECORDS.get((module, name))
        if record is None:
            raise pickle.UnpicklingError(f"{module}.{name} is no record of ours")
        return record


def _stopped(name: str, raw: bytes, message: str) -> ImportedFile:
    problem = Problem(
        path=name,
        message=f"{message}, and was stopped",
        cure="Split it, or leave out the single requests and prompts, and import it again.",
    )
    return ImportedFile(file_name=name, sha256=hashlib.sha256(raw).hexdigest(), problems=(problem,))
