"""From measured load points to the step law of one replica.

Robust least squares on log errors of time per token, time to first token, end-to-end latency and
throughput together, over all lengths of a configuration. Parameters are kept in logarithms; weak priors
enter as further residuals, so that what the points do not determine stays plausible. How much is fitted
follows from how many loads were measured.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from models.load_points import LoadPoint, PointTable, tables
from models.performance import Scheduler, StepLaw
from models.steady_points import (
    ReplicaLaw,
    SteadyPoint,
    closed_point,
    open_point,
    static_point,
)
from models.step_law import (
    EXPONENT,
    EXPONENT_OFF_DENSE,
    EXPONENT_OFF_MIXTURE,
    EXPONENT_RANGE,
    FARTHEST_EXTRAPOLATION_RATIO,
    GROWTH_BATCH,
    LOG_GROWTH_DENSE,
    LOG_GROWTH_MIXTURE,
    LOG_HALF_BATCH,
    TYPICAL_EXPONENT,
    NormalPrior,
)
from models.tokens import Roofline, prior_step_law

FloatArray = NDArray[np.float64]

# Weights of log errors by how well they repeat between runs of one configuration.
WEIGHTS = {"tpot_s": 1.0, "ttft_s": 0.3, "e2e_s": 0.5, "request_rate_req_per_s": 0.5}
PRIOR_WEIGHT = 0.03  # of one deviation from a prior, against one log unit of error
SOFT_EDGE = 0.1  # log error from which a residual counts linearly
LOADS_FOR_EXPONENT = 4

# Beliefs where neither points nor published facts decide, as logarithms.
OVERHEAD_S = NormalPrior(mean=float(np.log(0.02)), deviation=0.8)  # 9 to 45 ms in one deviation
# Prompt tokens whose arithmetic takes as long as a step's overhead and weights: over 75 public sweeps
# (SemiAnalysis InferenceMAX, October 2025) 209, from 117 to 364 at the 10th and 90th percentile.
PROMPT_TOK_PER_STEP = NormalPrior(mean=float(np.log(209.0)), deviation=0.44)
# Context tokens whose KV cache is as large as the weights read: 1e5 (8B, GQA) to 1e6 (large, MLA).
CONTEXT_TOK_PER_STEP = NormalPrior(mean=float(np.log(3e5)), deviation=1.2)
KNOWN_COST_DEVIATION = 0.3  # of a cost that follows from published facts at typical efficiency
STARTS = ((3.0, 0.77), (20.0, 0.9), (100.0, 0.6))  # half-batch and exponent to start from

ALPHA, HALF_BATCH, POWER, DELTA, OVERHEAD, GAMMA = range(6)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What is known of a replica beside its step law; infinity where nothing limits."""

    slot_count: float
    kv_capacity_tok: float
    token_budget_tok: float
    scheduler: Scheduler = "mixed"


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedLaw:
    """A step law with its overhead, and whether its exponent was fitted or taken as typical."""

    step: StepLaw
    overhead_s: float
    exponent_is_fitted: bool


def fit_step_law(points: Sequence[LoadPoint], limits: Limits, bounds: Roofline | None) -> FittedLaw:
    """The step law that the points show best; at least one point.

    Bounded by the roofline where it is known and the points themselves do not beat it.
    """
    data = tables(points)
    free_exponent = load_count(points) >= LOADS_FOR_EXPONENT
    priors = _priors(points, bounds)
    lowest, highest = _bounds(data, bounds, None if free_exponent else priors.exponent.mean)

    def residuals(parameters: FloatArray) -> FloatArray:
        law = _replica_law(parameters, limits)
        errors = [_log_errors(law, table) for table in data]
        return np.concatenate([*errors, _prior_errors(parameters, priors)])

    best = min((_solve(residuals, start, lowest, highest) for start in _starts(data, priors)), key=_cost)
    law = _replica_law(best[0], limits)
    return FittedLaw(step=law.step, overhead_s=law.overhead_s, exponent_is_fitted=free_exponent)


def load_count(points: Sequence[LoadPoint]) -> int:
    """Different loads measured at the one shape that has most of them."""
    loads: dict[tuple[float, float], set[float]] = {}
    for point in points:
        loads.setdefault(point.shape, set()).add(point.load)
    return max(len(each) for each in loads.values())


def predicted(law: ReplicaLaw, table: PointTable) -> SteadyPoint:
    """What the law says about a table's points."""
    by_kind: dict[str, Callable[..., SteadyPoint]] = {
        "closed": closed_point,
        "open": open_point,
        "static": static_point,
    }
    return by_kind[table.kind](law, table.load, table.lengths)


def _replica_law(parameters: FloatArray, limits: Limits) -> ReplicaLaw:
    alpha, power = float(np.exp(parameters[ALPHA])), float(parameters[POWER])
    return ReplicaLaw(
        step=StepLaw(
            alpha_s=alpha,
            beta_s_per_seq=alpha * float(np.exp(-parameters[HALF_BATCH] * power)),
            exponent=power,
            gamma_s_per_context_tok=float(np.exp(parameters[GAMMA])),
            delta_s_per_input_tok=float(np.exp(parameters[DELTA])),
        ),
        slot_count=limits.slot_count,
        kv_capacity_tok=limits.kv_capacity_tok,
        token_budget_tok=limits.token_budget_tok,
        overhead_s=float(np.exp(parameters[OVERHEAD])),
        scheduler=limits.scheduler,
    )


def _log_errors(law: ReplicaLaw, table: PointTable) -> FloatArray:
    seen = predicted(law, table)
    errors: list[FloatArray] = []
    for name, weight in WEIGHTS.items():
        if table.kind == "open" and name == "request_rate_req_per_s":
            continue
        measured = getattr(table, name)
        known = np.isfinite(measured)
        errors.append(weight * np.log(getattr(seen, name)[known] / measured[known]))
    return np.concatenate(errors)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Priors:
    """Beliefs about the parameters; relative to alpha unless published facts give them.

    growth  ln of a step's growth from 1 to `GROWTH_BATCH` sequences, where facts give it
    """

    half_batch: NormalPrior | None
    growth: NormalPrior | None
    exponent: NormalPrior
    delta: NormalPrior
    delta_is_relative: bool
    gamma: NormalPrior
    gamma_is_relative: bool


def _priors(points: Sequence[LoadPoint], bounds: Roofline | None) -> _Priors:
    delta, gamma = PROMPT_TOK_PER_STEP, CONTEXT_TOK_PER_STEP
    exponent, growth = NormalPrior(mean=TYPICAL_EXPONENT, deviation=EXPONENT.deviation), None
    context_s = None if bounds is None else bounds.context_s_per_tok
    if bounds is not None:
        delta = NormalPrior(
            mean=float(np.log(bounds.prefill_s_per_tok)), deviation=2.0 * KNOWN_COST_DEVIATION
        )
        held = [count for point in points if (count := point.held_count) is not None] or [1.0]
        shape = prior_step_law(bounds, min(held), max(held) * FARTHEST_EXTRAPOLATION_RATIO)
        dense = bounds.model.kind == "dense"
        off = EXPONENT_OFF_DENSE if dense else EXPONENT_OFF_MIXTURE
        exponent = NormalPrior(
            mean=min(shape.exponent + off.mean, EXPONENT_RANGE[1]), deviation=off.deviation
        )
        over = LOG_GROWTH_DENSE if dense else LOG_GROWTH_MIXTURE
        known = _log_growth(float(np.log(shape.beta_s_per_seq)), shape.exponent)
        growth = NormalPrior(mean=known + over.mean, deviation=over.deviation)
    if context_s is not None and context_s > 0.0:
        gamma = NormalPrior(mean=float(np.log(context_s)), deviation=KNOWN_COST_DEVIATION)
    return _Priors(
        half_batch=LOG_HALF_BATCH if growth is None else None,
        growth=growth,
        exponent=exponent,
        delta=delta,
        delta_is_relative=bounds is None,
        gamma=gamma,
        gamma_is_relative=context_s is None or context_s <= 0.0,
    )


def _log_growth(log_beta: float, exponent: float) -> float:
    return log_beta + float(np.log(np.expm1(exponent * np.log(GROWTH_BATCH))))


def _prior_errors(parameters: FloatArray, priors: _Priors) -> FloatArray:
    alpha = parameters[ALPHA]
    delta = alpha - parameters[DELTA] if priors.delta_is_relative else parameters[DELTA]
    gamma = alpha - parameters[GAMMA] if priors.gamma_is_relative else parameters[GAMMA]
    log_beta = float(alpha - parameters[HALF_BATCH] * parameters[POWER])
    pairs = (
        (parameters[HALF_BATCH], priors.half_batch),
        (_log_growth(log_beta, float(parameters[POWER])), priors.growth),
        (parameters[POWER], priors.exponent),
        (delta, priors.delta),
        (gamma, priors.gamma),
        (parameters[OVERHEAD], OVERHEAD_S),
    )
    deviations = [(value - prior.mean) / prior.deviation for value, prior in pairs if prior is not None]
    return PRIOR_WEIGHT * np.array(deviations, dtype=np.float64)


def _bounds(
    data: Sequence[PointTable], bounds: Roofline | None, fixed_exponent: float | None
) -> tuple[FloatArray, FloatArray]:
    """Lowest and highest parameters; the roofline's floors hold unless a measurement beats them."""
    lowest = np.array([-14.0, -3.0, EXPONENT_RANGE[0], -25.0, np.log(1e-4), -30.0])
    highest = np.array([5.0, 12.0, EXPONENT_RANGE[1], 3.0, np.log(2.0), 0.0])
    if fixed_exponent is not None:
        lowest[POWER], highest[POWER] = fixed_exponent - 1e-6, fixed_exponent + 1e-6
    if bounds is not None:
        fastest_s = _fastest_tpot_s(data)
        if fastest_s is None or fastest_s > bounds.floor_step_s:
            lowest[ALPHA] = np.log(bounds.floor_step_s * 0.999)
        lowest[DELTA] = np.log(bounds.floor_prefill_s_per_tok)
    return lowest, highest


def _fastest_tpot_s(data: Sequence[PointTable]) -> float | None:
    known = np.concatenate([table.tpot_s[np.isfinite(table.tpot_s)] for table in data])
    return float(known.min()) if len(known) else None


def _starts(data: Sequence[PointTable], priors: _Priors) -> list[FloatArray]:
    """Parameters to start from: the fastest step seen, and a few shapes of curve."""
    step_s = [
        np.nanmin(np.where(np.isfinite(table.tpot_s), table.tpot_s, table.e2e_s / table.lengths.osl_tok))
        for table in data
    ]
    alpha = float(np.log(0.8 * min(step_s)))
    delta = alpha - priors.delta.mean if priors.delta_is_relative else priors.delta.mean
    gamma = alpha - priors.gamma.mean if priors.gamma_is_relative else priors.gamma.mean
    return [
        np.array([alpha, np.log(half_batch), power, delta, OVERHEAD_S.mean, gamma])
        for half_batch, power in STARTS
    ]


def _solve(
    residuals: Callable[[FloatArray], FloatArray], start: FloatArray, lowest: FloatArray, highest: FloatArray
) -> tuple[FloatArray, float]:
    inside = np.clip(start, lowest + 1e-9, highest - 1e-9)
    solution = least_squares(
        residuals, inside, bounds=(lowest, highest), loss="soft_l1", f_scale=SOFT_EDGE, max_nfev=60
    )
    return np.asarray(solution.x, dtype=float), float(solution.cost)


def _cost(solution: tuple[FloatArray, float]) -> float:
    return solution[1]
