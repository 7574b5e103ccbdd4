"""Zip files: their members in memory, after their number and unpacked sizes were checked.

Nothing is written to disk: a member's name is only a label. Archives inside archives are not opened, and a
member that unpacks to more than its header says is refused.
"""

import io
import zipfile
import zlib
from dataclasses import dataclass

from models.problems import Problem

MOST_MEMBERS = 500
LARGEST_UNPACKED_BYTE = 300_000_000
LARGEST_MEMBER_BYTE = 100_000_000
ZIP_MAGIC = b"PK\x03\x04"
WORKBOOK_PARTS = frozenset(("xl/workbook.xml", "xl/workbook.bin"))
OPEN_DOCUMENT = b"application/vnd.oasis.opendocument.spreadsheet"
LONGEST_LABEL = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One file of an archive: its name as a label, letters only, and its bytes."""

    label: str
    raw: bytes


def is_workbook(raw: bytes) -> bool:
    """Whether a zip is in truth an Excel or OpenDocument workbook."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            names = set(archive.namelist())
            if names & WORKBOOK_PARTS:
                return True
            if "mimetype" not in names or archive.getinfo("mimetype").file_size > 200:
                return False
            with archive.open("mimetype") as member:
                return member.read(200).startswith(OPEN_DOCUMENT)
    except (zipfile.BadZipFile, OSError, RuntimeError, ValueError, EOFError, zlib.error):
        return False


def size_problem(name: str, raw: bytes) -> Problem | None:
    """Why the archive is not unpacked: too many members, or too much in them; None where it may be."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            infos = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, EOFError) as error:
        return _broken(name, str(error))
    unpacked = sum(info.file_size for info in infos)
    if len(infos) > MOST_MEMBERS:
        message = f"the archive has {len(infos):,} files and the limit is {MOST_MEMBERS}"
    elif unpacked > LARGEST_UNPACKED_BYTE or any(info.file_size > LARGEST_MEMBER_BYTE for info in infos):
        message = (
            f"the archive unpacks to {unpacked / 1e6:,.0f} MB; the limits are "
            f"{LARGEST_UNPACKED_BYTE / 1e6:.0f} MB in all and {LARGEST_MEMBER_BYTE / 1e6:.0f} MB for a file"
        )
    else:
        return None
    return Problem(path=name, message=message, cure="Zip only the result files.")


def members(name: str, raw: bytes) -> tuple[tuple[Member, ...], tuple[Problem, ...]]:
    """The files of an archive whose size was checked, in its own order, and a refusal of each that cannot be
    read."""
    found: list[Member] = []
    problems: list[Problem] = []
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        for info in archive.infolist():
            label = _label(info.filename)
            if info.is_dir() or label.startswith("__MACOSX/") or label.rpartition("/")[2].startswith("."):
                continue
            content = _read(archive, info)
            if isinstance(content, str):
                problems.append(_left_out(f"{name}, {label}", content))
            elif content.startswith(ZIP_MAGIC) and not is_workbook(content):
                problems.append(_left_out(f"{name}, {label}", "an archive inside an archive is not opened"))
            else:
                found.append(Member(label=label, raw=content))
    return tuple(found), tuple(problems)


def _read(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes | str:
    """The member's bytes, or why they cannot be had; never more than its header promises."""
    if info.flag_bits & 1:
        return "it is locked with a password"
    try:
        with archive.open(info) as member:
            content = member.read(info.file_size + 1)
    except (zipfile.BadZipFile, OSError, RuntimeError, ValueError, EOFError) as error:
        return f"it cannot be unpacked: {str(error)[:80]}"
    except Exception as error:  # zlib, lzma and bz2 raise classes of their own
        return f"it cannot be unpacked: {type(error).__name__}"
    return content if len(content) <= info.file_size else "it holds more than its header says"


def _label(file_name: str) -> str:
    letters = "".join(letter if letter.isprintable() else "?" for letter in file_name.replace("\\", "/"))
    return letters if len(letters) <= LONGEST_LABEL else "..." + letters[-LONGEST_LABEL:]


def _left_out(path: str, message: str) -> Problem:
    return Problem(path=path, message=message, cure="Unpack it and import it alone.")


def _broken(name: str, message: str) -> Problem:
    return Problem(
        path=name,
        message=f"the archive or Excel workbook cannot be opened: {message[:100]}",
        cure="Save or zip it again.",
    )
