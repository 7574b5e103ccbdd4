"""Bytes and rooflines against arithmetic that can be done by hand."""

import pytest

from models.performance import StepLaw
from models.tiers import Accelerator, Model, Offer, Tier
from models.tokens import (
    kv_capacity_tok,
    peak_flop_per_s,
    prior_step_law,
    roofline,
    weights_byte,
    weights_read_byte,
)

H100 = Accelerator(
    id="h100",
    label="H100 SXM",
    vendor="NVIDIA",
    memory_byte=80e9,
    memory_bandwidth_byte_per_s=3.35e12,
    dense_flop_per_s={"bf16": 989e12, "fp8": 1979e12},
)
LLAMA_70B = Model(
    id="llama",
    label="Llama 70B",
    kind="dense",
    total_parameter_count=70.6e9,
    active_parameter_count=70.6e9,
    layer_count=80,
    kv_growing_byte_per_tok=327_680,  # 2 x 80 layers x 8 heads x 128 x 2 byte
    native_precision="bf16",
)
MIXTURE = Model(
    id="mixture",
    label="Mixture",
    kind="moe",
    total_parameter_count=100e9,
    active_parameter_count=10e9,
    expert_count=64,
    experts_per_token_count=4,
    native_precision="bf16",
)


def offer(model=LLAMA_70B, count=4, precision="fp8", chip=H100):
    tier = Tier(id="t", label="T", architecture="x", accelerator_count_per_replica=count, precision=precision)
    return Offer(tier=tier, model=model, accelerator=chip)


def test_weights_and_cache_share_the_memory():
    """(4 x 80 GB x 0.9 - 70.6 GB) / 327,680 byte."""
    assert weights_byte(LLAMA_70B, 1.0) == 70.6e9
    assert kv_capacity_tok(offer()) == pytest.approx((288e9 - 70.6e9) / 327_680)
    assert kv_capacity_tok(offer(), 0.5) == pytest.approx(2 * kv_capacity_tok(offer()))


def test_weights_too_large_leave_no_tokens():
    assert kv_capacity_tok(offer(count=1, precision="bf16")) < 0


def test_a_dense_model_is_read_whole_and_a_mixture_by_the_experts_touched():
    assert weights_read_byte(LLAMA_70B, 2.0, 1.0) == weights_read_byte(LLAMA_70B, 2.0, 500.0) == 141.2e9
    assert weights_read_byte(MIXTURE, 2.0, 1.0) == pytest.approx(20e9)  # one token: the active weights
    assert weights_read_byte(MIXTURE, 2.0, 1e4) == pytest.approx(200e9)  # many: all of them
    middle = weights_read_byte(MIXTURE, 2.0, 8.0)
    assert 20e9 < middle < 8 * 20e9


def test_narrow_weights_compute_at_the_next_wider_rate_the_chip_has():
    assert peak_flop_per_s(H100, "fp8") == 1979e12
    assert peak_flop_per_s(H100, "fp4") == 1979e12
    assert peak_flop_per_s(H100, "bf16") == 989e12
    assert peak_flop_per_s(H100, "fp32") is None


def test_no_prior_step_beats_the_bytes_it_must_read():
    """70.6 GB over 4 x 3.35 TB/s is 5.3 ms."""
    bounds = roofline(offer())
    law = prior_step_law(bounds)
    assert bounds.floor_step_s == pytest.approx(70.6e9 / (4 * 3.35e12))
    assert bounds.floor_prefill_s_per_tok == pytest.approx(2 * 70.6e9 / (4 * 1979e12))
    assert isinstance(law, StepLaw)
    assert law.alpha_s + law.beta_s_per_seq > bounds.floor_step_s
    assert law.delta_s_per_input_tok > bounds.floor_prefill_s_per_tok


@pytest.mark.parametrize(
    "unknown",
    [
        offer(precision="fp3"),
        offer(chip=None),
        offer(count=None),
        offer(model=Model(id="closed", label="Closed", kind="closed")),
    ],
)
def test_an_unpublished_fact_gives_no_roofline_rather_than_a_guess(unknown):
    assert roofline(unknown) is None
