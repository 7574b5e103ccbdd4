"""What a placement adds up to: each workload's part, each pool, the change in the fleet, the totals."""

import math
from collections.abc import Sequence

from models.commitments import is_committed, replica_usd_per_month
from models.cost import HOURS_PER_MONTH, calls_per_month, per_unit, usd_per_resolved_task
from models.desk import Desk
from models.placement import Group
from models.plans import Allocation, Cost, FleetChange, Pool, Totals
from models.pool_plan import PoolPlan
from models.scenario import FleetEntry
from models.tiers import MachinePrice, Offer
from models.uncertainty import PoolOdds
from models.workloads import Demand


def cost_of(demand: Demand, pool: PoolPlan, position: int) -> Cost:
    """A workload's part of its pool's bill, by its part of the pool's work."""
    usd, share = pool.cost_usd_by_workload[position], pool.share_fraction[position]
    calls = calls_per_month(demand)
    output_mtok = calls * demand.workload.output_tok.mean_tok / 1e6
    usd_per_task = per_unit(usd, calls / demand.workload.call_count_per_task)
    return Cost(
        cost_usd_per_month=usd,
        idle_cost_usd_per_month=pool.idle_usd * share,
        redundancy_cost_usd_per_month=pool.redundancy_usd * share,
        cost_usd_per_h=usd / HOURS_PER_MONTH,
        cost_usd_per_mtok_output=per_unit(usd, output_mtok),
        cost_usd_per_request=per_unit(usd, calls),
        cost_usd_per_task=usd_per_task,
        cost_usd_per_resolved_task=_per_resolved_task(demand, usd_per_task),
    )


def _per_resolved_task(demand: Demand, usd_per_task: float | None) -> float | None:
    workload = demand.workload
    if workload.resolved_fraction is None or usd_per_task is None:
        return None
    return usd_per_resolved_task(
        usd_per_task, workload.attempt_count, workload.resolved_fraction, workload.human_usd_per_task
    )


def pool_names(desk: Desk, groups: Sequence[Group]) -> dict[Group, str]:
    """Each pool's name: its tier's label, numbered where a tier runs several."""
    names = {}
    for group in groups:
        label = desk.offers[group.offer_id].tier.label
        same = [each for each in groups if desk.offers[each.offer_id].tier.label == label]
        same.sort(key=lambda each: each.workload_set & -each.workload_set)  # by their first workload
        names[group] = label if len(same) == 1 else f"{label}, pool {same.index(group) + 1}"
    return names


def pool_view(desk: Desk, group: Group, name: str) -> Pool:
    """The machines of one pool as the plan shows them."""
    offer, pool = desk.offers[group.offer_id], desk.placed_pool(group)
    count = pool.replica_count or 0
    entry = next((each for each in desk.scenario.fleet if each.tier_id == offer.tier.id), None)
    return Pool(
        tier_id=offer.tier.id,
        tier_label=offer.tier.label,
        name=name,
        workloads=tuple(demand.workload.name for demand in desk.demands(group.workload_set)),
        replica_count=count,
        spare_replica_count=pool.spare_replica_count,
        accelerator_count=count * (offer.tier.accelerator_count_per_replica or 0)
        + _prefill_accelerators(offer, pool),
        utilisation_fraction=pool.point.utilisation_fraction,
        cost_usd_per_month=pool.cost_usd,
        idle_cost_usd_per_month=pool.idle_usd,
        busiest_hour_h=pool.busiest_hour_h,
        fleet_change_count=count - entry.replica_count if entry else None,
        prefill_worker_count=pool.prefill_worker_count,
        spare_prefill_worker_count=pool.spare_prefill_worker_count,
    )


def _prefill_accelerators(offer: Offer, pool: PoolPlan) -> int:
    side = offer.tier.prefill
    return 0 if side is None else (pool.prefill_worker_count or 0) * side.accelerator_count_per_worker


def fleet_changes(desk: Desk, groups: Sequence[Group]) -> tuple[FleetChange, ...]:
    """Today's replicas against the plan's, tier by tier; what is committed is paid until it ends."""
    changes = []
    for entry in desk.scenario.fleet:
        offers = [offer for offer in desk.offers.values() if offer.tier.id == entry.tier_id]
        rented = next((offer for offer in offers if isinstance(offer.tier.price, MachinePrice)), None)
        usd_per_replica = replica_usd_per_month(rented) if rented else 0.0
        ids = {offer.id for offer in offers}
        used = [desk.placed_pool(group) for group in groups if group.offer_id in ids]
        planned = sum(pool.replica_count or 0 for pool in used)
        note, committed_usd = "", 0.0
        current_usd, planned_usd = entry.replica_count * usd_per_replica, sum(pool.cost_usd for pool in used)
        if rented and is_committed(desk.scenario, entry, rented):
            committed_usd = max(0.0, current_usd - planned_usd)
            note = _why_paid(entry, planned) if committed_usd > 0 else ""
        changes.append(
            FleetChange(
                tier_id=entry.tier_id,
                current_replica_count=entry.replica_count,
                planned_replica_count=planned,
                current_cost_usd_per_month=current_usd,
                planned_cost_usd_per_month=planned_usd,
                committed_cost_usd_per_month=committed_usd,
                note=note,
            )
        )
    return tuple(changes)


def _why_paid(entry: FleetEntry, planned_count: int) -> str:
    """Why replicas cost money that the plan would not spend."""
    until = entry.committed_until
    end = "were bought" if until is None else f"are paid until {until.isoformat()}"
    unused = entry.replica_count - planned_count
    if unused <= 0:
        return f"{entry.replica_count} replicas are switched off at times, but {end}"
    return f"{unused} of {entry.replica_count} replicas are not needed, but {end}"


def totals_of(
    desk: Desk,
    allocations: Sequence[Allocation],
    pools: Sequence[Pool],
    changes: Sequence[FleetChange],
    odds: Sequence[PoolOdds | None],
) -> Totals:
    """The plan in numbers."""
    by_name = {demand.workload.name: demand for demand in desk.scenario.demands}
    placed = [by_name[each.workload] for each in allocations]
    calls = sum(calls_per_month(demand) for demand in placed)
    output = sum(calls_per_month(demand) * demand.workload.output_tok.mean_tok for demand in placed)
    unused_usd = sum(each.committed_cost_usd_per_month for each in changes)
    usd = sum(pool.cost_usd_per_month for pool in pools) + unused_usd
    grades = [each.weakest_grade for each in allocations if each.weakest_grade is not None]
    return Totals(
        cost_usd_per_month=usd,
        cost_usd_per_h=usd / HOURS_PER_MONTH,
        idle_cost_usd_per_month=sum(pool.idle_cost_usd_per_month for pool in pools),
        committed_cost_usd_per_month=unused_usd,
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
