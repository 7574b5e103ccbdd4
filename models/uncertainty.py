"""How sure the plan is: the chance that each target holds, and the range its latency will fall in.

Three things may turn out otherwise: how fast the machine really is, how well the formulas describe it,
and how much work arrives.

1. Speed. The logarithm of one factor on all step times is normal. Its deviation is what the fit's errors
   show (median absolute error / 0.6745), widened by the interpolation band where lengths or loads lie
   outside the measured ones, and that of a prior where nothing was measured. The factor is integrated by
   Gauss-Hermite quadrature, so that the same plan always gives the same chance.
2. Formulas. Each latency carries a lognormal discrepancy: the 90th percentile of the model's error against
   an iteration-level simulation, over 1.645.
3. Demand. The scenarios of the outlook, by weight, at a fixed number of replicas. A pool that the demand
   overwhelms holds no target.

Targets of one pool rise and fall together (one speed, one demand), so its chance is that of its weakest
target; pools are independent.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from models.performance import (
    BatchedPerformance,
    Load,
    MachinePerformance,
    OperatingPoint,
    PipelinePerformance,
    StepLaw,
)
from models.scenario import DemandScenario
from models.workloads import Target

FloatArray = NDArray[np.float64]
MEDIAN_OF_ABSOLUTE_NORMAL = 0.6745
PRIOR_LOG_DEVIATION = 0.35  # roofline priors against measured step times: a factor 0.7 to 1.4
OUTSIDE_LOG_DEVIATION = 0.16  # half the 80 % band at two to four times the measured range, over 1.28
LEAST_LOG_DEVIATION = 0.02  # repeats of one benchmark differ by this much
NODE_COUNT = 5
# 90th percentile of |error| against simulation, by metric and for p95 and beyond.
MODEL_ERROR = {
    ("ttft_s", False): 0.10,
    ("ttft_s", True): 0.22,
    ("itl_s", False): 0.02,
    ("itl_s", True): 0.10,
    ("tpot_s", False): 0.02,
    ("tpot_s", True): 0.09,
    ("e2e_s", False): 0.03,
    ("e2e_s", True): 0.06,
    ("task_s", False): 0.03,
    ("task_s", True): 0.06,
}
NORMAL_QUANTILE_90 = 1.645  # of |error|
BASE = DemandScenario(name="as stated", weight=1.0, rate_ratio=1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetOdds:
    """The chance that one target holds, and the latency's P10, P50, P90 in seconds (None: backlog grows)."""

    workload: str
    target: Target
    hold_probability_fraction: float
    low_s: float | None
    middle_s: float | None
    high_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolOdds:
    """The targets of one pool, and the chance that all of them hold."""

    targets: tuple[TargetOdds, ...]
    hold_probability_fraction: float


Operate = Callable[[MachinePerformance, Load, int], OperatingPoint]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Future:
    """One speed and one demand, how likely they are, and what the pool does then."""

    weight: float
    point: OperatingPoint


def speed_log_deviation(performance: MachinePerformance, inside_domain: bool) -> float:
    """Standard deviation of the logarithm of the step-time factor."""
    quality = performance.quality
    errors = (
        [
            error
            for error in (
                quality.residual_fraction,
                quality.leave_one_load_out_fraction,
                quality.leave_one_shape_out_fraction,
            )
            if error is not None
        ]
        if quality is not None
        else []
    )
    if not errors:
        return PRIOR_LOG_DEVIATION
    fitted = max(max(errors) / MEDIAN_OF_ABSOLUTE_NORMAL, LEAST_LOG_DEVIATION)
    return fitted if inside_domain else math.hypot(fitted, OUTSIDE_LOG_DEVIATION)


def with_speed(performance: MachinePerformance, time_ratio: float) -> MachinePerformance:
    """The same replica with every step taking `time_ratio` times as long."""
    if isinstance(performance, BatchedPerformance):
        return replace(performance, step=_slower(performance.step, time_ratio))
    if isinstance(performance, PipelinePerformance):
        per_input = performance.bottleneck_s_per_input_tok
        return replace(
            performance,
            unloaded_token_s=performance.unloaded_token_s * time_ratio,
            bottleneck_s_per_input_tok=None if per_input is None else per_input * time_ratio,
        )
    return replace(
        performance,
        decode=replace(performance.decode, step=_slower(performance.decode.step, time_ratio)),
        alpha_s=performance.alpha_s * time_ratio,
        delta_s_per_input_tok=performance.delta_s_per_input_tok * time_ratio,
    )


def _slower(law: StepLaw, time_ratio: float) -> StepLaw:
    return StepLaw(
        alpha_s=law.alpha_s * time_ratio,
        beta_s_per_seq=law.beta_s_per_seq * time_ratio,
        exponent=law.exponent,
        gamma_s_per_context_tok=law.gamma_s_per_context_tok * time_ratio,
        delta_s_per_input_tok=law.delta_s_per_input_tok * time_ratio,
    )


def pool_odds(
    operate: Operate,
    performance: MachinePerformance,
    load: Load,
    replica_count: int,
    targets: Mapping[str, Sequence[Target]],
    scenarios: Sequence[DemandScenario],
    inside_domain: bool,
) -> PoolOdds:
    """The odds of a pool of machines over speeds and demands; exact but for the quadrature."""
    futures = _futures(operate, performance, load, replica_count, scenarios, inside_domain)
    wanted = [(name, target) for name, each in targets.items() for target in each]
    chances = [[_chance(future, name, target) for name, target in wanted] for future in futures]
    weights = np.array([future.weight for future in futures])
    joint = float(weights @ np.array([min(each, default=1.0) for each in chances]))
    return PoolOdds(
        targets=tuple(
            _target_odds(futures, name, target, float(weights @ np.array([each[index] for each in chances])))
            for index, (name, target) in enumerate(wanted)
        ),
        hold_probability_fraction=joint,
    )


def _futures(
    operate: Operate,
    performance: MachinePerformance,
    load: Load,
    replica_count: int,
    scenarios: Sequence[DemandScenario],
    inside_domain: bool,
) -> list[_Future]:
    """Every speed with every demand, their weights adding up to one."""
    deviation = speed_log_deviation(performance, inside_domain)
    nodes, node_weights = np.polynomial.hermite_e.hermegauss(NODE_COUNT)
    demands = scenarios or (BASE,)
    total = sum(each.weight for each in demands) * float(node_weights.sum())
    futures = []
    for node, node_weight in zip(nodes, node_weights, strict=True):
        machine = with_speed(performance, math.exp(deviation * float(node)))
        for demand in demands:
            point = operate(machine, _scaled(load, demand.rate_ratio), replica_count)
            futures.append(_Future(weight=float(node_weight) * demand.weight / total, point=point))
    return futures


def _scaled(load: Load, ratio: float) -> Load:
    classes = tuple(replace(each, rate_req_per_s=each.rate_req_per_s * ratio) for each in load.classes)
    return replace(load, classes=classes)


def _discrepancy(target: Target) -> float:
    """Log deviation of the formulas for a metric at a quantile."""
    return MODEL_ERROR[target.metric, target.quantile >= 0.95] / NORMAL_QUANTILE_90


def _latency_s(future: _Future, name: str, target: Target) -> float | None:
    return future.point.of(name).at(target.metric, target.quantile) if future.point.stable else None


def _chance(future: _Future, name: str, target: Target) -> float:
    """Chance that a target holds in one future."""
    latency_s = _latency_s(future, name, target)
    if latency_s is None:
        return 0.0
    return float(ndtr(math.log(target.limit_s / latency_s) / _discrepancy(target)))


def _target_odds(futures: Sequence[_Future], name: str, target: Target, chance: float) -> TargetOdds:
    low, middle, high = (_quantile_s(futures, name, target, share) for share in (0.1, 0.5, 0.9))
    return TargetOdds(
        workload=name,
        target=target,
        hold_probability_fraction=chance,
        low_s=low,
        middle_s=middle,
        high_s=high,
    )


def _quantile_s(futures: Sequence[_Future], name: str, target: Target, share: float) -> float | None:
    """Quantile of the mixture of lognormals over futures; None where it falls among growing backlogs."""
    known = [
        (future.weight, math.log(latency_s))
        for future in futures
        if (latency_s := _latency_s(future, name, target)) is not None
    ]
    if sum(weight for weight, _ in known) <= share:
        return None
    weights, middles = (np.array(each) for each in zip(*known, strict=True))
    spread = _discrepancy(target)
    grid = np.linspace(middles.min() - 4 * spread, middles.max() + 4 * spread, 400)
    below: FloatArray = ndtr((grid[:, None] - middles[None, :]) / spread) @ weights
    return float(np.exp(np.interp(share, below, grid)))
