"""How many replicas a load needs: the fewest at which every target holds and no machine is overdriven."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from models.performance import CannotServe, Load, OperatingPoint
from models.plans import TargetResult
from models.workloads import METRIC_WORDS, Target

MAX_REPLICA_COUNT = 1_000_000
MOST_OVER_FLOOR_RATIO = 64  # beyond, replicas idle and more of them change nothing

Operate = Callable[[Load, int], OperatingPoint]
Targets = Mapping[str, tuple[Target, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizing:
    """The fewest replicas that serve a load, and what keeps one fewer from doing so.

    binding_workload  whose target binds; "" where throughput does
    """

    replica_count: int
    point: OperatingPoint
    binding_constraint: str
    binding_workload: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Miss:
    """A target that is not kept, and whose it is."""

    workload: str
    result: TargetResult

    @property
    def target(self) -> Target:
        """The target missed."""
        return self.result.target

    @property
    def predicted_s(self) -> float | None:
        """What was predicted instead; None where nobody can say."""
        return self.result.predicted_s

    @property
    def constraint(self) -> str:
        """The constraint in words: `TTFT target`."""
        return f"{METRIC_WORDS[self.target.metric]} target"


def target_results(point: OperatingPoint, targets: Targets) -> dict[str, tuple[TargetResult, ...]]:
    """Each workload's targets against the prediction; an unstable pool predicts nothing."""
    return {
        name: tuple(
            TargetResult(
                target=target,
                predicted_s=point.of(name).at(target.metric, target.quantile) if point.stable else None,
            )
            for target in wanted
        )
        for name, wanted in targets.items()
    }


def first_miss(point: OperatingPoint, targets: Targets) -> Miss | None:
    """The target missed by the widest ratio; an unknown latency is the widest miss."""
    missed = [
        Miss(workload=name, result=result)
        for name, results in target_results(point, targets).items()
        for result in results
        if not result.holds
    ]
    return max(missed, key=_miss_ratio, default=None)


def _miss_ratio(miss: Miss) -> float:
    return float("inf") if miss.predicted_s is None else miss.predicted_s / miss.target.limit_s


def size(
    operate: Operate,
    load: Load,
    targets: Targets,
    replica_rate_req_per_s: float,
    fewest_replica_count: int = 1,
) -> Sizing | CannotServe:
    """The smallest replica count at which the pool carries the load with all targets held.

    replica_rate_req_per_s  what one replica may be given at this mix: its highest rate times the allowed
    utilisation
    Utilisation and latencies fall as replicas are added, so the count is found by growing steps and then
    bisection. Where the targets fail even with the load spread so thin that replicas idle, no number helps.
    """
    needed = max(1, _at_least(load.rate_req_per_s / replica_rate_req_per_s))
    if needed > MAX_REPLICA_COUNT:
        return CannotServe(
            binding_constraint="capacity",
            reasons=(f"would need {needed:,} replicas, more than the {MAX_REPLICA_COUNT:,} planned for",),
            would_fit_if="the rate were lower, or the answers shorter",
        )
    floor = max(needed, fewest_replica_count)
    point = operate(load, floor)
    miss = first_miss(point, targets)
    if miss is None:
        lesser = None if floor == needed else first_miss(operate(load, floor - 1), targets)
        return _sized(floor, point, lesser)
    return _search(operate, load, targets, floor, miss)


def _at_least(ratio: float) -> int:
    """The smallest whole number not below a ratio, forgiving rounding in its last digits."""
    return -int(-(ratio - 1e-9) // 1)


def _sized(replica_count: int, point: OperatingPoint, lesser: Miss | None) -> Sizing:
    """The sizing, with what one replica fewer would miss."""
    return Sizing(
        replica_count=replica_count,
        point=point,
        binding_constraint="throughput" if lesser is None else lesser.constraint,
        binding_workload="" if lesser is None else lesser.workload,
    )


def _search(operate: Operate, load: Load, targets: Targets, floor: int, miss: Miss) -> Sizing | CannotServe:
    """Beyond the floor, where a target is missed: steps of 1, 2, 4, ..., up to 64 times the floor."""
    low, step, ceiling = floor, 1, floor * MOST_OVER_FLOOR_RATIO
    while True:
        high = min(low + step, ceiling)
        best = operate(load, high)
        still = first_miss(best, targets)
        if still is None:
            break
        if high == ceiling or still.predicted_s is None:
            return refusal_of(still)
        low, miss, step = high, still, step * 2
    while high - low > 1:
        middle = (low + high) // 2
        point = operate(load, middle)
        still = first_miss(point, targets)
        if still is None:
            high, best = middle, point
        else:
            low, miss = middle, still
    return _sized(high, best, miss)


def refusal_of(miss: Miss) -> CannotServe:
    """A target that no number of replicas meets."""
    name = miss.target.name
    constraint = miss.constraint
    if miss.predicted_s is None:
        return CannotServe(
            binding_constraint=constraint,
            reasons=(f"{name}: not known for this tier",),
            would_fit_if="a measurement of it were imported",
        )
    return CannotServe(
        binding_constraint=constraint,
        reasons=(f"{name}: {miss.predicted_s:.3g} s even at light load",),
        would_fit_if=f"the limit were at least {miss.predicted_s:.3g} s, or the model ran faster",
    )
