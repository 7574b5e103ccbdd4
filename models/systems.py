"""Systems of several machines that serve calls: pools of replicas, pipelines, and pools in a row."""

from dataclasses import dataclass

from models.performance import BatchedPerformance
from models.performance import FirstToken as FirstToken
from models.processor_sharing import Routing, Scheduler

AFTER_TRANSFER: FirstToken = "after_transfer"


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchedPool:
    """Replicas with continuous batching; network overhead is added to TTFT and E2E."""

    replica: BatchedPerformance
    replica_count: int = 1
    routing: Routing = "join_shortest_queue"
    scheduler: Scheduler = "mixed"

    @property
    def slot_count(self) -> int:
        """Slots of one replica."""
        return min(self.replica.slot_count, self.replica.token_budget_tok)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """One model copy spread over a chain of stages.

    unloaded_token_s            time of a token when nobody else is there (L0)
    bottleneck_s_per_tok        time a token occupies the slowest stage (s <= L0)
    bottleneck_s_per_input_tok  time each prompt token occupies it
    """

    unloaded_token_s: float
    bottleneck_s_per_tok: float
    slot_count: int
    bottleneck_s_per_input_tok: float = 0.0
    kv_capacity_tok: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelinePool:
    """Pipelines side by side; network overhead is added to TTFT and E2E."""

    pipeline: Pipeline
    replica_count: int = 1
    routing: Routing = "join_shortest_queue"
    overhead_s: float = 0.0

    @property
    def slot_count(self) -> int:
        """Slots of one pipeline."""
        return self.pipeline.slot_count


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
class TandemPools:
    """A prefill pool, transfer links and a decode pool in a row.

    replica        one decode replica; its step has no prompt cost
    replica_count  decode replicas
    first_token    whether the user gets the first token from the prefill worker or after the transfer
    """

    prefill: PrefillPool
    transfer: TransferLinks
    replica: BatchedPerformance
    replica_count: int
    first_token: FirstToken
    routing: Routing = "join_shortest_queue"

    @property
    def slot_count(self) -> int:
        """Slots of one decode replica."""
        return min(self.replica.slot_count, self.replica.token_budget_tok)


System = BatchedPool | PipelinePool | TandemPools
