"""Who goes where: the cheapest way to place workloads on offers, found exactly.

Workloads placed on the same rented offer share one pool and its spares, so the cost of an offer depends
on the whole set it serves. With W workloads there are 2^W sets; dynamic programming over sets finds the
cheapest partition, offer by offer and supplier by supplier, without regard to the order of offers.
A set is a whole number whose bits are the workloads in it.
"""

from collections.abc import Callable, Mapping, Sequence

# Beyond this many workloads only pools of two are weighed, which keeps the search in bounds.
MAX_FULLY_SHARED_COUNT = 6
PAIR = 2

CostOf = Callable[[str, int], float | None]
Layer = dict[int, tuple[float, tuple[tuple[str, int], ...]]]


def members(workload_set: int) -> tuple[int, ...]:
    """Indices of the workloads in a set."""
    return tuple(index for index in range(workload_set.bit_length()) if workload_set >> index & 1)


def subsets(workload_set: int) -> list[int]:
    """All subsets of a set, itself first and the empty set last."""
    found, current = [], workload_set
    while current:
        found.append(current)
        current = (current - 1) & workload_set
    return [*found, 0]


def candidate_sets(workload_count: int) -> list[int]:
    """The sets of workloads that may share one offer: all of them, or pairs where there are many."""
    largest = workload_count if workload_count <= MAX_FULLY_SHARED_COUNT else PAIR
    if largest == PAIR:
        singles = [1 << index for index in range(workload_count)]
        return singles + [a | b for a in singles for b in singles if a < b]
    return list(range(1, 1 << workload_count))


def cheapest_placement(
    workload_count: int,
    offers_by_supplier: Mapping[str, Sequence[str]],
    cost_of: CostOf,
    supplier_accepts: Callable[[int], bool],
) -> dict[int, str]:
    """Offer id by workload index: most workloads placed, then least cost, then first by name.

    cost_of(offer_id, set)    USD per month of serving that set on that offer, None where it cannot
    supplier_accepts(set)     whether one supplier may serve that set (concentration limit)
    """
    sets = candidate_sets(workload_count)
    layer: Layer = {0: (0.0, ())}
    for supplier in sorted(offers_by_supplier):
        own: Layer = {0: (0.0, ())}
        for offer_id in sorted(offers_by_supplier[supplier]):
            costs = {each: cost_of(offer_id, each) for each in sets}
            own = _joined(
                own, {each: (cost, ((offer_id, each),)) for each, cost in costs.items() if cost is not None}
            )
        layer = _joined(layer, {key: held for key, held in own.items() if key and supplier_accepts(key)})
    best = min(layer, key=lambda key: (-key.bit_count(), layer[key]))
    return {index: offer_id for offer_id, group in layer[best][1] for index in members(group)}


def _joined(layer: Layer, addition: Layer) -> Layer:
    """The cheapest cover of each set by a cover from `layer` and at most one disjoint set of `addition`."""
    joined = dict(layer)
    for covered, (cost, groups) in layer.items():
        for added, (extra, more) in addition.items():
            if covered & added:
                continue
            candidate = (cost + extra, groups + more)
            held = joined.get(covered | added)
            if held is None or candidate < held:
                joined[covered | added] = candidate
    return joined
