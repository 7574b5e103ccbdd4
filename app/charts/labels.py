"""What labels say and where they stand: ends of lines moved apart, ticks of logarithmic axes."""

import math
from collections.abc import Sequence

from models.tiers import Offer


def spread_apart(positions: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """New positions in the same order, at least `gap` apart where the room between low and high allows.

    Positions are along one axis in any unit. Where there is no room, the gap shrinks evenly.
    """
    count = len(positions)
    if count == 0:
        return []
    gap = min(gap, (high - low) / count)
    order = sorted(range(count), key=lambda index: positions[index])
    placed = [0.0] * count
    previous = low - gap
    for index in order:
        previous = max(positions[index], previous + gap)
        placed[index] = previous
    overflow = max(0.0, previous - high)
    ceiling = high + gap
    for index in reversed(order):
        placed[index] = min(placed[index], ceiling - gap) if overflow else placed[index]
        ceiling = placed[index]
    return placed


# From coarse to fine; the first that leaves enough on an axis is taken.
DECADE_STEPS = ((1,), (1, 2, 5), (1, 1.5, 2, 3, 4, 5, 6, 8))
ENOUGH_TICK_COUNT = 3


def log_ticks(low: float, high: float) -> list[float]:
    """Round numbers on a logarithmic axis, at least three where it spans a factor of 1.1; 0 < low <= high."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    for steps in DECADE_STEPS:
        ticks = [step * 10.0**power for power in range(first, last + 1) for step in steps]
        ticks = [tick for tick in ticks if low * 0.95 <= tick <= high * 1.05]
        if len(ticks) >= ENOUGH_TICK_COUNT:
            return ticks
    return _even_ticks(low, high)


def _even_ticks(low: float, high: float) -> list[float]:
    """Even steps of 1, 2 or 5 of some power of ten, for an axis that spans much less than a decade."""
    if high - low < 1e-6 * high:
        return [low]
    finest = 10.0 ** math.floor(math.log10(high - low)) / 10
    step = next(
        finest * times
        for times in (50, 20, 10, 5, 2, 1)
        if (high - low) / (finest * times) >= ENOUGH_TICK_COUNT
    )
    return [index * step for index in range(math.ceil(low / step), math.floor(high / step) + 1)]


MOST_LETTERS = 40


def shortened(name: str) -> str:
    """A name that fits beside a chart; a longer one ends in an ellipsis, its whole stands in the table."""
    return name if len(name) <= MOST_LETTERS else f"{name[: MOST_LETTERS - 1]}…"


def offer_label(offer: Offer, among: Sequence[Offer]) -> str:
    """The tier's label, with the model where several are offered."""
    several = len({each.model.id for each in among}) > 1
    return f"{offer.tier.label} · {offer.model.label}" if several else offer.tier.label
