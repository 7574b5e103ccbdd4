"""How far the formulas are from the simulation of the same assumptions, over a random grid of settings.

    python -m tests.benchmarks.accuracy_grid --seed 1 --points 60

Prints the median and 90th percentile of the absolute relative error of each figure beside its bar, the
noise of the simulation itself (half of its 95 % confidence interval), and the worst settings.
"""

import argparse
import json
import sys
import time
from dataclasses import dataclass

import numpy as np

from models.architectures import batched_accelerator
from models.lengths import TokenLengths, fixed_lengths, lognormal_lengths
from models.performance import BatchedPerformance, Load, RequestClass, StepLaw
from models.simulation import SimulatedPoint, simulate
from models.systems import BatchedPool
from models.traffic import Traffic

# (metric, figure): bar for the median and the 90th percentile of the absolute error.
BARS = {
    ("itl_s", "mean"): (0.003, 0.02),
    ("e2e_s", "mean"): (0.006, 0.03),
    ("ttft_s", "mean"): (0.03, 0.10),
    ("e2e_s", "p95"): (0.01, 0.04),
    ("e2e_s", "p99"): (0.015, 0.08),
    ("ttft_s", "p95"): (0.05, 0.20),
    ("ttft_s", "p99"): (0.06, 0.25),
}
# Plausible step laws: a small dense model, a large one, a mixture of experts, a slow accelerator.
STEP_LAWS = (
    StepLaw(alpha_s=0.006, beta_s_per_seq=5e-5, gamma_s_per_context_tok=1.0e-8, delta_s_per_input_tok=1.5e-5),
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
    StepLaw(alpha_s=0.025, beta_s_per_seq=3e-4, gamma_s_per_context_tok=4.0e-8, delta_s_per_input_tok=1.0e-4),
)
LENGTH_PAIRS = ((128, 256), (512, 128), (1000, 200), (2000, 500), (3000, 60))
CV_RATIOS = (0.0, 0.5, 1.0, 2.0)
SLOT_COUNTS = (8, 16, 32, 64, 128, 256)
REPLICA_COUNTS = (1, 2, 4, 16, 64)
MAX_PREFILL_FRACTION = 0.6
FEWEST_REQUESTS, REQUESTS_PER_SLOT = 400_000, 80
POINT_COUNT = 16_384  # of the formulas' fixed sample


@dataclass(frozen=True, slots=True, kw_only=True)
class GridPoint:
    """One setting of the grid."""

    replica: BatchedPerformance
    replica_count: int
    input_tok: TokenLengths
    output_tok: TokenLengths
    rate_req_per_s: float
    label: str

    @property
    def load(self) -> Load:
        """The load as the formulas take it."""
        return _load(self.input_tok, self.output_tok, self.rate_req_per_s)


def draw_point(generator: np.random.Generator) -> GridPoint:
    """A random setting whose prefill takes at most the allowed share of time."""
    while True:
        law = STEP_LAWS[generator.integers(len(STEP_LAWS))]
        isl, osl = LENGTH_PAIRS[generator.integers(len(LENGTH_PAIRS))]
        cv = float(generator.choice(CV_RATIOS))
        slots, replicas = int(generator.choice(SLOT_COUNTS)), int(generator.choice(REPLICA_COUNTS))
        utilisation = float(generator.uniform(0.1, 0.9))
        inputs, outputs = _lengths(isl, cv, 32_768), _lengths(osl, cv, 4096)
        replica = BatchedPerformance(step=law, slot_count=slots)
        highest = batched_accelerator.max_rate(replica, _load(inputs, outputs, 1.0), 1)
        prefill = utilisation * highest * law.delta_s_per_input_tok * inputs.mean_tok
        if prefill <= MAX_PREFILL_FRACTION:
            return GridPoint(
                replica=replica,
                replica_count=replicas,
                input_tok=inputs,
                output_tok=outputs,
                rate_req_per_s=utilisation * highest * replicas,
                label=f"alpha {law.alpha_s:g} isl {isl} osl {osl} cv {cv:g} slots {slots} replicas {replicas}"
                f" utilisation {utilisation:.2f} prefill {prefill:.2f}",
            )


def simulated(point: GridPoint, seed: int, request_count: int) -> SimulatedPoint:
    """What the simulation says."""
    return simulate(
        BatchedPool(replica=point.replica, replica_count=point.replica_count),
        Traffic(rate_req_per_s=point.rate_req_per_s, input_tok=point.input_tok, output_tok=point.output_tok),
        request_count=request_count,
        seed=seed,
    )


def compare(point: GridPoint, seed: int, request_count: int) -> dict[str, object]:
    """Signed relative errors of the formulas, and the noise of the simulation, by figure."""
    truth = simulated(point, seed, request_count)
    answer = batched_accelerator.operate(
        point.replica, point.load, point.replica_count, point_count=POINT_COUNT
    )
    latency = answer.latencies[0]
    row: dict[str, object] = {"setting": point.label, "rate_req_per_s": point.rate_req_per_s}
    for metric, figure in BARS:
        seen = (getattr(truth, metric) or {})[figure]
        row[f"{metric} {figure}"] = getattr(getattr(latency, metric), figure) / seen.value - 1.0
        row[f"{metric} {figure} noise"] = (seen.half_width or 0.0) / seen.value
        row[f"{metric} {figure} simulated"] = seen.value
    return row


def table(rows: list[dict[str, object]]) -> str:
    """Errors beside their bars, in per cent."""
    lines = ["figure        median   bar      p90   bar  noise p50 noise p90"]
    for (metric, figure), (bar_median, bar_p90) in BARS.items():
        name = f"{metric} {figure}"
        errors = np.abs([float(str(row[name])) for row in rows])
        noise = np.array([float(str(row[f"{name} noise"])) for row in rows])
        median, p90 = np.quantile(errors, [0.5, 0.9])
        verdict = "" if median <= bar_median and p90 <= bar_p90 else "  over"
        lines.append(
            f"{name:<12} {median:7.2%} {bar_median:5.1%}  {p90:7.2%} {bar_p90:5.1%}"
            f"  {np.quantile(noise, 0.5):9.2%} {np.quantile(noise, 0.9):9.2%}{verdict}"
        )
    return "\n".join(lines)


def worst(rows: list[dict[str, object]], count: int) -> str:
    """The settings with the largest errors of each figure."""
    lines = []
    for metric, figure in BARS:
        name = f"{metric} {figure}"
        lines.append(f"{name}:")
        for row in sorted(rows, key=lambda each: -abs(float(str(each[name]))))[:count]:
            error, noise = float(str(row[name])), float(str(row[f"{name} noise"]))
            lines.append(f"  {error:+7.1%} (noise {noise:.1%})  {row['setting']}")
    return "\n".join(lines)


def _lengths(mean_tok: int, cv_ratio: float, longest_tok: int) -> TokenLengths:
    if cv_ratio == 0.0:
        return fixed_lengths(mean_tok)
    return lognormal_lengths(mean_tok, cv_ratio, (1, longest_tok))


def _load(inputs: TokenLengths, outputs: TokenLengths, rate_req_per_s: float) -> Load:
    return Load(
        classes=(
            RequestClass(name="all", rate_req_per_s=rate_req_per_s, input_tok=inputs, output_tok=outputs),
        )
    )


def main() -> int:
    """Draw, compare, print; exit code 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--points", type=int, default=60)
    parser.add_argument("--worst", type=int, default=5, help="worst settings listed per figure")
    parser.add_argument("--json", help="write every row here")
    options = parser.parse_args()
    generator = np.random.default_rng(options.seed)
    rows: list[dict[str, object]] = []
    for index in range(options.points):
        point = draw_point(generator)
        slots = point.replica_count * point.replica.slot_count
        began = time.perf_counter()
        rows.append(compare(point, options.seed + index, max(FEWEST_REQUESTS, REQUESTS_PER_SLOT * slots)))
        took_s = time.perf_counter() - began
        print(f"{index + 1}/{options.points} {took_s:.1f} s {point.label}", file=sys.stderr)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:  # noqa: PTH123
            json.dump(rows, file, indent=1)
    report = table(rows)
    print(report, "", worst(rows, options.worst), sep="\n")
    return 1 if "over" in report else 0


if __name__ == "__main__":
    sys.exit(main())
