"""Wafers: how many a model needs, what they leave, and the two ends of what they may do."""

from dataclasses import replace
from datetime import date

import pytest

from data.catalogue_files import load_catalogue
from models.architectures import wafer_scale_pipeline
from models.lengths import fixed_lengths, lognormal_lengths
from models.measurements import Measurement, SourcedMeasurement
from models.percentiles import Percentiles
from models.performance import CannotServe, Load, RequestClass
from models.pipeline_fit import hinge, loaded_speeds
from models.request_mix import mix_of
from models.simulation import simulate
from models.systems import PipelinePool
from models.tiers import Link
from models.traffic import Traffic
from models.wafers import crossing_of, fewest_wafers, kv_room_byte

DAY = date(2026, 11, 30)
WAFER_BYTE = 44e9
# 2 (keys and values) x 80 layers x 8 heads x 128 x 2 byte
KV_BYTE_PER_TOK = 327_680


def llama(**tier_changes):
    offer = load_catalogue().offer("cs3_owned", "llama-3.3-70b", DAY)
    return replace(offer, tier=replace(offer.tier, **tier_changes))


def load(rate, isl=1000.0, osl=200.0):
    single = RequestClass(
        name="calls", rate_req_per_s=rate, input_tok=fixed_lengths(isl), output_tok=fixed_lengths(osl)
    )
    return Load(classes=(single,))


@pytest.mark.parametrize(
    ("weights_byte", "wafers"),
    # 70 and 405 billion 16-bit weights; a fit to the last byte; 100 billion at 16, 8 and 4 bit
    [(140e9, 4), (810e9, 19), (88e9, 2), (200e9, 5), (100e9, 3), (50e9, 2), (1.0, 1)],
)
def test_weights_need_so_many_wafers(weights_byte, wafers):
    assert fewest_wafers(weights_byte, WAFER_BYTE) == wafers


def test_seventy_billion_weights_leave_room_for_110_thousand_tokens():
    room = kv_room_byte(140e9, WAFER_BYTE, 4)
    assert room == 36e9
    assert room / KV_BYTE_PER_TOK == pytest.approx(110_000, rel=0.01)


def test_a_wanted_cache_takes_further_wafers():
    assert fewest_wafers(140e9, WAFER_BYTE, kv_byte=36e9) == 4
    assert fewest_wafers(140e9, WAFER_BYTE, kv_byte=37e9) == 5


def test_the_catalogue_puts_a_model_on_the_fewest_wafers():
    catalogue = load_catalogue()
    counts = {
        model: catalogue.offer("cs3_owned", model, DAY).tier.accelerator_count_per_replica
        for model in catalogue.models_on("cs3_owned")
    }
    assert counts == {"llama-3.3-70b": 4, "llama-3.1-405b": 19, "gpt-oss-120b": 2}


def test_a_bought_system_costs_its_wear_energy_and_space():
    # 2.5 million over 3 years, and 23 kW at 0.09 USD/kWh and 200 USD a kW-month
    wear, energy, space = 2.5e6 / (3 * 8766), 23 * 0.09, 23 * 200 / 730.5
    assert llama().tier.price.usd_per_accelerator_h == pytest.approx(wear + energy + space, rel=1e-9)


def test_a_ceiling_sizes_no_wafers_unless_a_derate_is_accepted():
    refused = wafer_scale_pipeline.fit(llama(), ())
    assert isinstance(refused, CannotServe)
    assert "0.57 to 0.61" in refused.would_fit_if
    accepted = wafer_scale_pipeline.fit(llama(), (), accepted_derate_ratio=0.6)
    assert 1 / accepted.unloaded_token_s == pytest.approx(0.6 * 2100)
    assert accepted.evidence["unloaded_token_s"].grade == "E"


def test_an_unpublished_size_asks_for_wafers_and_sequences():
    closed = load_catalogue().models["gpt-5.6-sol"]
    offer = replace(llama(accelerator_count_per_replica=None), model=closed)
    refused = wafer_scale_pipeline.fit(offer, (), accepted_derate_ratio=0.6)
    assert "accelerator_count_per_replica" in refused.would_fit_if
    counted = replace(offer, tier=replace(offer.tier, accelerator_count_per_replica=30))
    refused = wafer_scale_pipeline.fit(counted, (), accepted_derate_ratio=0.6)
    assert "slot_count" in refused.would_fit_if
    full = replace(counted, tier=replace(counted.tier, slot_count=40))
    assert wafer_scale_pipeline.fit(full, (), accepted_derate_ratio=0.6).slot_count == 40


def test_too_few_wafers_are_refused_with_the_number_that_would_do():
    refused = wafer_scale_pipeline.fit(llama(accelerator_count_per_replica=3), (), accepted_derate_ratio=0.6)
    assert refused.binding_constraint == "memory"
    assert "at least 4 wafers" in refused.would_fit_if


def ends(**tier_changes):
    pessimistic = wafer_scale_pipeline.fit(llama(**tier_changes), (), accepted_derate_ratio=0.6)
    return pessimistic, pessimistic.other_end


def test_at_the_pessimistic_end_sequences_take_turns():
    """With everybody taking turns a copy gives out one token per token time, whoever it is for."""
    pessimistic, _ = ends(prefill_rate_tok_per_s=1e9)
    highest = wafer_scale_pipeline.max_rate(pessimistic, load(1.0), 1)
    assert highest * 200 == pytest.approx(1 / pessimistic.unloaded_token_s, rel=1e-3)


def test_at_the_optimistic_end_all_that_fit_run_at_full_speed():
    _, optimistic = ends(prefill_rate_tok_per_s=1e9)
    highest = wafer_scale_pipeline.max_rate(optimistic, load(1.0), 1)
    # each holds 1,200 tokens of the cache; the head of the queue leaves half a request unused
    held = (optimistic.kv_capacity_tok - 1200 / 2) // 1200
    assert highest * 200 == pytest.approx(held / optimistic.unloaded_token_s, rel=1e-2)
    point = wafer_scale_pipeline.operate(optimistic, load(highest * 0.5), 1)
    assert point.latencies[0].itl_s.mean == pytest.approx(optimistic.unloaded_token_s, rel=1e-3)


def test_the_ends_enclose_the_middle():
    rate = 0.5 * wafer_scale_pipeline.max_rate(ends()[0], load(1.0), 1)
    found = [
        wafer_scale_pipeline.operate(
            wafer_scale_pipeline.fit(llama(), (), accepted_derate_ratio=0.6, envelope_end=end), load(rate), 1
        )
        .latencies[0]
        .e2e_s.mean
        for end in ("optimistic", "central", "pessimistic")
    ]
    assert found == sorted(found)


def test_an_unstated_link_is_asked_for_with_its_sensitivity():
    text = " ".join(ends()[0].notices)
    assert "unpublished; state it" in text
    # 3 crossings of 8,192 activations of 2 byte: 49,152 byte
    assert f"{49_152 / 5e10 * 1e3:.2g} ms at 50 GB/s" in text
    assert "one lost wafer takes its whole copy of 4" in text


def test_a_stated_link_slows_the_pessimistic_end_alone():
    slow = Link(bandwidth_byte_per_s=1e8, base_s=1e-5)
    pessimistic, optimistic = ends(link=slow)
    crossing_s = 3 * (1e-5 + 8192 * 2 / 1e8)
    assert crossing_of(llama().model, 4, 1e-5).token_s(1e8) == pytest.approx(crossing_s)
    assert pessimistic.unloaded_token_s - optimistic.unloaded_token_s == pytest.approx(crossing_s)
    assert not any("unpublished" in text for text in pessimistic.notices if "link" in text)


def measured(*points, isl=1000.0, osl=200.0):
    return tuple(
        SourcedMeasurement(
            measurement=Measurement(
                tier="cs3_owned",
                concurrency_count=count,
                isl_tok=isl,
                osl_tok=osl,
                tpot_s=Percentiles(p50=tpot_s),
                ttft_s=Percentiles(p50=ttft_s),
            ),
            source_id="sha256:1",
            source_label="load test",
            row_number=row,
        )
        for row, (count, tpot_s, ttft_s) in enumerate(points, start=2)
    )


def test_three_measured_loads_collapse_the_band():
    # L0 = 1 ms, s = 0.1 ms: full speed up to 10, 3.2 ms at 32; 1,000 prompt tokens in 50 ms
    points = measured((1, 1e-3, 0.012 + 1e-3 + 0.05), (8, 1e-3, 0.08), (32, 3.2e-3, 0.3))
    found = wafer_scale_pipeline.fit(llama(), points)
    assert found.end is None
    assert found.other_end is None
    assert found.unloaded_token_s == pytest.approx(1e-3)
    assert found.free_sequence_count == pytest.approx(10)
    assert found.bottleneck_s_per_input_tok == pytest.approx(5e-5)
    assert {each.grade for each in found.evidence.values()} == {"A"}
    two = wafer_scale_pipeline.fit(llama(), points[:2], accepted_derate_ratio=0.6)
    assert two.end == "pessimistic"


def test_loads_that_never_queued_say_where_knowledge_ends():
    points = measured((1, 1e-3, None), (4, 1e-3, None), (8, 1e-3, None))
    found = wafer_scale_pipeline.fit(llama(), points)
    assert found.free_sequence_count == pytest.approx(8)
    assert "beyond 8 concurrent requests" in " ".join(found.notices)


def test_the_hinge_takes_the_best_split():
    points = [(1, 0.9e-3, None), (2, 1.1e-3, None), (20, 2e-3, None), (40, 4e-3, None)]
    token_s, stage_s, _ = hinge(loaded_speeds(measured(*points)))
    assert token_s == pytest.approx((0.9e-3 * 1.1e-3) ** 0.5)
    assert stage_s == pytest.approx(1e-4)


def test_a_request_that_fits_no_copy_is_unstable_and_has_no_latency():
    pessimistic, _ = ends()
    point = wafer_scale_pipeline.operate(pessimistic, load(1.0, isl=120_000.0), 1)
    assert not point.stable
    assert point.max_rate_req_per_s == 0.0
    assert point.latencies == ()


def test_a_closed_loop_gives_all_turns_at_one_end_and_full_speed_at_the_other():
    pessimistic, optimistic = ends(prefill_rate_tok_per_s=1e9)
    token_s = pessimistic.unloaded_token_s
    alone, rate = wafer_scale_pipeline.closed_loop(pessimistic, 1, 1000.0, 201.0)
    assert alone == pytest.approx(token_s, rel=1e-3)
    assert rate == pytest.approx(1 / token_s, rel=1e-3)
    crowded, rate = wafer_scale_pipeline.closed_loop(pessimistic, 8, 1000.0, 201.0)
    assert crowded == pytest.approx(8 * token_s, rel=0.01)
    assert rate == pytest.approx(1 / token_s, rel=1e-3)
    free, rate = wafer_scale_pipeline.closed_loop(optimistic, 8, 1000.0, 201.0)
    assert free == pytest.approx(token_s, rel=1e-3)
    assert rate == pytest.approx(8 / token_s, rel=1e-3)
    assert wafer_scale_pipeline.closed_loop(pessimistic, 1, 120_000.0, 201.0) is None


# prompt and answer tokens, copies, share of capacity
GRID = {"light": (1000, 200, 1, 0.3), "half": (300, 200, 2, 0.5), "busy": (200, 300, 1, 0.8)}


@pytest.mark.parametrize("name", GRID)
@pytest.mark.parametrize("end", ["pessimistic", "central"])
def test_means_are_within_a_tenth_of_the_simulation(name, end):
    isl, osl, copies, utilisation = GRID[name]
    performance = wafer_scale_pipeline.fit(
        llama(prefill_rate_tok_per_s=20_000.0), (), accepted_derate_ratio=0.6, envelope_end=end
    )
    offered = Traffic(
        rate_req_per_s=1.0,
        input_tok=lognormal_lengths(isl, 0.7, (1, 8192)),
        output_tok=lognormal_lengths(osl, 0.7, (1, 4096)),
    )
    rate = utilisation * wafer_scale_pipeline.max_rate(performance, offered.load, copies)
    offered = replace(offered, rate_req_per_s=rate)
    point = wafer_scale_pipeline.operate(performance, offered.load, copies, point_count=16_384)
    pipeline = wafer_scale_pipeline.pipeline_of(performance, mix_of(offered.load.classes))
    seen = simulate(
        PipelinePool(pipeline=pipeline, replica_count=copies), offered, request_count=60_000, seed=5
    )
    for metric in ("ttft_s", "itl_s", "e2e_s"):
        truth = getattr(seen, metric)["mean"]
        overhead_s = 0.0 if metric == "itl_s" else performance.overhead_s
        predicted = getattr(point.latencies[0], metric).mean - overhead_s
        assert predicted == pytest.approx(truth.value, rel=0.10, abs=truth.half_width), metric
