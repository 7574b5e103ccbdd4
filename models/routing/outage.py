"""What happens in the hour in which a supplier is gone: who goes where with what is deployed today."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from models.cost import SECONDS_PER_HOUR, calls_per_month
from models.desk import Desk, desk_for, supplier_of
from models.performance import HostedPerformance, TandemPerformance
from models.placement import members
from models.pool_loads import load_of, targets_of
from models.pool_plan import PoolPlan
from models.pools import operate_machines
from models.routing.assignment import Choices, Column, Mix, Stream, Terms, cheapest_mix
from models.routing.choices import demands_of
from models.routing.pieces import Piece
from models.routing.routing import Routed, RoutedPool, Routing, offers_used, route
from models.sizing import first_miss
from models.workloads import Demand

MOST_MOVED_TOGETHER = 6  # beyond so many moved parts a pool takes them one at a time only


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    """An offer that takes a share (0 to 1) of what was moved."""

    offer_id: str
    share_fraction: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """One share of a workload that lost its tier; nobody takes it where it is refused."""

    routed: Routed
    taken_by: tuple[Destination, ...]

    @property
    def refused(self) -> bool:
        """Whether nothing deployed keeps its promise."""
        return not self.taken_by


@dataclass(frozen=True, slots=True, kw_only=True)
class Outage:
    """An hour at peak without a tier or supplier, beside the routing one would choose without it for good.

    extra_usd  tokens bought elsewhere in the hour, less those the lost tier would have billed
    """

    lost_name: str
    moved: tuple[Moved, ...]
    extra_usd: float
    untouched: tuple[str, ...]
    replanned: Routing


def may_fail(desk: Desk, routing: Routing) -> dict[str, frozenset[str]]:
    """What can be lost at once, by name, as offer ids: each tier in use, then each supplier of several."""
    offers = [desk.offers[each] for each in sorted(offers_used(routing.mix))]
    by_tier: dict[str, set[str]] = {}
    by_supplier: dict[str, set[str]] = {}
    for offer in offers:
        by_tier.setdefault(offer.tier.label, set())
        by_supplier.setdefault(supplier_of(offer), set()).add(offer.tier.label)
    for offer in desk.offers.values():
        if offer.tier.label in by_tier:
            by_tier[offer.tier.label].add(offer.id)
    found = {label: frozenset(ids) for label, ids in by_tier.items()}
    for supplier, labels in by_supplier.items():
        if len(labels) > 1:
            every = [each.id for each in desk.offers.values() if supplier_of(each) == supplier]
            found[f"all of {supplier}"] = frozenset(every)
    return found


def outage(desk: Desk, routing: Routing, lost_name: str) -> Outage:
    """Everything on a tier or supplier moved at once to what is left, whose own promises must still hold.

    lost_name  one of `may_fail`. Deployed machines take what they can for nothing; tiers paid per token take
    the rest within their limits.
    """
    lost_offers = may_fail(desk, routing)[lost_name]
    lost = [each for each in routing.routed if each.offer_id in lost_offers]
    kept = [pool for pool in routing.pools if pool.offer_id not in lost_offers]
    parts = tuple(_part(desk, routing, index, each) for index, each in enumerate(lost))
    choices = Choices(
        workload_count=len(parts),
        pieces=parts,
        columns=tuple(_columns(desk, routing, kept, parts)),
        streams=tuple(_streams(routing, lost, parts, lost_offers)),
        terms=_terms(desk, routing, kept),
    )
    mix = cheapest_mix(choices)
    names = {demand.workload.name for demand in desk.scenario.demands}
    left = replace(
        desk.scenario,
        offers=tuple(each for each in desk.scenario.offers if each.id not in lost_offers),
    )
    return Outage(
        lost_name=lost_name,
        moved=tuple(
            Moved(routed=each, taken_by=_destinations(kept, mix, index)) for index, each in enumerate(lost)
        ),
        extra_usd=sum(stream.cost_usd * share for stream, share in mix.streams)
        - sum(_billed_in_the_hour(routing, each, parts[at]) for at, each in enumerate(lost)),
        untouched=tuple(sorted(names - {each.workload for each in lost} - set(routing.unserved))),
        replanned=route(desk_for(left, desk.performances, desk.plan_pool)),
    )


def _part(desk: Desk, routing: Routing, index: int, lost: Routed) -> Piece:
    """What lost its tier, as one workload of its own with its own name."""
    piece = next(
        each
        for each in routing.choices.pieces
        if (desk.scenario.demands[each.workload_index].workload.name, each.part, each.above_tok)
        == (lost.workload, lost.part, lost.above_tok)
    )
    whole = next(each for each in desk.scenario.demands if each.workload.name == lost.workload)
    share = lost.share_fraction * whole.peak_call_rate_req_per_s / piece.rate_req_per_s
    demand = piece.demand.scaled(min(share, 1.0))
    moved = replace(demand, workload=replace(demand.workload, name=f"{lost.workload}, moved {index + 1}"))
    return replace(piece, workload_index=index, part="any", above_tok=None, demand=moved)


def _columns(
    desk: Desk, routing: Routing, kept: list[RoutedPool], parts: tuple[Piece, ...]
) -> Iterator[Column]:
    """Which of the moved parts each deployed pool could take together."""
    for number, pool in enumerate(kept):
        if pool.plan is None or pool.plan.replica_count is None:
            continue
        own = demands_of(routing.choices.pieces, pool.shares)
        for taken in range(1, 1 << len(parts)):
            if len(parts) > MOST_MOVED_TOGETHER and taken.bit_count() > 1:
                continue
            moved = tuple(parts[at].demand for at in members(taken))
            if _keeps(desk, pool.offer_id, pool.plan, (*own, *moved)):
                shares = tuple((at, 1.0) for at in members(taken))
                yield Column(offer_id=_pool_key(number), shares=shares, cost_usd=0.0)


def _pool_key(number: int) -> str:
    return f"pool {number}"


def _keeps(desk: Desk, offer_id: str, plan: PoolPlan, demands: tuple[Demand, ...]) -> bool:
    """Whether the machines of a pool, spares included, keep every promise under this load."""
    offer, performance = desk.offers[offer_id], desk.performances[offer_id]
    if isinstance(performance, TandemPerformance):
        performance = replace(performance, worker_count=plan.prefill_worker_count)
    if any(offer.model.id not in each.workload.models for each in demands):
        return False
    if isinstance(performance, HostedPerformance) or plan.replica_count is None:
        return False
    load = load_of(demands, plan.busiest_hour_h)
    point = operate_machines(performance, load, plan.replica_count)
    return point.stable and first_miss(point, targets_of(demands)) is None


def _streams(
    routing: Routing, lost: list[Routed], parts: tuple[Piece, ...], lost_offers: frozenset[str]
) -> Iterator[Stream]:
    """Tiers paid per token that keep the promise of a moved part, at the bill of an hour at its peak."""
    pieces = routing.choices.pieces
    for at, each in enumerate(lost):
        for stream in routing.choices.streams:
            piece = pieces[stream.piece]
            same = piece.demand.workload.name == each.workload
            if stream.offer_id in lost_offers or not same:
                continue
            if (piece.part, piece.above_tok) != (each.part, each.above_tok):
                continue
            share = parts[at].rate_req_per_s / piece.rate_req_per_s
            yield Stream(
                offer_id=stream.offer_id,
                piece=at,
                cost_usd=_hour_usd(stream.cost_usd, piece) * share,
                requests_per_min=stream.requests_per_min * share,
                tokens_per_min=stream.tokens_per_min * share,
            )


def _hour_usd(usd_per_month: float, piece: Piece) -> float:
    """A month's bill of a piece as that of one hour at its peak rate."""
    return usd_per_month / calls_per_month(piece.demand) * piece.rate_req_per_s * SECONDS_PER_HOUR


def _billed_in_the_hour(routing: Routing, lost: Routed, part: Piece) -> float:
    """What a lost tier would have billed for tokens; machines are paid whether they answer or not."""
    pool = routing.pools[lost.pool_index]
    if pool.plan is not None and pool.plan.replica_count is not None:
        return 0.0
    terms = routing.choices.terms[lost.offer_id]
    if routing.mix.spent_usd[lost.offer_id] <= terms.minimum_usd_per_month:
        return 0.0  # a minimum is due whether the hour is served or not
    return _hour_usd(lost.cost_usd_per_month, part)


def _terms(desk: Desk, routing: Routing, kept: list[RoutedPool]) -> dict[str, Terms]:
    """What is left of each rate limit beside what is routed there already; one choice for each pool."""
    found = {_pool_key(number): Terms(supplier="", one_pool=True) for number in range(len(kept))}
    for offer_id, terms in routing.choices.terms.items():
        own = [(stream, share) for stream, share in routing.mix.streams if stream.offer_id == offer_id]
        requests = sum(stream.requests_per_min * share for stream, share in own)
        tokens = sum(stream.tokens_per_min * share for stream, share in own)
        limits = terms.request_limit_per_min, terms.token_limit_per_min
        found[offer_id] = Terms(
            supplier=supplier_of(desk.offers[offer_id]),
            request_limit_per_min=None if limits[0] is None else max(0.0, limits[0] - requests),
            token_limit_per_min=None if limits[1] is None else max(0.0, limits[1] - tokens),
        )
    return found


def _destinations(kept: list[RoutedPool], mix: Mix, part: int) -> tuple[Destination, ...]:
    if part not in mix.served:
        return ()
    pools = {_pool_key(number): pool.offer_id for number, pool in enumerate(kept)}
    by_pool = [
        (pools[column.offer_id], share)
        for column, _ in mix.columns
        for at, share in column.shares
        if at == part
    ]
    by_token = [(stream.offer_id, share) for stream, share in mix.streams if stream.piece == part]
    every = sorted((*by_pool, *by_token), key=lambda each: -each[1])
    return tuple(Destination(offer_id=offer_id, share_fraction=share) for offer_id, share in every)
