"""Single compressed files (gzip, bzip2, xz): unpacked piece by piece, never beyond a limit."""

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from models.problems import Problem

MAGICS = ((b"\x1f\x8b", gzip.open), (b"BZh", bz2.open), (b"\xfd7zXZ\x00", lzma.open))
LARGEST_UNPACKED_BYTE = 300_000_000
MOST_TIMES = 100  # unpacked over packed, beyond the size above; logs shrink by five to thirty
PIECE_BYTE = 1 << 20


def is_compressed(head: bytes) -> bool:
    """Whether the first bytes are those of a compressed file."""
    return head.startswith(tuple(magic for magic, _ in MAGICS))


def unpacked(name: str, raw: bytes) -> bytes | Problem:
    """The bytes inside, or why they cannot be had."""
    try:
        return b"".join(_pieces(raw, LARGEST_UNPACKED_BYTE))
    except (OSError, EOFError, zlib.error, lzma.LZMAError, ValueError) as error:
        return _broken(name, error)


def unpack_to(name: str, packed: Path, target: Path) -> Problem | None:
    """Write what is inside into a file; None where that went well."""
    limit = max(LARGEST_UNPACKED_BYTE, MOST_TIMES * packed.stat().st_size)
    try:
        with packed.open("rb") as source, target.open("wb") as file:
            for piece in _pieces(source, limit):
                file.write(piece)
    except (OSError, EOFError, zlib.error, lzma.LZMAError, ValueError) as error:
        return _broken(name, error)
    return None


def _pieces(source: bytes | IO[bytes], limit_byte: int) -> Iterator[bytes]:
    file = io.BytesIO(source) if isinstance(source, bytes) else source
    head = file.read(8)
    file.seek(0)
    opened = next(opener for magic, opener in MAGICS if head.startswith(magic))(file)
    size = 0
    with opened as inside:
        while piece := inside.read(PIECE_BYTE):
            size += len(piece)
            if size > limit_byte:
                raise ValueError(f"it unpacks to more than {limit_byte / 1e6:,.0f} MB")
            yield piece


def _broken(name: str, error: Exception) -> Problem:
    message = str(error) if isinstance(error, ValueError) else f"it cannot be unpacked: {str(error)[:100]}"
    return Problem(path=name, message=message, cure="Unpack it, and import what is inside.")
