"""How the plan grows with demand: replicas and money month by month, and when today's machines run out."""

from dataclasses import dataclass

from models.desk import Desk
from models.performance import CannotServe
from models.placement import Group


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowthMonth:
    """One month ahead; cost None where some pool cannot grow any further.

    month_count   months from the plan's date
    rate_ratio    all rates over today's
    """

    month_count: int
    rate_ratio: float
    replica_count: int
    cost_usd_per_month: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowthPath:
    """The same placement at growing rates.

    run_out_month_count   first month in which what is deployed today, spares included, is too little; None
                          within the horizon
    run_out_reason        which pool needs what then
    """

    months: tuple[GrowthMonth, ...]
    run_out_month_count: int | None
    run_out_reason: str


def growth_path(desk: Desk, groups: tuple[Group, ...]) -> GrowthPath:
    """Every pool of a placement sized again for each month of the outlook, all rates grown alike."""
    outlook = desk.scenario.outlook
    months: list[GrowthMonth] = []
    run_out, reason = None, ""
    for month in range(outlook.horizon_months + 1):
        ratio = (1.0 + outlook.growth_fraction_per_month) ** month
        grown = [_grown_pool(desk, group, ratio) for group in groups]
        short = next((text for text in map(_shortage, grown) if text), "")
        if short and run_out is None:
            run_out, reason = month, short
        months.append(_month(month, ratio, grown))
    return GrowthPath(months=tuple(months), run_out_month_count=run_out, run_out_reason=reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Grown:
    label: str
    today_count: int | None
    replica_count: int | None
    cost_usd: float | None
    refusal: str = ""
    worker_count: int | None = None
    today_worker_count: int | None = None


def _grown_pool(desk: Desk, group: Group, rate_ratio: float) -> _Grown:
    offer, performance = desk.offers[group.offer_id], desk.performances[group.offer_id]
    today = desk.placed_pool(group)
    demands = tuple(each.scaled(rate_ratio) for each in desk.demands(group.workload_set))
    if isinstance(performance, CannotServe):
        raise RuntimeError(f"placed on {group.offer_id}, which cannot serve it")
    pool = desk.plan_pool(offer, performance, demands, desk.scenario.policy, 1)
    if isinstance(pool, CannotServe):
        return _Grown(
            label=offer.tier.label,
            today_count=today.replica_count,
            replica_count=None,
            cost_usd=None,
            refusal=f"{pool.binding_constraint}: {'; '.join(pool.reasons)}",
        )
    return _Grown(
        label=offer.tier.label,
        today_count=today.replica_count,
        replica_count=pool.replica_count,
        cost_usd=pool.cost_usd,
        worker_count=pool.prefill_worker_count,
        today_worker_count=today.prefill_worker_count,
    )


def _shortage(pool: _Grown) -> str:
    """Why today's pool is too little for a month's load; empty where it is enough."""
    if pool.refusal:
        return f"{pool.label}: {pool.refusal}"
    if pool.replica_count is not None and pool.replica_count > (pool.today_count or 0):
        return f"{pool.label} needs {pool.replica_count} replicas, {pool.today_count} are planned today"
    if pool.worker_count is not None and pool.worker_count > (pool.today_worker_count or 0):
        return (
            f"{pool.label} needs {pool.worker_count} prefill workers, {pool.today_worker_count} are planned"
        )
    return ""


def _month(month: int, ratio: float, pools: list[_Grown]) -> GrowthMonth:
    costs = [pool.cost_usd for pool in pools]
    known = [cost for cost in costs if cost is not None]
    return GrowthMonth(
        month_count=month,
        rate_ratio=ratio,
        replica_count=sum(pool.replica_count or 0 for pool in pools),
        cost_usd_per_month=sum(known) if len(known) == len(costs) else None,
    )
