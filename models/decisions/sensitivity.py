"""Which assumption moves the answer most: each taken to its low and its high end, the others staying."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from models.decisions.outcome import Outcome, outcome_of
from models.desk import Performances
from models.evidence import Evidence
from models.percentiles import NORMAL_QUANTILE
from models.performance import BatchedPerformance, CannotServe
from models.plans import Plan
from models.scenario import Scenario
from models.sentences import listed, rounded_usd
from models.tiers import HourlyPrice, Offer, OwnedPrice, Price
from models.uncertainty import speed_log_deviation, with_speed
from models.workloads import Demand

Replan = Callable[[Scenario, Performances], Outcome]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A scenario and its performances with one assumption at one end of its range."""

    scenario: Scenario
    performances: Performances


@dataclass(frozen=True, slots=True, kw_only=True)
class Lever:
    """One assumption with the two ends of its range.

    name             what it is, in words
    low_text, high_text   its ends, in words
    origin           where the range comes from: evidence, the fit, or the reader
    """

    name: str
    low_text: str
    high_text: str
    origin: str
    low: Setting
    high: Setting


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A workload that goes from one tier to another, by the names of the tiers."""

    workload: str
    from_tier: str
    to_tier: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Swing:
    """What one assumption does to the bill, in USD a month; `flips` names the workloads that would move.

    low_moves, high_moves   where they would go at either end of the range
    """

    lever: Lever
    base_usd: float
    low_usd: float
    high_usd: float
    low_unplaced: tuple[str, ...]
    high_unplaced: tuple[str, ...]
    flips: tuple[str, ...]
    low_moves: tuple[Move, ...] = ()
    high_moves: tuple[Move, ...] = ()

    @property
    def width_usd(self) -> float:
        """How far the bill moves between the two ends."""
        return abs(self.high_usd - self.low_usd)


def swings(plan: Plan, levers: Sequence[Lever], replan: Replan) -> tuple[Swing, ...]:
    """Every lever's swing, the widest first; a lever that unplaces a workload comes before all others."""
    base = outcome_of(plan)
    found = [_swing(base, lever, replan) for lever in levers]
    return tuple(
        sorted(found, key=lambda each: (-len(each.low_unplaced + each.high_unplaced), -each.width_usd))
    )


def _swing(base: Outcome, lever: Lever, replan: Replan) -> Swing:
    low, high = (replan(end.scenario, end.performances) for end in (lever.low, lever.high))
    labels = {offer.tier.id: offer.tier.label for offer in lever.low.scenario.offers}
    low_moves, high_moves = _moves(base, low, labels), _moves(base, high, labels)
    return Swing(
        lever=lever,
        base_usd=base.cost_usd_per_month,
        low_usd=low.cost_usd_per_month,
        high_usd=high.cost_usd_per_month,
        low_unplaced=tuple(set_minus(low.unplaced, base.unplaced)),
        high_unplaced=tuple(set_minus(high.unplaced, base.unplaced)),
        flips=tuple(dict.fromkeys(move.workload for move in (*low_moves, *high_moves))),
        low_moves=low_moves,
        high_moves=high_moves,
    )


def _moves(base: Outcome, made: Outcome, labels: Mapping[str, str]) -> tuple[Move, ...]:
    """Workloads whose tier differs; one that had none before comes from `no tier`."""
    before = base.tier_by_workload
    return tuple(
        Move(
            workload=workload,
            from_tier=labels[before[workload]] if workload in before else "no tier",
            to_tier=labels[tier_id],
        )
        for workload, tier_id in made.tier_by_workload.items()
        if before.get(workload) != tier_id
    )


def flip_sentence(found: Sequence[Swing]) -> str:
    """Which single assumption would flip the decision, in one sentence.

    First comes one that leaves a workload unserved, then of those that move a workload the one that moves
    the bill most.
    """
    turning = [each for each in found if each.flips or each.low_unplaced or each.high_unplaced]
    if not turning:
        return (
            f"None of {len(found)} assumptions flips the decision within its range; they only move the bill."
        )
    first, others = turning[0], len(turning) - 1
    ends = [
        _end_text(text, moves, unplaced, usd)
        for text, moves, unplaced, usd in (
            (first.lever.low_text, first.low_moves, first.low_unplaced, first.low_usd),
            (first.lever.high_text, first.high_moves, first.high_unplaced, first.high_usd),
        )
        if moves or unplaced
    ]
    rest = f" So would {others} more of the {len(found)} assumptions." if others else ""
    return (
        f"{first.lever.name} would flip the decision ({first.lever.origin}): {'; '.join(ends)}, "
        f"instead of {rounded_usd(first.base_usd)}.{rest}"
    )


def _end_text(text: str, moves: Sequence[Move], unplaced: Sequence[str], usd: float) -> str:
    """What happens at one end of a range, and the bill there."""
    together: dict[tuple[str, str], list[str]] = {}
    for each in moves:
        together.setdefault((each.from_tier, each.to_tier), []).append(each.workload)
    what = [
        f"{listed(names)} {'moves' if len(names) == 1 else 'move'} from {before} to {after}"
        for (before, after), names in together.items()
    ]
    if unplaced:
        what.append(f"{listed(list(unplaced))} {'has' if len(unplaced) == 1 else 'have'} no tier")
    return f"at {text} {listed(what)} and the bill is {rounded_usd(usd)} a month"


def set_minus(names: Sequence[str], known: Sequence[str]) -> list[str]:
    """The names that are not among the known, in their order."""
    return [name for name in names if name not in known]


def levers(scenario: Scenario, performances: Performances, plan: Plan, reader_fraction: float) -> list[Lever]:
    """The assumptions a plan rests on: demand and lengths by workload, prices and speeds of the tiers used.

    Ranges come from the evidence's own low and high and from the fits; where nobody gives one, from the
    reader: plus and minus `reader_fraction` (0 to 1), and the lever says so.
    """
    used = {each.tier_id for each in plan.allocations}
    offers = [offer for offer in scenario.offers if offer.tier.id in used]
    found = [
        lever
        for index in range(len(scenario.demands))
        for lever in _demand_levers(scenario, performances, index, reader_fraction)
    ]
    found += [_price_lever(scenario, performances, offer, reader_fraction) for offer in offers]
    speeds = [_speed_lever(scenario, performances, offer) for offer in offers]
    return [*found, *(lever for lever in speeds if lever is not None)]


def _demand_levers(
    scenario: Scenario, performances: Performances, index: int, reader_fraction: float
) -> list[Lever]:
    demand = scenario.demands[index]
    workload = demand.workload

    def rate(ratio: float) -> Setting:
        return _with_demand(scenario, performances, index, demand.scaled(ratio))

    def answers(ratio: float) -> Setting:
        longer = replace(workload, output_tok=workload.output_tok.scaled(ratio))
        return _with_demand(scenario, performances, index, replace(demand, workload=longer))

    low, high = 1.0 - reader_fraction, 1.0 + reader_fraction
    return [
        _by_reader(f"{workload.name}: peak rate", reader_fraction, rate(low), rate(high)),
        _by_reader(f"{workload.name}: length of answers", reader_fraction, answers(low), answers(high)),
    ]


def _by_reader(name: str, fraction: float, low: Setting, high: Setting) -> Lever:
    return Lever(
        name=name,
        low_text=f"-{fraction:.0%}",
        high_text=f"+{fraction:.0%}",
        origin="your range",
        low=low,
        high=high,
    )


def _with_demand(scenario: Scenario, performances: Performances, index: int, changed: Demand) -> Setting:
    demands = (*scenario.demands[:index], changed, *scenario.demands[index + 1 :])
    return Setting(scenario=replace(scenario, demands=demands), performances=performances)


def _price_lever(
    scenario: Scenario, performances: Performances, offer: Offer, reader_fraction: float
) -> Lever:
    price = offer.tier.price
    if price is None:
        raise ValueError(f"{offer.id} is in the plan without a price")

    def at(ratio: float) -> Setting:
        return _with_offer(scenario, performances, offer, _price_at(price, ratio))

    bounds = _ratio_bounds(price)
    name = f"{offer.tier.label}: price"
    if bounds is None:
        return _by_reader(name, reader_fraction, at(1.0 - reader_fraction), at(1.0 + reader_fraction))
    low, high = bounds
    return Lever(
        name=name,
        low_text=f"{low - 1.0:+.0%}",
        high_text=f"{high - 1.0:+.0%}",
        origin=f"lowest and highest in {price.evidence.source}",
        low=at(low),
        high=at(high),
    )


def _ratio_bounds(price: Price) -> tuple[float, float] | None:
    """Lowest and highest price over the price, where its evidence gives both."""
    evidence: Evidence = price.evidence
    main = {
        "hourly": "usd_per_accelerator_h",
        "owned": "purchase_usd_per_accelerator",
        "per_token": "output_usd_per_mtok",
    }[price.basis]
    value = getattr(price, main)
    if evidence.low is None or evidence.high is None or not value:
        return None
    return evidence.low / value, evidence.high / value


def _price_at(price: Price, ratio: float) -> Price:
    if isinstance(price, HourlyPrice):
        return replace(price, usd_per_accelerator_h=price.usd_per_accelerator_h * ratio)
    if isinstance(price, OwnedPrice):
        return replace(price, purchase_usd_per_accelerator=price.purchase_usd_per_accelerator * ratio)
    cached = price.cached_input_usd_per_mtok
    return replace(
        price,
        input_usd_per_mtok=price.input_usd_per_mtok * ratio,
        output_usd_per_mtok=price.output_usd_per_mtok * ratio,
        cached_input_usd_per_mtok=None if cached is None else cached * ratio,
    )


def _with_offer(scenario: Scenario, performances: Performances, offer: Offer, price: Price) -> Setting:
    changed = replace(offer, tier=replace(offer.tier, price=price))
    offers = tuple(changed if each.id == offer.id else each for each in scenario.offers)
    return Setting(scenario=replace(scenario, offers=offers), performances=performances)


def _speed_lever(scenario: Scenario, performances: Performances, offer: Offer) -> Lever | None:
    """A machine's speed from the tenth to the ninetieth percentile of what its fit allows."""
    performance = performances[offer.id]
    if isinstance(performance, CannotServe) or not isinstance(performance, BatchedPerformance):
        return None
    ratio = math.exp(NORMAL_QUANTILE["p90"] * speed_log_deviation(performance, inside_domain=True))

    def at(time_ratio: float) -> Setting:
        changed = {**performances, offer.id: with_speed(performance, time_ratio)}
        return Setting(scenario=scenario, performances=changed)

    return Lever(
        name=f"{offer.tier.label}: time per step",
        low_text=f"{1.0 / ratio - 1.0:+.0%}",
        high_text=f"{ratio - 1.0:+.0%}",
        origin="P10 and P90 of the fit",
        low=at(1.0 / ratio),
        high=at(ratio),
    )
