"""Built-in measurements: sane, attributed, and found for the offers they speak for."""

from collections import Counter
from dataclasses import replace
from datetime import date

import pytest

from data.builtin_curves import builtin_measurements, matching
from data.catalogue_files import load_catalogue
from data.names import accelerator_id, engine_name, model_id, precision_name
from models.measurements import Measurement, SourcedMeasurement

REPORT_DAY = date(2026, 11, 30)


@pytest.fixture(scope="module")
def points():
    return builtin_measurements()


def offer(tier="h100_sxm_x4_vllm", model="gpt-oss-120b"):
    return load_catalogue().offer(tier, model, REPORT_DAY)


def own(**fields):
    measured = {"model": "openai/gpt-oss-120b", "accelerator": "H100", "accelerator_count": 4} | fields
    return SourcedMeasurement(
        measurement=Measurement(**measured), source_id="sha256:ab", source_label="a file", row_number=1
    )


def test_enough_configurations_on_enough_accelerators(points):
    assert len({point.source_id for point in points}) >= 150
    assert len({accelerator_id(point.measurement.accelerator) for point in points} - {None}) >= 12
    assert all(point.built_in and point.licence and point.source_label for point in points)


def test_every_accelerator_name_is_known(points):
    names = {point.measurement.accelerator for point in points}
    assert {name for name in names if accelerator_id(name) is None} == set()


def test_latencies_are_seconds_in_order(points):
    for point in points:
        for latency in (point.measurement.ttft_s, point.measurement.tpot_s, point.measurement.e2e_s):
            known = [each for each in (latency.p50, latency.p90, latency.p99) if each is not None]
            assert known == sorted(known)
            assert all(0 <= each < 3600 for each in known)


def test_streams_and_throughput_obey_littles_law(points):
    """Tokens per second of the system cannot exceed streams in flight over time per token (Little, 1961)."""
    for point in points:
        each = point.measurement
        if each.concurrency_count and each.tpot_s.p50 and each.output_rate_tok_per_s:
            most = each.concurrency_count / each.tpot_s.p50
            assert each.output_rate_tok_per_s <= 1.1 * most, point


def test_nominal_lengths_are_stored_as_they_were_run(points):
    inferencemax = [point for point in points if point.source_id.startswith("inferencemax")]
    assert {point.measurement.isl_tok for point in inferencemax} == {0.9 * 1024, 0.9 * 8192}
    assert all("nominal" in point.measurement.notes for point in inferencemax)


def test_a_drained_backlog_is_not_a_steady_state(points):
    for point in points:
        each = point.measurement
        if point.source_id.startswith("vllm_cost_meter"):
            steady = each.request_rate_req_per_s >= 0.95 * each.offered_rate_req_per_s
            assert point.quality == ("ok" if steady else "saturated")


def test_every_rented_offer_is_measured(points):
    catalogue = load_catalogue()
    for tier_id, model in catalogue.listings:
        if catalogue.tiers[tier_id].architecture == "batched_accelerator":
            assert len(matching(offer(tier_id, model), points)) >= 5, (tier_id, model)


def test_a_point_speaks_for_one_rented_offer_at_most(points):
    catalogue = load_catalogue()
    spoken_for = Counter(
        point.row_number
        for tier_id, model in catalogue.listings
        for point in matching(offer(tier_id, model), points)
    )
    assert set(spoken_for.values()) == {1}


def test_own_measurements_match_by_names_as_tools_write_them():
    assert matching(
        offer(), [own(accelerator="NVIDIA H100 80GB HBM3", engine="vLLM 0.19.0", precision="mxfp4")]
    )


@pytest.mark.parametrize(
    "difference",
    [
        {"accelerator_count": 8},
        {"engine": "sglang"},
        {"precision": "bf16"},
        {"accelerator": "H200"},
        {"model": "openai/gpt-oss-20b"},
        {"model": None},
        {"accelerator": None},
    ],
)
def test_a_stated_difference_is_no_match(difference):
    assert matching(offer(), [own(**difference)]) == ()


def test_a_measurement_of_the_tier_by_name_matches():
    assert matching(
        offer("cerebras_api"), [own(tier="cerebras_api", accelerator=None, accelerator_count=None)]
    )
    assert not matching(offer("cerebras_api"), [own(tier="groq_api", accelerator=None)])


def test_listed_ids_restrict_the_match():
    chosen = replace(offer(), measurement_ids=("sha256:ab",))
    assert matching(chosen, [own()])
    assert matching(replace(chosen, measurement_ids=("sha256:cd",)), [own()]) == ()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("NVIDIA H100 80GB HBM3", "h100_sxm"),
        ("H100", "h100_sxm"),
        ("nvidia-h100-80gb-hbm3", "h100_sxm"),
        ("AMD Instinct MI300X", "mi300x"),
        ("H1000", None),
        ("", None),
        (None, None),
    ],
)
def test_accelerators_are_known_by_alias_only(text, name):
    assert accelerator_id(text) == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("nvidia/Llama-3.3-70B-Instruct-FP8", "llama-3.3-70b"),
        ("openai/gpt-oss-120b", "gpt-oss-120b"),
        ("GPT-5.6 Sol", "gpt-5.6-sol"),
        ("my-llama-3.3-70b-finetune", None),
    ],
)
def test_models_are_known_with_and_without_their_maker(text, name):
    assert model_id(text) == name


def test_engines_lose_their_version_and_precisions_their_dialect():
    assert engine_name("vLLM 0.19.0") == engine_name("vllm") == "vllm"
    assert engine_name("TensorRT-LLM 1.2") == "trt"
    assert precision_name("NVFP4") == precision_name("mxfp4") == "fp4"
