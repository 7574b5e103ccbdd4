"""Capacity and latency: replicas, utilisation, and every target against its prediction."""

from app.formatting import DASH, holding, replicas, show
from app.report.blocks import Block, Bullets, Table
from app.report.context import ReportContext
from models.grading import latency_grade
from models.sentences import WEAK_SPOTS_NOTE

KEY = "capacity"
TITLE = "Capacity and latency against targets"


def blocks(context: ReportContext) -> tuple[Block, ...]:
    """Pools, predicted latencies, targets, notices, and the change from today's fleet."""
    plan = context.view.plan
    pools = Table(
        caption="Pools: the workloads of one pool share its replicas and spares",
        headings=("Tier", "Workloads", "Replicas", "of them spare", "Accelerators", "Utilisation at peak"),
        rows=tuple(
            (
                pool.name,
                ", ".join(pool.workloads),
                replicas(pool.replica_count, pool.prefill_worker_count)
                if pool.replica_count
                else "paid per token",
                str(pool.spare_replica_count),
                str(pool.accelerator_count),
                show("utilisation_fraction", pool.utilisation_fraction),
            )
            for pool in plan.pools
        ),
        numeric=(2, 3, 4, 5),
    )
    latency = Table(
        caption=(
            "Predicted latency at the busiest hour, all replicas serving; the grade is that of the latency's "
            "own evidence, the plan's grade the lowest of all, prices included; marks lead to the evidence"
        ),
        headings=("Workload", "TTFT p50", "TTFT p95", "TPOT p50", "E2E p50", "E2E p95", "Grade", "Evidence"),
        rows=tuple(
            (
                each.workload,
                show("ttft_s", each.ttft_s.p50),
                show("ttft_s", each.ttft_s.p95),
                show("tpot_s", each.tpot_s.p50),
                show("e2e_s", each.e2e_s.p50),
                show("e2e_s", each.e2e_s.p95),
                str(latency_grade(context.view.performances[f"{each.tier_id}/{each.model_id}"]) or DASH),
                context.marks(f"{each.tier_id}/{each.model_id}"),
            )
            for each in plan.allocations
        ),
        numeric=(1, 2, 3, 4, 5),
        marks_column=7,
    )
    targets = Table(
        caption=_targets_caption(context),
        headings=("Workload", "Target", "Predicted", "Holds (chance)", "P10 to P90"),
        rows=tuple(
            (
                each.workload,
                result.target.name,
                show("predicted_s", result.predicted_s),
                holding(result),
                DASH
                if result.low_s is None
                else f"{show('low_s', result.low_s)} to {show('high_s', result.high_s)}",
            )
            for each in plan.allocations
            for result in each.targets
        ),
        numeric=(2, 4),
    )
    texts = [each.text for each in plan.notices]
    texts += [notice.text for each in plan.allocations for notice in each.notices]
    notices = tuple(dict.fromkeys(texts))
    found: list[Block] = [pools, latency, targets]
    if plan.fleet_changes:
        found.append(_fleet(context))
    if notices:
        found.append(Bullets(items=notices))
    return tuple(found)


def _targets_caption(context: ReportContext) -> str:
    """What a yes means, and what its chance covers."""
    plan = context.view.plan
    text = "Targets by the prediction"
    if context.view.scenario.policy.spare_unit_count and any(pool.spare_replica_count for pool in plan.pools):
        text = f"{text}; where one holds it does so, by the same prediction, with the spare units lost too"
    if plan.totals.hold_probability_fraction is None:
        return text
    return f"{text}. {WEAK_SPOTS_NOTE.removesuffix('.')}"


def _fleet(context: ReportContext) -> Table:
    return Table(
        caption="Change from what runs today",
        headings=(
            "Tier",
            "Replicas today",
            "Replicas planned",
            "USD a month today",
            "USD a month planned",
            "Note",
        ),
        rows=tuple(
            (
                each.tier_id,
                str(each.current_replica_count),
                str(each.planned_replica_count),
                show("cost_usd_per_month", each.current_cost_usd_per_month),
                show("cost_usd_per_month", each.planned_cost_usd_per_month),
                each.note,
            )
            for each in context.view.plan.fleet_changes
        ),
        numeric=(1, 2, 3, 4),
    )
