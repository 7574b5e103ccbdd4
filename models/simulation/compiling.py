"""How the simulation's loop is compiled, and kept for the next process.

Compiled functions do not count references to arrays: the caller holds every array for as long as the loop
runs and the loop makes none, and counting would take nine tenths of its time.
"""

import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])
UNCOUNTED: dict[str, Any] = {"_nrt": False}


def compiled(function: Function) -> Function:
    """Compile a function when a compiled one first calls it."""
    return cast(Function, njit(**UNCOUNTED)(function))


def inlined(function: Function) -> Function:
    """The same, written into its caller: for functions called from one place, once per step."""
    return cast(Function, njit(inline="always", **UNCOUNTED)(function))


def kept(function: Function) -> Function:
    """Compile on first use and keep the result for the next process, where there is a folder for it."""
    try:
        return cast(Function, njit(cache=True, **UNCOUNTED)(function))
    except RuntimeError:
        return cast(Function, njit(**UNCOUNTED)(function))


def fingerprint() -> int:
    """A number that changes with any source of the simulation; what is kept depends on all of them."""
    sources = sorted(Path(__file__).parent.glob("*.py"))
    return zlib.crc32(b"".join(source.read_bytes() for source in sources))
