"""Read links, and how accelerators share a model: rates in whichever unit, and none that can be misread.

NVLink is quoted in bytes both ways together, InfiniBand in bits one way; side by side the first looks 36
times faster than the second and is 18 times. Inside, every link is bytes per second one way.
"""

from data.reading import Reader
from models.tiers import Link, Split

BIT_PER_BYTE = 8.0
BYTE_PER_GIGABYTE = 1e9
# How many bytes a second one way each key's unit is.
RATE_KEYS = {
    "bandwidth_byte_per_s": 1.0,
    "one_way_gbyte_per_s": BYTE_PER_GIGABYTE,
    "two_way_gbyte_per_s": BYTE_PER_GIGABYTE / 2.0,
    "one_way_gbit_per_s": BYTE_PER_GIGABYTE / BIT_PER_BYTE,
}
UNITS = "one_way_gbyte_per_s, two_way_gbyte_per_s (both directions together) or one_way_gbit_per_s"


def read_link(reader: Reader | None) -> Link | None:
    """The `link` of a tier; None where left out or refused. Exactly one rate, in a unit that says all."""
    if reader is None:
        return None
    base_s = reader.number("base_s", low=0)
    overlap = reader.number("overlap_fraction", low=0, high=1)
    rate = read_rate(reader)
    reader.close()
    if rate is None:
        return None
    return Link(bandwidth_byte_per_s=rate, base_s=base_s or 0.0, overlap_fraction=overlap or 0.0)


def read_split(reader: Reader | None, accelerator_count: object) -> Split | None:
    """The `split` of a replica's accelerators; None where left out, or where it is not of so many."""
    if reader is None:
        return None
    tensor = reader.integer("tensor_parallel_count", low=1, required=True)
    stages = reader.integer("pipeline_parallel_count", low=1)
    experts = reader.integer("expert_parallel_count", low=1)
    reader.close()
    if tensor is None:
        return None
    split = Split(
        tensor_parallel_count=tensor,
        pipeline_parallel_count=stages or 1,
        expert_parallel_count=experts or 1,
    )
    if split.accelerator_count != accelerator_count:
        reader.refuse(
            "tensor_parallel_count",
            f"makes a replica of {split.accelerator_count} accelerators, not of {accelerator_count}",
            "Stages times the larger of tensor and expert parallel is accelerator_count_per_replica.",
        )
    return split


def read_rate(reader: Reader) -> float | None:
    """Bytes per second one way from the one rate key that is given; None and a problem otherwise."""
    rates = {key: reader.number(key, above=0) for key in RATE_KEYS}
    given = [key for key in RATE_KEYS if reader.raw.get(key) is not None]
    ambiguous = [key for key in reader.raw if str(key) not in reader.asked]
    for key in ambiguous:
        reader.asked.append(str(key))
        reader.refuse(str(key), "does not say bits or bytes, one way or both", f"Write the rate as {UNITS}.")
    if len(given) > 1:
        reader.refuse(given[1], f"states the rate a second time beside {given[0]}", "Keep one of them.")
        return None
    if not given and not ambiguous:
        reader.refuse("bandwidth_byte_per_s", "is missing", f"Write the rate as {UNITS}.")
    return None if not given or (rate := rates[given[0]]) is None else rate * RATE_KEYS[given[0]]
