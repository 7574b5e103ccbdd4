"""The plain door to the models: what it takes, what it refuses, and that both answers are one shape."""

import copy
import json
from typing import Any

import pytest

from app.operate_json import LATENCIES, operate, operate_by_simulation, run
from models.problems import InputProblems

Document = dict[str, Any]

BATCHED: Document = {
    "architecture": "batched_accelerator",
    "arrival": {"kind": "poisson", "rate_req_per_s": 5.5},
    "replica_count": 1,
    "slot_count": 64,
    "routing": "join_shortest_queue",
    "scheduler": "mixed",
    "token_budget_tok": 8192,
    "kv_capacity_tok": None,
    "input_tok": {"kind": "lognormal", "mean": 1000, "cv": 1.0, "clip": [1, 32768]},
    "output_tok": {"kind": "lognormal", "mean": 200, "cv": 1.0, "clip": [1, 4096]},
    "step": {
        "alpha_s": 0.011,
        "beta_s_per_seq": 0.0001,
        "exponent": 1.0,
        "gamma_s_per_context_tok": 1.75e-8,
        "delta_s_per_input_tok": 3.5e-5,
    },
    "task": {"sequential_call_count": 1, "pause_s": 0.0, "fan_out_count": 1},
    "priority": {"high_share_fraction": 0.0},
    "abandonment": {"patience_mean_s": None},
    "targets": [{"metric": "ttft_s", "quantile": 0.95, "limit_s": 1.0}],
}
COMMON = ("arrival", "routing", "input_tok", "output_tok", "task", "priority", "abandonment", "targets")
TANDEM: Document = {key: BATCHED[key] for key in COMMON} | {
    "architecture": "disaggregated_pools",
    "arrival": {"kind": "poisson", "rate_req_per_s": 60.0},
    "prefill": {"worker_count": 4, "alpha_s": 0.008, "delta_s_per_input_tok": 3.5e-5},
    "transfer": {
        "link_count": 4,
        "base_s": 0.001,
        "bytes_per_tok": 327680,
        "bandwidth_byte_per_s": 4e10,
        "overlap_fraction": 0.0,
    },
    "decode": {
        "replica_count": 8,
        "slot_count": 64,
        "alpha_s": 0.011,
        "beta_s_per_seq": 0.0001,
        "gamma_s_per_context_tok": 1.75e-8,
    },
    "first_token": "after_prefill",
}
WAFER: Document = {key: BATCHED[key] for key in COMMON} | {
    "architecture": "wafer_scale_pipeline",
    "arrival": {"kind": "poisson", "rate_req_per_s": 60.0},
    "slot_count": 64,
    "pipeline": {
        "unloaded_token_s": 0.001333,
        "bottleneck_s_per_tok": 5.56e-5,
        "bottleneck_s_per_input_tok": 0.0,
    },
}
EVERY = {"batched": BATCHED, "tandem": TANDEM, "wafer": WAFER}
ANSWER_KEYS = {
    "stable",
    "utilisation_fraction",
    "max_rate_req_per_s",
    "slot_occupancy_fraction",
    "busy_fraction",
    "mean_busy_slot_count_per_replica",
    "wait_probability_fraction",
    *LATENCIES,
    "goodput_req_per_s",
    "abandonment_fraction",
    "notices",
}


def changed(document: Document, address: str, value: Any) -> Document:
    """A copy with one value replaced, by dotted address; DELETE takes it out."""
    copied = copy.deepcopy(document)
    *groups, key = address.split(".")
    place = copied
    for group in groups:
        place = place[group]
    if value is DELETE:
        place.pop(key)
    else:
        place[key] = value
    return copied


DELETE = object()


def refused(document: Any) -> dict[str, str]:
    """Addresses and messages of the problems of a document."""
    with pytest.raises(InputProblems) as found:
        operate(document)
    assert all(problem.cure for problem in found.value.problems)
    return {problem.path: problem.message for problem in found.value.problems}


def answered(document: Document) -> Document:
    answer = operate(document)
    assert isinstance(answer, dict)
    return answer


def seen(document: Document, request_count: int = 30_000) -> Document:
    answer = operate_by_simulation(document, seed=1, request_count=request_count)
    assert isinstance(answer, dict)
    return answer


@pytest.mark.parametrize("name", EVERY)
def test_answer_has_the_keys_of_the_contract(name: str) -> None:
    answer = answered(EVERY[name])
    assert set(answer) == ANSWER_KEYS
    assert answer["stable"] is True
    for latency in LATENCIES:
        assert list(answer[latency]) == ["mean", "p50", "p90", "p95", "p99"]
        assert answer[latency]["p50"] <= answer[latency]["p90"] <= answer[latency]["p95"]
        assert 0.0 < answer[latency]["p95"] <= answer[latency]["p99"]
    json.dumps(answer, allow_nan=False)


@pytest.mark.parametrize("name", EVERY)
def test_simulation_answers_in_the_same_shape_with_an_interval_beside_each_figure(name: str) -> None:
    answer = seen(EVERY[name])
    assert set(answer) == ANSWER_KEYS | {"ci95"}
    for latency in LATENCIES:
        for figure in ("mean", "p50", "p90", "p95", "p99"):
            low, high = answer[latency]["ci95"][figure]
            assert low <= answer[latency][figure] <= high
    low, high = answer["ci95"]["max_rate_req_per_s"]
    assert low <= answer["max_rate_req_per_s"] <= high
    json.dumps(answer, allow_nan=False)


@pytest.mark.parametrize("name", EVERY)
def test_formula_and_simulation_agree(name: str) -> None:
    by_formula, by_simulation = answered(EVERY[name]), seen(EVERY[name], 60_000)
    for latency, allowed in (("itl_s", 0.02), ("e2e_s", 0.03), ("ttft_s", 0.10)):
        low, high = by_simulation[latency]["ci95"]["mean"]
        noise = (high - low) / 2
        truth = by_simulation[latency]["mean"]
        assert by_formula[latency]["mean"] == pytest.approx(truth, abs=allowed * truth + noise), latency
    assert by_formula["max_rate_req_per_s"] == pytest.approx(by_simulation["max_rate_req_per_s"], rel=0.02)


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("answer_by", [answered, seen])
def test_past_saturation_there_is_no_latency_only_a_growing_backlog(name: str, answer_by: Any) -> None:
    answer = answer_by(changed(EVERY[name], "arrival.rate_req_per_s", 200.0))
    assert answer["stable"] is False
    assert all(answer[latency] is None for latency in LATENCIES)
    assert answer["backlog_growth_req_per_s"] == pytest.approx(200.0 - answer["max_rate_req_per_s"])
    assert answer["utilisation_fraction"] == pytest.approx(200.0 / answer["max_rate_req_per_s"])


def test_same_seed_same_answer() -> None:
    assert seen(BATCHED) == seen(BATCHED)


def test_a_list_is_answered_by_a_list() -> None:
    answers = operate([BATCHED, WAFER])
    assert answers == [operate(BATCHED), operate(WAFER)]
    assert operate([]) == []


def test_text_goes_in_and_text_comes_out() -> None:
    assert json.loads(run(json.dumps(BATCHED), simulate=False, seed=0, request_count=0)) == operate(BATCHED)
    answers = json.loads(run(json.dumps([BATCHED]), simulate=True, seed=4, request_count=20_000))
    assert answers[0]["ttft_s"]["ci95"]["mean"]


@pytest.mark.parametrize("text", ["", "{", "[1]", '"word"', "{} {}", '{"arrival": NaN', "[[]]"])
def test_text_that_is_no_document_is_refused_with_a_cure(text: str) -> None:
    with pytest.raises(InputProblems) as found:
        run(text, simulate=False, seed=0, request_count=0)
    assert all(problem.path and problem.cure for problem in found.value.problems)


def test_every_problem_is_listed_at_once_with_its_address() -> None:
    document = changed(BATCHED, "slot_count", -1)
    document = changed(document, "step.alpha_s", "fast")
    document = changed(document, "arrival.rate", 3)
    document = changed(document, "arrival.rate_req_per_s", DELETE)
    document = changed(document, "replicas", 2)
    found = refused(document)
    assert set(found) == {"slot_count", "step.alpha_s", "arrival.rate", "arrival.rate_req_per_s", "replicas"}
    with pytest.raises(InputProblems) as listed:
        operate([BATCHED, document, {"architecture": "abacus"}])
    paths = {problem.path for problem in listed.value.problems}
    assert {"[1].slot_count", "[2].architecture", "[2].arrival"} <= paths


@pytest.mark.parametrize(
    ("name", "address", "value", "where"),
    [
        ("batched", "architecture", "gpu", "architecture"),
        ("batched", "arrival.kind", "weekly", "arrival.kind"),
        ("batched", "arrival.rate_req_per_s", 0, "arrival.rate_req_per_s"),
        ("batched", "input_tok.mean", "long", "input_tok.mean"),
        ("batched", "output_tok", DELETE, "output_tok"),
        ("batched", "step", DELETE, "step"),
        ("batched", "step.alpha_s", -1.0, "step.alpha_s"),
        ("batched", "pipeline", {}, "pipeline"),
        ("batched", "task.fan_out_count", 0, "task.fan_out_count"),
        ("batched", "task.fan_out_count", 2.5, "task.fan_out_count"),
        ("batched", "priority.high_share_fraction", 1.5, "priority.high_share_fraction"),
        ("batched", "abandonment.patience_mean_s", 0, "abandonment.patience_mean_s"),
        ("batched", "targets", [{"metric": "speed", "quantile": 0.9, "limit_s": 1}], "targets[0].metric"),
        ("batched", "joint_tok", [[100]], "joint_tok[0]"),
        ("batched", "joint_tok", [[100, 0]], "joint_tok[0][1]"),
        ("tandem", "slot_count", 64, "slot_count"),
        ("tandem", "step", {"alpha_s": 1}, "step"),
        ("tandem", "prefill.worker_count", DELETE, "prefill.worker_count"),
        ("tandem", "transfer.overlap_fraction", 2, "transfer.overlap_fraction"),
        ("tandem", "decode.delta_s_per_input_tok", 1, "decode.delta_s_per_input_tok"),
        ("tandem", "first_token", "sometime", "first_token"),
        ("wafer", "pipeline.bottleneck_s_per_tok", 1.0, "pipeline.bottleneck_s_per_tok"),
        ("wafer", "pipeline.unloaded_token_s", 0, "pipeline.unloaded_token_s"),
    ],
)
def test_what_cannot_be_read_is_refused_at_its_address(
    name: str, address: str, value: Any, where: str
) -> None:
    assert where in refused(changed(EVERY[name], address, value))


@pytest.mark.parametrize("document", [None, 3, "text", [None], [[]]])
def test_what_is_no_mapping_is_refused(document: Any) -> None:
    refused(document)


ARRIVALS = {
    "gamma": {"kind": "gamma", "rate_req_per_s": 5.0, "scv_ratio": 0.5},
    "mmpp": {
        "kind": "mmpp",
        "rate_req_per_s": 5.0,
        "burst_fraction": 0.2,
        "burst_ratio": 2.0,
        "cycle_s": 60.0,
    },
    "sine": {"kind": "sine", "rate_req_per_s": 5.0, "amplitude_fraction": 0.4, "period_s": 300.0},
    "profile": {"kind": "profile", "rate_req_per_s": 8.0, "hourly_fraction": [0.2] * 8 + [1.0] * 16},
}


@pytest.mark.parametrize("kind", ARRIVALS)
def test_every_kind_of_arrival_has_both_answers(kind: str) -> None:
    document = changed(BATCHED, "arrival", ARRIVALS[kind])
    by_formula, by_simulation = answered(document), seen(document, 60_000)
    low, high = by_simulation["e2e_s"]["ci95"]["mean"]
    truth = by_simulation["e2e_s"]["mean"]
    assert by_formula["e2e_s"]["mean"] == pytest.approx(truth, abs=0.06 * truth + (high - low) / 2)


def test_a_day_whose_busiest_hours_saturate_keeps_their_backlog_and_says_so() -> None:
    """Each of four hours leaves 3,600 s x (12 - capacity) calls more in the queue, as a fluid does."""
    arrival = ARRIVALS["profile"] | {"rate_req_per_s": 12.0, "hourly_fraction": [0.1] * 20 + [1.0] * 4}
    answer = answered(changed(BATCHED, "arrival", arrival))
    capacity = answer["max_rate_req_per_s"]
    longest_wait_s = 4 * 3600 * (12.0 - capacity) / capacity
    assert answer["stable"] is True
    # Two calls in three come in those hours and wait half as long on average.
    assert answer["ttft_s"]["mean"] == pytest.approx(longest_wait_s / 3, rel=0.05)
    assert answer["ttft_s"]["p99"] < longest_wait_s * 1.1
    assert any("backlog" in text for text in answer["notices"])


def test_callers_who_give_up_keep_an_overloaded_pool_stable() -> None:
    document = changed(changed(BATCHED, "abandonment.patience_mean_s", 2.0), "arrival.rate_req_per_s", 12.0)
    by_formula, by_simulation = answered(document), seen(document)
    assert by_formula["stable"] is by_simulation["stable"] is True
    assert by_formula["abandonment_fraction"] == pytest.approx(by_simulation["abandonment_fraction"], rel=0.1)
    served = 12.0 * (1.0 - by_formula["abandonment_fraction"])
    assert by_formula["goodput_req_per_s"] <= served <= by_formula["max_rate_req_per_s"]


def test_priorities_leave_the_mean_wait_and_widen_its_tail() -> None:
    """Both classes together wait as long as first come, first served (L. Kleinrock 1976, conservation)."""
    busy = changed(BATCHED, "arrival.rate_req_per_s", 10.2)
    plain = answered(busy)["ttft_s"]
    split = answered(changed(busy, "priority.high_share_fraction", 0.5))["ttft_s"]
    assert split["mean"] == pytest.approx(plain["mean"], rel=1e-6)
    assert split["p99"] > plain["p99"]
    assert split["p50"] < plain["p50"] * 1.001


def test_a_task_is_its_calls_in_a_row_with_pauses() -> None:
    document = changed(BATCHED, "task", {"sequential_call_count": 5, "pause_s": 2.0, "fan_out_count": 1})
    document = changed(document, "arrival.rate_req_per_s", 1.0)
    for answer in (answered(document), seen(document)):
        expected = 5 * answer["e2e_s"]["mean"] + 4 * 2.0
        assert answer["task_s"]["mean"] == pytest.approx(expected, rel=0.01)
        assert any("5 calls" in notice for notice in answer["notices"])


def test_pairs_of_lengths_are_simulated_as_pairs() -> None:
    document = changed(BATCHED, "joint_tok", [[100, 10], [4000, 300]])
    for key in ("input_tok", "output_tok"):
        document = changed(document, key, DELETE)
    document = changed(document, "arrival.rate_req_per_s", 2.0)
    assert seen(document)["stable"]
    assert any("long prompts" in notice for notice in answered(document)["notices"])


def test_a_cache_that_holds_no_request_serves_none() -> None:
    document = changed(BATCHED, "kv_capacity_tok", 10)
    for answer in (answered(document), seen(document)):
        assert answer["stable"] is False
        assert answer["max_rate_req_per_s"] == pytest.approx(0.0, abs=0.3)


def test_keys_without_effect_are_named() -> None:
    document = WAFER | {"scheduler": "mixed", "token_budget_tok": 8192}
    assert any("scheduler, token_budget_tok" in notice for notice in answered(document)["notices"])


LIMITS = {
    "no step overhead": changed(BATCHED, "step.alpha_s", 0.0),
    "one token each": changed(BATCHED, "output_tok", {"kind": "fixed", "value": 1}),
    "one slot": changed(changed(BATCHED, "slot_count", 1), "arrival.rate_req_per_s", 0.2),
    "hardly any load": changed(BATCHED, "arrival.rate_req_per_s", 1e-4),
    "nobody has to wait": changed(BATCHED, "abandonment.patience_mean_s", 1.0),
    "all served first": changed(BATCHED, "priority.high_share_fraction", 1.0),
    "no hand-over time": changed(
        TANDEM, "transfer", TANDEM["transfer"] | {"base_s": 0.0, "overlap_fraction": 1.0}
    ),
}


@pytest.mark.parametrize("name", LIMITS)
def test_limits_have_finite_answers(name: str) -> None:
    for answer in (answered(LIMITS[name]), seen(LIMITS[name], 5000)):
        assert answer["stable"] is True
        json.dumps(answer, allow_nan=False)
    one_token = name == "one token each"
    assert (answer["tpot_s"]["mean"] is None) is one_token


@pytest.mark.parametrize("request_count", [0, 10**9])
def test_a_run_too_short_or_too_long_is_refused(request_count: int) -> None:
    with pytest.raises(InputProblems):
        operate_by_simulation(BATCHED, seed=1, request_count=request_count)


def test_too_many_slots_to_simulate_are_refused_and_too_short_a_run_is_noted() -> None:
    with pytest.raises(InputProblems):
        seen(changed(BATCHED, "replica_count", 2000))
    notices = seen(changed(BATCHED, "slot_count", 4096))["notices"]
    assert any("ask for" in notice for notice in notices)
