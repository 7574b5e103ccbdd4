"""The whole question: who asks for what, what may be bought, and by which rules to choose."""

from dataclasses import dataclass
from datetime import date
from typing import Literal

from models.performance import EnvelopeEnd
from models.tiers import Availability, Offer
from models.workloads import Demand

Objective = Literal["least_cost", "net_value"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Autoscale:
    """Whether replicas follow the hour, how long one takes to start, and how few may run."""

    enabled: bool = False
    start_up_s: float = 300.0
    min_replica_count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The rules of choice.

    objective                          the bill alone, or the bill and the value that answers lose to latency
    accepted_derate_ratio              share of a vendor's ceiling the user accepts as typical; None: a
                                       ceiling sizes nothing
    accepted_p95_to_p50_ratio          spread the user accepts where only a median is published; None: such
                                       a tier meets no percentile target above the median
    envelope_end                       which end of what is possible sizes a tier that nobody has measured
    allow_regions                      where a workload may be served; empty: anywhere
    max_supplier_share_fraction        largest share of all calls one supplier may serve
    """

    objective: Objective = "least_cost"
    max_utilisation_fraction: float = 0.85
    spare_unit_count: int = 1
    autoscale: Autoscale = Autoscale()
    accepted_derate_ratio: float | None = None
    accepted_p95_to_p50_ratio: float | None = None
    envelope_end: EnvelopeEnd = "pessimistic"
    accept_unverified_parity: bool = False
    allow_availability: tuple[Availability, ...] = ("open",)
    allow_regions: tuple[str, ...] = ()
    max_supplier_share_fraction: float = 1.0
    budget_usd_per_month: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetEntry:
    """What runs today on one tier; kept, added to or run off by the plan."""

    tier_id: str
    replica_count: int
    committed_until: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DemandScenario:
    """One possible future: all rates times `rate_ratio`, with a weight among the others."""

    name: str
    weight: float
    rate_ratio: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """How demand may develop."""

    growth_fraction_per_month: float = 0.0
    horizon_months: int = 12
    scenarios: tuple[DemandScenario, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """Everything a plan depends on. `id` is a hash of the draft it was read from."""

    id: str
    name: str
    as_of: date
    seed: int
    demands: tuple[Demand, ...]
    offers: tuple[Offer, ...]
    fleet: tuple[FleetEntry, ...] = ()
    policy: Policy = Policy()
    outlook: Outlook = Outlook()
