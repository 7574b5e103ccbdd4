"""A hosted tier serving a set of workloads: whether its limits and latencies allow it, and its bill."""

from collections.abc import Sequence

from models.architectures import hosted_api
from models.fallback import billed_usd_per_month
from models.performance import CannotServe, HostedPerformance, OperatingPoint
from models.pool_loads import load_of, targets_of
from models.pool_plan import PoolPlan
from models.scenario import Policy
from models.sizing import first_miss
from models.tiers import Offer, TokenPrice
from models.workloads import METRIC_WORDS, Demand, Target


def hosted_pool(
    offer: Offer, performance: HostedPerformance, demands: Sequence[Demand], policy: Policy
) -> PoolPlan | CannotServe:
    """Price a hosted tier for a set of workloads, or say why it cannot serve them."""
    price = offer.tier.price
    if not isinstance(price, TokenPrice):
        raise ValueError(f"tier {offer.tier.id} is not paid per token")
    peak_load = load_of(demands)
    point = hosted_api.operate(performance, peak_load)
    refusal = _hosted_refusal(point, demands, policy)
    if refusal is not None:
        return refusal
    used = tuple(billed_usd_per_month(price, offer.tier.fallback, demand) for demand in demands)
    used_usd = sum(used)
    total = max(used_usd, price.minimum_usd_per_month)
    shares = tuple(usd / used_usd if used_usd > 0 else 1.0 / len(used) for usd in used)
    return PoolPlan(
        busiest_hour_h=None,
        load=peak_load,
        point=point,
        binding_constraint="rate limit" if (point.utilisation_fraction or 0.0) > 0.5 else "price",
        binding_workload="",
        replica_count=None,
        spare_replica_count=0,
        share_fraction=shares,
        cost_usd=total,
        idle_usd=total - used_usd,
        redundancy_usd=0.0,
        cost_usd_by_workload=tuple(total * share for share in shares),
    )


def _hosted_refusal(point: OperatingPoint, demands: Sequence[Demand], policy: Policy) -> CannotServe | None:
    """Why a hosted tier cannot serve a load: a rate limit, a target missed, or a latency nobody published."""
    used = point.utilisation_fraction
    if used is not None and used > policy.max_utilisation_fraction:
        return CannotServe(
            binding_constraint="rate limit",
            reasons=(f"the peak uses {used:.0%} of the supplier's rate limit",),
            would_fit_if=f"the limit were {used / policy.max_utilisation_fraction:.2g} times as high",
        )
    miss = first_miss(point, targets_of(demands))
    if miss is None:
        return None
    name, constraint = miss.target.name, miss.constraint
    if miss.predicted_s is not None:
        return CannotServe(
            binding_constraint=constraint,
            reasons=(f"{name}: {miss.predicted_s:.3g} s",),
            would_fit_if=f"the limit were at least {miss.predicted_s:.3g} s",
        )
    metric = METRIC_WORDS[miss.target.metric]
    return CannotServe(
        binding_constraint="evidence",
        reasons=(f"{name}: {metric} p{miss.target.quantile * 100:g} is not published",),
        would_fit_if=_cure_for_unknown(point, miss.target),
    )


def _cure_for_unknown(point: OperatingPoint, target: Target) -> str:
    """What would make an unknown percentile known: a measurement, or a spread where a median is known."""
    median = point.latencies[0].at(target.metric, 0.5) if point.latencies else None
    if median is None:
        return "you import a measurement of it"
    return "you import a measurement of it, or accept a spread (policy: accepted_p95_to_p50_ratio)"
