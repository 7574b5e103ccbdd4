"""The simulation against queues whose answer is known, and against the laws every queue obeys."""

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from models.lengths import fixed_lengths, lognormal_lengths
from models.performance import BatchedPerformance, StepLaw
from models.queueing import mmc_wait
from models.simulation import (
    Calls,
    SimulationCancelled,
    calls_of_trace,
    draw_calls,
    max_rate,
    replay,
    simulate,
    simulate_together,
    single_calls,
)
from models.simulation.arrivals import arrival_times_s
from models.simulation.layout import ABANDONED
from models.simulation.run import run
from models.simulation.statistics import BATCH_COUNT, STUDENT_97_5, Estimate, bin_quantiles
from models.systems import BatchedPool, Pipeline, PipelinePool, PrefillPool, TandemPools, TransferLinks
from models.traffic import Traffic
from models.workloads import Arrival, Target

LAW = StepLaw(
    alpha_s=0.011, beta_s_per_seq=1e-4, gamma_s_per_context_tok=1.75e-8, delta_s_per_input_tok=3.5e-5
)
TOKENS_PER_SECOND = 1e6  # of prompts whose tokens stand for microseconds of service
BOUNDLESS_TOK = 10**12


def one_at_a_time(slot_count: int = 1) -> BatchedPool:
    """A replica that serves one call at a time, for as many microseconds as its prompt has tokens."""
    law = StepLaw(alpha_s=0.0, beta_s_per_seq=0.0, delta_s_per_input_tok=1.0 / TOKENS_PER_SECOND)
    return BatchedPool(
        replica=BatchedPerformance(step=law, slot_count=slot_count, token_budget_tok=BOUNDLESS_TOK)
    )


def workers(worker_count: int) -> TandemPools:
    """Prefill workers alone: calls of one token end there."""
    return TandemPools(
        prefill=PrefillPool(
            worker_count=worker_count, alpha_s=0.0, delta_s_per_input_tok=1.0 / TOKENS_PER_SECOND
        ),
        transfer=TransferLinks(link_count=1, base_s=0.0, bytes_per_tok=0.0, bandwidth_byte_per_s=1.0),
        replica=BatchedPerformance(step=LAW, slot_count=1),
        replica_count=1,
        first_token="after_prefill",
    )


def service_calls(rate: float, service_s: NDArray[np.float64], seed: int, high_share: float = 0.0) -> Calls:
    """Poisson calls of one token, with given service times."""
    generator = np.random.default_rng(seed)
    count = len(service_s)
    prompts = np.maximum(np.rint(service_s * TOKENS_PER_SECOND), 1).astype(np.int64)
    return Calls(
        tasks=single_calls(np.cumsum(generator.exponential(1.0 / rate, count))),
        input_tok=prompts,
        fresh_tok=prompts,
        output_tok=np.ones(count, dtype=np.int64),
        routing_draw=generator.random(count),
        is_high=generator.random(count) < high_share,
    )


def assert_agrees(found: Estimate, expected: float, slack: float = 0.0) -> None:
    """Within the 95 % confidence interval widened by half (three tests in a thousand fail), plus a slack."""
    assert found.half_width is not None
    assert abs(found.value - expected) <= 1.5 * found.half_width + slack * expected


COUNT = 200_000


@pytest.mark.parametrize("load", [0.3, 0.6, 0.8])
def test_exponential_service_one_server_is_mm1(load: float) -> None:
    """E[T] = 1 / (mu - lambda); T exponential, so its p95 is E[T] ln 20 (L. Kleinrock 1975, sec. 3.2)."""
    service_s = np.random.default_rng(1).exponential(1.0, COUNT)
    (seen,) = replay(one_at_a_time(), service_calls(load, service_s, 2))
    assert seen.e2e_s is not None
    assert_agrees(seen.e2e_s["mean"], 1.0 / (1.0 - load))
    assert_agrees(seen.e2e_s["p95"], math.log(20.0) / (1.0 - load))
    assert_agrees(seen.busy_fraction, load)


def test_fixed_service_is_md1() -> None:
    """E[W] = rho / (2 (1 - rho)) service times (F. Pollaczek 1930)."""
    (seen,) = replay(one_at_a_time(), service_calls(0.7, np.ones(COUNT), 3))
    assert seen.e2e_s is not None
    assert_agrees(seen.e2e_s["mean"], 1.0 + 0.7 / (2 * 0.3))


def test_general_service_is_mg1() -> None:
    """E[W] = lambda E[S^2] / (2 (1 - rho)) (F. Pollaczek 1930, A. Khinchine 1932)."""
    service_s = np.random.default_rng(4).gamma(0.5, 2.0, COUNT)
    (seen,) = replay(one_at_a_time(), service_calls(0.6, service_s, 5))
    assert seen.e2e_s is not None
    assert_agrees(seen.e2e_s["mean"], 1.0 + 0.6 * 3.0 / (2 * 0.4))


@pytest.mark.parametrize(("server_count", "load"), [(2, 0.7), (8, 0.85), (64, 0.9)])
def test_prefill_workers_are_mmc(server_count: int, load: float) -> None:
    """The mean wait of A. K. Erlang 1917."""
    service_s = np.random.default_rng(6).exponential(1.0, COUNT)
    rate = load * server_count
    (seen,) = replay(workers(server_count), service_calls(rate, service_s, 7))
    expected = mmc_wait(rate, 1.0, server_count)
    assert seen.ttft_s is not None
    assert expected is not None
    assert_agrees(seen.ttft_s["mean"], 1.0 + expected)


def test_priorities_share_the_wait_as_cobham_says() -> None:
    """W_high = W0 / (1 - rho_h), W_low = W0 / ((1 - rho_h)(1 - rho)), W0 = rho E[S] here (A. Cobham 1954)."""
    service_s = np.random.default_rng(8).exponential(1.0, COUNT)
    calls = service_calls(0.8, service_s, 9, high_share=0.4)
    world = run(one_at_a_time(), calls, np.zeros(0))
    wait_s = world.calls["start_s"] - world.calls["arrival_s"]
    high = calls.is_high
    assert wait_s[high].mean() == pytest.approx(0.8 / (1 - 0.32), rel=0.05)
    assert wait_s[~high].mean() == pytest.approx(0.8 / ((1 - 0.32) * (1 - 0.8)), rel=0.08)


def test_callers_who_give_up_are_erlang_a() -> None:
    """M/M/1 with patience: balance of the chain with death rates mu + j theta (C. Palm 1957)."""
    rate, patience_s = 1.2, 3.0
    generator = np.random.default_rng(10)
    calls = service_calls(rate, generator.exponential(1.0, COUNT), 11)
    impatient = replace(calls, patience_s=generator.exponential(patience_s, COUNT))
    death = np.concatenate(([1.0], 1.0 + np.arange(1, 400) / patience_s))
    weight = np.concatenate(([1.0], np.cumprod(rate / death)))
    probability = weight / weight.sum()
    queue = float(probability @ np.maximum(np.arange(len(probability)) - 1, 0))
    gave_up = run(one_at_a_time(), impatient, np.zeros(0)).calls["state"] == ABANDONED
    assert gave_up.mean() == pytest.approx(queue / patience_s / rate, rel=0.02)


@pytest.mark.parametrize("cv", [0.0, 1.0, 2.0])
def test_shared_slots_do_not_feel_the_spread_of_answers(cv: float) -> None:
    """Processor sharing: E[T] = E[S] / (1 - rho) for any service time (L. Kleinrock 1976, sec. 4.4)."""
    answer = fixed_lengths(300) if cv == 0.0 else lognormal_lengths(300, cv)
    law = StepLaw(alpha_s=0.0, beta_s_per_seq=1e-3)
    pool = BatchedPool(replica=BatchedPerformance(step=law, slot_count=4096, token_budget_tok=BOUNDLESS_TOK))
    offered = Traffic(
        rate_req_per_s=0.6 / (1e-3 * answer.mean_tok), input_tok=fixed_lengths(1), output_tok=answer
    )
    seen = simulate(pool, offered, request_count=100_000, seed=12)
    assert seen.e2e_s is not None
    assert_agrees(seen.e2e_s["mean"], answer.mean_tok * 1e-3 / 0.4, slack=0.01)


@pytest.mark.parametrize(("slot_count", "cv"), [(8, 0.5), (64, 1.0)])
def test_highest_rate_is_the_capacity_identity(slot_count: int, cv: float) -> None:
    """X = B / (n alpha + B w), w the work of one call: rate conservation, exact."""
    offered = Traffic(
        rate_req_per_s=1.0,
        input_tok=lognormal_lengths(800, cv, (1, 8000)),
        output_tok=lognormal_lengths(150, cv, (1, 2000)),
    )
    pool = BatchedPool(replica=BatchedPerformance(step=LAW, slot_count=slot_count, token_budget_tok=10**6))
    calls = draw_calls(offered, COUNT, 13)
    n, p = calls.output_tok.astype(float), calls.input_tok.astype(float)
    context = ((n - 1) * p + n * (n - 1) / 2).mean()
    work_s = LAW.beta_s_per_seq * (n - 1).mean() + LAW.gamma_s_per_context_tok * context
    work_s += LAW.delta_s_per_input_tok * p.mean()
    found = max_rate(pool, offered, request_count=COUNT, seed=13)
    assert found is not None
    assert_agrees(found, slot_count / (n.mean() * LAW.alpha_s + slot_count * work_s))


@pytest.mark.parametrize(("slot_count", "rate"), [(10, 10 / (100 * 0.00133)), (64, 1 / (100 * 5e-5))])
def test_pipeline_is_limited_by_its_slots_or_by_its_slowest_stage(slot_count: int, rate: float) -> None:
    """One token takes max(L0, b s): B / (n L0) calls per second, or 1 / (n s)."""
    pipeline = Pipeline(unloaded_token_s=0.00133, bottleneck_s_per_tok=5e-5, slot_count=slot_count)
    offered = Traffic(rate_req_per_s=1.0, input_tok=fixed_lengths(10), output_tok=fixed_lengths(100))
    found = max_rate(PipelinePool(pipeline=pipeline), offered, request_count=20_000, seed=14)
    assert found is not None
    assert found.value == pytest.approx(rate, rel=0.002)


def test_little_law_holds_exactly_for_the_slots() -> None:
    """Seconds of slots held, counted by steps, are the calls' own seconds in slots (J. Little 1961)."""
    pool = BatchedPool(replica=BatchedPerformance(step=LAW, slot_count=32), replica_count=3)
    offered = Traffic(
        rate_req_per_s=12.0, input_tok=lognormal_lengths(500, 1.0), output_tok=lognormal_lengths(100, 1.0)
    )
    world = run(pool, draw_calls(offered, 20_000, 15), np.zeros(0))
    in_slots_s = (world.calls["finish_s"] - world.calls["start_s"]).sum()
    assert world.windows["slot_area_s"].sum() == pytest.approx(in_slots_s, rel=1e-9)
    gaps_s = (world.calls["finish_s"] - world.calls["first_token_s"]).sum()
    assert world.windows["gap_sum_s"].sum() == pytest.approx(gaps_s, rel=1e-9)
    assert world.windows["gap_count"].sum() == (world.calls["output_tok"] - 1).sum()


def test_kinds_of_traffic_share_a_system_and_keep_their_own_latencies() -> None:
    """Two kinds cut from one are that one; a kind with longer answers takes longer in the same company."""
    pool = BatchedPool(replica=BatchedPerformance(step=LAW, slot_count=64))
    short = Traffic(
        rate_req_per_s=3.0, input_tok=lognormal_lengths(500, 1.0), output_tok=lognormal_lengths(100, 1.0)
    )
    long = replace(short, output_tok=lognormal_lengths(400, 1.0), sequential_call_count=2, pause_s=1.0)
    halves = simulate_together(pool, [short, short], request_count=80_000, seed=5, targets=[(), ()])
    whole = simulate(pool, replace(short, rate_req_per_s=6.0), request_count=80_000, seed=6)
    assert whole.e2e_s is not None
    for half in halves:
        assert half.e2e_s is not None
        assert_agrees(half.e2e_s["mean"], whole.e2e_s["mean"].value, slack=0.01)
    mixed = simulate_together(pool, [short, long], request_count=80_000, seed=7, targets=[(), ()])
    assert mixed[0].itl_s == mixed[1].itl_s
    assert mixed[1].e2e_s is not None
    assert mixed[1].task_s is not None
    assert mixed[1].task_s["mean"].value == pytest.approx(2 * mixed[1].e2e_s["mean"].value + 1.0, rel=0.02)
    assert mixed[0].e2e_s is not None
    assert 3.0 < mixed[1].e2e_s["mean"].value / mixed[0].e2e_s["mean"].value < 5.0


def test_same_seed_same_answer_and_other_seed_other_answer() -> None:
    pool = BatchedPool(replica=BatchedPerformance(step=LAW, slot_count=16))
    offered = Traffic(
        rate_req_per_s=4.0, input_tok=lognormal_lengths(500, 1.0), output_tok=lognormal_lengths(100, 1.0)
    )
    first, again, other = (simulate(pool, offered, request_count=5000, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_progress_rises_to_the_end_and_a_run_can_be_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("models.simulation.run.EVENTS_PER_SLICE", 2000)
    pool = BatchedPool(replica=BatchedPerformance(step=LAW, slot_count=16))
    offered = Traffic(
        rate_req_per_s=4.0, input_tok=lognormal_lengths(500, 1.0), output_tok=lognormal_lengths(100, 1.0)
    )
    told: list[float] = []
    simulate(pool, offered, request_count=5000, seed=1, progress=told.append)
    assert told == sorted(told)
    assert 0.0 < told[0] < told[-1] <= 1.0
    with pytest.raises(SimulationCancelled):
        simulate(pool, offered, request_count=5000, seed=1, cancelled=lambda: len(told) > 0)


def test_goodput_without_targets_is_the_throughput_and_shrinks_with_each_target() -> None:
    pool = BatchedPool(replica=BatchedPerformance(step=LAW, slot_count=64))
    offered = Traffic(
        rate_req_per_s=6.0, input_tok=lognormal_lengths(1000, 1.0), output_tok=lognormal_lengths(200, 1.0)
    )
    ttft = Target(metric="ttft_s", quantile=0.95, limit_s=0.1)
    e2e = Target(metric="e2e_s", quantile=0.95, limit_s=4.0)
    rates = [
        simulate(pool, offered, request_count=40_000, seed=3, targets=targets).goodput_req_per_s
        for targets in ((), (ttft,), (ttft, e2e))
    ]
    assert_agrees(rates[0], 6.0, slack=0.01)
    assert rates[0].value > rates[1].value > rates[2].value


ARRIVALS = {
    "gamma": Arrival(kind="gamma", scv_ratio=4.0),
    "mmpp": Arrival(kind="mmpp", burst_fraction=0.2, burst_ratio=5.0, cycle_s=20.0),
    "sine": Arrival(kind="sine", amplitude_fraction=0.7, period_s=50.0),
}


@pytest.mark.parametrize("kind", ARRIVALS)
def test_arrivals_keep_their_mean_rate(kind: str) -> None:
    times = arrival_times_s(ARRIVALS[kind], 10.0, 400_000, np.random.default_rng(16))
    assert (np.diff(times) >= 0.0).all()
    assert len(times) / times[-1] == pytest.approx(10.0, rel=0.02)


def test_sine_arrivals_follow_the_sine() -> None:
    """Counts by phase of the swing are the rate 1 + a sin, integrated over the phase."""
    times = arrival_times_s(ARRIVALS["sine"], 10.0, 400_000, np.random.default_rng(17))
    counts = np.bincount((times / 50.0 % 1.0 * 8).astype(int), minlength=8) / len(times)
    edges = np.arange(9) / 8
    expected = np.diff(edges - 0.7 * (np.cos(2 * np.pi * edges) - 1) / (2 * np.pi))
    assert counts == pytest.approx(expected, rel=0.03)


def test_a_day_has_its_hours() -> None:
    shares = tuple(0.1 + 0.9 * (hour in (9, 10, 20)) for hour in range(24))
    times = arrival_times_s(Arrival(kind="profile"), 5.0, 200_000, np.random.default_rng(18), shares)
    hour_s = 200_000 / (20 * 5.0 * sum(shares))
    counts = np.bincount((times / hour_s % 24).astype(int), minlength=24) / len(times)
    assert counts == pytest.approx(np.array(shares) / sum(shares), rel=0.1)


def test_gamma_gaps_have_their_variability() -> None:
    gaps = np.diff(arrival_times_s(ARRIVALS["gamma"], 2.0, 400_000, np.random.default_rng(19)))
    assert gaps.var() / gaps.mean() ** 2 == pytest.approx(4.0, rel=0.03)


def test_student_quantile_is_that_of_the_batches() -> None:
    from scipy.stats import t

    assert pytest.approx(t.ppf(0.975, BATCH_COUNT - 1), rel=1e-12) == STUDENT_97_5


def test_a_request_log_is_replayed_at_its_own_times() -> None:
    """Calls far apart do not meet: prompt and n - 1 tokens, each step alone on the replica."""
    pool = BatchedPool(
        replica=BatchedPerformance(step=StepLaw(alpha_s=0.01, beta_s_per_seq=0.0), slot_count=8)
    )
    log = calls_of_trace([200.0, 0.0, 100.0], [10, 20, 30], [5, 1, 3], seed=1)
    seen = run(pool, log, np.zeros(0)).calls
    assert seen["arrival_s"].tolist() == [0.0, 100.0, 200.0]
    assert seen["first_token_s"] - seen["arrival_s"] == pytest.approx([0.01] * 3)
    assert seen["finish_s"] - seen["arrival_s"] == pytest.approx([0.01, 0.03, 0.05])


def test_no_gap_no_quantile() -> None:
    assert np.isnan(bin_quantiles(np.zeros(8, dtype=np.int64))).all()
