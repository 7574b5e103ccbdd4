"""How many requests a replica decodes together at most, as far as measurements tell.

A stated number holds. A closed load shows that the engine took as many as were in flight. An open load
that saturated shows the highest rate, hence the slots at which the fitted law reaches it; one that did
not saturate has held more than its mean in flight from time to time.
"""

import math
from collections.abc import Sequence

import numpy as np

from models.load_points import STEADY_FRACTION, LoadPoint
from models.measurements import Measurement, SourcedMeasurement
from models.steady_points import Lengths, ReplicaLaw, slot_time_s
from models.step_law import FARTHEST_EXTRAPOLATION_RATIO
from models.tiers import Offer

OPEN_LOAD_DEVIATIONS = 3.0  # a Poisson number in flight exceeds its mean by so many about once in 700


def slots_of(
    offer: Offer,
    points: Sequence[LoadPoint],
    measurements: Sequence[SourcedMeasurement],
    law: ReplicaLaw,
) -> tuple[int, tuple[str, ...]]:
    """Slots of one replica, and what the reader must know about that number."""
    highest = max((held for point in points if (held := point.held_count) is not None), default=1.0)
    farthest = max(1, math.floor(highest * FARTHEST_EXTRAPOLATION_RATIO))
    stated = offer.tier.slot_count
    if stated is not None and stated > farthest:
        return farthest, (
            f"Measured up to {highest:.0f} concurrent requests: beyond {farthest} nothing can be said,"
            f" so {farthest} of the stated {stated} slots are used.",
        )
    if stated is not None:
        return stated, ()
    if all(point.kind == "open" for point in points):
        return _slots_of_open_load(measurements, law, highest, farthest)
    count = max(1, round(highest))
    return count, (
        f"Slots are taken as {count}, the highest concurrency measured; the engine may allow more.",
    )


def _slots_of_open_load(
    measurements: Sequence[SourcedMeasurement], law: ReplicaLaw, highest: float, farthest: int
) -> tuple[int, tuple[str, ...]]:
    seen = math.ceil(highest + OPEN_LOAD_DEVIATIONS * math.sqrt(highest))
    plateau = _saturated_row([each.measurement for each in measurements])
    if plateau is None:
        return seen, (
            f"Slots are taken as {seen}, about the most in flight at the highest rate measured; the engine"
            " may allow more.",
        )
    rate = plateau.request_rate_req_per_s or 0.0
    count = max(seen, min(_slots_at(law, plateau, rate, farthest), farthest))
    return count, (
        f"Slots are taken as {count}, at which the fit serves the {rate:.3g} requests/s that finished when"
        " the measured system was saturated.",
    )


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
