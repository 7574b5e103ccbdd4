"""Where the store's file lies and whether it may be opened, asked before DuckDB touches it."""

import os
import shutil
import tempfile
from pathlib import Path

from data.store_faults import DAMAGED_CURE, MEMORY, WRITABLE_CURE, StoreFault

ENVIRONMENT_NAME = "PLIMSOLL_DB"
MAGIC = b"DUCK"
MAGIC_OFFSET_BYTE = 8
OTHER_MAGICS = {
    b"SQLite format 3": "an SQLite database",
    b"PAR1": "a Parquet file",
    b"PK\x03\x04": "a zip file",
}
SPARE_DISK_BYTE = 16_000_000  # room for the write-ahead log and a checkpoint of a small store
DISK_BYTE_PER_ROW = 2_000  # a measurement of 45 columns, once in the log and once in the file, with room


def store_path(path: Path | str | None) -> Path | str:
    """The file meant: the argument, else $PLIMSOLL_DB, else the user's data folder; resolved."""
    chosen = os.environ.get(ENVIRONMENT_NAME) if path is None else path
    if chosen is not None and not str(chosen).strip():
        named = "its name is empty" if path is not None else f"{ENVIRONMENT_NAME} is set and empty"
        raise StoreFault(ENVIRONMENT_NAME if path is None else "--db", named, "Name a file, or leave it out.")
    if chosen is None:
        from platformdirs import user_data_path

        chosen = user_data_path("plimsoll", appauthor=False) / "plimsoll.duckdb"
    if str(chosen) == MEMORY:
        return MEMORY
    return Path(chosen).expanduser().resolve()


def check_folder(path: Path) -> None:
    """Make the folder and write a probe into it; StoreFault where that fails.

    A file can be writable in a folder that is not; then the first commit would fail on its log.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path.parent) as probe:
            probe.write(b"probe")
    except OSError as error:
        raise StoreFault(
            path, f"its folder cannot be written ({error.strerror or 'unknown reason'})", WRITABLE_CURE
        ) from error


def check_magic(path: Path) -> None:
    """StoreFault where an existing file is not a DuckDB database; it is not changed."""
    if path.is_dir():
        raise StoreFault(path, "this is a folder", "Name a file in it, such as plimsoll.duckdb.")
    if not path.exists():
        return
    try:
        with path.open("rb") as file:
            head = file.read(64)
        with path.open("r+b"):
            pass
    except OSError as error:
        raise StoreFault(path, f"the file cannot be opened ({error.strerror})", WRITABLE_CURE) from error
    if head[MAGIC_OFFSET_BYTE : MAGIC_OFFSET_BYTE + len(MAGIC)] == MAGIC:
        return
    for magic, kind in OTHER_MAGICS.items():
        if head.startswith(magic):
            raise StoreFault(path, f"this is {kind}, no Plimsoll store", "Name another file for the store.")
    raise StoreFault(path, "this is not a DuckDB database", DAMAGED_CURE)


def check_room(path: Path | str, row_count: int) -> None:
    """StoreFault where the disk has no room for so many rows, before anything is written."""
    if isinstance(path, str):
        return
    needed_byte = SPARE_DISK_BYTE + row_count * DISK_BYTE_PER_ROW
    free_byte = shutil.disk_usage(path.parent).free
    if free_byte < needed_byte:
        raise StoreFault(
            path,
            f"the disk has {free_byte / 1e6:.0f} MB free, this import needs about {needed_byte / 1e6:.0f} MB",
            "Free some space and try again; nothing was stored.",
        )


def back_up(path: Path, version: int) -> Path:
    """Copy the database and its log beside it before a migration; returns the copy's path."""
    copy = path.with_name(f"{path.name}.schema-{version}.backup")
    shutil.copy2(path, copy)
    log = path.with_name(path.name + ".wal")
    if log.exists():
        shutil.copy2(log, copy.with_name(copy.name + ".wal"))
    return copy


def identity_of(path: Path | str) -> tuple[int, int] | None:
    """Device and inode, which tell whether two names are one file; None where there is none."""
    try:
        status = Path(path).stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
