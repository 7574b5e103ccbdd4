"""What accelerators exchange, against ring algebra by hand, and what it does to an unmeasured replica."""

from dataclasses import replace

import pytest

from models.architectures import batched_accelerator
from models.parallel import EXCHANGE_LATENCY_S, exchange
from models.performance import CannotServe
from models.tiers import Accelerator, Link, Model, Offer, Split, Tier
from models.tokens import roofline

NVLINK_5_ONE_WAY = 0.9e12  # 1.8 TB/s is both ways together
INFINIBAND_NDR = 400e9 / 8
CHIP = Accelerator(
    id="chip",
    label="Chip",
    vendor="V",
    memory_byte=192e9,
    memory_bandwidth_byte_per_s=8e12,
    dense_flop_per_s={"bf16": 2.25e15, "fp8": 4.5e15},
    scale_up_bandwidth_byte_per_s=NVLINK_5_ONE_WAY,
    scale_up_domain_count=8,
)
DENSE = Model(
    id="dense",
    label="Dense",
    kind="dense",
    total_parameter_count=70e9,
    active_parameter_count=70e9,
    layer_count=80,
    hidden_count=8192,
    kv_growing_byte_per_tok=327_680,
    native_precision="fp8",
)
MIXTURE = replace(
    DENSE, id="mixture", kind="moe", active_parameter_count=10e9, expert_count=64, experts_per_token_count=4
)


def offer(split, model=DENSE, link=None, chip=CHIP):
    tier = Tier(
        id="t",
        label="T",
        architecture="batched_accelerator",
        accelerator="chip",
        accelerator_count_per_replica=split.accelerator_count if split else 8,
        split=split,
        link=link,
    )
    return Offer(tier=tier, model=model, accelerator=chip)


def exchanged(split, **facts):
    return exchange(offer(split, **facts), split)


def test_tensor_parallel_work_adds_up_twice_a_layer():
    """80 layers x 2 x (10 us + 2 x 7/8 x 16,384 byte / 0.9 TB/s) for one token."""
    found = exchanged(Split(tensor_parallel_count=8))
    assert found.step_s == pytest.approx(1.6e-3)
    assert found.s_per_tok == pytest.approx(160 * 2 * 7 / 8 * 16_384 / 0.9e12)
    assert found.excess_s_per_tok == 0.0


def test_one_accelerator_exchanges_nothing():
    alone = exchanged(Split(tensor_parallel_count=1), chip=replace(CHIP, scale_up_bandwidth_byte_per_s=None))
    assert (alone.step_s, alone.s_per_tok) == (0.0, 0.0)


def test_expert_parallel_work_sends_tokens_out_and_back_in_place_of_one_sum():
    """A layer: one all-reduce of 2 x 7/8 x 16,384 byte, two all-to-alls of 4 x 7/8 x 16,384 / 8 byte."""
    found = exchanged(Split(tensor_parallel_count=8, expert_parallel_count=8), model=MIXTURE)
    byte = 80 * (2 * 7 / 8 * 16_384 + 2 * 4 * 7 / 8 * 16_384 / 8)
    assert found.s_per_tok == pytest.approx(byte / 0.9e12)
    assert found.step_s == pytest.approx(80 * 3 * EXCHANGE_LATENCY_S)


def test_beyond_the_scale_up_domain_the_tiers_link_sets_the_pace():
    """18 times slower over 400 Gb/s than over NVLink 5 one way, for all that is sent."""
    wide = Split(tensor_parallel_count=16)
    found = exchanged(wide, link=Link(bandwidth_byte_per_s=INFINIBAND_NDR))
    byte = 80 * 2 * 2 * 15 / 16 * 16_384
    assert found.s_per_tok == pytest.approx(byte / 5e10)
    assert found.excess_s_per_tok == pytest.approx(byte / 5e10 - byte / 0.9e12)
    stages = exchanged(
        Split(tensor_parallel_count=8, pipeline_parallel_count=2), link=Link(bandwidth_byte_per_s=5e10)
    )
    assert stages.s_per_tok == pytest.approx(80 * 2 * 2 * 7 / 8 * 16_384 / 0.9e12 + 16_384 / 5e10)


@pytest.mark.parametrize(
    "split",
    [Split(tensor_parallel_count=16), Split(tensor_parallel_count=8, pipeline_parallel_count=2)],
)
def test_a_link_that_nobody_states_is_asked_for(split):
    refused = batched_accelerator.fit(offer(split), ())
    assert isinstance(refused, CannotServe)
    assert refused.binding_constraint == "link"
    assert "stated its link" in refused.would_fit_if


def test_stages_read_the_weights_one_after_the_other():
    """Two stages of eight: twice the bytes behind each token's floor, and twice the copies' memory."""
    one = roofline(offer(Split(tensor_parallel_count=8)))
    two = roofline(
        offer(
            Split(tensor_parallel_count=8, pipeline_parallel_count=2),
            link=Link(bandwidth_byte_per_s=INFINIBAND_NDR),
        )
    )
    assert one.floor_step_s == pytest.approx(70e9 / (8 * 8e12))
    assert two.floor_step_s == pytest.approx(one.floor_step_s)
    assert two.flop_per_s == pytest.approx(2 * one.flop_per_s)


def test_wider_is_faster_for_one_stream_and_a_slow_link_takes_that_back():
    def light_step_s(split, link=None):
        law = batched_accelerator.fit(offer(split, link=link), ()).step
        return law.alpha_s + law.beta_s_per_seq

    narrow = light_step_s(Split(tensor_parallel_count=2))
    wide = light_step_s(Split(tensor_parallel_count=8))
    staged = light_step_s(Split(tensor_parallel_count=2, pipeline_parallel_count=4))
    far = light_step_s(Split(tensor_parallel_count=16), link=Link(bandwidth_byte_per_s=1e8))
    assert wide < narrow < far
    assert staged == pytest.approx(narrow, rel=0.1)
