"""What a changed assumption makes of a plan: the bill, who is served where, and who is not. Nothing else.

A tornado asks for two of these for each assumption. The search starts from placements that were good before
the change, the best and those without one of its tiers, and moves one workload or one whole pool at a time,
to another tier or into another pool, while that makes things better; what cannot pay is not worked out.
Some workloads of a pool that would only pay to move together are not moved: there the bill is an upper end.
Where a pool can no longer serve, or suppliers are limited, or something was unplaced before, everything is
placed anew.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from models.bill import fleet_changes
from models.desk import Desk, Performances, PoolPlanner, desk_for, place, runs_one_pool
from models.placement import NEVER, Group, members
from models.plans import Plan
from models.scenario import Scenario

LEAST_GAIN_USD = 0.005  # half a cent: less is rounding


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A plan's bill in USD a month, the tier of each workload that is placed, and the others."""

    cost_usd_per_month: float
    tier_by_workload: Mapping[str, str]
    unplaced: tuple[str, ...]


def outcome_of(plan: Plan) -> Outcome:
    """The same of a plan that is known."""
    return Outcome(
        cost_usd_per_month=plan.totals.cost_usd_per_month,
        tier_by_workload={each.workload: each.tier_id for each in plan.allocations},
        unplaced=plan.unplaced,
    )


def starts_of(desk: Desk, known: tuple[Group, ...]) -> tuple[tuple[Group, ...], ...]:
    """Placements to start from: the best, then the best without each of the offers it uses."""
    used = sorted({group.offer_id for group in known})
    others = []
    for offer_id in used:
        left = {name: offer for name, offer in desk.offers.items() if name != offer_id}
        others.append(tuple(sorted(place(replace(desk, offers=left, sets={})).groups)))
    return (known, *others)


def outcome(
    scenario: Scenario,
    performances: Performances,
    pool_planner: PoolPlanner,
    starts: tuple[tuple[Group, ...], ...],
) -> Outcome:
    """The placement of a changed scenario, looked for from those that were good before the change."""
    desk = desk_for(scenario, performances, pool_planner)
    groups = _from_known(desk, starts)
    names = [demand.workload.name for demand in scenario.demands]
    tiers = {
        names[index]: desk.offers[group.offer_id].tier.id
        for group in groups
        for index in members(group.workload_set)
    }
    pools_usd = sum(desk.placed_pool(group).cost_usd for group in groups)
    unused_usd = sum(each.committed_cost_usd_per_month for each in fleet_changes(desk, groups))
    return Outcome(
        cost_usd_per_month=pools_usd + unused_usd,
        tier_by_workload=tiers,
        unplaced=tuple(name for name in names if name not in tiers),
    )


def _from_known(desk: Desk, starts: tuple[tuple[Group, ...], ...]) -> tuple[Group, ...]:
    """The best start, bettered move by move; all placed anew where the known placement does not serve."""
    known = starts[0]
    everything = (1 << len(desk.scenario.demands)) - 1
    limited = desk.scenario.policy.max_supplier_share_fraction < 1.0
    if limited or _served(known) != everything or any(_score(desk, group) == NEVER for group in known):
        return tuple(sorted(place(desk).groups))
    groups = _settled(desk, frozenset(known))
    for other in starts[1:]:
        total = sum(_score(desk, group) for group in groups)
        if _served(other) == everything and _total_below(desk, other, total):
            groups = _settled(desk, frozenset(other))
    return tuple(sorted(groups))


def _settled(desk: Desk, groups: frozenset[Group]) -> frozenset[Group]:
    """The pools once no move makes them better."""
    while (better := _bettered(desk, groups)) is not None:
        groups = better
    return groups


def _served(groups: Iterable[Group]) -> int:
    return sum(group.workload_set for group in groups)


def _total_below(desk: Desk, groups: tuple[Group, ...], bound_usd: float) -> bool:
    """Whether pools together score less than a bound; stops at the first that leaves no room for it."""
    left = bound_usd - sum(desk.floor_usd(group.offer_id, group.workload_set) for group in groups)
    for group in groups:
        floor = desk.floor_usd(group.offer_id, group.workload_set)
        if left <= 0 or not desk.affords(group.offer_id, group.workload_set, floor + left):
            return False
        left += floor - _score(desk, group)
    return left > 0


def _score(desk: Desk, group: Group) -> float:
    return desk.score_usd(group.offer_id, group.workload_set)


def _bettered(desk: Desk, groups: frozenset[Group]) -> frozenset[Group] | None:
    """The pools after the move, of one workload or a whole pool, that gains most; None where none gains."""
    found: list[tuple[float, frozenset[Group]]] = []
    for home in sorted(groups):
        parts = {home.workload_set, *(1 << index for index in members(home.workload_set))}
        for moved in sorted(parts):
            found += _moves(desk, groups, home, moved)
    gain, best = max(found, key=lambda each: each[0], default=(0.0, None))
    return best if gain > LEAST_GAIN_USD else None


def _moves(
    desk: Desk, groups: frozenset[Group], home: Group, moved: int
) -> list[tuple[float, frozenset[Group]]]:
    """What some workloads' leaving their pool gains, by where they go."""
    left = home.workload_set & ~moved
    stays = frozenset([Group(home.offer_id, left)]) if left else frozenset[Group]()
    saved = _score(desk, home) - sum(_score(desk, group) for group in stays)
    others = groups - {home}
    found = []
    for other in sorted(others):
        joined = Group(other.offer_id, other.workload_set | moved)
        if desk.affords(joined.offer_id, joined.workload_set, _score(desk, other) + saved):
            gain = saved + _score(desk, other) - _score(desk, joined)
            found.append((gain, others - {other} | stays | {joined}))
    running = {group.offer_id for group in others | stays}
    for offer_id in desk.offers:
        own = Group(offer_id, moved)
        taken = offer_id in running and runs_one_pool(desk, offer_id)
        if own != home and not taken and desk.affords(offer_id, moved, saved):
            found.append((saved - _score(desk, own), others | stays | {own}))
    return found
