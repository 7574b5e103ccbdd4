"""One planning run's desk: offers, performances, and every pool worked out at most once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from models.gates import gate
from models.performance import CannotServe, TierPerformance
from models.placement import (
    NEVER,
    Group,
    Partition,
    cheapest_placement,
    cheapest_pools,
    members,
    side_by_side,
    single_pools,
    subsets,
)
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

    def _parts(self, offer_id: str, workload_set: int) -> list[PoolPlan | CannotServe]:
        """What is already known of the same offer for fewer of these workloads."""
        keys = ((offer_id, part) for part in subsets(workload_set) if 0 < part < workload_set)
        return [self.pools[key] for key in keys if key in self.pools]

    def _fewest_replicas(self, offer_id: str, workload_set: int) -> int:
        """What a part of the set already needs on the same offer: more load never needs fewer replicas."""
        counts = [
            pool.replica_count - pool.spare_replica_count
            for pool in self._parts(offer_id, workload_set)
            if isinstance(pool, PoolPlan) and pool.replica_count is not None
        ]
        return max(counts, default=1)

    def placed_pool(self, group: Group) -> PoolPlan:
        """The pool of a placement, which by construction can serve its workloads."""
        pool = self.pool(group.offer_id, group.workload_set)
        if isinstance(pool, CannotServe):
            raise RuntimeError(f"placed on {group.offer_id}, which cannot serve it")
        return pool

    def cost_usd(self, offer_id: str, workload_set: int) -> float:
        """A pool's bill; infinite where the offer cannot serve the set."""
        pool = self.pool(offer_id, workload_set)
        return NEVER if isinstance(pool, CannotServe) else pool.cost_usd

    def floor_usd(self, offer_id: str, workload_set: int) -> float:
        """A lower bound of a pool's bill: its throughput's, and that of any part already worked out.

        More load never costs less, and what cannot be served alone cannot be served in company.
        """
        performance = self.performances[offer_id]
        if isinstance(performance, CannotServe):
            return NEVER
        bills = [
            NEVER if isinstance(pool, CannotServe) else pool.cost_usd
            for pool in self._parts(offer_id, workload_set)
        ]
        throughput = monthly_floor_usd(
            self.offers[offer_id], performance, self.demands(workload_set), self.scenario.policy
        )
        return max((throughput, *bills))


def place(desk: Desk, forbidden: tuple[int, str] | None) -> Partition:
    """The cheapest placement, with one workload kept off one offer where `forbidden` says so."""
    rates = [demand.peak_call_rate_req_per_s for demand in desk.scenario.demands]
    share = desk.scenario.policy.max_supplier_share_fraction
    limit = share * sum(rates) * (1 + 1e-9)

    def barred(offer_id: str, workload_set: int) -> bool:
        return forbidden is not None and forbidden[1] == offer_id and bool(workload_set >> forbidden[0] & 1)

    def cost_of(offer_id: str, workload_set: int) -> float:
        return NEVER if barred(offer_id, workload_set) else desk.cost_usd(offer_id, workload_set)

    def floor_of(offer_id: str, workload_set: int) -> float:
        return NEVER if barred(offer_id, workload_set) else desk.floor_usd(offer_id, workload_set)

    def choice(offer_ids: Sequence[str]) -> dict[int, Partition]:
        limited = [offer_id for offer_id in offer_ids if _has_limits(desk.offers[offer_id])]
        free = [offer_id for offer_id in offer_ids if offer_id not in limited]
        singles = [single_pools(len(rates), offer_id, cost_of) for offer_id in limited]
        return side_by_side([cheapest_pools(len(rates), free, cost_of, floor_of), *singles])

    choices = [choice(offer_ids) for offer_ids in _by_supplier(desk, apart=share < 1.0)]
    return cheapest_placement(
        choices, lambda workload_set: sum(rates[index] for index in members(workload_set)) <= limit
    )


def _has_limits(offer: Offer) -> bool:
    return offer.tier.request_limit_per_min is not None or offer.tier.token_limit_per_min is not None


def _by_supplier(desk: Desk, apart: bool) -> list[list[str]]:
    """Offers by supplier where suppliers are limited; all together where they are not."""
    groups: dict[str, list[str]] = {}
    for offer in desk.offers.values():
        groups.setdefault((offer.tier.supplier or offer.tier.id) if apart else "", []).append(offer.id)
    return [groups[supplier] for supplier in sorted(groups)]
