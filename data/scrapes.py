"""Scrapes of one Prometheus server that come as several files: put together, for the window between them.

Only cut into lines here; what they hold is read where every upload is read.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from data.imported import ImportedFile
from models.problems import Problem

LARGEST_BYTE = 5_000_000
MOST_FOREIGN_FRACTION = 0.2  # series come into being between two scrapes
OWN_PREFIXES = (b"vllm:", b"sglang:")
PROCESS_START = b"process_start_time_seconds"


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """One file, or several that are one: their names and their bytes, one below the other."""

    names: tuple[str, ...]
    raw: bytes

    @property
    def name(self) -> str:
        """The names as one."""
        return " and ".join(self.names)


def together(files: Sequence[tuple[str, bytes]]) -> list[Upload]:
    """The files in their order, scrapes of one server as one upload where the first of them stood.

    Of one server are those with nearly the same series, unless they tell different starts of the process: two
    replicas have equal names, and a restart is no window.
    """
    found: list[Upload] = []
    series_of: dict[int, frozenset[bytes]] = {}
    for name, raw in files:
        series = _series(raw)
        place = next(
            (
                each
                for each, known in series_of.items()
                if series and _alike(series, known) and _one_life(found[each].raw, raw)
            ),
            None,
        )
        if place is None:
            if series:
                series_of[len(found)] = series
            found.append(Upload(names=(name,), raw=raw))
        elif raw != found[place].raw:
            whole = found[place].raw.rstrip(b"\n") + b"\n" + raw
            found[place] = Upload(names=(*found[place].names, name), raw=whole)
    return found


def said_together(imported: ImportedFile, upload: Upload) -> ImportedFile:
    """The reading with a word that several files were put together."""
    return replace(imported, problems=(*word_of(upload), *imported.problems))


def word_of(upload: Upload) -> tuple[Problem, ...]:
    """That several files were put together; nothing of a single one."""
    if len(upload.names) == 1:
        return ()
    return (
        Problem(
            path=upload.name,
            message="scrapes of one server were put together: the figures are of the window between them",
            cure="Import each alone if they are of different servers.",
            severity="warning",
        ),
    )


def _series(raw: bytes) -> frozenset[bytes]:
    """Names and labels of a scrape of a serving engine; empty of anything else."""
    if (
        len(raw) > LARGEST_BYTE
        or not any(prefix in raw for prefix in OWN_PREFIXES)
        or raw[:1] in (b"{", b"[")
    ):
        return frozenset()
    lines = list(_lines(raw))
    if not all(b" " in line for line in lines[:20]):
        return frozenset()
    return frozenset(_key(line) for line in lines if line.startswith(OWN_PREFIXES))


def _lines(raw: bytes) -> Iterator[bytes]:
    return (line for each in raw.splitlines() if (line := each.strip()) and not line.startswith(b"#"))


def _key(line: bytes) -> bytes:
    labelled, brace, _ = line.rpartition(b"}")
    return labelled + brace if brace else line.partition(b" ")[0]


def _alike(one: frozenset[bytes], other: frozenset[bytes]) -> bool:
    return len(one ^ other) <= MOST_FOREIGN_FRACTION * len(one | other)


def _one_life(one: bytes, other: bytes) -> bool:
    starts = {
        line.rpartition(b" ")[2]
        for raw in (one, other)
        for line in _lines(raw)
        if line.startswith(PROCESS_START)
    }
    return len(starts) < 2
