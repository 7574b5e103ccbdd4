"""Why the plan is what it is: refusals, notices, and the evidence it rests on."""

from collections.abc import Sequence

from models.desk import Desk
from models.grading import uses_of
from models.machine_bill import spare_replicas
from models.performance import CannotServe
from models.placement import MAX_FULLY_SHARED_COUNT, Group
from models.plans import Allocation, EvidenceUse, FleetChange, Notice, Rejection, Totals
from models.sentences import listed
from models.tiers import TokenPrice

MANY_WORKLOADS = (
    f"more than {MAX_FULLY_SHARED_COUNT} workloads: not every way to share machines was weighed, only pools "
    f"built by merging; to be sure of the cheapest, join workloads that are alike into one"
)


def rejections_of(desk: Desk) -> tuple[Rejection, ...]:
    """Every offer that a workload cannot use even alone, and why."""
    found = []
    for index, demand in enumerate(desk.scenario.demands):
        for offer_id in sorted(desk.offers):
            refusal = desk.pool(offer_id, 1 << index)
            if not isinstance(refusal, CannotServe):
                continue
            offer = desk.offers[offer_id]
            found.append(
                Rejection(
                    workload=demand.workload.name,
                    tier_id=offer.tier.id,
                    tier_label=offer.tier.label,
                    model_id=offer.model.id,
                    binding_constraint=refusal.binding_constraint,
                    reasons=refusal.reasons,
                    would_fit_if=refusal.would_fit_if,
                )
            )
    return tuple(found)


def performance_notices_of(desk: Desk, offer_id: str) -> tuple[str, ...]:
    """What must be known about how an offer's performance was found."""
    performance = desk.performances[offer_id]
    return () if isinstance(performance, CannotServe) else performance.notices


def notices_of(
    desk: Desk,
    allocations: Sequence[Allocation],
    totals: Totals,
    unplaced: Sequence[str],
    changes: Sequence[FleetChange],
) -> tuple[Notice, ...]:
    """What the reader of the whole plan must know."""
    scenario, found = desk.scenario, []
    found += [Notice(text=_why_unplaced(desk, name), level="warning", about=name) for name in unplaced]
    budget = scenario.policy.budget_usd_per_month
    if budget is not None and totals.cost_usd_per_month > budget:
        excess = totals.cost_usd_per_month - budget
        found.append(Notice(text=f"the plan is {excess:,.0f} USD a month over the budget", level="warning"))
    found += _outside_what_was_measured(allocations)
    found += _ending_soon(desk, allocations)
    found += [
        Notice(
            text=f"{each.tier_id}: {each.note}: {each.committed_cost_usd_per_month:,.0f} USD a month",
            level="warning",
        )
        for each in changes
        if each.committed_cost_usd_per_month > 0
    ]
    found += _where_machines_stand(desk, allocations)
    found += _large_spares(desk, allocations)
    found += _not_planned_yet(desk)
    if len(scenario.demands) > MAX_FULLY_SHARED_COUNT:
        found.append(Notice(text=MANY_WORKLOADS))
    return tuple(found)


def _why_unplaced(desk: Desk, name: str) -> str:
    """Whether nothing can serve a workload, or the supplier limit leaves no room for it."""
    index = [demand.workload.name for demand in desk.scenario.demands].index(name)
    able = [
        offer_id for offer_id in desk.offers if not isinstance(desk.pool(offer_id, 1 << index), CannotServe)
    ]
    share = desk.scenario.policy.max_supplier_share_fraction
    if not able or share >= 1.0:
        return f"{name}: no offer can serve it; see the rejections"
    suppliers = sorted({desk.offers[offer_id].tier.supplier or offer_id for offer_id in able})
    return (
        f"{name}: no supplier may serve more than {share:.0%} of all calls, and only "
        f"{listed(suppliers)} can serve it"
    )


def _where_machines_stand(desk: Desk, allocations: Sequence[Allocation]) -> list[Notice]:
    """Machines name no region until they are rented: the limit is then the buyer's to keep."""
    regions = desk.scenario.policy.allow_regions
    placed = {each.tier_id for each in allocations}
    tiers = {offer.tier.id: offer.tier for offer in desk.offers.values() if offer.tier.id in placed}
    open_ones = sorted(tier.label for tier in tiers.values() if tier.region is None)
    if not regions or not open_ones:
        return []
    return [Notice(text=f"rent {listed(open_ones)} in {' or '.join(regions)}: no price names a region")]


def _large_spares(desk: Desk, allocations: Sequence[Allocation]) -> list[Notice]:
    """Tiers whose failure unit holds several replicas: the spares asked for are then many machines."""
    policy, used = desk.scenario.policy, {(each.tier_id, each.model_id) for each in allocations}
    found = []
    for offer in desk.offers.values():
        count = spare_replicas(offer, policy)
        placed = (offer.tier.id, offer.model.id) in used and not isinstance(offer.tier.price, TokenPrice)
        if placed and count > policy.spare_unit_count:
            unit = offer.tier.failure_unit
            spare = f"{policy.spare_unit_count} spare is {count} replicas"
            found.append(Notice(text=f"{offer.tier.label}: a {unit} fails as one; {spare}"))
    return found


def _not_planned_yet(desk: Desk) -> list[Notice]:
    """What the scenario says and the plan does not use, so that nobody takes it for planned."""
    growth = desk.scenario.outlook.growth_fraction_per_month
    if growth == 0:
        return []
    return [
        Notice(text=f"this is the plan for today's rates; What-if shows {growth:.0%} growth a month ahead")
    ]


def _outside_what_was_measured(allocations: Sequence[Allocation]) -> list[Notice]:
    """One notice a tier, naming the workloads whose lengths or loads nobody measured on it."""
    outside: dict[str, list[str]] = {}
    for each in allocations:
        if not each.inside_domain:
            outside.setdefault(each.tier_label, []).append(each.workload)
    return [
        Notice(
            text=f"{listed(names)}: mean lengths lie outside those measured for {label}; the fit is extended",
            level="warning",
        )
        for label, names in outside.items()
    ]


def _ending_soon(desk: Desk, allocations: Sequence[Allocation]) -> list[Notice]:
    ends = {offer.tier.id: offer.tier.available_until for offer in desk.offers.values()}
    return [
        Notice(
            text=f"{each.workload}: {each.tier_label} ends on {end.isoformat()}",
            level="warning",
            about=each.workload,
        )
        for each in allocations
        if (end := ends[each.tier_id]) is not None
    ]


def offer_evidence_of(desk: Desk, offer_id: str) -> list[EvidenceUse]:
    """What a plan with this offer rests on: how it performs, and what it costs."""
    return uses_of(desk.offers[offer_id], desk.performances[offer_id])


def evidence_of(desk: Desk, groups: Sequence[Group]) -> tuple[EvidenceUse, ...]:
    """All evidence: of the offers used, of the workloads as described, and of the offers passed over."""
    chosen = sorted({group.offer_id for group in groups})
    used = [use for offer_id in chosen for use in offer_evidence_of(desk, offer_id)]
    used += [
        EvidenceUse(subject=demand.workload.name, quantity=quantity, evidence=evidence)
        for demand in desk.scenario.demands
        for quantity, evidence in sorted(demand.workload.evidence.items())
    ]
    passed_over = [offer_id for offer_id in sorted(desk.offers) if offer_id not in chosen]
    used += [use for offer_id in passed_over for use in offer_evidence_of(desk, offer_id)]
    return tuple(used)
