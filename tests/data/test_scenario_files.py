"""Scenarios: the examples are sound, every fault has an address and a cure, and nothing crashes."""

import copy
import re
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.catalogue_files import load_catalogue
from data.scenario_files import (
    SCHEMA,
    api_buyer_example,
    draft_id,
    read_draft,
    scenario_from,
    worked_example,
    write_draft,
)
from data.tier_drafts import price_as_draft
from models.evidence import Grade, Sense
from models.problems import InputProblems
from models.tiers import HourlyPrice, Split, TokenPrice
from tests.app import tiny

CATALOGUE = load_catalogue()
EXAMPLES = {"worked": worked_example, "api buyer": api_buyer_example}
OWN_TIER = {
    "id": "our_cluster",
    "architecture": "batched_accelerator",
    "accelerator": "h100_sxm",
    "accelerator_count_per_replica": 4,
    "failure_unit": "node",
    "price": {"basis": "hourly", "usd_per_accelerator_h": 2.95},
}


def draft(**changes):
    return copy.deepcopy(worked_example(CATALOGUE)) | changes


def with_workload(**changes):
    changed = draft()
    changed["workloads"][0] |= changes
    return changed


def read(changed):
    return scenario_from(changed, CATALOGUE)


def problems(changed):
    with pytest.raises(InputProblems) as error:
        read(changed)
    return {problem.path: problem for problem in error.value.problems}


@pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES)
def test_examples_are_sound_and_survive_a_file(example):
    scenario = read(example(CATALOGUE))
    assert read(read_draft(write_draft(example(CATALOGUE)))) == scenario
    assert scenario.id == draft_id(example(CATALOGUE))


def test_the_worked_example_covers_five_workloads_on_one_model():
    scenario = read(draft())
    names = [demand.workload.name for demand in scenario.demands]
    assert names == ["operations", "finance", "voice", "commerce", "research"]
    assert {offer.model.id for offer in scenario.offers} == {"gpt-oss-120b"}
    assert {offer.tier.architecture for offer in scenario.offers} == {"batched_accelerator", "hosted_api"}
    assert (scenario.as_of, scenario.seed) == (date(2026, 11, 30), 7)


def test_proposed_values_carry_the_catalogues_evidence_and_changed_ones_the_users():
    changed = with_workload(peak_rate_req_per_s=3)
    evidence = read(changed).demands[0].workload.evidence
    assert evidence["peak_rate_req_per_s"].source == "assumed by the user"
    assert "Mooncake" in evidence["input_tok"].source


def test_all_faults_are_listed_at_once():
    changed = with_workload(
        peak_rate_req_per_s=-1, targets=[{"metric": "ttft_s", "quantile": 0.95, "limit_s": "fast"}]
    )
    changed["workloads"][1]["targets"][1]["limit_s"] = 0
    changed["policy"]["max_utilisation_fraction"] = 1.5
    found = problems(changed)
    assert set(found) == {
        "workloads[0].peak_rate_req_per_s",
        "workloads[0].targets[0].limit_s",
        "workloads[1].targets[1].limit_s",
        "policy.max_utilisation_fraction",
    }
    assert all(problem.cure for problem in found.values())


@pytest.mark.parametrize(
    ("changed", "path", "words"),
    [
        (draft(workload=[]), "workload", "Did you mean 'workloads'?"),
        (with_workload(peak_rate_req_per_s=1e300), "workloads[0].peak_rate_req_per_s", "at most 1e+09"),
        (with_workload(peak_rate_req_per_m=1), "workloads[0].peak_rate_req_per_m", "peak_rate_req_per_s"),
        (draft(policy={"spare_units": 1}), "policy.spare_units", "spare_unit_count"),
        (draft(schema="plimsoll/2"), "schema", "version 2, this program reads up to version 1"),
        (draft(schema="other/1"), "schema", SCHEMA),
        (draft(schema=None), "schema", "is missing"),
        (draft(as_of="30.11.2026"), "as_of", "year-month-day"),
        (draft(seed=1.5), "seed", "whole number"),
        (draft(workloads=[]), "workloads", "is empty. Add at least one workload"),
        (draft(offers=[]), "offers", "is empty. Add a tier and a model"),
        (draft(offers=None), "offers", "is empty"),
        (draft(workloads={}), "workloads", "expected a list"),
        (draft(workloads=["voice"]), "workloads[0]", "expected a group of named values, got 'voice'"),
        (draft(workloads=[draft()["workloads"][0]] * 2), "workloads[1].name", "a second workload"),
        (draft(offers=[draft()["offers"][0]] * 2), "offers[1]", "a second time"),
        (draft(offers=[{"tier": "cerebras", "model": "gpt-oss-120b"}]), "offers[0].tier", "cerebras_api"),
        (draft(offers=[{"tier": "cerebras_api", "model": "gpt-oss"}]), "offers[0].model", "gpt-oss-120b"),
        (draft(offers=[{"tier": "cerebras_api"}]), "offers[0].model", "is missing"),
        (draft(fleet=[{"tier": "x", "replica_count": 1}]), "fleet[0].tier", "no offer is on tier"),
        (draft(policy={"allow_availability": ["opn"]}), "policy.allow_availability[0]", "open"),
        (draft(policy={"accepted_p95_to_p50_ratio": 0.5}), "policy.accepted_p95_to_p50_ratio", "at least 1"),
        (with_workload(peak_rate_req_per_s="no"), "workloads[0].peak_rate_req_per_s", "got 'no'"),
        (with_workload(peak_rate_req_per_s=True), "workloads[0].peak_rate_req_per_s", "got True"),
        (with_workload(peak_rate_req_per_s=float("nan")), "workloads[0].peak_rate_req_per_s", "finite"),
        (with_workload(peak_rate_req_per_s=10**400), "workloads[0].peak_rate_req_per_s", "finite"),
        (with_workload(peak_rate_req_per_s=None), "workloads[0].peak_rate_req_per_s", "is missing"),
        (with_workload(input_tok=None), "workloads[0].input_tok", "is missing"),
        (with_workload(input_tok=7), "workloads[0].input_tok", "expected a group"),
        (with_workload(input_tok={"kind": "normal"}), "workloads[0].input_tok.kind", "lognormal"),
        (
            with_workload(input_tok={"kind": "lognormal", "p50": 100, "p95": 50}),
            "workloads[0].input_tok.p95",
            "at least 100",
        ),
        (
            with_workload(input_tok={"kind": "fixed", "value": 0}),
            "workloads[0].input_tok.value",
            "at least 1",
        ),
        (
            with_workload(output_tok={"kind": "fixed", "value": 9, "clip": [9, 1]}),
            "workloads[0].output_tok.clip",
            "clip: [1, 32768]",
        ),
        (
            with_workload(input_tok={"from_trace": "sha256:00"}),
            "workloads[0].input_tok.from_trace",
            "is not here",
        ),
        (with_workload(hourly_fraction="office"), "workloads[0].hourly_fraction", "office_hours"),
        (with_workload(hourly_fraction=[1, 0.5]), "workloads[0].hourly_fraction", "24 shares"),
        (with_workload(hourly_fraction=[0] * 24), "workloads[0].hourly_fraction", "zero at every hour"),
        (with_workload(hourly_fraction=[2.0] + [1] * 23), "workloads[0].hourly_fraction[0]", "at most 1"),
        (with_workload(models=["gtp-oss-120b"]), "workloads[0].models[0]", "gpt-oss-120b"),
        (with_workload(models=[]), "workloads[0].models", "is empty"),
        (with_workload(value={"kind": "half_life"}), "workloads[0].value.half_life_s", "is missing"),
        (
            with_workload(targets=[{"metric": "ttft_s", "quantile": 0.97, "limit_s": 1}]),
            "workloads[0].targets[0].quantile",
            "Use 0.5, 0.9, 0.95 or 0.99",
        ),
        (with_workload(arrival={"kind": "gamma"}), "workloads[0].arrival.scv_ratio", "is missing"),
        (
            with_workload(arrival={"kind": "poisson", "scv_ratio": 2}),
            "workloads[0].arrival.scv_ratio",
            "is not a known key",
        ),
    ],
)
def test_a_fault_has_its_address_and_a_cure(changed, path, words):
    found = problems(changed)
    assert set(found) == {path}
    assert words in str(found[path])


def test_an_own_tier_is_read_with_evidence_of_grade_e():
    offers = [{"tier": OWN_TIER, "model": "gpt-oss-120b", "measurements": ["sha256:ab"]}]
    scenario = read(draft(offers=offers, fleet=[{"tier": "our_cluster", "replica_count": 3}]))
    (offer,) = scenario.offers
    assert isinstance(offer.tier.price, HourlyPrice)
    assert offer.tier.price.evidence.grade is Grade.ASSUMED_OR_DERIVED
    assert offer.tier.price.evidence.source == "assumed by the user"
    assert offer.accelerator.id == "h100_sxm"
    assert offer.measurement_ids == ("sha256:ab",)


def test_an_own_tier_may_say_better_and_serve_further_models():
    evidence = {"grade": "A", "sense": "list_price", "source": "our contract", "checked_on": "2026-11-01"}
    price = {"basis": "per_token", "input_usd_per_mtok": 1, "output_usd_per_mtok": 2, "evidence": evidence}
    tier = {
        "id": "deal",
        "architecture": "hosted_api",
        "price": price,
        "speed": {"stream_rate_ceiling_tok_per_s": 900},
    }
    offers = [
        {"tier": tier, "model": "gpt-oss-120b"},
        {"tier": "deal", "model": {"id": "our_model", "label": "Ours"}},
    ]
    first, second = read(draft(offers=offers)).offers
    assert isinstance(first.tier.price, TokenPrice)
    assert first.tier.price.evidence.checked_on == date(2026, 11, 1)
    assert first.tier.failure_unit == "endpoint"
    assert first.tier.speed.evidence["stream_rate_ceiling_tok_per_s"].sense is Sense.CEILING
    assert (second.tier, second.model.id) == (first.tier, "our_model")


@pytest.mark.parametrize(
    ("change", "path", "words"),
    [
        ({"architecture": "quantum"}, "architecture", "wafer_scale_pipeline"),
        ({"accelerator": "h100_smx"}, "accelerator", "h100_sxm"),
        ({"accelerator_count_per_replica": None}, "accelerator_count_per_replica", "is missing"),
        ({"price": {"basis": "leased"}}, "price.basis", "hourly, owned, per_token"),
        ({"price": {"basis": "hourly"}}, "price.usd_per_accelerator_h", "is missing"),
        (
            {"price": {"basis": "hourly", "usd_per_accelerator_h": "n/a"}},
            "price.usd_per_accelerator_h",
            "leave it out",
        ),
        ({"id": "cerebras_api"}, "id", "is taken"),
        ({"speed": {"stream_rate_tok_per_s": 0}}, "speed.stream_rate_tok_per_s", "more than 0"),
        ({"colour": "red"}, "colour", "is not a known key"),
    ],
)
def test_a_fault_in_an_own_tier_has_its_address(change, path, words):
    found = problems(draft(offers=[{"tier": OWN_TIER | change, "model": "gpt-oss-120b"}]))
    assert set(found) == {f"offers[0].tier.{path}"}
    assert words in str(found[f"offers[0].tier.{path}"])


def test_two_tiers_of_one_id_are_refused():
    offers = [{"tier": OWN_TIER, "model": "gpt-oss-120b"}, {"tier": OWN_TIER, "model": "gpt-oss-20b"}]
    assert set(problems(draft(offers=offers))) == {"offers[1].tier.id"}


def test_lengths_come_from_an_imported_request_log():
    changed = with_workload(input_tok={"from_trace": "sha256:00"})
    scenario = scenario_from(changed, CATALOGUE, {"sha256:00": {"input_tok": [5, 7], "output_tok": [1]}})
    assert scenario.demands[0].workload.input_tok.values_tok == (5, 7)


odd_values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.just([]),
    st.just({}),
    st.just([[{}]]),
    st.just({"kind": "fixed"}),
    st.just({1: 2}),
)


def faults(changed):
    try:
        read(changed)
    except InputProblems as error:
        return error.problems
    return ()


def places(part, path=()):
    """The address of every value in a draft."""
    children = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for key, child in children:
        yield (*path, key)
        yield from places(child, (*path, key))


PLACES = sorted(places(draft() | {"offers": [{"tier": OWN_TIER, "model": "gpt-oss-120b"}]}), key=repr)


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(PLACES), odd_values)
def test_any_value_anywhere_is_read_or_refused_with_an_address(place, value):
    changed = draft() | {"offers": [{"tier": copy.deepcopy(OWN_TIER), "model": "gpt-oss-120b"}]}
    part = changed
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = value
    found = faults(changed)
    assert all(re.match(r"[a-z_\[\]0-9.]", problem.path) and problem.cure for problem in found)


@pytest.mark.parametrize(
    ("price", "path", "words"),
    [
        ({"basis": "owned", "purchase_usd_per_accelerator": 49_250}, "life_years", "is missing"),
        (
            {"basis": "owned", "purchase_usd_per_accelerator": 1, "life_years": 3, "energy_usd_per_kwh": 0.1},
            "accelerator_power_w",
            "power it applies to",
        ),
        (
            {"basis": "owned", "purchase_usd_per_accelerator": 1, "life_years": 3, "pue_ratio": 0.9}
            | {"accelerator_power_w": 1000},
            "pue_ratio",
            "1",
        ),
        ({"basis": "hourly", "usd_per_accelerator_h": 2, "term": "forever"}, "term", "reserved"),
        ({"basis": "hourly", "usd_per_accelerator_h": 0}, "usd_per_accelerator_h", "Leave the price out"),
        (
            {"basis": "per_token", "input_usd_per_mtok": 0, "output_usd_per_mtok": 0},
            "output_usd_per_mtok",
            "Leave the price out",
        ),
        (
            {"basis": "per_token", "input_usd_per_mtok": 1, "output_usd_per_mtok": 2}
            | {"long_context": {"above_tok": 200_000, "input_usd_per_mtok": 2}},
            "long_context.output_usd_per_mtok",
            "is missing",
        ),
        (
            {"basis": "per_token", "input_usd_per_mtok": 1, "output_usd_per_mtok": 2}
            | {"off_peak": {"from_h": 25, "to_h": 3, "price_ratio": 0.5}},
            "off_peak.from_h",
            "24",
        ),
    ],
)
def test_a_fault_in_a_price_has_its_address(price, path, words):
    sold = {"architecture": "hosted_api"} if price["basis"] == "per_token" else {}
    found = problems(draft(offers=[{"tier": OWN_TIER | sold | {"price": price}, "model": "gpt-oss-120b"}]))
    assert set(found) == {f"offers[0].tier.price.{path}"}
    (problem,) = found.values()
    assert words in f"{problem.message} {problem.cure}"


def test_a_price_written_out_reads_back_the_same():
    price = {
        "basis": "per_token",
        "input_usd_per_mtok": 1.0,
        "output_usd_per_mtok": 2.0,
        "cache_write_usd_per_mtok": 1.25,
        "long_context": {"above_tok": 200_000.0, "input_usd_per_mtok": 2.0, "output_usd_per_mtok": 3.0},
        "off_peak": {"from_h": 16, "to_h": 0, "price_ratio": 0.5},
        "minimum_usd_per_month": 1000.0,
    }
    hosted = {"id": "mine", "architecture": "hosted_api", "price": price}
    (offer,) = read(draft(offers=[{"tier": hosted, "model": "gpt-oss-120b"}])).offers
    assert price_as_draft(offer.tier.price) == price


@pytest.mark.parametrize(
    ("architecture", "basis", "cure"),
    [("batched_accelerator", "per_token", "hourly or owned"), ("hosted_api", "hourly", "per_token")],
)
def test_a_price_must_suit_its_architecture(architecture, basis, cure):
    usd = (
        {"usd_per_accelerator_h": 2}
        if basis == "hourly"
        else {"input_usd_per_mtok": 1, "output_usd_per_mtok": 2}
    )
    tier = OWN_TIER | {"architecture": architecture, "price": {"basis": basis} | usd}
    (found,) = problems(draft(offers=[{"tier": tier, "model": "gpt-oss-120b"}])).items()
    assert found[0] == "offers[0].tier.price.basis"
    assert cure in str(found[1])


def test_a_split_is_of_as_many_accelerators_as_the_replica_has():
    tier = OWN_TIER | {"accelerator_count_per_replica": 16, "link": {"one_way_gbit_per_s": 400}}
    good = tier | {"split": {"tensor_parallel_count": 8, "pipeline_parallel_count": 2}}
    read = scenario_from(draft(offers=[{"tier": good, "model": "gpt-oss-120b"}]), CATALOGUE).offers[0].tier
    assert read.split == Split(tensor_parallel_count=8, pipeline_parallel_count=2)
    assert read.link.bandwidth_byte_per_s == 5e10
    bad = tier | {"split": {"tensor_parallel_count": 8}}
    found = problems(draft(offers=[{"tier": bad, "model": "gpt-oss-120b"}]))
    assert "not of 16" in found["offers[0].tier.split.tensor_parallel_count"].message


def test_a_cure_names_each_known_key_once():
    draft = tiny.draft() | {"policy": {"zzzzzz": 1}}
    with pytest.raises(InputProblems) as caught:
        scenario_from(draft, load_catalogue())
    [problem] = caught.value.problems
    assert problem.cure.count("allow_availability") == 1
