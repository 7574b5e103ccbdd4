"""How much memory and time the reading of one upload may take, by its size."""

from dataclasses import dataclass

SMALL_FILE_BYTE = 50_000_000
SMALL_MEMORY_BYTE = 1_500_000_000
LARGE_MEMORY_BYTE = 2_000_000_000  # below 2 GiB, whatever the size of the file
CPU_S = 30.0
CLOCK_S = 60.0
# A log of requests takes about 0.02 s a megabyte on two cores; ten times that on a slow, shared machine.
CPU_S_PER_MB = 0.4
CLOCK_S_PER_MB = 0.4
LONGEST_S = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportLimits:
    """Limits of one reading: address space, processor seconds, seconds on the clock."""

    memory_byte: int
    cpu_s: int
    clock_s: float


def limits_for(size_byte: int) -> ImportLimits:
    """1.5 GB, 30 processor seconds and a minute; above 50 MB 2 GB, and 0.4 s more for each megabyte, up to
    an hour."""
    beyond_mb = max(0, size_byte - SMALL_FILE_BYTE) / 1e6
    return ImportLimits(
        memory_byte=LARGE_MEMORY_BYTE if beyond_mb else SMALL_MEMORY_BYTE,
        cpu_s=int(min(LONGEST_S, CPU_S + CPU_S_PER_MB * beyond_mb)),
        clock_s=min(LONGEST_S, CLOCK_S + CLOCK_S_PER_MB * beyond_mb),
    )
