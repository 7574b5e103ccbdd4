"""A log of requests describes a workload: what it shows goes in with its evidence, and the rest stays."""

import pytest

from data.catalogue_files import load_catalogue
from data.examples import worked_example
from data.measured_workloads import fitted, is_whole, lacking, measured_fields
from data.request_demand import RequestDemand, TokenSample
from data.runs import SourcedDemand
from data.scenario_files import scenario_from
from models.evidence import Grade
from models.problems import InputProblems

SOURCE_ID = "sha256:" + "ab" * 32
WHOLE = RequestDemand(
    request_count=5000,
    error_count=3,
    input_tok=TokenSample(mean_tok=250.0, cv_ratio=0.5, bins_tok=(100, 200, 450)),
    output_tok=TokenSample(mean_tok=20.0, cv_ratio=0.5, bins_tok=(10, 30)),
    cached_input_fraction=0.25,
    first_start_s=1.78e9,
    span_s=2e5,
    mean_rate_req_per_s=3.0,
    peak_rate_req_per_s=8.0,
    peak_window_s=3600.0,
    hourly_fraction=(0.5,) * 12 + (1.0,) * 12,
    dispersion_ratio=4.0,
    dispersion_window_s=2.0,
)
TIMELESS = RequestDemand(request_count=5, error_count=0, output_tok=WHOLE.output_tok)


def of(demand):
    return SourcedDemand(demand=demand, source_id=SOURCE_ID, file_name="week.csv")


def first_demand(workload):
    draft = worked_example(load_catalogue())
    draft["workloads"][0] = workload
    return scenario_from(draft, load_catalogue()).demands[0]


def example():
    return worked_example(load_catalogue())["workloads"][0]


def test_all_that_a_log_shows_is_put_in_as_measured_by_you():
    workload = {**example(), "task": {"sequential_call_count": 4}}
    demand = first_demand(fitted(workload, of(WHOLE)))
    assert demand.peak_rate_req_per_s == 2.0  # 8 calls a second in tasks of four calls
    assert demand.hourly_fraction == WHOLE.hourly_fraction
    assert (demand.arrival.kind, demand.arrival.scv_ratio) == ("gamma", 4.0)
    assert demand.workload.input_tok.values_tok == (100, 200, 450)
    assert demand.workload.cached_input_fraction == 0.25
    for name in measured_fields(WHOLE):
        evidence = demand.workload.evidence[name]
        assert evidence.grade is Grade.OWN_MEASUREMENT
        assert "week.csv" in evidence.source
        assert "5,000 requests" in evidence.locator


def test_targets_models_and_task_stay():
    before, after = example(), fitted(example(), of(WHOLE))
    kept = set(before) - set(measured_fields(WHOLE))
    assert {name: after[name] for name in kept} == {name: before[name] for name in kept}


def test_a_figure_edited_afterwards_is_the_users_own_word_again():
    workload = fitted(example(), of(WHOLE))
    workload["peak_rate_req_per_s"] = 9.0
    evidence = first_demand(workload).workload.evidence
    assert evidence["peak_rate_req_per_s"].grade is Grade.ASSUMED_OR_DERIVED
    assert evidence["output_tok"].grade is Grade.OWN_MEASUREMENT


def test_a_log_without_times_leaves_rate_and_hours_and_says_which():
    before, after = example(), fitted(example(), of(TIMELESS))
    changed = {name for name in after if after[name] != before.get(name)}
    assert changed == {"output_tok", "measured"}
    assert lacking(TIMELESS) == (
        "peak rate",
        "burstiness",
        "shape of the day",
        "input lengths",
        "cached share of the input",
    )
    assert is_whole(WHOLE)
    assert not is_whole(TIMELESS)


@pytest.mark.parametrize(("ratio", "kind"), [(1.04, "poisson"), (0.4, "gamma"), (30.0, "gamma")])
def test_burstiness_near_one_is_poisson(ratio, kind):
    demand = RequestDemand(request_count=9, error_count=0, dispersion_ratio=ratio)
    assert measured_fields(demand)["arrival"]["kind"] == kind


@pytest.mark.parametrize(
    "measured",
    [
        {"source_id": SOURCE_ID, "file": "week.csv", "request_count": 0, "fields": {}},
        {"source_id": SOURCE_ID, "file": "week.csv", "request_count": 5, "fields": {"targets": "x"}},
        {"source_id": SOURCE_ID, "file": "week.csv", "request_count": 5, "fields": {}, "grade": "A"},
    ],
)
def test_a_malformed_word_of_measurement_is_refused_with_its_address(measured):
    with pytest.raises(InputProblems) as refused:
        first_demand({**example(), "measured": measured})
    assert all("workloads[0].measured" in problem.path for problem in refused.value.problems)
