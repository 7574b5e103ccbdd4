"""Which tier serves which share of which workload, what comes second, and what would change the answer."""

from dataclasses import dataclass, replace

from models.desk import Desk, place
from models.placement import Partition
from models.pool_plan import PoolPlan
from models.routing.assignment import Choices, Column, Mix, Stream, cheapest_mix
from models.routing.choices import choices_of, committed_usd, demands_of, pool_of
from models.routing.pieces import Piece, PromptPart

UNLIKELY_PRICE_RATIO = 1000.0  # a tier still used at a thousand times its price has no rival
SAME_RATIO = 1e-6  # of the bill: below this two mixes cost the same


@dataclass(frozen=True, slots=True, kw_only=True)
class Routed:
    """One share of one workload on one tier.

    share_fraction  of the workload's calls; part, above_tok: which prompts, where they are cut by length
    pool_index      index of the routing's pool that serves it
    """

    workload: str
    offer_id: str
    share_fraction: float
    part: PromptPart
    above_tok: float | None
    cost_usd_per_month: float
    pool_index: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RoutedPool:
    """One pool of machines, or one tier paid per token, with what it is asked for.

    plan  its size and operating point; None for a tier paid per token at any load
    """

    offer_id: str
    shares: tuple[tuple[int, float], ...]
    plan: PoolPlan | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchPoint:
    """At which multiple of its price a tier is used less (above 1) or begins to be used (below 1)."""

    offer_id: str
    used: bool
    price_ratio: float | None
    then_offer_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoutingRunnerUp:
    """The cheapest routing without one of the tiers used: which tier, and what that costs more."""

    without_offer_id: str
    offer_ids: tuple[str, ...]
    extra_cost_usd_per_month: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Routing:
    """The routing, beside the plan that leaves every workload whole. Money includes what is committed."""

    choices: Choices
    mix: Mix
    routed: tuple[Routed, ...]
    pools: tuple[RoutedPool, ...]
    unserved: tuple[str, ...]
    cost_usd_per_month: float
    whole_cost_usd_per_month: float
    whole_unserved: tuple[str, ...]

    @property
    def splits(self) -> bool:
        """Whether any workload is served by more than one tier."""
        return any(each.share_fraction < 1.0 for each in self.routed)


@dataclass(frozen=True, slots=True, kw_only=True)
class TierChoice:
    """One workload whole on one tier: its bill and the median time of an answer."""

    label: str
    e2e_s: float
    cost_usd_per_month: float

    def beats(self, other: "TierChoice") -> bool:
        """Whether it is no dearer and no slower, and not the same."""
        mine, theirs = (self.e2e_s, self.cost_usd_per_month), (other.e2e_s, other.cost_usd_per_month)
        return mine != theirs and mine[0] <= theirs[0] and mine[1] <= theirs[1]


def route(desk: Desk) -> Routing:
    """The best routing that keeps every promise within limits; never worse than the whole plan.

    Best is cheapest, or of greatest net value where the plan aims at that.
    """
    whole = place(desk)
    choices = choices_of(desk, whole)
    return _routing(desk, whole, choices, cheapest_mix(choices))


def runner_up(routing: Routing) -> RoutingRunnerUp | None:
    """The cheapest routing that gives up one tier now used; None where that would leave work unserved."""
    found = []
    for offer_id in sorted(offers_used(routing.mix)):
        other = cheapest_mix(without(routing.choices, {offer_id}))
        if len(other.served) == len(routing.mix.served):
            extra = other.weighed_usd - routing.mix.weighed_usd
            found.append((extra, offer_id, tuple(sorted(offers_used(other)))))
    if not found:
        return None
    extra, offer_id, others = min(found)
    return RoutingRunnerUp(
        without_offer_id=offer_id, offer_ids=others, extra_cost_usd_per_month=max(0.0, extra)
    )


def switch_point(routing: Routing, offer_id: str) -> SwitchPoint:
    """The nearest multiple of a tier's price at which the cheapest routing changes.

    Each mix costs a straight line in the multiple, and the cheapest of all mixes is their lower edge: the
    next corner is found exactly by crossing lines (M. J. Eisner and D. G. Severance 1976).
    """
    here = routing.mix
    same_usd = SAME_RATIO * max(1.0, here.weighed_usd)
    used = here.spent_usd[offer_id] > same_usd
    far = cheapest_mix(routing.choices, {offer_id: UNLIKELY_PRICE_RATIO if used else 0.0})
    ratio = None
    while abs(far.spent_usd[offer_id] - here.spent_usd[offer_id]) > same_usd:
        ratio = _crossing(here, far, offer_id)
        between = cheapest_mix(routing.choices, {offer_id: ratio})
        if between.weighed_usd >= _at(here, offer_id, ratio) - same_usd:
            break
        far = between
    then = () if ratio is None else tuple(sorted(offers_used(far)))
    return SwitchPoint(offer_id=offer_id, used=used, price_ratio=ratio, then_offer_ids=then)


def offers_used(mix: Mix) -> set[str]:
    """Offers that a mix routes anything to."""
    return {each.offer_id for each, _ in mix.columns} | {each.offer_id for each, _ in mix.streams}


def without(choices: Choices, offer_ids: set[str]) -> Choices:
    """The same choices with some offers taken away."""
    return replace(
        choices,
        columns=tuple(each for each in choices.columns if each.offer_id not in offer_ids),
        streams=tuple(each for each in choices.streams if each.offer_id not in offer_ids),
    )


def _at(mix: Mix, offer_id: str, price_ratio: float) -> float:
    """What a mix costs at a multiple of one tier's price, value lost included where it is weighed."""
    return mix.lost_usd + sum(mix.spent_usd.values()) + (price_ratio - 1.0) * mix.spent_usd[offer_id]


def _crossing(one: Mix, other: Mix, offer_id: str) -> float:
    """The multiple at which two mixes cost the same."""
    slope = one.spent_usd[offer_id] - other.spent_usd[offer_id]
    return 1.0 + (_at(other, offer_id, 1.0) - _at(one, offer_id, 1.0)) / slope


def _routing(desk: Desk, whole: Partition, choices: Choices, mix: Mix) -> Routing:
    names = [demand.workload.name for demand in desk.scenario.demands]
    pools: list[RoutedPool] = []
    routed: list[Routed] = []
    for column, how_many in mix.columns:
        for _ in range(how_many):
            pool = _pool(desk, choices.pieces, column)
            routed.extend(_of_column(choices.pieces, column, pool, len(pools), names))
            pools.append(pool)
    for offer_id in sorted({stream.offer_id for stream, _ in mix.streams}):
        own = [(stream, share) for stream, share in mix.streams if stream.offer_id == offer_id]
        shares = tuple((stream.piece, share) for stream, share in own)
        routed.extend(_of_streams(choices.pieces, own, mix.spent_usd[offer_id], len(pools), names))
        pools.append(RoutedPool(offer_id=offer_id, shares=shares, plan=None))
    placed = sum(group.workload_set for group in whole.groups)
    paid_usd = committed_usd(desk)
    whole_usd = sum(desk.cost_usd(group.offer_id, group.workload_set) for group in whole.groups)
    return Routing(
        choices=choices,
        mix=mix,
        routed=tuple(sorted(routed, key=lambda each: (names.index(each.workload), -each.share_fraction))),
        pools=tuple(pools),
        unserved=tuple(name for index, name in enumerate(names) if index not in mix.served),
        cost_usd_per_month=mix.cost_usd + paid_usd,
        whole_cost_usd_per_month=whole_usd + paid_usd,
        whole_unserved=tuple(name for index, name in enumerate(names) if not placed >> index & 1),
    )


def _pool(desk: Desk, pieces: tuple[Piece, ...], column: Column) -> RoutedPool:
    plan = pool_of(desk, column.offer_id, demands_of(pieces, column.shares))
    if not isinstance(plan, PoolPlan):
        raise RuntimeError(f"routed to {column.offer_id}, which cannot serve it")
    return RoutedPool(offer_id=column.offer_id, shares=column.shares, plan=plan)


def _routed(
    pieces: tuple[Piece, ...], at: int, share: float, names: list[str], usd: float, offer_id: str, pool: int
) -> Routed:
    piece = pieces[at]
    whole = next(
        each for each in pieces if each.workload_index == piece.workload_index and each.above_tok is None
    )
    return Routed(
        workload=names[piece.workload_index],
        offer_id=offer_id,
        share_fraction=share * piece.rate_req_per_s / whole.rate_req_per_s,
        part=piece.part,
        above_tok=piece.above_tok,
        cost_usd_per_month=usd,
        pool_index=pool,
    )


def _of_column(
    pieces: tuple[Piece, ...], column: Column, pool: RoutedPool, index: int, names: list[str]
) -> list[Routed]:
    costs = pool.plan.cost_usd_by_workload if pool.plan else ()
    return [
        _routed(pieces, at, share, names, usd, column.offer_id, index)
        for (at, share), usd in zip(column.shares, costs, strict=True)
    ]


def _of_streams(
    pieces: tuple[Piece, ...],
    own: list[tuple[Stream, float]],
    spent_usd: float,
    index: int,
    names: list[str],
) -> list[Routed]:
    """The shares of a tier paid per token; a minimum bill is spread over them by use."""
    used_usd = sum(stream.cost_usd * share for stream, share in own)
    stretch = spent_usd / used_usd if used_usd > 0 else 1.0
    return [
        _routed(pieces, each.piece, share, names, each.cost_usd * share * stretch, each.offer_id, index)
        for each, share in own
    ]
