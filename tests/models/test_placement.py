"""Placement against brute force: every assignment of workloads to offers, costed one by one."""

import itertools
import random

import pytest

from models.placement import MAX_FULLY_SHARED_COUNT, candidate_sets, cheapest_placement, members, subsets


def costs_of(offers, workload_count, chance_of_refusal, seed):
    """A random cost for every (offer, set), some refused; no structure, so no shortcut can hide."""
    generator = random.Random(seed)
    return {
        (offer, workload_set): None
        if generator.random() < chance_of_refusal
        else round(generator.uniform(1, 100), 3)
        for offer in offers
        for workload_set in range(1, 1 << workload_count)
    }


def brute_force(workload_count, offers_by_supplier, cost_of, supplier_accepts):
    """(workloads placed, cost) of the best assignment, over all of them, None being nobody."""
    supplier_of = {offer: supplier for supplier, offers in offers_by_supplier.items() for offer in offers}
    best = (0, 0.0)
    for choice in itertools.product([None, *supplier_of], repeat=workload_count):
        groups, shares = {}, {}
        for index, offer in enumerate(choice):
            if offer is not None:
                groups[offer] = groups.get(offer, 0) | 1 << index
                shares[supplier_of[offer]] = shares.get(supplier_of[offer], 0) | 1 << index
        costs = [cost_of(offer, workload_set) for offer, workload_set in groups.items()]
        if None in costs or not all(supplier_accepts(each) for each in shares.values()):
            continue
        placed = sum(offer is not None for offer in choice)
        if (-placed, sum(costs)) < (-best[0], best[1]):
            best = (placed, sum(costs))
    return best


def bill(placement, cost_of):
    """What a placement costs, offer by offer."""
    groups = {}
    for index, offer in placement.items():
        groups[offer] = groups.get(offer, 0) | 1 << index
    return sum(cost_of(offer, workload_set) for offer, workload_set in groups.items())


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("chance_of_refusal", [0.0, 0.4, 0.85])
def test_the_placement_is_the_cheapest_of_all(seed, chance_of_refusal):
    suppliers = {"x": ["a", "b"], "y": ["c"], "z": ["d"]}
    costs = costs_of("abcd", 4, chance_of_refusal, seed)
    found = cheapest_placement(4, suppliers, lambda *key: costs[key], lambda _: True)
    placed, usd = brute_force(4, suppliers, lambda *key: costs[key], lambda _: True)
    assert len(found) == placed
    assert bill(found, lambda *key: costs[key]) == pytest.approx(usd)


@pytest.mark.parametrize("seed", range(8))
def test_a_supplier_keeps_to_its_share(seed):
    suppliers = {"x": ["a", "b"], "y": ["c"]}
    costs = costs_of("abc", 4, 0.2, seed)
    at_most_two = lambda workload_set: workload_set.bit_count() <= 2  # noqa: E731
    found = cheapest_placement(4, suppliers, lambda *key: costs[key], at_most_two)
    placed, usd = brute_force(4, suppliers, lambda *key: costs[key], at_most_two)
    assert len(found) == placed
    assert bill(found, lambda *key: costs[key]) == pytest.approx(usd)
    assert sum(offer in "ab" for offer in found.values()) <= 2


def test_nothing_that_serves_gives_an_empty_placement():
    assert cheapest_placement(3, {"x": ["a"]}, lambda offer, workload_set: None, lambda _: True) == {}
    assert cheapest_placement(0, {}, lambda offer, workload_set: 1.0, lambda _: True) == {}


def test_placing_one_more_workload_is_worth_any_price():
    costs = {("a", 0b01): 1.0, ("b", 0b10): 1e9}
    found = cheapest_placement(2, {"x": ["a"], "y": ["b"]}, lambda *key: costs.get(key), lambda _: True)
    assert found == {0: "a", 1: "b"}


def test_equal_costs_are_decided_by_name_whatever_the_order():
    found = [
        cheapest_placement(1, suppliers, lambda offer, workload_set: 5.0, lambda _: True)
        for suppliers in ({"x": ["a", "b"]}, {"x": ["b", "a"]}, {"y": ["b"], "x": ["a"]})
    ]
    assert found == [{0: "a"}] * 3


def test_sets_are_bits():
    assert members(0b1011) == (0, 1, 3)
    assert members(0) == ()
    assert sorted(subsets(0b101)) == [0b000, 0b001, 0b100, 0b101]


def test_many_workloads_share_in_pairs_only():
    many = MAX_FULLY_SHARED_COUNT + 1
    assert len(candidate_sets(MAX_FULLY_SHARED_COUNT)) == 2**MAX_FULLY_SHARED_COUNT - 1
    assert {each.bit_count() for each in candidate_sets(many)} == {1, 2}
    assert len(candidate_sets(many)) == many + many * (many - 1) // 2
