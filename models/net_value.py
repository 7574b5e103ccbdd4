"""Value as the aim of a plan: what answers are worth as they come, less what serving them costs.

The value of an answer without delay is the same on every tier, so the greatest net value is the least sum of
bill and value lost to latency (see `value`). A workload without a value, or whose loop turns as often as
asked whatever the speed, loses nothing here: for it the bill decides. Where a latency's tail is unknown so is
the value lost, and the tier is not weighed: nothing is invented for it. Machines are sized by their targets;
none is added for value alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from models.performance import CannotServe, OperatingPoint
from models.plans import Plan
from models.scenario import Policy, Scenario
from models.value import value_at_once_usd
from models.workloads import Demand
from models.worth import lost_per_task_usd, tasks_per_month


@dataclass(frozen=True, slots=True, kw_only=True)
class NetValue:
    """A month of a plan in USD: what its answers would be worth at once, what waiting takes, what is left.

    lost_usd_per_month, net_value_usd_per_month   None where the loss of some placed workload is unknown
    unknown   those workloads
    """

    value_usd_per_month: float
    lost_usd_per_month: float | None
    cost_usd_per_month: float
    net_value_usd_per_month: float | None
    unknown: tuple[str, ...]


def ages(demand: Demand) -> bool:
    """Whether the workload's answers lose value one by one while somebody waits."""
    value = demand.workload.value
    if value is None or value.kind == "iterations":
        return False
    return value.kind == "waiting_time" or value.value_usd_per_task is not None


def weighs_value(policy: Policy) -> bool:
    """Whether the plan aims at net value and not at the bill alone."""
    return policy.objective == "net_value"


def unweighable(policy: Policy, demands: Sequence[Demand], point: OperatingPoint) -> CannotServe | None:
    """Why an operating point cannot be weighed by value; None where it can, or only the bill counts."""
    if not weighs_value(policy):
        return None
    names = [
        demand.workload.name
        for demand in demands
        if ages(demand) and lost_per_task_usd(demand, point.of(demand.workload.name)) is None
    ]
    if not names:
        return None
    return CannotServe(
        binding_constraint="value",
        reasons=tuple(
            f"{name}: the tail of its latency is unknown, and so is the value its answers lose"
            for name in names
        ),
        would_fit_if="you measured it, accepted a spread (accepted_p95_to_p50_ratio) or planned by cost",
    )


def lost_usd(policy: Policy, demands: Sequence[Demand], point: OperatingPoint) -> float:
    """Value that the demands lose in a month at an operating point; 0 where only the bill counts."""
    if not weighs_value(policy):
        return 0.0
    return sum(
        (lost_per_task_usd(demand, point.of(demand.workload.name)) or 0.0) * tasks_per_month(demand)
        for demand in demands
        if ages(demand)
    )


def net_value_of(scenario: Scenario, plan: Plan) -> NetValue:
    """The value that a plan gains and loses in a month, whatever it was chosen by."""
    by_name = {demand.workload.name: demand for demand in scenario.demands}
    aging = [each for each in plan.allocations if ages(by_name[each.workload])]
    value = 0.0
    for each in aging:
        demand = by_name[each.workload]
        if demand.workload.value is not None:
            value += value_at_once_usd(demand.workload.value) * tasks_per_month(demand)
    unknown = tuple(each.workload for each in aging if each.lost_usd_per_month is None)
    lost = None if unknown else sum(each.lost_usd_per_month or 0.0 for each in aging)
    cost = plan.totals.cost_usd_per_month
    return NetValue(
        value_usd_per_month=value,
        lost_usd_per_month=lost,
        cost_usd_per_month=cost,
        net_value_usd_per_month=None if lost is None else value - lost - cost,
        unknown=unknown,
    )
