"""Placement against brute force: every assignment of workloads to offers, costed one by one."""

import itertools
import math
import random
import statistics

import pytest

from models.placement import (
    MAX_FULLY_SHARED_COUNT,
    NEVER,
    Group,
    cheapest_placement,
    cheapest_pools,
    members,
    sets_weighed,
    single_pools,
    subsets,
)

FOUR = 4


def every_set(_):
    """Any set may be one pool."""
    return range(1, 1 << FOUR)


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
        cheapest_pools(FOUR, [offer for offer in offers if offer not in once], cost_of, floor_of, every_set)
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
    assert (
        cheapest_placement([cheapest_pools(3, ["a"], never, never, every_set)], lambda _: True).groups == ()
    )
    assert cheapest_placement([], lambda _: True).groups == ()


def test_equal_costs_are_decided_by_name_whatever_the_order():
    same = lambda *_: 5.0  # noqa: E731
    found = [
        cheapest_placement([cheapest_pools(1, offers, same, same, every_set)], lambda _: True)
        for offers in (["a", "b"], ["b", "a"])
    ]
    assert [each.groups[0].offer_id for each in found] == ["a", "a"]


def test_sets_are_bits():
    assert members(0b1011) == (0, 1, 3)
    assert members(0) == ()
    assert sorted(subsets(0b101)) == [0b000, 0b001, 0b100, 0b101]


def test_few_workloads_are_weighed_in_every_set():
    assert set(sets_weighed(FOUR, lambda _: 1.0)) == set(range(1, 1 << FOUR))


def shared_machines(sizes):
    """The bill of one pool: its work in whole machines, and one to spare."""
    return lambda each: 1.0 + math.ceil(sum(sizes[index] for index in members(each)) - 1e-9)


@pytest.mark.parametrize("count", [MAX_FULLY_SHARED_COUNT + 1, 12])
def test_many_small_workloads_share_one_pool(count):
    """Twelve twelfths of a machine are one machine and its spare, not six pools of two."""
    bill = shared_machines([1 / count] * count)
    cost_of = lambda _, each: bill(each)  # noqa: E731
    found = cheapest_pools(count, ["a"], cost_of, cost_of, lambda _: sets_weighed(count, bill))
    assert found[(1 << count) - 1].groups == (Group("a", (1 << count) - 1),)
    assert found[(1 << count) - 1].cost == 2.0


def bills_of_three_offers(seed, count):
    """Workloads of some size, a quarter larger or smaller by offer; two offers refuse two workloads each."""
    generator = random.Random(seed)
    sizes = [generator.uniform(0.1, 1.5) for _ in range(count)]
    bills = {}
    for offer, price, refused in (("a", 1.0, 0b11), ("b", 1.4, 0), ("c", 1.2, 0b11 << count - 2)):
        bill = shared_machines([size * generator.uniform(0.8, 1.25) for size in sizes])
        bills[offer] = {
            each: NEVER if each & refused else price * bill(each) for each in range(1, 1 << count)
        }
    return bills


def test_pools_built_by_merging_come_near_the_cheapest_of_all():
    """Twelve cases of eight workloads against the search over every set: the median equal, none far off."""
    count, ratios = 8, []
    for seed in range(12):
        bills = bills_of_three_offers(seed, count)
        cost_of = lambda offer, each, bills=bills: bills[offer][each]  # noqa: E731
        merged = {offer: sets_weighed(count, bills[offer].__getitem__) for offer in bills}
        assert max(len(each) for each in merged.values()) < (1 << count) / 2
        near, best = (
            cheapest_pools(count, list(bills), cost_of, cost_of, sets.__getitem__)[(1 << count) - 1].cost
            for sets in (merged, dict.fromkeys(bills, range(1, 1 << count)))
        )
        ratios.append(near / best)
    assert min(ratios) >= 1.0
    assert statistics.median(ratios) == 1.0
    assert max(ratios) <= 1.15


def test_what_is_weighed_of_an_offer_does_not_hang_on_its_price():
    bill = shared_machines([0.3 + 0.1 * index for index in range(9)])
    dearer = lambda each: 3.0 * bill(each)  # noqa: E731
    assert set(sets_weighed(9, bill)) == set(sets_weighed(9, dearer))
