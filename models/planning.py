"""From a scenario and what each offer can do to a plan: place, size, price, explain."""

import math
from collections.abc import Sequence
from dataclasses import replace

from models.cost import HOURS_PER_MONTH, calls_per_month, per_unit
from models.desk import Desk, Performances, PoolPlanner, place
from models.evidence import weakest
from models.explaining import (
    evidence_of,
    notices_of,
    offer_evidence_of,
    performance_notices_of,
    rejections_of,
)
from models.performance import BatchedPerformance
from models.placement import Group, members
from models.plans import (
    Allocation,
    Cost,
    FleetChange,
    Notice,
    Plan,
    Pool,
    RunnerUp,
    TargetResult,
    Totals,
)
from models.pools import PoolPlan, operate_machines, plan_pool, replica_usd_per_h, targets_of
from models.scenario import Scenario
from models.sentences import answer_sentence
from models.sizing import target_results
from models.tiers import HourlyPrice
from models.uncertainty import PoolOdds, pool_odds
from models.workloads import Demand, Target

NOT_MODELLED = (
    "quality differences between models and tiers",
    "the supplier's own queueing and time-of-day effects on hosted tiers",
    "network between your users and the tier, beyond the overhead that was measured",
    "preemption when the KV cache overflows, and warm-up of caches after a restart",
    "tax, egress, storage and support fees",
)


def plan(scenario: Scenario, performances: Performances, pool_planner: PoolPlanner = plan_pool) -> Plan:
    """The cheapest way to serve all workloads with every target held.

    performances: by offer id, for every offer of the scenario. pool_planner: `plan_pool`, or a version of
    it that remembers what it has worked out.
    Workloads on the same rented offer share a pool, sized at the busiest hour, with the policy's spares.
    """
    offers = {offer.id: offer for offer in sorted(scenario.offers, key=lambda offer: offer.id)}
    desk = Desk(scenario, offers, performances, pool_planner)
    placement = place(desk, forbidden=None)
    groups = sorted(placement.groups)
    group_of = {index: group for group in groups for index in members(group.workload_set)}
    odds = {group: _odds(desk, group) for group in groups}
    allocations = tuple(
        _allocation(desk, index, group_of[index], placement.cost, odds[group_of[index]])
        for index in sorted(group_of)
    )
    pools = tuple(_pool_view(desk, group) for group in groups)
    rejections = rejections_of(desk)
    unplaced = tuple(
        demand.workload.name for index, demand in enumerate(scenario.demands) if index not in group_of
    )
    totals = _totals(desk, allocations, pools, [odds[group] for group in groups])
    draft = Plan(
        scenario_id=scenario.id,
        scenario_name=scenario.name,
        sentence="",
        allocations=allocations,
        pools=pools,
        rejections=rejections,
        fleet_changes=_fleet_changes(desk, groups),
        totals=totals,
        notices=notices_of(desk, allocations, totals, unplaced),
        evidence=evidence_of(desk, groups),
        not_modelled=NOT_MODELLED,
        unplaced=unplaced,
    )
    return replace(draft, sentence=answer_sentence(draft))


def _odds(desk: Desk, group: Group) -> PoolOdds | None:
    """The chances of a pool of machines; None for a hosted tier, whose spread nobody published."""
    performance, pool = desk.performances[group.offer_id], desk.placed_pool(group)
    if not isinstance(performance, BatchedPerformance) or pool.replica_count is None:
        return None
    return pool_odds(
        operate_machines,
        performance,
        pool.load,
        pool.replica_count,
        targets_of(desk.demands(group.workload_set)),
        desk.scenario.outlook.scenarios,
        pool.point.inside_domain,
    )


def _target_results(
    pool: PoolPlan, name: str, targets: tuple[Target, ...], odds: PoolOdds | None
) -> tuple[TargetResult, ...]:
    """A workload's targets with their predictions and chances."""
    results = target_results(pool.point, {name: targets})[name]
    if odds is None:
        return results
    own = [each for each in odds.targets if each.workload == name]
    return tuple(
        replace(
            result,
            hold_probability_fraction=each.hold_probability_fraction,
            low_s=each.low_s,
            middle_s=each.middle_s,
            high_s=each.high_s,
        )
        for result, each in zip(results, own, strict=True)
    )


def _allocation(desk: Desk, index: int, group: Group, chosen_usd: float, odds: PoolOdds | None) -> Allocation:
    demand, offer = desk.scenario.demands[index], desk.offers[group.offer_id]
    pool, position = desk.placed_pool(group), members(group.workload_set).index(index)
    name, targets = demand.workload.name, demand.workload.targets
    latency = pool.point.of(name)
    notices = _own_notices(desk, group, pool, name)
    evidence = [use.evidence for use in offer_evidence_of(desk, group.offer_id)]
    return Allocation(
        workload=name,
        tier_id=offer.tier.id,
        tier_label=offer.tier.label,
        model_id=offer.model.id,
        share_fraction=1.0,
        replica_count=pool.replica_count,
        offered_rate_req_per_s=demand.peak_call_rate_req_per_s,
        utilisation_fraction=pool.point.utilisation_fraction,
        ttft_s=latency.ttft_s,
        itl_s=latency.itl_s,
        tpot_s=latency.tpot_s,
        e2e_s=latency.e2e_s,
        task_s=latency.task_s,
        targets=_target_results(pool, name, targets, odds),
        cost=_cost(demand, pool, position),
        weakest_grade=weakest(evidence),
        binding_constraint=_binding(pool, name),
        inside_domain=not any(text.startswith(f"{name}: mean") for text in notices),
        runner_up=_runner_up(desk, index, group.offer_id, chosen_usd),
        notices=tuple(Notice(text=text, about=name) for text in notices),
    )


def _binding(pool: PoolPlan, workload: str) -> str:
    """What binds, and whose it is where it is another workload's of the same pool."""
    if pool.binding_workload in ("", workload):
        return pool.binding_constraint
    return f"{pool.binding_constraint} of {pool.binding_workload}"


def _own_notices(desk: Desk, group: Group, pool: PoolPlan, name: str) -> list[str]:
    """What to know about one workload's numbers; what is said of its neighbours in the pool stays out."""
    names = [demand.workload.name for demand in desk.demands(group.workload_set)]
    others = [each for each in names if each != name]
    texts = dict.fromkeys((*performance_notices_of(desk, group.offer_id), *pool.point.notices))
    return [text for text in texts if not any(text.startswith(f"{other}: ") for other in others)]


def _cost(demand: Demand, pool: PoolPlan, position: int) -> Cost:
    """A workload's part of its pool's bill, by its part of the pool's work."""
    usd, share = pool.cost_usd_by_workload[position], pool.share_fraction[position]
    calls = calls_per_month(demand)
    output_mtok = calls * demand.workload.output_tok.mean_tok / 1e6
    return Cost(
        cost_usd_per_month=usd,
        idle_cost_usd_per_month=pool.idle_usd * share,
        redundancy_cost_usd_per_month=pool.redundancy_usd * share,
        cost_usd_per_h=usd / HOURS_PER_MONTH,
        cost_usd_per_mtok_output=per_unit(usd, output_mtok),
        cost_usd_per_request=per_unit(usd, calls),
        cost_usd_per_task=per_unit(usd, calls / demand.workload.call_count_per_task),
    )


def _runner_up(desk: Desk, index: int, offer_id: str, chosen_usd: float) -> RunnerUp | None:
    """The best plan that keeps this workload off its offer, by the distance in money."""
    other = place(desk, forbidden=(index, offer_id))
    offers = [group.offer_id for group in other.groups if group.workload_set >> index & 1]
    if not offers:
        return None
    tier = desk.offers[offers[0]].tier
    return RunnerUp(tier_id=tier.id, tier_label=tier.label, extra_cost_usd_per_month=other.cost - chosen_usd)


def _pool_view(desk: Desk, group: Group) -> Pool:
    offer, pool = desk.offers[group.offer_id], desk.placed_pool(group)
    count = pool.replica_count or 0
    entry = next((each for each in desk.scenario.fleet if each.tier_id == offer.tier.id), None)
    return Pool(
        tier_id=offer.tier.id,
        tier_label=offer.tier.label,
        workloads=tuple(demand.workload.name for demand in desk.demands(group.workload_set)),
        replica_count=count,
        spare_replica_count=pool.spare_replica_count,
        accelerator_count=count * (offer.tier.accelerator_count_per_replica or 0),
        utilisation_fraction=pool.point.utilisation_fraction,
        cost_usd_per_month=pool.cost_usd,
        idle_cost_usd_per_month=pool.idle_usd,
        busiest_hour_h=pool.busiest_hour_h,
        fleet_change_count=count - entry.replica_count if entry else None,
    )


def _fleet_changes(desk: Desk, groups: Sequence[Group]) -> tuple[FleetChange, ...]:
    """Today's replicas against the plan's, tier by tier; what is committed is paid until it ends."""
    changes = []
    for entry in desk.scenario.fleet:
        offers = [offer for offer in desk.offers.values() if offer.tier.id == entry.tier_id]
        rented = next((offer for offer in offers if isinstance(offer.tier.price, HourlyPrice)), None)
        usd_per_replica = replica_usd_per_h(rented) * HOURS_PER_MONTH if rented else 0.0
        ids = {offer.id for offer in offers}
        used = [desk.placed_pool(group) for group in groups if group.offer_id in ids]
        planned = sum(pool.replica_count or 0 for pool in used)
        note = ""
        if entry.committed_until is not None and planned < entry.replica_count:
            note = (
                f"{entry.replica_count - planned} of {entry.replica_count} replicas are not needed, "
                f"but are paid until {entry.committed_until.isoformat()}"
            )
        changes.append(
            FleetChange(
                tier_id=entry.tier_id,
                current_replica_count=entry.replica_count,
                planned_replica_count=planned,
                current_cost_usd_per_month=entry.replica_count * usd_per_replica,
                planned_cost_usd_per_month=sum(pool.cost_usd for pool in used),
                note=note,
            )
        )
    return tuple(changes)


def _totals(
    desk: Desk, allocations: Sequence[Allocation], pools: Sequence[Pool], odds: Sequence[PoolOdds | None]
) -> Totals:
    by_name = {demand.workload.name: demand for demand in desk.scenario.demands}
    placed = [by_name[each.workload] for each in allocations]
    calls = sum(calls_per_month(demand) for demand in placed)
    output = sum(calls_per_month(demand) * demand.workload.output_tok.mean_tok for demand in placed)
    usd = sum(pool.cost_usd_per_month for pool in pools)
    grades = [each.weakest_grade for each in allocations if each.weakest_grade is not None]
    return Totals(
        cost_usd_per_month=usd,
        cost_usd_per_h=usd / HOURS_PER_MONTH,
        idle_cost_usd_per_month=sum(pool.idle_cost_usd_per_month for pool in pools),
        redundancy_cost_usd_per_month=sum(each.cost.redundancy_cost_usd_per_month for each in allocations),
        replica_count=sum(pool.replica_count for pool in pools),
        accelerator_count=sum(pool.accelerator_count for pool in pools),
        request_count_per_month=calls,
        output_tok_per_month=output,
        cost_usd_per_mtok_output=per_unit(usd, output / 1e6),
        hold_probability_fraction=_all_hold(odds),
        weakest_grade=max(grades, default=None),
        placed_workload_count=len(allocations),
        workload_count=len(desk.scenario.demands),
    )


def _all_hold(odds: Sequence[PoolOdds | None]) -> float | None:
    """Chance that every target of every pool of machines holds; None where there is no such pool."""
    known = [each.hold_probability_fraction for each in odds if each is not None]
    return math.prod(known) if known else None
