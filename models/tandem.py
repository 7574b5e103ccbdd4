"""Disaggregated pools: prompts are worked on in one pool, handed over, and decoded in another."""

from dataclasses import dataclass
from typing import Literal

from models.performance import BatchedPerformance

FirstToken = Literal["after_prefill", "after_transfer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PrefillPool:
    """Workers that take one prompt each, first come first served: `alpha + delta P` seconds."""

    worker_count: int
    alpha_s: float
    delta_s_per_input_tok: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TransferLinks:
    """Links that carry a prompt's KV cache: `base + bytes P / bandwidth`, less what overlaps prefill.

    overlap_fraction  share of the bytes sent while the prompt is still being worked on, 0 to 1
    """

    link_count: int
    base_s: float
    bytes_per_tok: float
    bandwidth_byte_per_s: float
    overlap_fraction: float = 0.0

    @property
    def s_per_tok(self) -> float:
        """Seconds that each prompt token's cache keeps a link busy after prefill."""
        return self.bytes_per_tok / self.bandwidth_byte_per_s * (1.0 - self.overlap_fraction)


@dataclass(frozen=True, slots=True, kw_only=True)
class DisaggregatedPools:
    """A prefill pool, transfer links and a decode pool in a row.

    decode       one decode replica; its step has no prompt cost
    first_token  whether the user gets the first token from the prefill worker or after the transfer
    """

    prefill: PrefillPool
    transfer: TransferLinks
    decode: BatchedPerformance
    decode_replica_count: int
    first_token: FirstToken = "after_prefill"  # noqa: S105
