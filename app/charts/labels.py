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


def log_ticks(low: float, high: float) -> list[float]:
    """Ticks at 1, 2, 5 where an axis spans few decades, at 1 where it spans many; 0 < low <= high."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    steps = (1, 2, 5) if last - first <= 3 else (1,)
    ticks = [step * 10.0**power for power in range(first, last + 1) for step in steps]
    return [tick for tick in ticks if low * 0.95 <= tick <= high * 1.05] or ticks


def offer_label(offer: Offer, among: Sequence[Offer]) -> str:
    """The tier's label, with the model where several are offered."""
    several = len({each.model.id for each in among}) > 1
    return f"{offer.tier.label} · {offer.model.label}" if several else offer.tier.label
