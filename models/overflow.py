"""What a full tier turns away is burstier than what came in: how bursty, and how much of it.

Calls that find every place of the primary tier taken go to a second one. Even from Poisson arrivals that
overflow comes in bursts, so a second tier sized as if it were Poisson is too small.

Not modelled: an overflow that is turned away again, and calls that return to the primary tier.
"""

import math
from dataclasses import dataclass

from models.queueing import erlang_b
from models.workloads import POISSON, Arrival


@dataclass(frozen=True, slots=True, kw_only=True)
class Overflow:
    """What passes from a full primary tier to the next.

    overflow_fraction  share of all calls that find the primary full, 0 to 1
    mean_busy_count    calls in flight that the overflow would keep busy on unlimited machines
    peakedness_ratio   their variance over their mean: 1 for Poisson arrivals, above 1 for overflow
    """

    overflow_fraction: float
    mean_busy_count: float
    peakedness_ratio: float

    @property
    def arrival(self) -> Arrival:
        """The overflow as arrivals that a second tier can be sized with."""
        if self.overflow_fraction >= 1.0 or self.peakedness_ratio <= 1.0:
            return POISSON
        return Arrival(kind="gamma", scv_ratio=self.peakedness_ratio)


def overflow(offered_load: float, place_count: int) -> Overflow:
    """How much overflows from so many places, and how bursty it is.

    offered_load   a: calls per second times seconds in service (> 0), arrivals Poisson
    place_count    s: calls the primary serves at once (>= 0); nothing waits there
    m = a B(s, a); z = 1 - m + a / (s + 1 + m - a). Source: R. I. Wilkinson 1956, Theories for toll traffic
    engineering in the USA (after L. Kosten 1937), exact for exponential service.
    """
    if offered_load <= 0.0 or not math.isfinite(offered_load):
        raise ValueError("an offered load is positive and finite")
    blocked = erlang_b(offered_load, place_count)
    mean = offered_load * blocked
    peakedness = 1.0 - mean + offered_load / (place_count + 1 + mean - offered_load)
    return Overflow(overflow_fraction=blocked, mean_busy_count=mean, peakedness_ratio=peakedness)
