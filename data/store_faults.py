"""What can go wrong with the file that keeps the measurements, said with its path and its cure."""

import re
from pathlib import Path

import duckdb

MEMORY = ":memory:"


class StoreFault(Exception):
    """The store cannot be used as asked; the file was not changed.

    path     the database file, or ":memory:"
    message  what is wrong
    cure     what to do about it
    """

    def __init__(self, path: Path | str, message: str, cure: str) -> None:
        self.path = str(path)
        self.message = message
        self.cure = cure
        super().__init__(f"{self.path}: {message}. {cure}")


class StoreInUse(StoreFault):
    """Another process holds the store's file; a reader can still take a copy."""


DISK_FULL_SIGNS = ("no space left", "file too large", "disk quota", "could not write all bytes")
CORRUPTION_SIGNS = (
    "checksum",
    "corrupt",
    "not a valid duckdb database",
    "could not read enough bytes",
    "failure while replaying",
    "serialization error",
    "failed to deserialize",
)
READ_ONLY_SIGNS = ("permission denied", "read-only file system", "operation not permitted")


def _shows(text: str, signs: tuple[str, ...]) -> bool:
    return any(sign in text for sign in signs)


def fault_of(path: Path | str, error: Exception) -> StoreFault:
    """The fault that an error of DuckDB or of the operating system means for a user."""
    text = str(error).lower()
    holder = re.search(r"\(pid (\d+)\)", text)
    if "could not set lock" in text or "conflicting lock" in text:
        by_whom = f"in use by PID {holder[1]}" if holder else "in use by another process"
        return StoreInUse(path, by_whom, "Close that program, or name another file: --db or PLIMSOLL_DB.")
    if _shows(text, DISK_FULL_SIGNS):
        return StoreFault(path, "the disk is full", "Free some space and try again; nothing half was stored.")
    if _shows(text, READ_ONLY_SIGNS):
        return StoreFault(path, "the file or its folder cannot be written", WRITABLE_CURE)
    if _shows(text, CORRUPTION_SIGNS) or isinstance(error, duckdb.InternalException):
        return StoreFault(path, "the file is damaged", DAMAGED_CURE)
    if isinstance(error, duckdb.OutOfMemoryException):
        return StoreFault(path, "this needs more memory than the store may use", "Ask for fewer rows.")
    return StoreFault(path, f"the database answered: {first_line(error)}", HALF_CURE)


HALF_CURE = "Try again; nothing half was stored."
WRITABLE_CURE = "Make it writable, or choose another file with --db or PLIMSOLL_DB."
DAMAGED_CURE = (
    "It was left as it is. Put a copy from a backup in its place, or move it aside with its .wal file "
    "to start with an empty one."
)


def first_line(error: Exception) -> str:
    """The first line of a DuckDB message without its class prefix: the sentence a user can act on."""
    line = (str(error).strip() or type(error).__name__).splitlines()[0]
    return line.split(" Error: ", 1)[-1].rstrip(".")
