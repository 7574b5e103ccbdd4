"""What a plan's decisions rest on, worked out for a view: growth, futures, swings, break-evens, losses."""

from collections.abc import Callable, Sequence
from functools import lru_cache

from app.charts.labels import offer_label
from app.formatting import DASH
from app.workbench import View, desk_of, load_catalogue, replan
from models.architectures import hosted_api
from models.decisions.bill_range import BillRange, bill_range
from models.decisions.break_even import newsvendor_fraction, weighted_quantile
from models.decisions.faster import FasterTier, faster_tiers
from models.decisions.frontier import Frontier, frontier
from models.decisions.futures import least_regret
from models.decisions.growth import GrowthPath, growth_path
from models.decisions.outcome import Outcome, outcome, starts_of
from models.decisions.regret import RegretTable
from models.decisions.sensitivity import Swing, levers, swings
from models.decisions.what_holds import WorkloadState, at_load, with_unit_lost
from models.desk import KnownPerformances, Performances, PoolPlanner, settled
from models.grading import offer_grade
from models.performance import CannotServe, HostedPerformance
from models.refusals import why_not
from models.scenario import Scenario
from models.tiers import Offer
from models.workloads import Demand

Progress = Callable[[float], None]
USUAL_RANGE_PERCENT = 20  # of what nobody gives a range for


def no_progress(share: float) -> None:
    """For callers that show none."""
    del share


def _known(seen: View) -> KnownPerformances:
    """The view's performances as a value that a cache can hold."""
    return tuple(seen.performances.items())


def growth(seen: View) -> GrowthPath:
    """The plan's placement month by month over the outlook."""
    return growth_path(*settled(seen.scenario, _known(seen), desk_of(seen).plan_pool))


def regrets(seen: View, shortage_price_ratio: float) -> RegretTable | None:
    """The cheapest plan of each demand scenario put through all of them; None with fewer than two."""
    return _regrets(seen.scenario, _known(seen), shortage_price_ratio, desk_of(seen).plan_pool)


@lru_cache(maxsize=16)
def _regrets(
    scenario: Scenario,
    performances: KnownPerformances,
    shortage_price_ratio: float,
    pool_planner: PoolPlanner,
) -> RegretTable | None:
    """Kept by value: the futures need not be planned again at each movement of another control."""
    return least_regret(scenario, dict(performances), shortage_price_ratio, pool_planner)


def bill(seen: View, shortage_price_ratio: float) -> BillRange:
    """P10, P50 and P90 of the plan's bill over demand, the speed of its machines and their prices."""
    return _bill(seen.scenario, _known(seen), shortage_price_ratio, desk_of(seen).plan_pool)


@lru_cache(maxsize=16)
def _bill(
    scenario: Scenario,
    performances: KnownPerformances,
    shortage_price_ratio: float,
    pool_planner: PoolPlanner,
) -> BillRange:
    desk, groups = settled(scenario, performances, pool_planner)
    unused_usd = replan(scenario, dict(performances)).totals.committed_cost_usd_per_month
    return bill_range(desk, groups, shortage_price_ratio, unused_usd)


def demand_to_cover(seen: View, shortage_price_ratio: float) -> tuple[float, float]:
    """The newsvendor's share of futures to cover, and the rate ratio that covers it.

    A machine too few costs its premium, one too many its price: Cu / (Cu + Co) = (r - 1) / r.
    """
    fraction = newsvendor_fraction(shortage_price_ratio - 1.0, 1.0)
    futures = seen.scenario.outlook.scenarios
    ratios, weights = [each.rate_ratio for each in futures], [each.weight for each in futures]
    return fraction, weighted_quantile(ratios, weights, fraction)


def which_to_follow(seen: View, table: RegretTable, shortage_price_ratio: float) -> str:
    """Why the newsvendor's level and the least-regret plan agree or differ, and which to follow when."""
    _, cover = demand_to_cover(seen, shortage_price_ratio)
    ratios = {each.name: each.rate_ratio for each in seen.scenario.outlook.scenarios}
    least = table.candidates[table.least_regret_index]
    if ratios[least] == cover:
        return f"It agrees with the plan for “{least}”."
    return (
        f"It is not the level of “{least}” because it minds the mean and not the worst case: a machine too "
        f"few costs its premium of {shortage_price_ratio - 1.0:.0%}, one too many its whole price, while "
        "least regret guards against the worst future whatever its weight, and also counts tiers, spares "
        "and tokens; follow least expected cost where you trust the weights and decide often, least regret "
        "where the weights are guesses or you are bound for long."
    )


def tornado(seen: View, reader_fraction: float, progress: Progress) -> tuple[Swing, ...]:
    """Every assumption taken to both ends of its range; some seconds once, then kept by value."""
    kept = _kept_swings(seen.scenario, _known(seen), reader_fraction)
    if not kept:
        kept.append(_swings(seen, reader_fraction, progress))
    return kept[0]


def known_swings(seen: View, reader_fraction: float) -> tuple[Swing, ...] | None:
    """The same where it was worked out before; else None."""
    kept = _kept_swings(seen.scenario, _known(seen), reader_fraction)
    return kept[0] if kept else None


@lru_cache(maxsize=32)
def _kept_swings(
    scenario: Scenario, performances: KnownPerformances, reader_fraction: float
) -> list[tuple[Swing, ...]]:
    """A place for one answer, the same for the same question."""
    del scenario, performances, reader_fraction
    return []


def _swings(seen: View, reader_fraction: float, progress: Progress) -> tuple[Swing, ...]:
    found = levers(seen.scenario, seen.performances, seen.plan, reader_fraction)
    planner = desk_of(seen).plan_pool
    starts = starts_of(*settled(seen.scenario, _known(seen), planner))
    done = 0

    def counted(scenario: Scenario, performances: Performances) -> Outcome:
        nonlocal done
        done += 1
        progress(done / (2 * len(found)))
        return outcome(scenario, performances, planner, starts)

    return swings(seen.plan, found, counted)


def holding_at(seen: View, rate_ratio: float) -> tuple[WorkloadState, ...]:
    """Which promises the planned machines keep with every rate multiplied."""
    return at_load(*settled(seen.scenario, _known(seen), desk_of(seen).plan_pool), rate_ratio)


def losses(seen: View) -> tuple[tuple[str, tuple[WorkloadState, ...]], ...]:
    """For each pool of machines, by tier label, its workloads with one failure unit gone."""
    desk, groups = settled(seen.scenario, _known(seen), desk_of(seen).plan_pool)
    found = [(group, with_unit_lost(desk, group)) for group in groups]
    return tuple(
        (desk.offers[group.offer_id].tier.label, states) for group, states in found if states is not None
    )


def faster(seen: View, seen_rate_tok_per_s: float | None) -> tuple[FasterTier, ...]:
    """Break-even price multiples of every faster hosted tier, sold or not, of the scenario and catalogue.

    seen_rate_tok_per_s  what the reader sees on a slow tier that publishes no speed; None: not compared
    """
    offers = _hosted_offers(seen.scenario)
    performances = {offer.id: _hosted_performance(offer) for offer in offers} | dict(seen.performances)
    return faster_tiers(
        seen.scenario, offers, performances, seen.plan, seen_rate_tok_per_s, desk_of(seen).plan_pool
    )


def may_use(seen: View, offer: Offer, demand: Demand) -> str:
    """Whether the plan may give a workload to an offer: "yes", or "no" with the reasons."""
    held = why_not(seen.scenario, offer, seen.performances.get(offer.id), demand, desk_of(seen).plan_pool)
    return f"no: {held}" if held else "yes"


def grade_of(seen: View, offer: Offer) -> str:
    """The offer's evidence grade as every page shows it; a dash where nothing is known of it."""
    return str(offer_grade(offer, seen.performances.get(offer.id)) or DASH)


def frontiers(seen: View, offers: Sequence[Offer], demand: Demand) -> dict[str, Frontier]:
    """Stream speed against tokens per dollar, by tier label."""
    return {offer_label(offer, offers): frontier(offer, seen.performances, demand) for offer in offers}


def _hosted_offers(scenario: Scenario) -> list[Offer]:
    """The scenario's hosted offers, then those of the catalogue that sell a model good enough."""
    catalogue = load_catalogue()
    known = {offer.id: offer for offer in scenario.offers if offer.tier.architecture == hosted_api.KEY}
    wanted = {model for demand in scenario.demands for model in demand.workload.models}
    for tier_id, model_id in catalogue.listings:
        listed = catalogue.tiers[tier_id].architecture == hosted_api.KEY and model_id in wanted
        offer = catalogue.offer(tier_id, model_id, scenario.as_of) if listed else None
        if offer is not None:
            known.setdefault(offer.id, offer)
    return list(known.values())


@lru_cache(maxsize=256)
def _hosted_performance(offer: Offer) -> HostedPerformance | CannotServe:
    return hosted_api.fit(offer, ())
