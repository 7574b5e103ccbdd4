"""Points become curves by what they measured, and are compared at loads that were measured, no others."""

from dataclasses import replace

from data.measured_curves import measured_curves, ratios_at_equal_loads
from models.measurements import Measurement, SourcedMeasurement
from models.percentiles import Percentiles

TTFT = "Time to first token, p50"


def sourced(point, file="a.csv", digest="a" * 64):
    return SourcedMeasurement(
        measurement=point, source_id=f"sha256:{digest}", source_label=file, row_number=1
    )


def point(load, ttft_s, **more):
    fields = {"model": "m", "isl_tok": 1000, "osl_tok": 100, "load_kind": "concurrency"} | more
    return Measurement(concurrency_count=load, ttft_s=Percentiles(p50=ttft_s), **fields)


def test_one_file_of_one_system_and_shape_is_one_curve_in_order_of_load():
    [curve] = measured_curves([sourced(point(8, 0.8)), sourced(point(1, 0.1)), sourced(point(4, 0.4))])
    assert curve.values(TTFT) == {1: 0.1, 4: 0.4, 8: 0.8}
    assert list(curve.values(TTFT)) == [1, 4, 8]
    assert curve.load == "concurrency_count"


def test_what_differs_parts_curves_and_names_them():
    base = point(1, 0.1)
    for change, word in (
        ({"tier": "fast"}, "fast"),
        ({"accelerator": "B200", "accelerator_count": 4}, "4 x B200"),
        ({"osl_tok": 500}, "1,000/500 tokens"),
        ({"engine": "vllm"}, "vllm"),
    ):
        curves = measured_curves([sourced(base), sourced(replace(base, **change))])
        assert len(curves) == 2
        assert word in " ".join(curve.name for curve in curves)
        assert len({curve.name for curve in curves}) == 2


def test_two_files_of_one_name_are_told_apart():
    curves = measured_curves([sourced(point(1, 0.1)), sourced(point(1, 0.2), digest="b" * 64)])
    assert {curve.name for curve in curves} == {"a.csv (aaaaaa)", "a.csv (bbbbbb)"}


def test_points_at_one_load_are_averaged_and_missing_ones_left_out():
    [curve] = measured_curves([sourced(point(1, 0.1)), sourced(point(1, 0.3)), sourced(point(2, None))])
    assert curve.values(TTFT) == {1: 0.2}


def test_a_point_without_a_load_belongs_to_no_curve():
    assert measured_curves([sourced(replace(point(1, 0.1), concurrency_count=None))]) == ()


def test_a_rate_test_with_a_cap_is_a_curve_over_rates():
    capped = replace(point(64, 0.1), load_kind="rate", offered_rate_req_per_s=2.0)
    [curve] = measured_curves([sourced(capped)])
    assert (curve.load, curve.values(TTFT)) == ("offered_rate_req_per_s", {2.0: 0.1})


def test_ratios_stand_at_shared_loads_only():
    curves = measured_curves(
        [sourced(point(load, load / 10)) for load in (1, 4, 8)]
        + [sourced(point(load, load / 5), "b.csv", "b" * 64) for load in (1, 2, 8)]
    )
    first, second = sorted(curves, key=lambda curve: curve.name)
    rows = ratios_at_equal_loads([first, second], TTFT)
    assert [(row.load, row.values, row.ratios) for row in rows] == [
        (1, (0.1, 0.2), (1.0, 2.0)),
        (8, (0.8, 1.6), (1.0, 2.0)),
    ]


def test_nothing_is_compared_across_kinds_of_load_or_alone():
    by_rate = replace(point(None, 0.1), load_kind="rate", offered_rate_req_per_s=1.0)
    curves = measured_curves([sourced(point(1, 0.1)), sourced(by_rate, "b.csv", "b" * 64)])
    assert ratios_at_equal_loads(curves, TTFT) == ()
    assert ratios_at_equal_loads(curves[:1], TTFT) == ()
