"""Figures that can hardly be are said, with their bound, and left as they are."""

from datetime import date

import pytest

from data.builtin_curves import builtin_measurements
from data.imports import import_file
from data.plausibility import BOUNDS, implausibilities
from models.measurements import Measurement
from models.percentiles import Percentiles

TODAY = date(2026, 11, 30)


def table(*lines):
    return import_file("points.csv", "\n".join(lines).encode())


def words(found):
    return " | ".join(str(problem) for problem in found.problems if problem.severity == "warning")


@pytest.mark.parametrize(
    ("measurement", "figure", "bound"),
    [
        (Measurement(ttft_s=Percentiles(p50=60.0)), "60 s", "at or above 30 s"),
        (Measurement(ttft_s=Percentiles(mean=0.00005)), "5e-05 s", "below 0.0001 s"),
        (Measurement(itl_s=Percentiles(p50=0.00001)), "1e-05 s", "below 5e-05 s"),
        (Measurement(tpot_s=Percentiles(mean=22.0)), "22 s", "at or above 10 s"),
        (Measurement(output_rate_tok_per_s=7e8), "700,000,000 tokens/s", "at or above 100,000,000"),
        (Measurement(request_count=0), "0", "below 1"),
        (Measurement(concurrency_count=0.0), "0", "below 0.001"),
        (Measurement(osl_tok=0.0), "0", "below 1"),
        (Measurement(measured_on=date(2099, 1, 1)), "2099-01-01", "after today"),
        (Measurement(measured_on=date(2019, 5, 1)), "2019-05-01", "before 2022-01-01"),
    ],
)
def test_each_figure_is_named_with_its_bound_and_a_cure(measurement, figure, bound):
    (problem,) = implausibilities(measurement, "row 7", TODAY)
    assert problem.path == "row 7"
    assert problem.severity == "warning"
    assert figure in problem.message
    assert bound in problem.message
    assert problem.cure.startswith("Check")


def test_more_tokens_than_the_accelerators_can_compute_are_noticed():
    """8 H100 at 1.979e15 dense FP8 operations a second, two for each of 70.6e9 weights: 112,125 tokens/s."""
    row = Measurement(
        accelerator="H100 SXM", accelerator_count=8, model="llama-3.1-70b", output_rate_tok_per_s=120_000.0
    )
    (problem,) = implausibilities(row, "row 2", TODAY)
    assert "112,125 tokens/s" in problem.message
    slower = Measurement(
        accelerator="H100 SXM", accelerator_count=8, model="llama-3.1-70b", output_rate_tok_per_s=110_000.0
    )
    assert implausibilities(slower, "row 2", TODAY) == ()


def test_a_day_that_has_begun_elsewhere_is_not_the_future():
    assert implausibilities(Measurement(measured_on=date(2026, 12, 1)), "row 2", TODAY) == ()


def test_published_measurements_stay_within_the_bounds_but_for_overloaded_runs():
    """3,186 points from nine sources; what is noticed are medians of runs far beyond their load."""
    noticed = [
        problem
        for each in builtin_measurements()
        for problem in implausibilities(each.measurement, each.source_label, TODAY)
    ]
    assert all("first token" in problem.message for problem in noticed)
    assert len(noticed) < 0.05 * len(builtin_measurements())


def test_a_noticed_row_is_kept_as_the_file_has_it():
    found = table("concurrency,ttft_ms_p50,output_tps", "4,60000,320", "8,200,700000000")
    assert [row.ttft_s.p50 for row in found.measurements] == [60.0, 0.2]
    assert found.measurements[1].output_rate_tok_per_s == 7e8
    assert "row 2: Time to first token (p50) is 60 s" in words(found)
    assert "row 3: " in words(found)


def test_first_tokens_alone_can_exceed_what_is_in_flight():
    found = table("concurrency,ttft_ms_mean,request_rps", "4,9000,2")
    assert "request rate x (TTFT) is 18 in flight, above the concurrency of 4" in words(found)


def test_a_users_speed_and_a_tpot_that_contradict_each_other_are_noticed():
    found = table("concurrency,tpot_ms_mean,tok/s/user", "4,20,50", "8,20,0.05")
    assert "row 3, column tokens/s per user" in words(found)
    assert "row 2" not in words(found)
    assert found.measurements[1].tpot_s.mean == 0.02


def test_every_bound_says_why_and_what_to_do():
    assert all(bound.reason and bound.cure for bound in BOUNDS)
    assert all((bound.low is None) or (bound.high is None) or bound.low < bound.high for bound in BOUNDS)
