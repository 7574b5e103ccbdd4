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
from models.plans import Allocation, Plan
from models.scenario import Policy, Scenario
from models.value import value_at_once_usd
from models.workloads import Demand
from models.worth import lost_per_task_usd, tasks_per_month


@dataclass(frozen=True, slots=True, kw_only=True)
class NetValue:
    """A month of a plan in USD: what its answers would be worth at once, what waiting takes, what is left.

    lost_usd_per_month, net_value_usd_per_month   None where the loss of some placed workload is unknown
    unknown   those workloads
    left_out  placed workloads whose worth waiting does not shorten answer by answer (loops, whose turns
              become fewer, and worths that nobody put in USD); no figure here holds them
    """

    value_usd_per_month: float
    lost_usd_per_month: float | None
    cost_usd_per_month: float
    net_value_usd_per_month: float | None
    unknown: tuple[str, ...]
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WorthLine:
    """One workload's part of a month's value; each figure None where the workload is left out or unknown."""

    workload: str
    kind: str
    value_usd_per_task: float | None
    task_count_per_month: float
    value_usd_per_month: float | None
    lost_usd_per_task: float | None
    lost_usd_per_month: float | None


def worth_lines(scenario: Scenario, plan: Plan) -> tuple[WorthLine, ...]:
    """Every placed workload that states a worth: per task, over a month, and what waiting takes of it."""
    by_name = {demand.workload.name: demand for demand in scenario.demands}
    return tuple(
        _worth_line(each, by_name[each.workload])
        for each in plan.allocations
        if by_name[each.workload].workload.value is not None
    )


def _worth_line(each: Allocation, demand: Demand) -> WorthLine:
    value, tasks = demand.workload.value, tasks_per_month(demand)
    counted = ages(demand) and value is not None
    per_task = value_at_once_usd(value) if counted and value is not None else None
    return WorthLine(
        workload=each.workload,
        kind="" if value is None else value.kind,
        value_usd_per_task=per_task,
        task_count_per_month=tasks,
        value_usd_per_month=None if per_task is None else per_task * tasks,
        lost_usd_per_task=each.lost_usd_per_task if counted else None,
        lost_usd_per_month=each.lost_usd_per_month if counted else None,
    )


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
    lines = worth_lines(scenario, plan)
    aging = [line for line in lines if line.value_usd_per_month is not None]
    value = sum(line.value_usd_per_month or 0.0 for line in aging)
    unknown = tuple(line.workload for line in aging if line.lost_usd_per_month is None)
    lost = None if unknown else sum(line.lost_usd_per_month or 0.0 for line in aging)
    cost = plan.totals.cost_usd_per_month
    return NetValue(
        value_usd_per_month=value,
        lost_usd_per_month=lost,
        cost_usd_per_month=cost,
        net_value_usd_per_month=None if lost is None else value - lost - cost,
        unknown=unknown,
        left_out=tuple(line.workload for line in lines if line.value_usd_per_month is None),
    )
