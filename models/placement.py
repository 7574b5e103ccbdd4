"""Who goes where: the cheapest way to place workloads in pools, found exactly.

Workloads in one pool share its replicas and spares, so a pool's cost depends on the whole set it serves.
With W workloads there are 2^W sets. Dynamic programming over sets, small ones first, finds the cheapest
partition into pools; a set is a whole number whose bits are the workloads in it.
Where there are many workloads, each offer's pools are built by merging, and the search is over those.
"""

import itertools
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

MAX_WORKLOAD_COUNT = 12
# Beyond this many workloads not every set is weighed as one pool, which keeps the search in bounds.
MAX_FULLY_SHARED_COUNT = 7
MOST_LEFT_OUT = 2  # of a pool built by merging
NEVER = float("inf")


@dataclass(frozen=True, slots=True, order=True)
class Group:
    """A pool: the offer it runs on, and the set of workloads it serves."""

    offer_id: str
    workload_set: int


@dataclass(frozen=True, slots=True, order=True)
class Partition:
    """Pools that together serve a set of workloads, and what they cost."""

    cost: float
    groups: tuple[Group, ...]

    def joined(self, other: "Partition") -> "Partition":
        """Both together."""
        return Partition(self.cost + other.cost, tuple(sorted(self.groups + other.groups)))


NOTHING = Partition(0.0, ())
# cost(offer_id, set), and a lower bound of it that is cheap to know; NEVER where it cannot serve the set.
CostOf = Callable[[str, int], float]
# weighed(offer_id): the sets that the offer may serve as one pool.
Weighed = Callable[[str], Collection[int]]
# affords(offer_id, set, bound): False only where the pool certainly costs more than the bound.
Affords = Callable[[str, int, float], bool]


def members(workload_set: int) -> tuple[int, ...]:
    """Indices of the workloads in a set."""
    return tuple(index for index in range(workload_set.bit_length()) if workload_set >> index & 1)


def sets_weighed(workload_count: int, cost_of_set: Callable[[int], float]) -> Collection[int]:
    """The sets of workloads weighed as one pool of an offer: all, or those met by merging where too many.

    cost_of_set  what one pool of this offer costs for a set; NEVER where it cannot serve it
    Merging starts from pools for one workload each and always joins the two whose joining saves most
    (J. H. Ward 1963), down to one pool. Weighed are all joinings looked at, every pair among them, and each
    pool made with one or two of its workloads left out. Nothing is asked of other offers, so that an offer
    more, or a price less, never makes a plan dearer.
    """
    if workload_count <= MAX_FULLY_SHARED_COUNT:
        return range(1, 1 << workload_count)
    apart = [1 << index for index in range(workload_count)]
    pools = [each for each in apart if cost_of_set(each) < NEVER]
    weighed = {*apart, *pools}
    while len(pools) > 1:
        joined = [(_saved(cost_of_set, *pair), *pair) for pair in itertools.combinations(sorted(pools), 2)]
        weighed.update(one | other for _, one, other in joined)
        saved, one, other = max(joined)
        if saved == -NEVER:
            break
        pools = [each for each in pools if each not in (one, other)] + [one | other]
        weighed.update(_with_some_left_out(one | other))
    return weighed


def _with_some_left_out(pool: int) -> list[int]:
    """A pool's set without one or two of its workloads."""
    fewest = max(1, pool.bit_count() - MOST_LEFT_OUT)
    return [part for part in subsets(pool) if part.bit_count() >= fewest]


def _saved(cost_of_set: Callable[[int], float], one: int, other: int) -> float:
    """What two pools of an offer cost less as one."""
    return cost_of_set(one) + cost_of_set(other) - cost_of_set(one | other)


def cheapest_pools(
    workload_count: int,
    offer_ids: Sequence[str],
    cost_of: CostOf,
    floor_of: CostOf,
    weighed: Weighed,
    affords: Affords = lambda offer_id, workload_set, bound: True,
) -> dict[int, Partition]:
    """For each set of workloads that these offers can serve, the cheapest pools that serve just that set.

    floor_of(offer, set) <= cost_of(offer, set): a pool whose floor exceeds what is already known to suffice
    is not worked out; nor is one that does not `affords` to cost at most that. Each offer may run several.
    """
    best: dict[int, Partition] = {}
    sets = {offer_id: weighed(offer_id) for offer_id in offer_ids}
    for workload_set in sorted(range(1, 1 << workload_count), key=lambda each: (each.bit_count(), each)):
        may_serve = [offer_id for offer_id in offer_ids if workload_set in sets[offer_id]]
        found = _apart(best, workload_set)
        found = _together(found, workload_set, may_serve, cost_of, floor_of, affords)
        if found is not None:
            best[workload_set] = found
    return best


def _apart(best: dict[int, Partition], workload_set: int) -> Partition | None:
    """The cheapest way to serve a set in two parts, each at its best."""
    parts = [
        best[part].joined(best[workload_set ^ part])
        for part in subsets(workload_set)
        if part > workload_set ^ part > 0 and part in best and workload_set ^ part in best
    ]
    return min(parts, default=None)


def _together(
    apart: Partition | None,
    workload_set: int,
    offer_ids: Sequence[str],
    cost_of: CostOf,
    floor_of: CostOf,
    affords: Affords,
) -> Partition | None:
    """One pool for the whole set where that is cheaper than apart."""
    best = apart
    floors = sorted((floor_of(offer_id, workload_set), offer_id) for offer_id in offer_ids)
    for floor, offer_id in floors:
        if floor == NEVER or (best is not None and floor > best.cost):
            break
        if best is not None and not affords(offer_id, workload_set, best.cost):
            continue
        cost = cost_of(offer_id, workload_set)
        pool = Partition(cost, (Group(offer_id, workload_set),))
        if cost < NEVER and (best is None or pool < best):
            best = pool
    return best


def single_pools(workload_count: int, offer_id: str, cost_of: CostOf) -> dict[int, Partition]:
    """For each set, one pool on an offer that can run only one: a rate limit is not had twice."""
    costs = {each: cost_of(offer_id, each) for each in range(1, 1 << workload_count)}
    return {each: Partition(cost, (Group(offer_id, each),)) for each, cost in costs.items() if cost < NEVER}


def side_by_side(choices: Iterable[dict[int, Partition]]) -> dict[int, Partition]:
    """The cheapest pools by set, taking from each choice one disjoint set at most; the empty set included."""
    layer: dict[int, Partition] = {0: NOTHING}
    for pools in choices:
        joined = dict(layer)
        for covered, held in layer.items():
            for added, pool in pools.items():
                if not covered & added:
                    candidate = held.joined(pool)
                    joined[covered | added] = min(joined.get(covered | added, candidate), candidate)
        layer = joined
    return layer


def cheapest_placement(
    choices: Iterable[dict[int, Partition]], supplier_accepts: Callable[[int], bool]
) -> Partition:
    """Pools over all suppliers: most workloads placed, then least cost, then first by name.

    choices              for each supplier, its cheapest pools by set
    supplier_accepts     whether one supplier may serve a set (concentration limit)
    """
    accepted = ({each: pools[each] for each in pools if supplier_accepts(each)} for pools in choices)
    layer = side_by_side(accepted)
    return layer[min(layer, key=lambda key: (-key.bit_count(), layer[key]))]


def subsets(workload_set: int) -> list[int]:
    """All subsets of a set, itself first and the empty set last."""
    found, current = [], workload_set
    while current:
        found.append(current)
        current = (current - 1) & workload_set
    return [*found, 0]
