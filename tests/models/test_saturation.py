"""The band of saturation: an identity where all is known, wide where slots or curve are not."""

from dataclasses import replace

import pytest

from models.architectures.batched_accelerator import fit, max_rate
from models.lengths import fixed_lengths
from models.measurements import Measurement, SourcedMeasurement
from models.percentiles import Percentiles
from models.performance import BatchedPerformance, Domain, Load, RequestClass, StepLaw
from models.saturation import saturation_band
from models.slots import default_slot_count
from models.tiers import Accelerator, Model, Offer, Tier

LAW = StepLaw(alpha_s=0.010, beta_s_per_seq=1e-4, delta_s_per_input_tok=2e-5)
LOAD = Load(
    classes=(
        RequestClass(
            name="all", rate_req_per_s=1.0, input_tok=fixed_lengths(512), output_tok=fixed_lengths(256)
        ),
    )
)


def performance(slot_count=64, highest=64.0, **more):
    domain = Domain(concurrency_low_count=1.0, concurrency_high_count=highest)
    return BatchedPerformance(step=LAW, slot_count=slot_count, domain=domain, **more)


def test_with_known_slots_the_band_is_that_of_the_step():
    """B / (n T(B)) by hand: 64 slots, T = 10 ms + 6.4 ms x 255 / 256 + 64 x 10.24 ms / 256."""
    rate = 64 / (256 * (0.010 + 0.0064 * 255 / 256 + 64 * 512 * 2e-5 / 256))
    low, high = saturation_band(performance(), LOAD)
    assert low == pytest.approx(rate / 1.06)
    assert high == pytest.approx(rate / 0.94)


def test_unknown_slots_and_far_extrapolation_widen_the_band():
    known = saturation_band(performance(), LOAD)
    unknown = saturation_band(performance(slot_range_count=(64, 1024)), LOAD)
    far = saturation_band(performance(slot_range_count=(64, 1024), highest=8.0), LOAD)
    assert unknown[1] / unknown[0] > known[1] / known[0]
    assert far[1] / far[0] > unknown[1] / unknown[0]


def test_a_cache_too_small_for_one_request_serves_none():
    assert saturation_band(performance(kv_capacity_tok=500.0), LOAD) == (0.0, 0.0)


def test_prompts_in_steps_of_their_own_cost_a_step_for_each_departure():
    """One slot: every request has n - 1 decode steps and, x = 1 / (n - 1) being small, one prompt step."""
    apart = replace(performance(slot_count=1), scheduler="prefill_first")
    a_request_s = 255 * (0.010 + 1e-4) + 0.010 + 512 * 2e-5
    assert max_rate(apart, LOAD, 1) == pytest.approx(1 / a_request_s, rel=1e-4)


@pytest.mark.parametrize(
    ("engine", "label", "memory_byte", "count"),
    [
        ("vllm", "H100", 80e9, 1024),
        ("vllm", "A100 80GB", 80e9, 256),
        ("vllm", "L40S", 48e9, 256),
        ("sglang", "H100", 80e9, 256),
        (None, "H100", 80e9, 256),
    ],
)
def test_default_slots_follow_the_engine(engine, label, memory_byte, count):
    """vLLM EngineArgs: max_num_seqs 1,024 for a server on 70 GiB and more but for the A100, else 256."""
    chip = Accelerator(id="c", label=label, vendor="v", memory_byte=memory_byte)
    tier = Tier(id="t", label="T", architecture="batched_accelerator", engine=engine)
    model = Model(id="m", label="M", kind="closed")
    assert default_slot_count(Offer(tier=tier, model=model, accelerator=chip)) == count


def test_open_loads_that_never_saturated_leave_the_slots_open_and_say_so():
    rows = [
        SourcedMeasurement(
            measurement=Measurement(
                load_kind="rate",
                offered_rate_req_per_s=rate,
                request_rate_req_per_s=rate,
                isl_tok=512.0,
                osl_tok=256.0,
                tpot_s=Percentiles(p50=tpot_s),
                e2e_s=Percentiles(p50=0.03 + 255 * tpot_s),
            ),
            source_id="s",
            source_label="A sweep",
            row_number=2,
        )
        for rate, tpot_s in ((1.0, 0.010), (5.0, 0.012), (10.0, 0.015))
    ]
    tier = Tier(id="t", label="T", architecture="batched_accelerator")
    found = fit(Offer(tier=tier, model=Model(id="m", label="M", kind="closed")), rows)
    assert isinstance(found, BatchedPerformance)
    assert found.slot_count == 256  # fewer than eight times the 39 in flight
    assert found.slot_range_count is not None
    assert any("No slot limit" in text for text in found.notices)
    low, high = saturation_band(found, LOAD)
    assert low < max_rate(found, LOAD, 1) < high
