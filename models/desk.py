"""One planning run's desk: offers, performances, and every pool worked out at most once."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from models.gates import gate
from models.performance import CannotServe, TierPerformance
from models.placement import candidate_sets, cheapest_placement, members, subsets
from models.pools import PoolPlan, monthly_floor_usd, plan_pool
from models.scenario import Policy, Scenario
from models.tiers import Offer
from models.workloads import Demand

Performances = Mapping[str, TierPerformance | CannotServe]
PoolPlanner = Callable[[Offer, TierPerformance, tuple[Demand, ...], Policy, int], PoolPlan | CannotServe]


@dataclass(slots=True)
class Desk:
    """Everything one planning run looks at, with each pool worked out at most once."""

    scenario: Scenario
    offers: Mapping[str, Offer]
    performances: Performances
    plan_pool: PoolPlanner = plan_pool
    pools: dict[tuple[str, int], PoolPlan | CannotServe] = field(default_factory=dict)

    def demands(self, workload_set: int) -> tuple[Demand, ...]:
        """The demands of a set of workloads."""
        return tuple(self.scenario.demands[index] for index in members(workload_set))

    def pool(self, offer_id: str, workload_set: int) -> PoolPlan | CannotServe:
        """An offer serving a set of workloads, or why it cannot."""
        key = (offer_id, workload_set)
        if key not in self.pools:
            self.pools[key] = self._plan_pool(offer_id, workload_set)
        return self.pools[key]

    def _plan_pool(self, offer_id: str, workload_set: int) -> PoolPlan | CannotServe:
        offer, performance = self.offers[offer_id], self.performances[offer_id]
        for demand in self.demands(workload_set):
            refusal = gate(self.scenario, offer, performance, demand)
            if refusal is not None:
                return refusal
        if isinstance(performance, CannotServe):
            return performance
        return self.plan_pool(
            offer,
            performance,
            self.demands(workload_set),
            self.scenario.policy,
            self._fewest_replicas(offer_id, workload_set),
        )

    def _fewest_replicas(self, offer_id: str, workload_set: int) -> int:
        """What smaller sets on the same offer already need: more load never needs fewer replicas."""
        smaller = [
            self.pools.get((offer_id, workload_set & ~(1 << index))) for index in members(workload_set)
        ]
        counts = [
            pool.replica_count - pool.spare_replica_count
            for pool in smaller
            if isinstance(pool, PoolPlan) and pool.replica_count is not None
        ]
        return max(counts, default=1)

    def placed_pool(self, offer_id: str, workload_set: int) -> PoolPlan:
        """The pool of a placement, which by construction can serve its workloads."""
        pool = self.pool(offer_id, workload_set)
        if isinstance(pool, CannotServe):
            raise RuntimeError(f"placed on {offer_id}, which cannot serve it")
        return pool

    def usd_per_month(self, placement: Mapping[int, str]) -> float:
        """The bill of a placement."""
        return sum(
            self.placed_pool(offer_id, workload_set).cost_usd
            for offer_id, workload_set in groups_of(placement).items()
        )

    def floor_usd(self, offer_id: str, workload_set: int, known: Mapping[tuple[str, int], float]) -> float:
        """A lower bound of a pool's bill: its throughput's, and that of any smaller set on the same offer."""
        performance = self.performances[offer_id]
        if isinstance(performance, CannotServe):
            return 0.0
        smaller = [
            known.get((offer_id, workload_set & ~(1 << index)), 0.0) for index in members(workload_set)
        ]
        throughput = monthly_floor_usd(
            self.offers[offer_id], performance, self.demands(workload_set), self.scenario.policy
        )
        return max(throughput, *smaller)


def place(desk: Desk, forbidden: tuple[int, str] | None) -> dict[int, str]:
    """The cheapest placement, with one workload kept off one offer where `forbidden` says so."""
    demands = desk.scenario.demands
    by_supplier: dict[str, list[str]] = {}
    for offer in desk.offers.values():
        by_supplier.setdefault(offer.tier.supplier or offer.tier.id, []).append(offer.id)
    costs = _useful_costs(desk, forbidden)
    rates = [demand.peak_call_rate_req_per_s for demand in demands]
    limit = desk.scenario.policy.max_supplier_share_fraction * sum(rates) * (1 + 1e-9)
    return cheapest_placement(
        len(demands),
        by_supplier,
        lambda offer_id, workload_set: costs.get((offer_id, workload_set)),
        lambda workload_set: sum(rates[index] for index in members(workload_set)) <= limit,
    )


def _useful_costs(desk: Desk, forbidden: tuple[int, str] | None) -> dict[tuple[str, int], float]:
    """What each pool costs, leaving out those that could not be part of a cheapest placement.

    Small sets first. More load never costs less, so a pool costs at least as much as the same offer takes
    for fewer workloads; where that already exceeds serving the set in parts, it need not be worked out.
    A supplier limit may forbid the parts, so then every pool is worked out.
    """
    bounded = desk.scenario.policy.max_supplier_share_fraction >= 1.0
    floors: dict[tuple[str, int], float] = {}
    costs: dict[tuple[str, int], float] = {}
    best: dict[int, float] = {}
    for workload_set in sorted(candidate_sets(len(desk.scenario.demands)), key=int.bit_count):
        apart = _in_two_parts(best, workload_set) if bounded else float("inf")
        found = [apart]
        for offer_id in desk.offers:
            if forbidden is not None and forbidden[1] == offer_id and workload_set >> forbidden[0] & 1:
                floors[offer_id, workload_set] = float("inf")
                continue
            floor = desk.floor_usd(offer_id, workload_set, floors)
            if floor <= apart:
                pool = desk.pool(offer_id, workload_set)
                floor = float("inf") if isinstance(pool, CannotServe) else pool.cost_usd
                if isinstance(pool, PoolPlan):
                    costs[offer_id, workload_set] = pool.cost_usd
            floors[offer_id, workload_set] = floor
            found.append(costs.get((offer_id, workload_set), float("inf")))
        best[workload_set] = min(found)
    return costs


def _in_two_parts(best: Mapping[int, float], workload_set: int) -> float:
    """The least cost of a set as two smaller sets, each served at its best."""
    halves = (part for part in subsets(workload_set) if 0 < part < workload_set)
    return min(
        (best.get(part, float("inf")) + best.get(workload_set ^ part, float("inf")) for part in halves),
        default=float("inf"),
    )


def groups_of(placement: Mapping[int, str]) -> dict[str, int]:
    """The set of workloads on each used offer."""
    groups: dict[str, int] = {}
    for index, offer_id in placement.items():
        groups[offer_id] = groups.get(offer_id, 0) | 1 << index
    return groups
