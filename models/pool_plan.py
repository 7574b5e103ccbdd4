"""A pool sized and priced: what it does at its busiest hour, what binds it, and its bill."""

from dataclasses import dataclass

from models.performance import Load, OperatingPoint


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolPlan:
    """A sized and priced pool; money is USD per month.

    point            without the spares; see `pools.with_spares`
    share_fraction   each workload's part of the work, in the order of the demands
    replica_count    spares included; None where the tier is paid per token
    notices          what to know about the pool besides what its operating point says
    prefill_worker_count, spare_prefill_worker_count   of disaggregated pools, the first with the second
    """

    busiest_hour_h: int | None
    load: Load
    point: OperatingPoint
    binding_constraint: str
    binding_workload: str
    replica_count: int | None
    spare_replica_count: int
    share_fraction: tuple[float, ...]
    cost_usd: float
    idle_usd: float
    redundancy_usd: float
    cost_usd_by_workload: tuple[float, ...]
    notices: tuple[str, ...] = ()
    prefill_worker_count: int | None = None
    spare_prefill_worker_count: int = 0
