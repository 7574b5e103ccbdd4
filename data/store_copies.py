"""Reading while another process holds the store: from a copy, taken whole or not at all.

DuckDB lets one process open a file. What it writes is safe against a crash at any moment, so a copy of the
file and its log that nobody wrote to meanwhile is what a crash at that moment would have left: every
transaction that was answered is in it, and none by halves.
"""

import shutil
import tempfile
import time
from pathlib import Path

from data.store_faults import StoreFault

TRIES = 5
PAUSE_S = 0.2


def copy_of(path: Path) -> Path:
    """A copy of a store that is in use, in a temporary folder of its own; the caller removes the folder.

    StoreFault where the file is written to all the time, or the system does not let it be read.
    """
    folder = Path(tempfile.mkdtemp(prefix="plimsoll-copy-"))
    sources = (path, path.with_name(path.name + ".wal"))
    try:
        for _ in range(TRIES):
            before = [_stamp(source) for source in sources]
            for source, stamp in zip(sources, before, strict=True):
                (folder / source.name).unlink(missing_ok=True)
                if stamp is not None:
                    shutil.copyfile(source, folder / source.name)
            if [_stamp(source) for source in sources] == before:
                return folder / path.name
            time.sleep(PAUSE_S)
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        message = f"it is in use, and no copy can be taken ({error.strerror})"
        raise StoreFault(path, message, "Close the program that holds it.") from error
    shutil.rmtree(folder, ignore_errors=True)
    raise StoreFault(path, "it is in use and written to all the time", "Try again in a moment.")


def _stamp(path: Path) -> tuple[int, int] | None:
    """Size and time of the last write; None where there is no such file."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_size, status.st_mtime_ns
