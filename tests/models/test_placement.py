"""Placement against brute force: every assignment of workloads to offers, costed one by one."""

import itertools
import random

import pytest

from models.placement import (
    MAX_FULLY_SHARED_COUNT,
    NEVER,
    cheapest_placement,
    cheapest_pools,
    may_share,
    members,
    single_pools,
    subsets,
)

FOUR = 4


def growing_costs(offers, chance_of_refusal, seed):
    """Random bills that never fall as a set grows, which is all that the search may rely on."""
    generator = random.Random(seed)
    costs = {}
    for offer in offers:
        able = [generator.random() >= chance_of_refusal for _ in range(FOUR)]
        for each in sorted(range(1, 1 << FOUR), key=int.bit_count):
            parts = [costs[offer, part] for part in subsets(each) if 0 < part < each]
            grown = max(parts, default=0.0) + generator.uniform(0, 30)
            costs[offer, each] = grown if all(able[index] for index in members(each)) else NEVER
    return costs


def partitions(items):
    """Every way to split a list into groups."""
    if not items:
        yield []
        return
    first, *rest = items
    for smaller in partitions(rest):
        yield [[first], *smaller]
        for index, group in enumerate(smaller):
            yield [*smaller[:index], [first, *group], *smaller[index + 1 :]]


def brute_force(offers_by_supplier, costs, supplier_accepts, once=()):
    """(workloads placed, cost) of the best of all partitions of all subsets over all offers."""
    supplier_of = {offer: supplier for supplier, offers in offers_by_supplier.items() for offer in offers}
    best = (0, 0.0)
    for placed in itertools.chain.from_iterable(
        itertools.combinations(range(FOUR), n) for n in range(1, FOUR + 1)
    ):
        for split in partitions(list(placed)):
            groups = [sum(1 << index for index in group) for group in split]
            for chosen in itertools.product(supplier_of, repeat=len(groups)):
                if any(chosen.count(offer) > 1 for offer in once):
                    continue
                shares = {}
                for offer, group in zip(chosen, groups, strict=True):
                    shares[supplier_of[offer]] = shares.get(supplier_of[offer], 0) | group
                if not all(supplier_accepts(each) for each in shares.values()):
                    continue
                bill = sum(costs[offer, group] for offer, group in zip(chosen, groups, strict=True))
                if bill < NEVER and (-len(placed), bill) < (-best[0], best[1]):
                    best = (len(placed), bill)
    return best


def search(offers_by_supplier, costs, supplier_accepts=lambda _: True, once=(), floor_ratio=0.5):
    """The placement, with floors at a ratio of the true cost."""
    cost_of = lambda *key: costs[key]  # noqa: E731
    floor_of = lambda *key: costs[key] if costs[key] == NEVER else floor_ratio * costs[key]  # noqa: E731
    choices = [
        cheapest_pools(FOUR, [offer for offer in offers if offer not in once], cost_of, floor_of)
        for offers in offers_by_supplier.values()
    ]
    return cheapest_placement(
        [*choices, *(single_pools(FOUR, offer, cost_of) for offer in once)], supplier_accepts
    )


def placed_count(found):
    return sum(group.workload_set.bit_count() for group in found.groups)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("chance_of_refusal", [0.0, 0.3, 0.7])
def test_the_placement_is_the_cheapest_of_all(seed, chance_of_refusal):
    costs = growing_costs("abc", chance_of_refusal, seed)
    found = search({"x": "abc"}, costs)
    placed, usd = brute_force({"x": "abc"}, costs, lambda _: True)
    assert (placed_count(found), found.cost) == (placed, pytest.approx(usd))
    assert found.cost == pytest.approx(
        sum(costs[group.offer_id, group.workload_set] for group in found.groups)
    )


@pytest.mark.parametrize("seed", range(6))
def test_a_supplier_keeps_to_its_share(seed):
    suppliers = {"x": "ab", "y": "c"}
    costs = growing_costs("abc", 0.2, seed)
    at_most_two = lambda workload_set: workload_set.bit_count() <= 2  # noqa: E731
    found = search(suppliers, costs, at_most_two)
    placed, usd = brute_force(suppliers, costs, at_most_two)
    assert (placed_count(found), found.cost) == (placed, pytest.approx(usd))


@pytest.mark.parametrize("seed", range(6))
def test_a_rate_limited_offer_runs_one_pool(seed):
    costs = growing_costs("abc", 0.0, seed)
    found = search({"x": "abc"}, costs, once=("c",))
    _, usd = brute_force({"x": "abc"}, costs, lambda _: True, once=("c",))
    assert found.cost == pytest.approx(usd)
    assert sum(group.offer_id == "c" for group in found.groups) <= 1


def test_floors_that_are_true_change_nothing():
    costs = growing_costs("abc", 0.2, 3)
    assert search({"x": "abc"}, costs, floor_ratio=0.0) == search({"x": "abc"}, costs, floor_ratio=1.0)


def test_nothing_that_serves_gives_an_empty_placement():
    never = lambda *_: NEVER  # noqa: E731
    assert cheapest_placement([cheapest_pools(3, ["a"], never, never)], lambda _: True).groups == ()
    assert cheapest_placement([], lambda _: True).groups == ()


def test_equal_costs_are_decided_by_name_whatever_the_order():
    same = lambda *_: 5.0  # noqa: E731
    found = [
        cheapest_placement([cheapest_pools(1, offers, same, same)], lambda _: True)
        for offers in (["a", "b"], ["b", "a"])
    ]
    assert [each.groups[0].offer_id for each in found] == ["a", "a"]


def test_sets_are_bits():
    assert members(0b1011) == (0, 1, 3)
    assert members(0) == ()
    assert sorted(subsets(0b101)) == [0b000, 0b001, 0b100, 0b101]


def test_many_workloads_share_in_pairs_only():
    many = MAX_FULLY_SHARED_COUNT + 1
    assert may_share(0b111, MAX_FULLY_SHARED_COUNT)
    assert may_share(0b11, many)
    assert not may_share(0b111, many)
