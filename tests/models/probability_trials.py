"""Trials of stated probabilities: a random pool, a limit with a stated chance, and one simulated outcome.

Each trial draws a pool of machines and a traffic, states with `pool_odds` the chance that a target holds,
then draws one speed and one demand from the distributions that the statement names, simulates the pool event
by event and looks whether the target held. Of trials with a stated chance p, a share p should hold. Trials
are independent, so counts are binomial.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from models.architectures import batched_accelerator
from models.lengths import lognormal_lengths
from models.performance import BatchedPerformance, Domain, FitQuality, StepLaw
from models.pools import ROUGH_POINT_COUNT, operate_machines
from models.scenario import DemandScenario
from models.simulation import simulate
from models.systems import BatchedPool
from models.traffic import Traffic
from models.uncertainty import pool_odds, speed_log_deviation, with_speed
from models.workloads import Target

FUTURES = (
    DemandScenario(name="base", weight=0.6, rate_ratio=1.0),
    DemandScenario(name="high", weight=0.2, rate_ratio=1.25),
    DemandScenario(name="low", weight=0.2, rate_ratio=0.6),
)
STEP_LAWS = (
    StepLaw(alpha_s=0.006, beta_s_per_seq=5e-5, gamma_s_per_context_tok=1e-8, delta_s_per_input_tok=1.5e-5),
    StepLaw(
        alpha_s=0.011, beta_s_per_seq=1e-4, gamma_s_per_context_tok=1.75e-8, delta_s_per_input_tok=3.5e-5
    ),
    StepLaw(alpha_s=0.012, beta_s_per_seq=6e-4, exponent=0.77, delta_s_per_input_tok=1e-5),
)
LENGTHS = ((512, 128), (1000, 200), (500, 300), (128, 256))
METRICS = (("ttft_s", 0.95), ("ttft_s", 0.5), ("e2e_s", 0.95), ("e2e_s", 0.5), ("tpot_s", 0.95))
STATED = (0.1, 0.3, 0.5, 0.7, 0.9)
LIMIT_COUNT = 120
REQUEST_COUNT = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A stated chance and whether it came true."""

    metric: str
    quantile: float
    stated_fraction: float
    held: bool


def run_trial(seed: int) -> Trial:
    """One pool, one statement, one outcome; the same for the same seed."""
    generator = np.random.default_rng(seed)
    replica, count, traffic = _draw_pool(generator)
    metric, quantile = METRICS[generator.integers(len(METRICS))]
    limit_s, stated = _limit(replica, count, traffic, metric, quantile, STATED[seed % len(STATED)])
    weights = [each.weight for each in FUTURES]
    future = FUTURES[generator.choice(len(FUTURES), p=weights)]
    slowness = math.exp(speed_log_deviation(replica, True) * generator.standard_normal())
    seen = simulate(
        BatchedPool(replica=with_speed(replica, slowness), replica_count=count),
        replace(traffic, rate_req_per_s=traffic.rate_req_per_s * future.rate_ratio),
        request_count=REQUEST_COUNT,
        seed=seed,
    )
    latency_s = getattr(seen, metric)[f"p{quantile * 100:g}"].value
    return Trial(metric=metric, quantile=quantile, stated_fraction=stated, held=latency_s <= limit_s)


def _draw_pool(generator: np.random.Generator) -> tuple[BatchedPerformance, int, Traffic]:
    """A pool whose base load leaves room for its high future at the fitted speed."""
    law = STEP_LAWS[generator.integers(len(STEP_LAWS))]
    isl, osl = LENGTHS[generator.integers(len(LENGTHS))]
    spread = float(generator.choice([0.5, 1.0]))
    replica = BatchedPerformance(
        step=law,
        slot_count=int(generator.choice([32, 64, 128])),
        quality=FitQuality(
            point_count=9, shape_count=1, residual_fraction=float(generator.uniform(0.02, 0.08))
        ),
        domain=Domain(concurrency_low_count=1, concurrency_high_count=128),
    )
    count = int(generator.choice([1, 2, 4]))
    traffic = Traffic(
        rate_req_per_s=1.0,
        input_tok=lognormal_lengths(isl, spread, (1, 32768)),
        output_tok=lognormal_lengths(osl, spread, (1, 4096)),
    )
    highest = batched_accelerator.max_rate(replica, traffic.load, count)
    return replica, count, replace(traffic, rate_req_per_s=float(generator.uniform(0.3, 0.65)) * highest)


def _limit(
    replica: BatchedPerformance, count: int, traffic: Traffic, metric: str, quantile: float, wanted: float
) -> tuple[float, float]:
    """A limit whose stated chance is near the wanted one, and that chance."""
    middle = operate_machines(replica, traffic.load, count, point_count=ROUGH_POINT_COUNT)
    predicted_s = middle.latencies[0].at(metric, quantile)
    limits = predicted_s * np.geomspace(0.5, 5.0, LIMIT_COUNT)
    odds = pool_odds(
        lambda machine, load, replicas: operate_machines(
            machine, load, replicas, point_count=ROUGH_POINT_COUNT
        ),
        replica,
        traffic.load,
        count,
        {
            middle.latencies[0].name: [
                Target(metric=metric, quantile=quantile, limit_s=float(limit)) for limit in limits
            ]
        },
        FUTURES,
        True,
    )
    nearest = min(odds.targets, key=lambda each: abs(each.hold_probability_fraction - wanted))
    return nearest.target.limit_s, nearest.hold_probability_fraction
