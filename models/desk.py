"""One planning run's desk: offers, performances, and every pool worked out at most once."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from models.commitments import committed_replicas, replica_usd_per_month
from models.gates import gate
from models.net_value import lost_usd, unweighable, weighs_value
from models.performance import CannotServe, TierPerformance
from models.placement import (
    MAX_FULLY_SHARED_COUNT,
    NEVER,
    Group,
    Partition,
    cheapest_placement,
    cheapest_pools,
    members,
    sets_weighed,
    side_by_side,
    single_pools,
    subsets,
)
from models.pool_plan import PoolPlan
from models.pools import may_cost_at_most, monthly_floor_usd, plan_pool, with_spares
from models.scenario import Policy, Scenario
from models.tiers import Offer
from models.workloads import Demand

Performances = Mapping[str, TierPerformance | CannotServe]
CENT = 0.01
KnownPerformances = tuple[tuple[str, TierPerformance | CannotServe], ...]
PoolPlanner = Callable[[Offer, TierPerformance, tuple[Demand, ...], Policy, int], PoolPlan | CannotServe]


@dataclass(slots=True)
class Desk:
    """Everything one planning run looks at, with each pool worked out at most once."""

    scenario: Scenario
    offers: Mapping[str, Offer]
    performances: Performances
    plan_pool: PoolPlanner = plan_pool
    pools: dict[tuple[str, int], PoolPlan | CannotServe] = field(default_factory=dict)
    sets: dict[str, Collection[int]] = field(default_factory=dict)

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
        demands, policy = self.demands(workload_set), self.scenario.policy
        pool = self.plan_pool(
            offer, performance, demands, policy, self._fewest_replicas(offer_id, workload_set)
        )
        if isinstance(pool, CannotServe):
            return pool
        return unweighable(policy, demands, pool.point) or pool

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
        performance = self.performances[group.offer_id]
        if isinstance(pool, CannotServe) or isinstance(performance, CannotServe):
            raise RuntimeError(f"placed on {group.offer_id}, which cannot serve it")
        return with_spares(pool, performance)

    def cost_usd(self, offer_id: str, workload_set: int) -> float:
        """What a pool adds to the bill; infinite where the offer cannot serve the set.

        Replicas that are committed are paid whether they are used or not: they add nothing.
        """
        pool = self.pool(offer_id, workload_set)
        return NEVER if isinstance(pool, CannotServe) else pool.cost_usd - self._paid_anyway(offer_id, pool)

    def lost_usd(self, offer_id: str, workload_set: int) -> float:
        """Value that the workloads of a pool lose to its latencies, where the plan weighs value; else 0."""
        pool, policy = self.pool(offer_id, workload_set), self.scenario.policy
        if isinstance(pool, CannotServe):
            return NEVER
        if not weighs_value(policy):
            return 0.0
        point = self.placed_pool(Group(offer_id, workload_set)).point
        return lost_usd(policy, self.demands(workload_set), point)

    def score_usd(self, offer_id: str, workload_set: int) -> float:
        """What the choice keeps least: the bill, and the value lost where the plan weighs value."""
        return self.cost_usd(offer_id, workload_set) + self.lost_usd(offer_id, workload_set)

    def _paid_anyway(self, offer_id: str, pool: PoolPlan) -> float:
        """The part of a pool's bill that today's commitment pays already."""
        committed = committed_replicas(self.scenario, self.offers, offer_id)
        if not committed or not pool.replica_count:
            return 0.0
        return min(
            pool.cost_usd, min(committed, pool.replica_count) * replica_usd_per_month(self.offers[offer_id])
        )

    def weighed(self, offer_id: str) -> Collection[int]:
        """The sets of workloads that are weighed as one pool of an offer."""
        if offer_id not in self.sets:
            self.sets[offer_id] = sets_weighed(
                len(self.scenario.demands), lambda workload_set: self.score_usd(offer_id, workload_set)
            )
        return self.sets[offer_id]

    def floor_usd(self, offer_id: str, workload_set: int) -> float:
        """A lower bound of a pool's bill: its throughput's, and that of any part already worked out.

        More load never costs less, and what cannot be served alone cannot be served in company.
        """
        performance = self.performances[offer_id]
        demands = self.demands(workload_set)
        if isinstance(performance, CannotServe) or any(
            gate(self.scenario, self.offers[offer_id], performance, demand) for demand in demands
        ):
            return NEVER
        bills = [
            NEVER if isinstance(pool, CannotServe) else pool.cost_usd - self._paid_anyway(offer_id, pool)
            for pool in self._parts(offer_id, workload_set)
        ]
        throughput = monthly_floor_usd(self.offers[offer_id], performance, demands, self.scenario.policy)
        return max((throughput - self._committed_usd(offer_id), *bills))

    def _committed_usd(self, offer_id: str) -> float:
        """What today's commitment to an offer costs a month."""
        committed = committed_replicas(self.scenario, self.offers, offer_id)
        return committed * replica_usd_per_month(self.offers[offer_id]) if committed else 0.0

    def affords(self, offer_id: str, workload_set: int, bound_usd: float) -> bool:
        """Whether a pool may cost at most so much; False only where it certainly costs more."""
        key = (offer_id, workload_set)
        if key in self.pools:
            return self.cost_usd(offer_id, workload_set) <= bound_usd
        performance, demands = self.performances[offer_id], self.demands(workload_set)
        if isinstance(performance, CannotServe) or any(
            gate(self.scenario, self.offers[offer_id], performance, demand) for demand in demands
        ):
            return False
        bound_usd += self._committed_usd(offer_id)
        return may_cost_at_most(self.offers[offer_id], performance, demands, self.scenario.policy, bound_usd)


def desk_for(scenario: Scenario, performances: Performances, pool_planner: PoolPlanner = plan_pool) -> Desk:
    """A desk with the scenario's offers in a fixed order, so that their order in a file is irrelevant."""
    offers = {offer.id: offer for offer in sorted(scenario.offers, key=lambda offer: offer.id)}
    return Desk(scenario, offers, performances, pool_planner)


def place(desk: Desk) -> Partition:
    """The best placement of all workloads: at least cost, or at greatest net value where that is the aim.

    Where not every set of workloads is weighed, single workloads are then moved while that saves anything;
    they are taken in the order of their names, so that their order in a file decides nothing. That search is
    not of all placements: there a further tier may, rarely, lead to another end.
    """
    demands = desk.scenario.demands
    if len(demands) <= MAX_FULLY_SHARED_COUNT:
        return _place(desk)
    order = sorted(range(len(demands)), key=lambda index: demands[index].workload.name)
    by_name = replace(desk.scenario, demands=tuple(demands[index] for index in order))
    named = Desk(by_name, desk.offers, desk.performances, desk.plan_pool)
    placement = _moved_while_it_saves(named, _place(named))
    for (offer_id, named_set), pool in named.pools.items():
        desk.pools.setdefault((offer_id, _set_in(order, named_set)), _pool_in(order, named_set, pool))
    groups = (Group(group.offer_id, _set_in(order, group.workload_set)) for group in placement.groups)
    return Partition(placement.cost, tuple(sorted(groups)))


def _set_in(order: Sequence[int], named_set: int) -> int:
    """A set of workloads counted in the order of their names, as the set in the order of the scenario."""
    return sum(1 << order[index] for index in members(named_set))


def _pool_in(order: Sequence[int], named_set: int, pool: PoolPlan | CannotServe) -> PoolPlan | CannotServe:
    """A pool whose parts are in the order of names, with its parts in the order of the scenario."""
    if isinstance(pool, CannotServe):
        return pool
    indices = [order[index] for index in members(named_set)]
    places = sorted(range(len(indices)), key=lambda place: indices[place])
    return replace(
        pool,
        share_fraction=tuple(pool.share_fraction[place] for place in places),
        cost_usd_by_workload=tuple(pool.cost_usd_by_workload[place] for place in places),
    )


def _place(desk: Desk) -> Partition:
    """The best placement over the sets weighed."""
    count = len(desk.scenario.demands)

    def choice(offer_ids: Sequence[str]) -> dict[int, Partition]:
        limited = [offer_id for offer_id in offer_ids if runs_one_pool(desk, offer_id)]
        free = [offer_id for offer_id in offer_ids if offer_id not in limited]
        singles = [single_pools(count, offer_id, desk.score_usd) for offer_id in limited]
        return side_by_side(
            [
                cheapest_pools(count, free, desk.score_usd, desk.floor_usd, desk.weighed, desk.affords),
                *singles,
            ]
        )

    apart = desk.scenario.policy.max_supplier_share_fraction < 1.0
    choices = [choice(offer_ids) for offer_ids in _by_supplier(desk, apart)]
    return cheapest_placement(choices, lambda workload_set: _supplier_may_serve(desk, workload_set))


@lru_cache(maxsize=16)
def settled(
    scenario: Scenario, performances: KnownPerformances, pool_planner: PoolPlanner
) -> tuple[Desk, tuple[Group, ...]]:
    """A desk and the pools of its cheapest placement, kept by value: a slider asks for the same again."""
    desk = desk_for(scenario, dict(performances), pool_planner)
    return desk, place(desk).groups


@dataclass(frozen=True, slots=True, order=True)
class Move:
    """One workload on another offer or in another pool, all others staying; and what it adds to the bill."""

    extra_usd: float
    offer_id: str
    groups: tuple[Group, ...]


def cheapest_move(desk: Desk, placement: Partition, index: int) -> tuple[str, float] | None:
    """The offer a workload would move to if it left its own, all others staying, and the extra cost,
    value lost included where the plan weighs value.

    It may join a pool of another offer, or have one of its own there. None where no other offer serves it.
    """
    home = next(group for group in placement.groups if group.workload_set >> index & 1)
    elsewhere = [move for move in _moves(desk, placement, index) if move.offer_id != home.offer_id]
    best = min(elsewhere, default=None)
    return None if best is None else (best.offer_id, best.extra_usd)


def _moved_while_it_saves(desk: Desk, placement: Partition) -> Partition:
    """Single workloads moved, the best move first, until none saves a cent; each lowers the bill."""
    while True:
        found = [
            move for index in range(len(desk.scenario.demands)) for move in _moves(desk, placement, index)
        ]
        best = min(found, default=None)
        if best is None or best.extra_usd > -CENT:
            return placement
        placement = Partition(placement.cost + best.extra_usd, best.groups)


def _moves(desk: Desk, placement: Partition, index: int) -> Iterator[Move]:
    """Every move of a placed workload into another pool, or into one of its own."""
    home = next((group for group in placement.groups if group.workload_set >> index & 1), None)
    if home is None:
        return
    alone, left = 1 << index, home.workload_set & ~(1 << index)
    staying = [group for group in placement.groups if group != home]
    rest = [*staying, Group(home.offer_id, left)] if left else staying
    saved = desk.score_usd(home.offer_id, home.workload_set)
    saved -= desk.score_usd(home.offer_id, left) if left else 0.0
    running = {group.offer_id for group in rest}
    own = [each for each in desk.offers if not (each in running and runs_one_pool(desk, each))]
    for group in staying:
        joined = Group(group.offer_id, group.workload_set | alone)
        cost = desk.score_usd(*_key(joined)) - desk.score_usd(*_key(group))
        others = [each for each in rest if each != group]
        if cost < NEVER and _stays_within_share(desk, placement, index, group.offer_id):
            yield Move(cost - saved, group.offer_id, tuple(sorted([*others, joined])))
    for offer_id in own:
        cost = desk.score_usd(offer_id, alone)
        if cost < NEVER and _stays_within_share(desk, placement, index, offer_id):
            yield Move(cost - saved, offer_id, tuple(sorted([*rest, Group(offer_id, alone)])))


def _key(group: Group) -> tuple[str, int]:
    return group.offer_id, group.workload_set


def _supplier_may_serve(desk: Desk, workload_set: int) -> bool:
    """Whether one supplier may serve a set of workloads: its share of all calls."""
    rates = [demand.peak_call_rate_req_per_s for demand in desk.scenario.demands]
    limit = desk.scenario.policy.max_supplier_share_fraction * sum(rates) * (1 + 1e-9)
    return sum(rates[index] for index in members(workload_set)) <= limit


def supplier_of(offer: Offer) -> str:
    """Who sells an offer; a tier without a supplier stands for itself."""
    return offer.tier.supplier or offer.tier.id


def _stays_within_share(desk: Desk, placement: Partition, index: int, offer_id: str) -> bool:
    """Whether the offer's supplier may serve one workload more."""
    supplier = supplier_of(desk.offers[offer_id])
    served = 1 << index
    for group in placement.groups:
        if supplier_of(desk.offers[group.offer_id]) == supplier:
            served |= group.workload_set
    return _supplier_may_serve(desk, served)


def runs_one_pool(desk: Desk, offer_id: str) -> bool:
    """A rate limit is not had twice, nor a commitment used twice."""
    tier = desk.offers[offer_id].tier
    limited = tier.request_limit_per_min is not None or tier.token_limit_per_min is not None
    return limited or committed_replicas(desk.scenario, desk.offers, offer_id) > 0


def _by_supplier(desk: Desk, apart: bool) -> list[list[str]]:
    """Offers by supplier where suppliers are limited; all together where they are not."""
    groups: dict[str, list[str]] = {}
    for offer in desk.offers.values():
        groups.setdefault(supplier_of(offer) if apart else "", []).append(offer.id)
    return [groups[supplier] for supplier in sorted(groups)]
