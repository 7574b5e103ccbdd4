"""Files and streams of the command line: inputs read, outputs written whole or not at all, the store."""

import argparse
import atexit
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli_arguments import STANDARD_STREAM
from models.problems import InputProblems, Problem

if TYPE_CHECKING:
    from app.workbench import Store

OUTPUTS = ("json", "report", "gateway")  # options that name a file to write
INPUTS = ("scenario", "file", "against", "mapping")
IN_MEMORY = ":memory:"


def complain(problems: Sequence[Problem], file: str = "") -> None:
    """Each problem on its own line of standard error: address, what, cure."""
    prefix = f"{file}: " if file else ""
    for problem in problems:
        print(f"{prefix}{problem.severity}: {problem}", file=sys.stderr)


def write_output(target: str, content: str | bytes) -> None:
    """Write a result to a file, whole or not at all, or to standard output."""
    raw = content.encode() if isinstance(content, str) else content
    if target == STANDARD_STREAM:
        sys.stdout.buffer.write(raw)
        sys.stdout.flush()
        return
    path = Path(target)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_bytes(raw)
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise unusable(
            target, f"cannot be written: {error.strerror}", "Choose a folder you may write to."
        ) from error


def read_input(source: str) -> bytes:
    """A file's bytes, or standard input; InputProblems where they cannot be had."""
    if source == STANDARD_STREAM:
        return sys.stdin.buffer.read()
    try:
        return Path(source).read_bytes()
    except OSError as error:
        raise unusable(source, f"cannot be read: {error.strerror}", "Check the path.") from error


def unusable(path: str, message: str, cure: str) -> InputProblems:
    """One problem with an address, ready to be raised."""
    return InputProblems([Problem(path=path, message=message, cure=cure)])


def as_json(document: Any) -> str:
    """The text of a JSON answer."""
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def open_store(path: str | None) -> "Store":
    """The store, or its fault as a problem with address and cure."""
    from app import workbench

    try:
        return workbench.store_at(path)
    except workbench.StoreFault as fault:
        raise unusable(str(fault.path), fault.message, fault.cure) from fault


def reading_store(path: str | None) -> "Store":
    """The store for a command that only reads: a copy, and word of that, where the dashboard holds it."""
    from app import benchmarks, workbench

    _check_there(path)
    try:
        return workbench.store_at(path)
    except benchmarks.StoreInUse as fault:
        held = fault
    except workbench.StoreFault as fault:
        raise unusable(str(fault.path), fault.message, fault.cure) from fault
    try:
        store = benchmarks.store_copy_at(held.path)
    except workbench.StoreFault as fault:
        raise unusable(held.path, f"{held.message}; {fault.message}", held.cure) from fault
    atexit.register(benchmarks.discard_copy, store)
    print(f"warning: {held.path}: {held.message}; read from a copy of how it is now", file=sys.stderr)
    return store


def _check_there(path: str | None) -> None:
    """Refuse a store that was named and is not there: a command that only reads would show an empty one."""
    if path is None or not path.strip() or path == IN_MEMORY or Path(path).expanduser().exists():
        return
    cure = "Check the path, or import into it first: python -m app import FILE --db PATH."
    raise unusable(path, "there is no store of measurements", cure)


def discard_outputs(parsed: argparse.Namespace) -> None:
    """Remove what an earlier run left where this one, which failed, was to write: nobody reads it as new."""
    inputs = [getattr(parsed, name, None) for name in INPUTS] + list(getattr(parsed, "files", ()))
    kept = {Path(each).resolve() for each in inputs if each}
    for name in OUTPUTS:
        target = getattr(parsed, name, None)
        if target and target != STANDARD_STREAM:
            path = Path(target)
            if path.is_file() and path.resolve() not in kept:
                path.unlink(missing_ok=True)
                print(f"{target}: removed, because it was of an earlier run", file=sys.stderr)
