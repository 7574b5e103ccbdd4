"""How far the formulas are from the simulation in the variants: routing, scheduling, bursts, memory, tasks.

    python -m tests.benchmarks.variant_table [--requests 300000] [--only gamma]

A few settings each at 40 to 85 % of capacity; median of the absolute relative error beside its bar, where
one is stated, and the signed errors of every setting.
"""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from models.batched_prediction import predict
from models.lengths import fixed_lengths, lognormal_lengths
from models.performance import BatchedPerformance, StepLaw
from models.processor_sharing import Routing, share
from models.request_mix import mix_of
from models.simulation import SimulatedPoint, simulate
from models.systems import BatchedPool
from models.traffic import Traffic
from models.workloads import Arrival

POINT_COUNT = 16_384
FIGURES = (
    ("ttft_s", "mean"),
    ("ttft_s", "p95"),
    ("itl_s", "mean"),
    ("e2e_s", "mean"),
    ("e2e_s", "p95"),
    ("task_s", "mean"),
    ("task_s", "p95"),
)
# Bars for the median of the absolute error: mean TTFT and mean E2E.
BARS = {
    "plain": (0.03, 0.006),
    "budget 2048": (0.03, 0.006),
    "budget 512": (0.06, 0.008),
    "prefill first": (0.04, 0.03),
    "random": (0.015, 0.015),
    "round robin": (0.04, 0.02),
    "cache limit": (0.04, 0.008),
    "fixed lengths": (0.04, 0.005),
    "gamma 0.25": (0.03, 0.005),
    "gamma 4": (0.20, 0.03),
    "bursts, long": (0.05, 0.03),
    "bursts, short": (0.20, 0.05),
    "fan-out 4": (0.20, 0.08),
    "sequential 10": (0.04, 0.016),
}
LAWS = (
    StepLaw(
        alpha_s=0.011, beta_s_per_seq=1e-4, gamma_s_per_context_tok=1.75e-8, delta_s_per_input_tok=3.5e-5
    ),
    StepLaw(
        alpha_s=0.012,
        beta_s_per_seq=6e-4,
        exponent=0.77,
        gamma_s_per_context_tok=5e-9,
        delta_s_per_input_tok=1.0e-5,
    ),
)
# (step law, slots, replicas, input, output, utilisation)
SETTINGS = (
    (0, 64, 1, 1000, 200, 0.5),
    (0, 64, 4, 1000, 200, 0.8),
    (0, 128, 2, 2000, 500, 0.7),
    (1, 64, 1, 512, 128, 0.8),
    (1, 32, 8, 512, 256, 0.6),
    (1, 256, 2, 128, 256, 0.85),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One setting of one variant."""

    variant: str
    label: str
    pool: BatchedPool
    traffic: Traffic


def cases(only: str | None) -> Iterator[Case]:
    """Every setting of every variant."""
    for variant in BARS:
        if only is None or only in variant:
            for law, slots, replicas, isl, osl, utilisation in SETTINGS:
                yield _case(variant, law, slots, replicas, isl, osl, utilisation)


def _case(variant: str, law: int, slots: int, replicas: int, isl: int, osl: int, utilisation: float) -> Case:
    fixed = variant == "fixed lengths"
    inputs = fixed_lengths(isl) if fixed else lognormal_lengths(isl, 1.0, (1, 32_768))
    outputs = fixed_lengths(osl) if fixed else lognormal_lengths(osl, 1.0, (1, 4096))
    replica = BatchedPerformance(step=LAWS[law], slot_count=slots)
    if variant.startswith("budget"):
        replica = replace(replica, token_budget_tok=int(variant.split()[1]))
    if variant == "cache limit":
        replica = replace(replica, kv_capacity_tok=float(slots * (isl + osl)) * 0.6)
    pool = BatchedPool(
        replica=replica,
        replica_count=replicas,
        routing=_ROUTING.get(variant, "join_shortest_queue"),
        scheduler="prefill_first" if variant == "prefill first" else "mixed",
    )
    traffic = Traffic(rate_req_per_s=1.0, input_tok=inputs, output_tok=outputs, **_TASK.get(variant, {}))
    mix = mix_of(traffic.load.classes)
    loaded = share(replica, mix, pool.scheduler)
    assert loaded is not None
    calls_per_s = utilisation * loaded.max_rate_req_per_s * replicas
    step_s = loaded.shared_step_s(loaded.slot_count / 2.0)
    return Case(
        variant=variant,
        label=f"law {law} slots {slots} replicas {replicas} {isl}/{osl} at {utilisation:g}",
        pool=pool,
        traffic=replace(
            traffic,
            rate_req_per_s=calls_per_s / traffic.call_count_per_task,
            arrival=_arrival(variant, mix.output_tok * step_s, utilisation),
        ),
    )


_ROUTING: dict[str, Routing] = {"random": "random", "round robin": "round_robin"}
_TASK: dict[str, dict[str, Any]] = {
    "fan-out 4": {"fan_out_count": 4},
    "sequential 10": {"sequential_call_count": 10, "pause_s": 1.0},
}


def _arrival(variant: str, latency_s: float, utilisation: float) -> Arrival:
    if variant.startswith("gamma"):
        return Arrival(kind="gamma", scv_ratio=float(variant.split()[1]))
    if variant.startswith("bursts"):
        # Long bursts last 50 requests' time and stay below capacity; short ones a third of one.
        burst_ratio = min(2.0, 0.93 / utilisation) if variant == "bursts, long" else 3.0
        burst_s = latency_s * (50.0 if variant == "bursts, long" else 0.3)
        return Arrival(kind="mmpp", burst_fraction=0.2, burst_ratio=burst_ratio, cycle_s=burst_s / 0.2)
    return Arrival()


def errors_of(case: Case, seen: SimulatedPoint) -> dict[tuple[str, str], float]:
    """Signed relative errors of the formulas, by figure; empty where they give none."""
    point = predict(case.pool, case.traffic, (), POINT_COUNT).point
    if not point.latencies:
        return {}
    told = point.latencies[0]
    return {
        (metric, figure): getattr(getattr(told, metric), figure) / getattr(seen, metric)[figure].value - 1.0
        for metric, figure in FIGURES
    }


def main() -> int:
    """Simulate, compare, print; exit code 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--requests", type=int, default=300_000)
    parser.add_argument("--only", help="variants whose name contains this")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(f"{'':<54}" + " ".join(f"{m[:-2]:>4} {f:<4}" for m, f in FIGURES))
    found: dict[str, list[dict[tuple[str, str], float]]] = {}
    for case in cases(options.only):
        slots = case.pool.replica_count * case.pool.slot_count
        count = max(options.requests, 60 * slots)
        seen = simulate(case.pool, case.traffic, request_count=count, seed=options.seed)
        errors = errors_of(case, seen)
        found.setdefault(case.variant, []).append(errors)
        print(
            f"{case.variant:<14} {case.label:<39}"
            + " ".join(f"{errors[each]:+9.1%}" if errors else f"{'-':>9}" for each in FIGURES),
            flush=True,
        )
    missed = False
    for variant, rows in found.items():
        line, over = _summary(variant, [row for row in rows if row])
        missed |= over
        print(line)
    return 1 if missed else 0


def _summary(variant: str, rows: list[dict[tuple[str, str], float]]) -> tuple[str, bool]:
    medians = [float(np.median([abs(row[each]) for row in rows])) for each in FIGURES]
    ttft_bar, e2e_bar = BARS[variant]
    over = medians[0] > ttft_bar or medians[3] > e2e_bar
    text = f"{variant:<14} {f'median (bars {ttft_bar:.1%} and {e2e_bar:.1%})':<39}"
    return text + " ".join(f"{each:9.1%}" for each in medians) + ("  over" if over else ""), over


if __name__ == "__main__":
    sys.exit(main())
