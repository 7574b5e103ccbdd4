"""The inside of the process that reads one upload: bytes in, records out, and nothing else.

It limits itself before it reads a byte, so that a file made to exhaust memory or time harms no session.
The request is one line of JSON, then the file's bytes where it names no path. The reply is a line of JSON for
each step of progress, an empty line, and the pickled record.
"""

import gc
import json
import os
import pickle
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

from data.import_limits import CPU_S, SMALL_MEMORY_BYTE

PARQUET = b"PAR1"
SCANNED_FROM_BYTE = 5_000_000  # a log of requests of this size is scanned on disk, which needs a folder


def limit_this_process(memory_byte: int = SMALL_MEMORY_BYTE, cpu_s: int = int(CPU_S)) -> None:
    """Cap address space and processor seconds where the system can; elsewhere only the clock counts."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (memory_byte, memory_byte))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> None:
    """Read the request from standard input, answer with progress and the record, and leave at once."""
    answer = _own_standard_output()
    request = json.loads(sys.stdin.buffer.readline())
    limit_this_process(request["memory_byte"], request["cpu_s"])
    gc.disable()  # of a process that reads one file and ends; looking for cycles took a fifth of its time
    raw = None if request["path"] else sys.stdin.buffer.read()
    reply = _reply(request, raw, _teller(answer))
    answer.write(b"\n" + reply)
    answer.flush()
    os._exit(0)  # no clean-up code of a library that the file may have upset


def _own_standard_output() -> BinaryIO:
    """The pipe to the parent, out of reach of anything that prints."""
    answer = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return answer


def _teller(answer: BinaryIO) -> Callable[[float, str], None]:
    def tell(fraction: float, doing: str) -> None:
        answer.write(json.dumps({"fraction": fraction, "doing": doing}).encode() + b"\n")
        answer.flush()

    return tell


def _reply(request: dict[str, Any], raw: bytes | None, tell: Callable[[float, str], None]) -> bytes:
    from data.columns import columns_of_measurements
    from data.imported import ImportedFile
    from models.problems import Problem

    try:
        found = _read(request, raw, tell)
    except MemoryError:
        problem = Problem(
            path=request["name"],
            message=f"reading it needs more than {request['memory_byte'] / 1e9:.1f} GB of memory",
            cure="Split it, or leave out the single requests and prompts.",
        )
        found = ImportedFile(file_name=request["name"], sha256=request["sha256"], problems=(problem,))
    except Exception as error:
        problem = Problem(
            path=request["name"],
            message=f"reading it failed ({type(error).__name__})",
            cure="Export the file again. If it stays so, please report it with the first lines of the file.",
        )
        found = ImportedFile(file_name=request["name"], sha256=request["sha256"], problems=(problem,))
    return pickle.dumps((replace(found, measurements=()), columns_of_measurements(found.measurements)))


def needs_a_folder(head: bytes) -> bool:
    """Whether a file with these first bytes is unpacked or read on disk, whatever its size."""
    from data.compressed import is_compressed

    return is_compressed(head) or head.startswith(PARQUET)


def _read(request: dict[str, Any], raw: bytes | None, tell: Callable[[float, str], None]) -> Any:
    from data.imports import import_file
    from data.mapping_files import read_mappings

    mappings = [
        replace(mapping, said_on=said_on and datetime.fromisoformat(said_on))
        for text, said_on in request["mappings"]
        for mapping in read_mappings(text)
    ]
    if request["scratch"]:
        found = _on_disk(request, raw, tell, mappings)
        if found is not None:
            return found
    return import_file(
        request["name"],
        Path(request["path"]).read_bytes() if raw is None else raw,
        request["format_key"],
        size_limit_byte=None,
        mappings=mappings,
        sha256=request["sha256"],
    )


def _on_disk(
    request: dict[str, Any], raw: bytes | None, tell: Callable[[float, str], None], mappings: Any
) -> Any:
    """The file as Parquet or as a large log of requests, unpacked first where it is compressed; None where it
    is read whole."""
    from data.big_logs import read_big_log
    from data.compressed import is_compressed, unpack_to
    from data.imported import ImportedFile
    from data.imports import of_part, without_misfits

    blank = ImportedFile(file_name=request["name"], sha256=request["sha256"])
    scratch = Path(request["scratch"])
    path = scratch / "upload" if raw is not None else Path(request["path"])
    if raw is not None:
        path.write_bytes(raw)
    if is_compressed(_head(path)):
        problem = unpack_to(request["name"], path, scratch / "unpacked")
        if problem is not None:
            return replace(blank, problems=(problem,))
        path = scratch / "unpacked"
    part = None
    if _head(path).startswith(PARQUET):
        from data.parquet_files import read_parquet

        part = read_parquet(request["name"], path, scratch, tell)
    elif path.stat().st_size > SCANNED_FROM_BYTE and request["format_key"] in (None, "requests"):
        part = read_big_log(request["name"], path, scratch, tell)
    return None if part is None else without_misfits(of_part(blank, part), mappings)


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(8)
