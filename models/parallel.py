"""What the accelerators of one replica tell each other: tensor, pipeline and expert parallel work.

Tensor parallel work adds up partial results twice a layer (all-reduce; M. Shoeybi and others 2019): a ring
moves `2 (t - 1)/t` of the activations over each accelerator's link (R. Thakur and others 2005). Expert
parallel work sends each token's activations to its experts and back (all-to-all; D. Lepikhin and others
2020) in place of the second all-reduce. Pipeline parallel work hands activations from stage to stage
(Y. Huang and others 2019): a token passes all stages, and as many parts of the batch are under way as there
are stages.

Links are bytes per second one way: NVLink is quoted both ways together, InfiniBand in bits.
Not modelled: exchange hidden behind arithmetic, experts that are asked unevenly, links that are shared.
"""

from dataclasses import dataclass

from models.tiers import Offer, Split

ACTIVATION_BYTE = 2.0  # 16-bit activations
EXCHANGE_LATENCY_S = 1e-5  # one small exchange over a scale-up link, assumed
ALL_REDUCES_PER_LAYER = 2  # after attention and after the feed-forward part
ALL_TO_ALLS_PER_LAYER = 2  # to the experts and back


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """Time that a replica's accelerators spend exchanging in one step.

    step_s            whatever the step works on
    s_per_tok         for each token of the part of the batch that a stage works on
    excess_s_per_tok  of it, what a link slower than the scale-up one takes longer
    """

    step_s: float
    s_per_tok: float
    excess_s_per_tok: float = 0.0


def spans_domain(offer: Offer, split: Split) -> bool:
    """Whether a replica's accelerators stand in more than one scale-up domain, or nobody says its size."""
    domain = None if offer.accelerator is None else offer.accelerator.scale_up_domain_count
    return domain is None or split.accelerator_count > domain


def exchange(offer: Offer, split: Split) -> Exchange | None:
    """What a split costs in a step; None where a link that it needs, or a size of the model, is not stated.

    Work that is tensor or expert parallel over more accelerators than a scale-up domain holds goes at the
    pace of the tier's `link`; so do stages in different domains, and all of it where the chip's own link is
    not published.
    """
    layers, hidden, chip = offer.model.layer_count, offer.model.hidden_count, offer.accelerator
    near = None if chip is None else chip.scale_up_bandwidth_byte_per_s
    far = None if offer.tier.link is None else offer.tier.link.bandwidth_byte_per_s
    domain = (chip.scale_up_domain_count if chip is not None else None) or 1
    within = near if split.stage_accelerator_count <= domain else far
    between = near if not spans_domain(offer, split) else far
    if layers is None or hidden is None:
        return None
    if (split.stage_accelerator_count > 1 and within is None) or (
        split.pipeline_parallel_count > 1 and between is None
    ):
        return None
    token_byte = hidden * ACTIVATION_BYTE
    stage_byte = layers * _layer_byte(offer, split, token_byte)
    hand_overs = split.pipeline_parallel_count - 1
    within_s = stage_byte / within if within is not None else 0.0
    between_s = hand_overs * token_byte / between if between is not None else 0.0
    nearest_s = stage_byte / near if near is not None else within_s
    base_s = 0.0 if offer.tier.link is None else offer.tier.link.base_s
    return Exchange(
        step_s=layers * _exchanges_per_layer(split) * EXCHANGE_LATENCY_S
        + hand_overs * max(base_s, EXCHANGE_LATENCY_S),
        s_per_tok=within_s + between_s,
        excess_s_per_tok=max(0.0, within_s - nearest_s),
    )


def _exchanges_per_layer(split: Split) -> int:
    experts_apart = split.expert_parallel_count > 1
    reduces = 0 if split.tensor_parallel_count == 1 else ALL_REDUCES_PER_LAYER - experts_apart
    return reduces + ALL_TO_ALLS_PER_LAYER * experts_apart


def _layer_byte(offer: Offer, split: Split, token_byte: float) -> float:
    """Bytes that each accelerator sends in a layer for each token of its stage."""
    tensor, experts = split.tensor_parallel_count, split.expert_parallel_count
    reduces = ALL_REDUCES_PER_LAYER - (experts > 1)
    reduced = reduces * 2.0 * (tensor - 1) / tensor * token_byte
    if experts == 1:
        return reduced
    asked = offer.model.experts_per_token_count or 1
    sent = ALL_TO_ALLS_PER_LAYER * asked * (experts - 1) / experts * token_byte / experts
    return reduced + sent
