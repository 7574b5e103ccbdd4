"""Two pools in a row: the hand-over, the cheapest pair of sizes, and the formulas against the simulation."""

from dataclasses import replace
from datetime import date

import pytest

from data.catalogue_files import load_catalogue
from models.architectures import disaggregated_pools
from models.lengths import fixed_lengths, lognormal_lengths
from models.performance import BatchedPerformance, CannotServe, StepLaw, TandemPerformance
from models.pool_plan import PoolPlan
from models.pools import plan_pool
from models.scenario import Policy
from models.simulation import simulate
from models.sizing import Miss
from models.systems import TransferLinks
from models.tandem_pool import Pair, cheapest_pair, operate_pair
from models.tiers import Link
from models.traffic import Traffic
from models.workloads import Demand, Target, Workload

DAY = date(2026, 11, 30)
NDR_BYTE_PER_S = 400e9 / 8
NVLINK5_ONE_WAY_BYTE_PER_S = 1.8e12 / 2
POOLS = TandemPerformance(
    decode=BatchedPerformance(
        step=StepLaw(alpha_s=0.012, beta_s_per_seq=1.5e-4, gamma_s_per_context_tok=1.2e-8), slot_count=96
    ),
    alpha_s=0.01,
    delta_s_per_input_tok=5e-5,
    bytes_per_tok=327_680,
    bandwidth_byte_per_s=NDR_BYTE_PER_S,
    base_s=1e-4,
)


@pytest.mark.parametrize(
    ("bandwidth", "seconds"), [(NDR_BYTE_PER_S, 26.2e-3), (NVLINK5_ONE_WAY_BYTE_PER_S, 1.46e-3)]
)
def test_the_cache_of_4000_tokens_takes_so_long_to_hand_over(bandwidth, seconds):
    # 4,000 x 327,680 byte (70 billion weights, 80 layers, 8 KV heads of 128, 16 bit)
    links = TransferLinks(link_count=1, base_s=0.0, bytes_per_tok=327_680, bandwidth_byte_per_s=bandwidth)
    assert links.s_per_tok * 4000 == pytest.approx(seconds, rel=5e-3)


# ---- the cheapest pair -------------------------------------------------------------------------------


def demand(rate=20.0, **limits_s):
    workload = Workload(
        name="w",
        kind="other",
        models=("model",),
        input_tok=lognormal_lengths(1500.0, 1.0, (1, 16384)),
        output_tok=lognormal_lengths(250.0, 1.0, (1, 4096)),
        targets=tuple(
            Target(metric=metric, quantile=0.95, limit_s=limit_s) for metric, limit_s in limits_s.items()
        ),
    )
    return Demand(workload=workload, peak_rate_req_per_s=rate)


def offer():
    return load_catalogue().offer("dynamo_h200", "llama-3.3-70b", DAY)


NO_SPARES = Policy(spare_unit_count=0)


@pytest.mark.parametrize("limits_s", [{}, {"ttft_s": 0.5}, {"ttft_s": 0.5, "e2e_s": 10.0}, {"e2e_s": 9.2}])
def test_no_cheaper_pair_of_sizes_holds_the_targets(limits_s):
    asked = demand(**limits_s)
    pool = plan_pool(offer(), POOLS, (asked,), NO_SPARES)
    assert isinstance(pool, PoolPlan)
    rent = {"worker": 4 * 3.5, "replica": 4 * 3.5}
    chosen = pool.prefill_worker_count * rent["worker"] + pool.replica_count * rent["replica"]
    assert pool.cost_usd == pytest.approx(chosen * 730.5)
    for workers in range(1, 16):
        for replicas in range(1, 16):
            usd = workers * rent["worker"] + replicas * rent["replica"]
            if usd < chosen * (1 - 1e-9):
                point = operate_pair(POOLS, pool.load, workers, replicas)
                holds = point.stable and point.utilisation_fraction <= NO_SPARES.max_utilisation_fraction
                holds = holds and all(
                    point.of("w").at(target.metric, target.quantile) <= target.limit_s
                    for target in asked.workload.targets
                )
                assert not holds, (workers, replicas)


def lacking_below(edge):
    """A miss wherever a pair lies below the falling edge {workers: fewest replicas}."""
    miss = Miss(workload="w", result=None)

    def lacking(pair):
        fewest = min((r for w, r in edge.items() if w <= pair.worker_count), default=10**9)
        return None if pair.replica_count >= fewest else miss

    return lacking


@pytest.mark.parametrize("usd_per_worker", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("edge", [{2: 9, 3: 5, 6: 4}, {1: 1}, {4: 40, 5: 39, 20: 7}])
def test_the_edge_is_walked_to_its_cheapest_corner(edge, usd_per_worker):
    found = cheapest_pair(lacking_below(edge), Pair(worker_count=1, replica_count=1), usd_per_worker, 1.0)
    best = min(workers * usd_per_worker + replicas for workers, replicas in edge.items())
    assert found.worker_count * usd_per_worker + found.replica_count == pytest.approx(best)


def test_a_target_that_no_size_holds_is_refused_with_what_would():
    refused = plan_pool(offer(), POOLS, (demand(ttft_s=0.01),), NO_SPARES)
    assert isinstance(refused, CannotServe)
    assert refused.binding_constraint == "TTFT target"


def test_a_lost_unit_of_either_half_is_covered():
    policy = Policy(spare_unit_count=1)
    asked = demand(ttft_s=0.5)
    with_spares, without = (plan_pool(offer(), POOLS, (asked,), each) for each in (policy, NO_SPARES))
    # two workers, or replicas, of four accelerators fail with a node of eight
    assert with_spares.spare_prefill_worker_count == with_spares.spare_replica_count == 2
    assert with_spares.replica_count - with_spares.spare_replica_count == without.replica_count
    assert with_spares.redundancy_usd == pytest.approx(4 * 4 * 3.5 * 730.5)


@pytest.mark.parametrize("ratio", [1.3, 2.0, 4.0])
def test_more_load_never_costs_less(ratio):
    light, heavy = (
        plan_pool(offer(), POOLS, (demand(rate, ttft_s=0.5),), NO_SPARES) for rate in (20.0, 20.0 * ratio)
    )
    assert heavy.cost_usd >= light.cost_usd


# ---- what is known of the halves ---------------------------------------------------------------------


def test_a_pairing_without_figures_asks_for_them():
    bare = load_catalogue().offer("gpu_dx1", "llama-3.3-70b", DAY)
    refused = disaggregated_pools.fit(bare, ())
    assert "link" in " ".join(refused.reasons)
    linked = replace(bare, tier=replace(bare.tier, link=Link(bandwidth_byte_per_s=5e10)))
    refused = disaggregated_pools.fit(linked, ())
    assert isinstance(refused, CannotServe)
    stated = replace(linked, tier=replace(linked.tier, step=StepLaw(alpha_s=1e-3, beta_s_per_seq=1e-5)))
    found = disaggregated_pools.fit(stated, ())
    assert found.decode.step.alpha_s == 1e-3
    assert {each.grade for each in found.evidence.values()} == {"E"}


def test_a_wafer_that_decodes_is_an_envelope():
    bare = load_catalogue().offer("mi300x_wse", "llama-3.3-70b", DAY)
    speed = load_catalogue().offer("cs3_owned", "llama-3.3-70b", DAY).tier.speed
    tier = replace(bare.tier, link=Link(bandwidth_byte_per_s=5e10), speed=speed)
    found = disaggregated_pools.fit(replace(bare, tier=tier), (), accepted_derate_ratio=0.6)
    token_s = 1 / (0.6 * 2100)
    turns, free = found.decode.step, found.other_end.decode.step
    crossing_s = 3 * 8192 * 2 / 5e10
    assert turns.beta_s_per_seq == pytest.approx(token_s + crossing_s)
    assert turns.alpha_s + turns.beta_s_per_seq == pytest.approx(token_s + crossing_s, rel=1e-3)
    assert (free.alpha_s, free.beta_s_per_seq) == (pytest.approx(token_s), 0.0)


# ---- against the simulation --------------------------------------------------------------------------

# prompt and answer tokens, their spread, workers, decode replicas, share of capacity, first token
GRID = {
    "light": (1000, 200, 1.0, 1, 1, 0.3, "after_prefill"),
    "busy": (1000, 200, 1.0, 2, 1, 0.7, "after_prefill"),
    "near the limit": (800, 300, 0.5, 1, 1, 0.88, "after_prefill"),
    "first token waits": (2000, 150, 1.0, 4, 2, 0.6, "after_transfer"),
    "many of both": (1500, 250, 0.5, 6, 4, 0.8, "after_prefill"),
}
CLAIMED = {
    ("itl_s", "mean"): 0.02,
    ("e2e_s", "mean"): 0.02,
    ("ttft_s", "mean"): 0.05,
    ("ttft_s", "p95"): 0.12,
    ("ttft_s", "p99"): 0.20,
}


@pytest.mark.parametrize("name", GRID)
def test_formulas_are_as_accurate_as_they_claim(name):
    isl, osl, cv, workers, replicas, utilisation, first_token = GRID[name]
    pools = replace(POOLS, worker_count=workers, first_token=first_token)
    offered = Traffic(
        rate_req_per_s=1.0,
        input_tok=lognormal_lengths(isl, cv, (1, 32768)),
        output_tok=lognormal_lengths(osl, cv, (1, 4096)),
    )
    rate = utilisation * disaggregated_pools.max_rate(pools, offered.load, replicas)
    offered = replace(offered, rate_req_per_s=rate)
    predicted = disaggregated_pools.operate(pools, offered.load, replicas, point_count=16_384)
    system = disaggregated_pools.system_of(pools, workers, replicas)
    seen = simulate(system, offered, request_count=150_000, seed=5)
    errors = {}
    for (metric, figure), allowed in CLAIMED.items():
        truth = getattr(seen, metric)[figure]
        noise = truth.half_width / truth.value
        error = getattr(getattr(predicted.latencies[0], metric), figure) / truth.value - 1.0
        if abs(error) > allowed + noise:
            errors[f"{metric} {figure}"] = f"{error:+.1%}, allowed {allowed:.0%} and noise {noise:.1%}"
    assert not errors


def test_equal_lengths_wait_no_longer_than_they_must():
    """One worker, one link, one replica, almost no load: the pieces add up."""
    steady = Traffic(rate_req_per_s=1e-3, input_tok=fixed_lengths(4000.0), output_tok=fixed_lengths(101.0))
    point = disaggregated_pools.operate(replace(POOLS, worker_count=1), steady.load, 1)
    latency = point.latencies[0]
    prefill_s, hand_over_s = 0.01 + 4000 * 5e-5, 1e-4 + 26.2144e-3
    step_s = 0.012 + 1.5e-4 + 1.2e-8 * (4000 + 50)
    assert latency.ttft_s.mean == pytest.approx(prefill_s, rel=1e-2)
    assert latency.e2e_s.mean == pytest.approx(prefill_s + hand_over_s + 100 * step_s, rel=1e-2)
