"""The inside of the process that reads one upload: bytes in, records out, and nothing else.

It limits itself before it reads a byte, so that a file made to exhaust memory or time harms no session.
"""

import hashlib
import json
import os
import pickle
import sys
from dataclasses import replace
from datetime import datetime
from typing import Any, BinaryIO

MEMORY_LIMIT_BYTE = 1_500_000_000
CPU_LIMIT_S = 30


def limit_this_process() -> None:
    """Cap address space and processor seconds where the system can; elsewhere only the clock counts."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT_BYTE, MEMORY_LIMIT_BYTE))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_LIMIT_S, CPU_LIMIT_S + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> None:
    """Read the request from standard input, write the pickled ImportedFile, and leave at once."""
    limit_this_process()
    answer = _own_standard_output()
    header = json.loads(sys.stdin.buffer.readline())
    answer.write(_reply(header, sys.stdin.buffer.read()))
    answer.flush()
    os._exit(0)  # no clean-up code of a library that the file may have upset


def _own_standard_output() -> BinaryIO:
    """The pipe to the parent, out of reach of anything that prints."""
    answer = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return answer


def _reply(header: dict[str, Any], raw: bytes) -> bytes:
    from data.imported import ImportedFile
    from data.imports import import_file
    from data.mapping_files import read_mappings
    from models.problems import Problem

    name, format_key = str(header["name"]), header["format_key"]
    mappings = [
        replace(mapping, said_on=said_on and datetime.fromisoformat(said_on))
        for text, said_on in header["mappings"]
        for mapping in read_mappings(text)
    ]
    try:
        found = import_file(name, raw, format_key, size_limit_byte=None, mappings=mappings)
    except MemoryError:
        problem = Problem(
            path=name,
            message=f"reading it needs more than {MEMORY_LIMIT_BYTE / 1e9:.1f} GB of memory",
            cure="Split it, or leave out the single requests and prompts.",
        )
        found = ImportedFile(file_name=name, sha256=hashlib.sha256(raw).hexdigest(), problems=(problem,))
    except Exception as error:
        problem = Problem(
            path=name,
            message=f"reading it failed ({type(error).__name__})",
            cure="Export the file again. If it stays so, please report it with the first lines of the file.",
        )
        found = ImportedFile(file_name=name, sha256=hashlib.sha256(raw).hexdigest(), problems=(problem,))
    return pickle.dumps(found)
