"""The answer: who is served where, at what speed and cost, what was refused, and on what it rests."""

from dataclasses import dataclass, field
from typing import Literal

from models.evidence import Evidence, Grade
from models.percentiles import UNKNOWN, Percentiles
from models.performance import FirstTokenParts
from models.workloads import Target

NoticeLevel = Literal["info", "warning"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Something the reader must know; it travels with the plan and prints in the report."""

    text: str
    level: NoticeLevel = "info"
    about: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceUse:
    """One piece of evidence a plan rests on: which number of which thing it backs."""

    subject: str
    quantity: str
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetResult:
    """One target against the prediction; `predicted_s` None where nobody can say.

    hold_probability_fraction   chance that it holds, over speeds and demands; None where not worked out
    low_s, middle_s, high_s     P10, P50, P90 of the latency over the same; None where a backlog grows
    """

    target: Target
    predicted_s: float | None
    hold_probability_fraction: float | None = None
    low_s: float | None = None
    middle_s: float | None = None
    high_s: float | None = None

    @property
    def holds(self) -> bool:
        """Whether the promise is kept; an unknown latency keeps none."""
        return self.predicted_s is not None and self.predicted_s <= self.target.limit_s


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Money per month, and per unit of work; idle is the part of the bill that buys no work.

    cost_usd_per_resolved_task  attempts and people included; None where nobody says how many tasks end well
    """

    cost_usd_per_month: float
    idle_cost_usd_per_month: float
    redundancy_cost_usd_per_month: float
    cost_usd_per_h: float
    cost_usd_per_mtok_output: float | None
    cost_usd_per_request: float | None
    cost_usd_per_task: float | None
    cost_usd_per_resolved_task: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Allocation:
    """One workload's place in the plan.

    pool            the machines it shares, named apart where a tier runs several pools
    prefill_worker_count   of disaggregated pools, beside the replicas, which only decode; None elsewhere
    replica_count   replicas of the pool that serves it, spares included (shared with the pool's other
                    workloads); None for a tier paid per token
    offered_rate_req_per_s   calls per second at the peak
    lost_usd_per_task, lost_usd_per_month   value lost to latency; None where no value is set or the tail
                    of its latency is unknown
    """

    workload: str
    tier_id: str
    tier_label: str
    model_id: str
    pool: str
    share_fraction: float
    replica_count: int | None
    offered_rate_req_per_s: float
    utilisation_fraction: float | None
    ttft_s: Percentiles = UNKNOWN
    ttft_parts: FirstTokenParts | None = None
    itl_s: Percentiles = UNKNOWN
    tpot_s: Percentiles = UNKNOWN
    e2e_s: Percentiles = UNKNOWN
    task_s: Percentiles = UNKNOWN
    targets: tuple[TargetResult, ...] = ()
    cost: Cost
    lost_usd_per_task: float | None = None
    lost_usd_per_month: float | None = None
    weakest_grade: Grade | None
    binding_constraint: str
    inside_domain: bool = True
    prefill_worker_count: int | None = None
    runner_up: "RunnerUp | None" = None
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnerUp:
    """Where this workload would go at least extra cost if it left its tier, the others staying."""

    tier_id: str
    tier_label: str
    extra_cost_usd_per_month: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """The machines of one tier in the plan, shared by the workloads placed on it.

    replica_count        all replicas, spares included
    spare_replica_count  those beyond what the targets need at the peak
    busiest_hour_h       hour of the day it is sized at; None where it is paid per token
    prefill_worker_count of disaggregated pools, whose replicas only decode; None elsewhere
    fleet_change_count   difference from what runs today, None where no fleet was given
    """

    tier_id: str
    tier_label: str
    name: str
    workloads: tuple[str, ...]
    replica_count: int
    spare_replica_count: int
    accelerator_count: int
    utilisation_fraction: float | None
    cost_usd_per_month: float
    idle_cost_usd_per_month: float
    busiest_hour_h: int | None = None
    fleet_change_count: int | None = None
    prefill_worker_count: int | None = None
    spare_prefill_worker_count: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """Why a workload cannot go to an offer, and what would make it fit."""

    workload: str
    tier_id: str
    tier_label: str
    model_id: str
    binding_constraint: str
    reasons: tuple[str, ...]
    would_fit_if: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakEven:
    """At what price an unpriced tier would cost a workload as much as the tier chosen for it.

    price_ratio            multiple of `reference`'s token prices; None for machines
    usd_per_accelerator_h  rent of an accelerator; None for tiers paid per token
    misses                 what the tier would not keep even at no price, or "" where it keeps all
    """

    workload: str
    tier_id: str
    tier_label: str
    model_id: str
    chosen_tier_label: str
    reference: str
    price_ratio: float | None = None
    usd_per_accelerator_h: float | None = None
    misses: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetChange:
    """What the plan changes on one tier against what runs today.

    committed_cost_usd_per_month  still paid for replicas that the plan does not need; in the plan's total
    """

    tier_id: str
    current_replica_count: int
    planned_replica_count: int
    current_cost_usd_per_month: float
    planned_cost_usd_per_month: float
    committed_cost_usd_per_month: float = 0.0
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """The plan in numbers.

    committed_cost_usd_per_month  inside the cost: replicas that nothing needs, but that are paid
    """

    cost_usd_per_month: float
    cost_usd_per_h: float
    idle_cost_usd_per_month: float
    redundancy_cost_usd_per_month: float
    committed_cost_usd_per_month: float
    replica_count: int
    accelerator_count: int
    request_count_per_month: float
    output_tok_per_month: float
    cost_usd_per_mtok_output: float | None
    hold_probability_fraction: float | None
    weakest_grade: Grade | None
    placed_workload_count: int
    workload_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All that a page or a report needs; nothing in it is computed again elsewhere."""

    scenario_id: str
    scenario_name: str
    sentence: str
    allocations: tuple[Allocation, ...]
    pools: tuple[Pool, ...]
    rejections: tuple[Rejection, ...]
    fleet_changes: tuple[FleetChange, ...]
    totals: Totals
    notices: tuple[Notice, ...]
    evidence: tuple[EvidenceUse, ...]
    not_modelled: tuple[str, ...]
    unplaced: tuple[str, ...] = field(default=())
    break_evens: tuple[BreakEven, ...] = ()
