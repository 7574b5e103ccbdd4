"""What a set of workloads asks of a pool: its calls at one hour of the day, and the promises made."""

from collections.abc import Sequence
from dataclasses import replace

from models.performance import Load, RequestClass
from models.workloads import Arrival, Demand, Target


def request_class(demand: Demand, hour: int | None = None) -> RequestClass:
    """A workload's calls as a tier sees them, at one hour of the day or, without one, at its peak."""
    workload = demand.workload
    shape = 1.0 if hour is None else demand.hourly_fraction[hour]
    return RequestClass(
        name=workload.name,
        rate_req_per_s=demand.peak_call_rate_req_per_s * shape,
        input_tok=workload.input_tok,
        output_tok=workload.output_tok,
        cached_input_fraction=workload.cached_input_fraction,
        sequential_call_count=workload.sequential_call_count,
        pause_s=workload.pause_s,
        fan_out_count=workload.fan_out_count,
    )


def load_of(demands: Sequence[Demand], hour: int | None = None) -> Load:
    """What a set of workloads asks of a pool in one hour."""
    classes = tuple(request_class(demand, hour) for demand in demands)
    return Load(classes=classes, arrival=_joint_arrival(demands, classes))


def _joint_arrival(demands: Sequence[Demand], classes: Sequence[RequestClass]) -> Arrival:
    """One arrival process for several streams joined.

    Renewal streams: the rate-weighted mean of their squared coefficients of variation (Whitt 1983, The
    Queueing Network Analyzer, asymptotic method). A modulated stream among them speaks for all.
    """
    modulated = [demand.arrival for demand in demands if demand.arrival.kind not in ("poisson", "gamma")]
    if modulated:
        return max(modulated, key=lambda each: (each.burst_ratio, each.amplitude_fraction, each.kind))
    rate = sum(each.rate_req_per_s for each in classes)
    if rate <= 0 or all(demand.arrival.scv_ratio == 1.0 for demand in demands):
        return Arrival()
    pairs = zip(classes, demands, strict=True)
    scv_ratio = sum(each.rate_req_per_s * demand.arrival.scv_ratio for each, demand in pairs) / rate
    return Arrival(kind="gamma", scv_ratio=scv_ratio)


def targets_of(demands: Sequence[Demand], slack_ratio: float = 1.0) -> dict[str, tuple[Target, ...]]:
    """Every workload's promises, by workload name; with slack, their limits that much wider."""
    return {
        demand.workload.name: tuple(
            replace(target, limit_s=target.limit_s * slack_ratio) for target in demand.workload.targets
        )
        for demand in demands
    }
