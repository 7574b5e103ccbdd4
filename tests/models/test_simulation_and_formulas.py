"""The formulas agree with the simulation of the same assumptions, within the accuracy they claim."""

import pytest

from models.architectures import batched_accelerator
from models.lengths import lognormal_lengths
from models.performance import BatchedPerformance, StepLaw
from models.simulation import simulate
from models.systems import BatchedPool
from models.traffic import Traffic

SMALL = StepLaw(
    alpha_s=0.006, beta_s_per_seq=5e-5, gamma_s_per_context_tok=1e-8, delta_s_per_input_tok=1.5e-5
)
LARGE = StepLaw(
    alpha_s=0.011, beta_s_per_seq=1e-4, gamma_s_per_context_tok=1.75e-8, delta_s_per_input_tok=3.5e-5
)
CONCAVE = StepLaw(alpha_s=0.012, beta_s_per_seq=6e-4, exponent=0.77, delta_s_per_input_tok=1e-5)

# step law, replicas, slots, input and output tokens, their spread, utilisation
POINTS = {
    "light": (LARGE, 1, 64, 1000, 200, 1.0, 0.2),
    "half": (LARGE, 1, 64, 1000, 200, 1.0, 0.5),
    "busy": (LARGE, 1, 128, 500, 200, 0.5, 0.8),
    "small model": (SMALL, 1, 256, 512, 128, 1.0, 0.6),
    "concave": (CONCAVE, 1, 64, 512, 256, 1.0, 0.7),
    "a few replicas": (LARGE, 4, 64, 500, 200, 1.0, 0.6),
    "many replicas": (CONCAVE, 16, 32, 1000, 200, 1.0, 0.5),
    "spread answers": (SMALL, 4, 128, 128, 256, 2.0, 0.7),
    "half of the time on prompts": (SMALL, 1, 128, 3000, 60, 1.0, 0.64),
    "prompts on a few replicas": (SMALL, 4, 32, 3000, 60, 1.0, 0.57),
}
# Accuracy claimed up to a utilisation of 0.9.
CLAIMED = {
    ("itl_s", "mean"): 0.02,
    ("e2e_s", "mean"): 0.03,
    ("ttft_s", "mean"): 0.10,
    ("e2e_s", "p95"): 0.05,
    ("e2e_s", "p99"): 0.10,
    ("ttft_s", "p95"): 0.15,
    ("ttft_s", "p99"): 0.15,
}


@pytest.mark.parametrize("name", POINTS)
def test_formulas_are_as_accurate_as_they_claim(name: str) -> None:
    law, replica_count, slot_count, isl, osl, cv, utilisation = POINTS[name]
    replica = BatchedPerformance(step=law, slot_count=slot_count)
    offered = Traffic(
        rate_req_per_s=1.0,
        input_tok=lognormal_lengths(isl, cv, (1, 32768)),
        output_tok=lognormal_lengths(osl, cv, (1, 4096)),
    )
    rate = utilisation * batched_accelerator.max_rate(replica, offered.load, replica_count)
    offered = Traffic(rate_req_per_s=rate, input_tok=offered.input_tok, output_tok=offered.output_tok)
    predicted = batched_accelerator.operate(replica, offered.load, replica_count, point_count=16_384)
    seen = simulate(
        BatchedPool(replica=replica, replica_count=replica_count), offered, request_count=150_000, seed=5
    )
    errors = {}
    for (metric, figure), allowed in CLAIMED.items():
        truth = getattr(seen, metric)[figure]
        noise = truth.half_width / truth.value
        error = getattr(getattr(predicted.latencies[0], metric), figure) / truth.value - 1.0
        if abs(error) > allowed + noise:
            errors[f"{metric} {figure}"] = f"{error:+.1%}, allowed {allowed:.0%} and noise {noise:.1%}"
    assert not errors
