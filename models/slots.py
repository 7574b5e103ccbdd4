"""How many requests a replica decodes together at most, as far as measurements tell.

A stated number holds. A closed load shows that the engine took as many as were in flight. An open load
that saturated shows the highest rate, hence the slots at which the fitted law reaches it; one that did
not saturate shows no limit, so the engine's default is taken as far as the law may be trusted.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from models.load_points import STEADY_FRACTION, LoadPoint
from models.measurements import Measurement, SourcedMeasurement
from models.steady_points import Lengths, ReplicaLaw, slot_time_s
from models.step_law import FARTHEST_EXTRAPOLATION_RATIO
from models.tiers import Offer

OPEN_LOAD_DEVIATIONS = 3.0  # a Poisson number in flight exceeds its mean by so many about once in 700
# vLLM's default max_num_seqs for a server (EngineArgs, 0.9): 1,024 on chips of 70 GiB and more but for
# the A100, otherwise 256; also what stands for other engines.
DEFAULT_SLOT_COUNT = 256
LARGE_CHIP_SLOT_COUNT = 1024
LARGE_CHIP_BYTE = 70 * 2**30
UNKNOWN_SLOT_RANGE = (64, 1024)  # what servers of data-centre accelerators are commonly run with


@dataclass(frozen=True, slots=True, kw_only=True)
class Slots:
    """Slots of one replica, the range they may lie in where nobody says, and what the reader must know."""

    count: int
    range_count: tuple[int, int] | None = None
    notices: tuple[str, ...] = ()


def default_slot_count(offer: Offer) -> int:
    """The slots an engine allows unless told otherwise."""
    chip = offer.accelerator
    large = chip is not None and (chip.memory_byte or 0.0) >= LARGE_CHIP_BYTE and "A100" not in chip.label
    on_vllm = (offer.tier.engine or "").lower().startswith("vllm")
    return LARGE_CHIP_SLOT_COUNT if on_vllm and large else DEFAULT_SLOT_COUNT


def slots_of(
    offer: Offer,
    points: Sequence[LoadPoint],
    measurements: Sequence[SourcedMeasurement],
    law: ReplicaLaw,
) -> Slots:
    """Slots of one replica, as stated, as shown, or by the engine's default."""
    highest = max((held for point in points if (held := point.held_count) is not None), default=1.0)
    farthest = max(1, math.floor(highest * FARTHEST_EXTRAPOLATION_RATIO))
    stated = offer.tier.slot_count
    if stated is not None and stated > farthest:
        text = (
            f"Measured up to {highest:.0f} concurrent requests: beyond {farthest} nothing can be said,"
            f" so {farthest} of the stated {stated} slots are used."
        )
        return Slots(count=farthest, notices=(text,))
    if stated is not None:
        return Slots(count=stated)
    if all(point.kind == "open" for point in points):
        return _slots_of_open_load(measurements, law, highest, farthest, default_slot_count(offer))
    count = max(1, round(highest))
    text = f"Slots are taken as {count}, the highest concurrency measured; the engine may allow more."
    return Slots(count=count, range_count=_range_from(count), notices=(text,))


def _range_from(fewest: int) -> tuple[int, int]:
    low, high = UNKNOWN_SLOT_RANGE
    return max(fewest, low), max(fewest, high)


def _slots_of_open_load(
    measurements: Sequence[SourcedMeasurement], law: ReplicaLaw, highest: float, farthest: int, default: int
) -> Slots:
    seen = math.ceil(highest + OPEN_LOAD_DEVIATIONS * math.sqrt(highest))
    plateau = _saturated_row([each.measurement for each in measurements])
    if plateau is None:
        count = max(seen, min(farthest, default))
        text = (
            f"No slot limit was stated or reached; slots are taken as {count}:"
            f" the engine's default of {default}, at most eight times the {highest:.0f} requests measured."
        )
        return Slots(count=count, range_count=_range_from(seen), notices=(text,))
    rate = plateau.request_rate_req_per_s or 0.0
    count = max(seen, min(_slots_at(law, plateau, rate, farthest), farthest))
    text = (
        f"Slots are taken as {count}, at which the fit serves the {rate:.3g} requests/s that finished when"
        " the measured system was saturated."
    )
    return Slots(count=count, notices=(text,))


def _saturated_row(rows: Sequence[Measurement]) -> Measurement | None:
    """The row in which most requests finished although more were sent; None where none was saturated."""
    saturated = [
        row
        for row in rows
        if row.offered_rate_req_per_s is not None
        and row.request_rate_req_per_s is not None
        and row.isl_tok is not None
        and row.osl_tok is not None
        and row.request_rate_req_per_s < STEADY_FRACTION * row.offered_rate_req_per_s
    ]
    return max(saturated, key=lambda row: row.request_rate_req_per_s or 0.0, default=None)


def _slots_at(law: ReplicaLaw, row: Measurement, rate_req_per_s: float, farthest: int) -> int:
    """The fewest slots at which the law serves the rate at the row's lengths; `farthest` where none do."""
    held = np.arange(1.0, farthest + 1.0)
    lengths = Lengths(
        isl_tok=np.full_like(held, row.isl_tok or 0.0), osl_tok=np.full_like(held, row.osl_tok or 0.0)
    )
    served = held / slot_time_s(law, held, lengths)
    enough = np.nonzero(served >= rate_req_per_s)[0]
    return int(held[enough[0]]) if len(enough) else farthest
