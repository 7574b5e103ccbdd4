"""From a scenario and what each offer can do to a plan: place, size, price, explain."""

from dataclasses import replace

from models.bill import cost_of, fleet_changes, pool_names, pool_view, totals_of
from models.dates import date_notices
from models.desk import Desk, Performances, PoolPlanner, cheapest_move, desk_for, place
from models.evidence import weakest
from models.explaining import (
    evidence_of,
    notices_of,
    offer_evidence_of,
    performance_notices_of,
    rejections_of,
)
from models.parity_notices import parity_notices
from models.performance import CannotServe, HostedPerformance, TandemPerformance
from models.placement import Group, Partition, members
from models.plans import (
    Allocation,
    Notice,
    Plan,
    RunnerUp,
    TargetResult,
)
from models.pool_loads import targets_of
from models.pool_plan import PoolPlan
from models.pools import ROUGH_POINT_COUNT, operate_machines, plan_pool
from models.robustness import robustness_notices
from models.scenario import Scenario
from models.sentences import answer_sentence
from models.sizing import target_results
from models.uncertainty import PoolOdds, pool_odds
from models.unpriced import break_even_notices, break_evens_of
from models.workloads import Target
from models.worth import lost_per_task_usd, tasks_per_month

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
    desk = desk_for(scenario, performances, pool_planner)
    placement = place(desk)
    groups = sorted(placement.groups)
    group_of = {index: group for group in groups for index in members(group.workload_set)}
    names = pool_names(desk, groups)
    odds = {group: _odds(desk, group) for group in groups}
    allocations = tuple(
        replace(
            _allocation(desk, index, group_of[index], placement, odds[group_of[index]]),
            pool=names[group_of[index]],
        )
        for index in sorted(group_of)
    )
    pools = tuple(pool_view(desk, group, names[group]) for group in groups)
    rejections = rejections_of(desk)
    unplaced = tuple(
        demand.workload.name for index, demand in enumerate(scenario.demands) if index not in group_of
    )
    changes = fleet_changes(desk, groups)
    totals = totals_of(desk, allocations, pools, changes, [odds[group] for group in groups])
    break_evens = break_evens_of(desk, allocations)
    draft = Plan(
        scenario_id=scenario.id,
        scenario_name=scenario.name,
        sentence="",
        allocations=allocations,
        pools=pools,
        rejections=rejections,
        fleet_changes=changes,
        totals=totals,
        notices=(
            *robustness_notices(desk, placement),
            *notices_of(desk, allocations, totals, unplaced, changes),
            *parity_notices(desk, allocations),
            *date_notices(desk, allocations),
            *break_even_notices(break_evens),
        ),
        evidence=evidence_of(desk, groups),
        not_modelled=NOT_MODELLED,
        unplaced=unplaced,
        break_evens=break_evens,
    )
    return replace(draft, sentence=answer_sentence(draft))


def _odds(desk: Desk, group: Group) -> PoolOdds | None:
    """The chances of a pool of machines; None for a hosted tier, whose spread nobody published."""
    performance, pool = desk.performances[group.offer_id], desk.placed_pool(group)
    if isinstance(performance, HostedPerformance | CannotServe) or pool.replica_count is None:
        return None
    if isinstance(performance, TandemPerformance):
        performance = replace(performance, worker_count=pool.prefill_worker_count)
    return pool_odds(
        lambda machine, load, count: operate_machines(machine, load, count, point_count=ROUGH_POINT_COUNT),
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


def _allocation(
    desk: Desk, index: int, group: Group, placement: Partition, odds: PoolOdds | None
) -> Allocation:
    demand, offer = desk.scenario.demands[index], desk.offers[group.offer_id]
    pool, position = desk.placed_pool(group), members(group.workload_set).index(index)
    name, targets = demand.workload.name, demand.workload.targets
    latency = pool.point.of(name)
    lost = lost_per_task_usd(demand, latency)
    notices = _own_notices(desk, group, pool, name)
    evidence = [use.evidence for use in offer_evidence_of(desk, group.offer_id)]
    return Allocation(
        workload=name,
        tier_id=offer.tier.id,
        tier_label=offer.tier.label,
        model_id=offer.model.id,
        pool=offer.tier.label,
        share_fraction=1.0,
        replica_count=pool.replica_count,
        prefill_worker_count=pool.prefill_worker_count,
        offered_rate_req_per_s=demand.peak_call_rate_req_per_s,
        utilisation_fraction=pool.point.utilisation_fraction,
        ttft_s=latency.ttft_s,
        ttft_parts=latency.ttft_parts,
        itl_s=latency.itl_s,
        tpot_s=latency.tpot_s,
        e2e_s=latency.e2e_s,
        task_s=latency.task_s,
        targets=_target_results(pool, name, targets, odds),
        cost=cost_of(demand, pool, position),
        lost_usd_per_task=lost,
        lost_usd_per_month=None if lost is None else lost * tasks_per_month(demand),
        weakest_grade=weakest(evidence),
        binding_constraint=_binding(pool, name),
        inside_domain=not any(text.startswith(f"{name}: mean") for text in notices),
        runner_up=_runner_up(desk, index, group, placement),
        notices=tuple(Notice(text=text, about=name) for text in notices),
    )


def _binding(pool: PoolPlan, workload: str) -> str:
    """What binds, and whose it is where it is another workload's of the same pool."""
    if pool.binding_workload in ("", workload):
        return pool.binding_constraint
    return f"{pool.binding_constraint} of {pool.binding_workload}"


def _own_notices(desk: Desk, group: Group, pool: PoolPlan, name: str) -> list[str]:
    """What to know about one workload's numbers, each with whom it is about: the workload or its tier.

    What is said of its neighbours in the pool stays out.
    """
    names = [demand.workload.name for demand in desk.demands(group.workload_set)]
    others = [each for each in names if each != name]
    texts = dict.fromkeys((*performance_notices_of(desk, group.offer_id), *pool.point.notices, *pool.notices))
    own = [text for text in texts if not any(text.startswith(f"{other}: ") for other in others)]
    label = desk.offers[group.offer_id].tier.label
    named = (f"{name}: ", f"{label}: ")
    return [text if text.startswith(named) else f"{label}: {text}" for text in own]


def _runner_up(desk: Desk, index: int, home: Group, placement: Partition) -> RunnerUp | None:
    """Where this workload would go if it left its offer, the others staying, by the distance in money."""
    move = cheapest_move(desk, placement, index)
    if move is None:
        return None
    offer, extra_usd = desk.offers[move[0]], move[1]
    same_model = offer.model.id == desk.offers[home.offer_id].model.id
    return RunnerUp(
        tier_id=offer.tier.id,
        tier_label=offer.tier.label if same_model else f"{offer.tier.label}, {offer.model.label}",
        extra_cost_usd_per_month=extra_usd,
    )
