"""Fits recover laws they have not been told, and hold out on published sweeps."""

from collections import defaultdict

import numpy as np
import pytest

from models.architectures.batched_accelerator import assess, band, closed_loop, fit
from models.batched_fit import errors
from models.calibration import Limits, fit_step_law
from models.evidence import Grade
from models.load_points import usable_points
from models.measurements import Measurement, SourcedMeasurement
from models.percentiles import Percentiles
from models.performance import BatchedPerformance, CannotServe
from models.tiers import Model, Offer, Tier
from models.tokens import roofline

UNKNOWN_MODEL = Model(id="m", label="Some model", kind="closed")
UNLIMITED = Limits(slot_count=float("inf"), kv_capacity_tok=float("inf"), token_budget_tok=8192.0)


def offer(slot_count=None):
    tier = Tier(id="t", label="Some tier", architecture="batched_accelerator", slot_count=slot_count)
    return Offer(tier=tier, model=UNKNOWN_MODEL)


def row(concurrency, tpot_s, *, isl=100.0, osl=501.0, ttft_s=None, built_in=False, **more):
    measurement = Measurement(
        load_kind="concurrency",
        concurrency_count=concurrency,
        isl_tok=isl,
        osl_tok=osl,
        tpot_s=Percentiles(p50=tpot_s),
        ttft_s=Percentiles(p50=ttft_s),
        **more,
    )
    return SourcedMeasurement(
        measurement=measurement, source_id="s", source_label="A sweep", row_number=2, built_in=built_in
    )


def sweep(loads, law, **more):
    return [row(float(each), law(each), **more) for each in loads]


@pytest.mark.parametrize("exponent", [0.55, 0.77, 0.95])
def test_a_concave_sweep_is_met_and_its_left_out_loads_foretold(exponent):
    """Data from alpha + beta b^p exactly; 24 was not measured."""

    def law(batch):
        return 0.010 + 0.0006 * batch**exponent

    found = fit(offer(), sweep([1, 2, 4, 8, 16, 32, 64], law))
    assert isinstance(found, BatchedPerformance)
    for batch in (1, 8, 24, 64):
        assert closed_loop(found, batch, 100.0, 501.0)[1] == pytest.approx(law(batch), rel=0.02)
    assert found.quality.residual_fraction < 0.01


def test_prompt_cost_and_overhead_come_apart_with_several_input_lengths():
    """Idle TTFT = overhead + half a step + a step + delta P, of a replica whose step is 10 ms."""
    delta, overhead = 5e-5, 0.02
    rows = [
        row(1.0, 0.010, isl=isl, ttft_s=overhead + 0.015 + delta * isl)
        for isl in (200.0, 1000.0, 4000.0, 8000.0)
    ]
    rows += [row(4.0, 0.0105, isl=1000.0), row(16.0, 0.012, isl=1000.0), row(2.0, 0.0102, isl=1000.0)]
    found = fit(offer(), rows)
    for isl in (500.0, 6000.0):
        expected = overhead + 0.015 + delta * isl
        assert closed_loop(found, 1, isl, 501.0)[0] == pytest.approx(expected, rel=0.1)


def test_closed_loop_obeys_littles_law():
    found = fit(offer(), sweep([1, 4, 16, 64], lambda b: 0.01 + 0.0003 * b**0.8))
    for concurrency in (1, 10, 64):
        ttft_s, tpot_s, rate = closed_loop(found, concurrency, 100.0, 501.0)
        assert rate * (ttft_s + 500 * tpot_s) / 501 == pytest.approx(concurrency, rel=0.05)


def test_slots_are_what_was_measured_unless_stated():
    law = sweep([1, 4, 16, 32], lambda b: 0.01 + 0.0003 * b)
    assert fit(offer(), law).slot_count == 32
    assert fit(offer(slot_count=48), law).slot_count == 48
    refused = fit(offer(slot_count=1024), law)
    assert refused.slot_count == 8 * 32
    assert any("nothing can be said" in text for text in refused.notices)


def test_own_measurements_override_published_ones():
    published = sweep([1, 4, 16, 64], lambda b: 0.02 + 0.0003 * b, built_in=True)
    own = sweep([1, 8, 32], lambda b: 0.01 + 0.0003 * b)
    found = fit(offer(), [*published, *own])
    assert found.evidence["step"].grade is Grade.OWN_MEASUREMENT
    assert found.domain.concurrency_high_count == 32
    both = fit(offer(), [*published, own[0]])
    assert both.evidence["step"].grade is Grade.INDEPENDENT
    assert any("fewer than two loads" in text for text in both.notices)


@pytest.mark.parametrize(("loads", "words"), [([8], "Only one load"), ([1, 8], "exponent is taken")])
def test_few_loads_still_fit_and_say_so(loads, words):
    found = fit(offer(), sweep(loads, lambda b: 0.01 + 0.0003 * b))
    assert isinstance(found, BatchedPerformance)
    assert any(words in text for text in found.notices)
    assert closed_loop(found, loads[-1], 100.0, 501.0)[1] == pytest.approx(0.0124, rel=0.05)


def test_nothing_measured_and_nothing_published_is_refused():
    refusal = fit(offer(), [])
    assert isinstance(refusal, CannotServe)
    assert assess(offer(), []) is None


def test_rows_that_are_no_steady_state_are_left_out_with_a_notice():
    broken = row(
        10.0, 0.01, e2e_s=Percentiles(mean=5.0, p50=5.0), request_rate_req_per_s=1.0
    )  # 1/s x 5 s is 5 in flight, not 10
    drained = SourcedMeasurement(
        measurement=Measurement(
            load_kind="rate",
            offered_rate_req_per_s=10.0,
            request_rate_req_per_s=7.0,
            isl_tok=100.0,
            osl_tok=100.0,
            tpot_s=Percentiles(p50=0.05),
        ),
        source_id="s",
        source_label="A sweep",
        row_number=3,
    )
    points, notices = usable_points([broken, drained])
    assert points == []
    assert any("Little" in text for text in notices)
    assert any("saturated" in text for text in notices)


def test_gaps_between_chunks_stand_in_for_time_per_token_only_with_a_notice():
    chunks = SourcedMeasurement(
        measurement=Measurement(
            load_kind="concurrency",
            concurrency_count=4.0,
            isl_tok=10.0,
            osl_tok=100.0,
            itl_s=Percentiles(p50=0.01),
        ),
        source_id="s",
        source_label="A sweep",
        row_number=2,
    )
    points, notices = usable_points([chunks])
    assert points[0].tpot_s == 0.01
    assert any("chunks" in text for text in notices)


def test_the_band_widens_with_extrapolation_and_ends_at_eight_times():
    found = fit(offer(), sweep([1, 4, 16], lambda b: 0.01 + 0.0003 * b))
    widths = [high - low for low, high in (band(found, each) for each in (16, 32, 64, 128))]
    assert widths == sorted(widths)
    assert band(found, 129) is None


def left_out(points, is_out, names=("tpot_s",), bounds=None):
    """Errors by metric on the points that are out, of a fit to those that are in."""
    law = fit_step_law([point for point in points if not is_out(point)], UNLIMITED, bounds)
    out = [point for point in points if is_out(point)]
    return {name: errors(law, UNLIMITED, out, name) for name in names}


def published_sweeps():
    """Roofline and usable points of each InferenceMAX configuration, in a fixed order."""
    from data.builtin_curves import builtin_measurements

    configurations = defaultdict(list)
    for each in builtin_measurements():
        m = each.measurement
        if each.source_id.startswith("inferencemax"):
            key = (m.accelerator, m.accelerator_count, m.model, m.precision, m.engine)
            configurations[key].append(each)
    return [
        (published_roofline(configurations[key][0].measurement), usable_points(configurations[key])[0])
        for key in sorted(configurations, key=str)
    ]


def published_roofline(measured):
    """The roofline that the catalogue's facts give for a measured configuration."""
    from data.catalogue_files import load_catalogue
    from data.names import accelerator_id, model_id

    catalogue = load_catalogue()
    tier = Tier(
        id="t",
        label="T",
        architecture="batched_accelerator",
        accelerator_count_per_replica=measured.accelerator_count,
        precision=measured.precision,
    )
    return roofline(
        Offer(
            tier=tier,
            model=catalogue.models[model_id(measured.model)],
            accelerator=catalogue.accelerators[accelerator_id(measured.accelerator)],
        )
    )


def curves(points):
    """The points of each combination of lengths."""
    shapes = sorted({point.shape for point in points})
    return {shape: [point for point in points if point.shape == shape] for shape in shapes}


def test_published_sweeps_foretell_loads_left_out():
    """The limit stated for these sweeps is 3 % of time per token; one configuration in nine."""
    found = []
    for bounds, points in published_sweeps()[::9]:
        for curve in curves(points).values():
            for load in sorted({point.load for point in curve})[1:-1]:
                found += left_out(curve, lambda p, x=load: p.load == x, bounds=bounds)["tpot_s"]
    assert float(np.median(found)) <= 0.03


def test_published_sweeps_foretell_their_upper_half():
    """Two to eight times the fitted loads: the limit is 9 %; one configuration in three."""
    found = []
    for bounds, points in published_sweeps()[::3]:
        for curve in curves(points).values():
            loads = sorted({point.load for point in curve})
            middle = loads[(len(loads) - 1) // 2]
            found += left_out(curve, lambda p, m=middle: p.load > m, bounds=bounds)["tpot_s"]
    assert float(np.median(found)) <= 0.09


def test_published_sweeps_foretell_lengths_left_out():
    """Limits: 8 % of time per token, 20 % of time to first token; one configuration in five."""
    found = defaultdict(list)
    for bounds, points in published_sweeps()[::5]:
        for shape in curves(points):
            away = left_out(points, lambda p, s=shape: p.shape == s, ("tpot_s", "ttft_s"), bounds)
            for name, values in away.items():
                found[name] += values
    assert float(np.median(found["tpot_s"])) <= 0.08
    assert float(np.median(found["ttft_s"])) <= 0.20
