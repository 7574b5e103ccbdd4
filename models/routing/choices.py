"""What each offer could take of each workload: the pools it could run, or its price per share."""

from collections.abc import Iterator
from dataclasses import replace

from models.architectures import hosted_api
from models.commitments import committed_replicas, replica_usd_per_month
from models.desk import Desk, runs_one_pool, supplier_of
from models.fallback import billed_usd_per_month
from models.gates import gate
from models.net_value import lost_usd, unweighable, weighs_value
from models.performance import CannotServe, HostedPerformance
from models.placement import MAX_FULLY_SHARED_COUNT, NEVER, Partition, members
from models.pool_loads import load_of, targets_of
from models.pool_plan import PoolPlan
from models.pools import may_cost_at_most, monthly_floor_usd, with_spares
from models.routing.assignment import Choices, Column, Stream, Terms
from models.routing.pieces import Piece, pieces_of
from models.sizing import first_miss
from models.tiers import Offer, TokenPrice
from models.workloads import Demand

PARTIAL_SHARES = (0.25, 0.5, 0.75)
COMPANY_SHARE = 0.5  # of one workload, beside others that a pool takes whole
HEADROOM_RATIO = 2.0
# Where there are many workloads, half of one is weighed beside one other, or in the pools of the whole plan.
PAIR = 2
CENT = 0.01
SECONDS_PER_MINUTE = 60.0

Shares = tuple[tuple[int, float], ...]


def choices_of(desk: Desk, whole: Partition) -> Choices:
    """Everything that may be mixed, the plan that leaves workloads whole among it.

    A pool that alone costs more than twice the whole plan is in no cheapest mix, nor in one at prices that
    less than double the bill or halve a tier's own; it is not worked out.
    """
    demands = desk.scenario.demands
    pieces = pieces_of(demands, tuple(desk.offers.values()))
    placed_all = sum(group.workload_set.bit_count() for group in whole.groups) == len(demands)
    bound_usd = HEADROOM_RATIO * whole.cost if placed_all else NEVER
    columns: list[Column] = []
    streams: list[Stream] = []
    for offer in desk.offers.values():
        performance = desk.performances[offer.id]
        if isinstance(performance, HostedPerformance) and not _feels_our_load(performance):
            streams.extend(_streams(desk, offer, performance, pieces))
        elif not isinstance(performance, CannotServe):
            columns.extend(_columns(desk, offer, pieces, whole, bound_usd))
    return Choices(
        workload_count=len(demands),
        pieces=pieces,
        columns=tuple(columns),
        streams=tuple(streams),
        terms={offer.id: _terms(desk, offer) for offer in desk.offers.values()},
        max_supplier_share_fraction=desk.scenario.policy.max_supplier_share_fraction,
    )


def demands_of(pieces: tuple[Piece, ...], shares: Shares) -> tuple[Demand, ...]:
    """What a pool that takes these shares is asked for."""
    return tuple(
        pieces[piece].demand if share == 1.0 else pieces[piece].demand.scaled(share)
        for piece, share in shares
    )


def pool_of(
    desk: Desk, offer_id: str, demands: tuple[Demand, ...], fewest_replica_count: int = 1
) -> PoolPlan | CannotServe:
    """An offer sized and priced for parts of workloads, or why it cannot serve them.

    fewest_replica_count: known to be needed, for instance by those it takes whole; only saves time.
    """
    offer, performance = desk.offers[offer_id], desk.performances[offer_id]
    for demand in demands:
        refusal = gate(desk.scenario, offer, performance, demand)
        if refusal is not None:
            return refusal
    if isinstance(performance, CannotServe):
        return performance
    policy = desk.scenario.policy
    pool = desk.plan_pool(offer, performance, demands, policy, fewest_replica_count)
    return pool if isinstance(pool, CannotServe) else unweighable(policy, demands, pool.point) or pool


def paid_anyway_usd(desk: Desk, offer_id: str, pool: PoolPlan) -> float:
    """The part of a pool's bill that today's commitment pays whatever is decided."""
    committed = committed_replicas(desk.scenario, desk.offers, offer_id)
    if not committed or not pool.replica_count:
        return 0.0
    used = min(committed, pool.replica_count)
    return min(pool.cost_usd, used * replica_usd_per_month(desk.offers[offer_id]))


def committed_usd(desk: Desk) -> float:
    """What today's commitments cost a month, whatever is decided."""
    counts = {offer_id: committed_replicas(desk.scenario, desk.offers, offer_id) for offer_id in desk.offers}
    return sum(
        count * replica_usd_per_month(desk.offers[offer_id]) for offer_id, count in counts.items() if count
    )


def _feels_our_load(performance: HostedPerformance) -> bool:
    """Whether it was measured at several loads, so that what we send decides which point speaks for it."""
    return any(point.concurrency_count is not None for point in performance.points)


def _terms(desk: Desk, offer: Offer) -> Terms:
    tier, most = offer.tier, desk.scenario.policy.max_utilisation_fraction
    minimum = tier.price.minimum_usd_per_month if isinstance(tier.price, TokenPrice) else 0.0
    return Terms(
        supplier=supplier_of(offer),
        one_pool=runs_one_pool(desk, offer.id),
        request_limit_per_min=tier.request_limit_per_min and tier.request_limit_per_min * most,
        token_limit_per_min=tier.token_limit_per_min and tier.token_limit_per_min * most,
        minimum_usd_per_month=minimum,
    )


def _streams(
    desk: Desk, offer: Offer, performance: HostedPerformance, pieces: tuple[Piece, ...]
) -> Iterator[Stream]:
    """The pieces whose promises the tier keeps at any load its limits allow."""
    unlimited = replace(performance, request_limit_per_min=None, token_limit_per_min=None)
    price = offer.tier.price
    for index, piece in enumerate(pieces):
        demand = piece.demand
        if gate(desk.scenario, offer, performance, demand) or not isinstance(price, TokenPrice):
            continue
        point = hosted_api.operate(unlimited, load_of([demand]))
        policy = desk.scenario.policy
        if first_miss(point, targets_of([demand])) or unweighable(policy, [demand], point):
            continue
        lengths = demand.workload
        calls_per_min = piece.rate_req_per_s * SECONDS_PER_MINUTE
        yield Stream(
            offer_id=offer.id,
            piece=index,
            cost_usd=billed_usd_per_month(price, offer.tier.fallback, demand),
            lost_usd=lost_usd(policy, [demand], point),
            requests_per_min=calls_per_min,
            tokens_per_min=calls_per_min * (lengths.input_tok.mean_tok + lengths.output_tok.mean_tok),
        )


def _columns(
    desk: Desk, offer: Offer, pieces: tuple[Piece, ...], whole: Partition, bound_usd: float
) -> Iterator[Column]:
    """Pools of one offer that can serve what they take and may be worth it."""
    whole_piece = {piece.workload_index: at for at, piece in enumerate(pieces) if piece.part == "any"}
    sets = sorted(desk.weighed(offer.id))
    planned = {group.workload_set for group in whole.groups if group.offer_id == offer.id}
    for workload_set in sorted(planned.union(sets)):
        if desk.floor_usd(offer.id, workload_set) <= bound_usd:
            usd = desk.cost_usd(offer.id, workload_set)
            shares = tuple((whole_piece[index], 1.0) for index in members(workload_set))
            if usd < NEVER:
                lost = desk.lost_usd(offer.id, workload_set)
                yield Column(offer_id=offer.id, shares=shares, cost_usd=usd, lost_usd=lost)
    if len(desk.scenario.demands) > MAX_FULLY_SHARED_COUNT:
        sets = sorted(planned.union(each for each in sets if each.bit_count() <= PAIR))
    for shares in _partial_shares(desk, offer, pieces, whole_piece, sets):
        most_usd = min(bound_usd, _whole_usd(desk, offer, pieces, shares))
        fewest = _fewest_replicas(desk, offer, pieces, shares)
        usd, lost = _part_usd(desk, offer, demands_of(pieces, shares), most_usd, fewest)
        if usd < NEVER:
            yield Column(offer_id=offer.id, shares=shares, cost_usd=usd, lost_usd=lost)


def _whole_usd(desk: Desk, offer: Offer, pieces: tuple[Piece, ...], shares: Shares) -> float:
    """What the offer's pool for the same workloads whole costs: a part for as much is in no cheapest mix.

    Infinite where suppliers are limited, for then a part may be all that one of them is allowed, and where
    value is weighed, for a part may be answered sooner.
    """
    whole = 0
    for at, _ in shares:
        whole |= 1 << pieces[at].workload_index
    policy = desk.scenario.policy
    if (
        policy.max_supplier_share_fraction < 1.0
        or weighs_value(policy)
        or (offer.id, whole) not in desk.pools
    ):
        return NEVER
    return desk.cost_usd(offer.id, whole) - CENT


def _fewest_replicas(desk: Desk, offer: Offer, pieces: tuple[Piece, ...], shares: Shares) -> int:
    """What the workloads that a pool takes whole need there by themselves."""
    company = 0
    for at, share in shares:
        if share == 1.0 and pieces[at].part == "any":
            company |= 1 << pieces[at].workload_index
    pool = desk.pools.get((offer.id, company))
    if not isinstance(pool, PoolPlan) or pool.replica_count is None:
        return 1
    return pool.replica_count - pool.spare_replica_count


def _partial_shares(
    desk: Desk, offer: Offer, pieces: tuple[Piece, ...], whole_piece: dict[int, int], sets: list[int]
) -> Iterator[Shares]:
    """Shares and sides of one workload alone, and half of one beside others that are whole."""
    performance = desk.performances[offer.id]
    fits = {
        index
        for index, at in whole_piece.items()
        if gate(desk.scenario, offer, performance, pieces[at].demand) is None
    }
    for at, piece in enumerate(pieces):
        if piece.part != "any":
            yield ((at, 1.0),)
        elif piece.workload_index in fits:
            yield from (((at, share),) for share in PARTIAL_SHARES)
    for workload_set in sets:
        inside = members(workload_set)
        if len(inside) < 2 or not fits.issuperset(inside):
            continue
        for halved in inside:
            if not _half_may_pay(desk, offer, workload_set, halved):
                continue
            yield tuple((whole_piece[index], COMPANY_SHARE if index == halved else 1.0) for index in inside)


def _half_may_pay(desk: Desk, offer: Offer, workload_set: int, halved: int) -> bool:
    """Whether half of a workload could cost less than all of it, beside the others of a pool."""
    policy = desk.scenario.policy
    if policy.max_supplier_share_fraction < 1.0 or weighs_value(policy):
        return True
    others = workload_set & ~(1 << halved)
    if (offer.id, others) not in desk.pools:
        return False  # too dear by its throughput alone
    if (offer.id, workload_set) not in desk.pools:
        return True
    return desk.cost_usd(offer.id, workload_set) > desk.cost_usd(offer.id, others)


def _part_usd(
    desk: Desk, offer: Offer, demands: tuple[Demand, ...], bound_usd: float, fewest: int
) -> tuple[float, float]:
    """What a pool for parts adds to the bill and to the value lost; infinite if it cannot or need not be."""
    performance = desk.performances[offer.id]
    if isinstance(performance, CannotServe) or any(
        gate(desk.scenario, offer, performance, demand) for demand in demands
    ):
        return NEVER, NEVER
    committed = committed_replicas(desk.scenario, desk.offers, offer.id)
    free_usd = committed * replica_usd_per_month(offer) if committed else 0.0
    if monthly_floor_usd(offer, performance, demands, desk.scenario.policy) - free_usd > bound_usd:
        return NEVER, NEVER
    if not may_cost_at_most(offer, performance, demands, desk.scenario.policy, bound_usd + free_usd):
        return NEVER, NEVER
    pool = pool_of(desk, offer.id, demands, fewest)
    if isinstance(pool, CannotServe):
        return NEVER, NEVER
    point = with_spares(pool, performance).point if weighs_value(desk.scenario.policy) else pool.point
    lost = lost_usd(desk.scenario.policy, demands, point)
    return pool.cost_usd - paid_anyway_usd(desk, offer.id, pool), lost
