"""The answer in one sentence: where the work goes, what it takes, what it costs, how sure we are."""

import math

from models.plans import Plan

WEAK_SPOTS_NOTE = (
    "Chances cover errors of the fit and the demand scenarios; "
    "the known weak spots among the plan's notices are not in them."
)


def answer_sentence(plan: Plan) -> str:
    """`Serve voice and checkout on X, research on Y: 3 replicas, $41k a month; weakest evidence: D.`"""
    if not plan.allocations:
        return "No offer can serve any of the workloads; the rejections say what would help."
    several = len({allocation.model_id for allocation in plan.allocations}) > 1
    by_tier: dict[str, list[str]] = {}
    for each in plan.allocations:
        label = f"{each.pool}, {each.model_id}" if several else each.pool
        by_tier.setdefault(label, []).append(each.workload)
    where = "; ".join(f"{listed(names)} on {label}" for label, names in by_tier.items())
    totals = plan.totals
    size = f"{totals.replica_count} replicas on {totals.accelerator_count} accelerators, "
    grade = f"; weakest evidence: {totals.weakest_grade}" if totals.weakest_grade else ""
    rest = f" Not placed: {listed(list(plan.unplaced))}." if plan.unplaced else ""
    return (
        f"Serve {where}: {size if totals.replica_count else ''}"
        f"{rounded_usd(totals.cost_usd_per_month)} a month, {_holding(plan)}{grade}.{rest}"
    )


def _holding(plan: Plan) -> str:
    """How surely the targets hold."""
    if not any(each.targets for each in plan.allocations):
        return "no latency promised"
    chance = plan.totals.hold_probability_fraction
    if chance is None:
        return "all targets hold"
    certain = "more than 99" if chance > 0.99 else f"{chance * 100:.0f}"
    return f"targets hold with {certain} % probability"


def chance_sentence(plan: Plan) -> str:
    """Why the chance that all targets hold is not the product of their chances; "" where none is known."""
    joint = plan.totals.hold_probability_fraction
    chances = [
        target.hold_probability_fraction
        for each in plan.allocations
        for target in each.targets
        if target.hold_probability_fraction is not None
    ]
    if joint is None or not chances:
        return ""
    apart = math.prod(chances)
    why = (
        "Workloads of one pool share the errors of one fit, so their targets fail together; pools are taken "
        f"as independent. Were all {len(chances)} targets independent, the chance would be "
        f"{apart * 100:.0f} %."
    )
    return f"{why} {WEAK_SPOTS_NOTE}"


def rounded_usd(usd: float) -> str:
    """Money as one says it: `$940`, `$41k`, `$1.2M`, `$3.4B`."""
    if usd >= 999_500_000:
        return f"${usd / 1e9:,.3g}B" if usd < 999.5e9 else f"${usd / 1e9:,.0f}B"
    if usd >= 999_500:
        return f"${usd / 1e6:.3g}M"
    if usd >= 9_950:
        return f"${usd / 1e3:.3g}k"
    return f"${usd:,.0f}" if usd >= 10 else f"${usd:,.2f}"


def listed(names: list[str]) -> str:
    """Names as one says them: `voice, commerce and research`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
