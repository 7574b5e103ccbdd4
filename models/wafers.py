"""How many wafers a model needs, what they leave for requests, and what crossing between them costs.

Weights and KV cache both lie in the wafers' SRAM: nothing spills. A model that is too large for one wafer
is sharded over several, and each token then crosses the links between them, whose bandwidth no vendor has
published.
"""

import math
from dataclasses import dataclass, replace

from models.tiers import Model, Offer
from models.tokens import byte_per_weight, precision_of, weights_byte

BYTE_PER_ACTIVATION = 2.0  # 16 bit
# One-way link rates a reader may think of: an InfiniBand port, NVLink 5, ten times that.
EXAMPLE_LINKS_BYTE_PER_S = (5e10, 9e11, 9e12)


def fewest_wafers(weights: float, memory_byte: float, *, kv_byte: float = 0.0) -> int:
    """Wafers that hold `weights` bytes of weights and so much KV cache: `ceil((weights + kv) / memory)`."""
    return max(1, math.ceil((weights + kv_byte) / memory_byte - 1e-9))


def kv_room_byte(weights: float, memory_byte: float, wafer_count: int) -> float:
    """Bytes that wafers leave beside the weights; negative where they do not even hold these."""
    return wafer_count * memory_byte - weights


def offer_weights_byte(offer: Offer) -> float | None:
    """Bytes of the offer's weights at its precision; None where size or precision is not known."""
    precision = precision_of(offer)
    width = None if precision is None else byte_per_weight(precision)
    return None if width is None else weights_byte(offer.model, width)


def with_wafer_count(offer: Offer) -> Offer:
    """The offer with the fewest wafers that hold its model, where nobody stated how many a copy has."""
    chip, weights = offer.accelerator, offer_weights_byte(offer)
    if offer.tier.accelerator_count_per_replica is not None or weights is None:
        return offer
    if chip is None or chip.memory_byte is None:
        return offer
    count = fewest_wafers(weights, chip.memory_byte)
    return replace(offer, tier=replace(offer.tier, accelerator_count_per_replica=count))


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossing:
    """What the links between the wafers of one copy add to a token.

    base_s  time of a crossing before its first byte
    """

    crossing_count: int
    byte_per_tok: float
    base_s: float = 0.0

    def token_s(self, bandwidth_byte_per_s: float) -> float:
        """Seconds that a token spends between wafers, one way, at this link rate."""
        return self.crossing_count * (self.base_s + self.byte_per_tok / bandwidth_byte_per_s)


def crossing_of(model: Model, wafer_count: int, base_s: float = 0.0) -> Crossing | None:
    """A token's crossings when the layers lie on `wafer_count` wafers in a row; None: width unpublished."""
    if model.hidden_count is None:
        return None
    return Crossing(
        crossing_count=wafer_count - 1, byte_per_tok=model.hidden_count * BYTE_PER_ACTIVATION, base_s=base_s
    )
