"""From a disaggregated offer and what is known of its halves to a worker, its link and a decode replica."""

from collections.abc import Sequence
from dataclasses import replace

from models import batched_fit, pipeline_fit
from models.evidence import Evidence, Grade, Sense
from models.measurements import SourcedMeasurement
from models.performance import (
    BatchedPerformance,
    CannotServe,
    EnvelopeEnd,
    PipelinePerformance,
    StepLaw,
    TandemPerformance,
)
from models.slots import DEFAULT_SLOT_COUNT
from models.tiers import Offer, PrefillSide
from models.tokens import kv_capacity_tok, prior_step_law, roofline

LEAST_S = 1e-9  # stands for none where a step must take time
NO_EVIDENCE = Evidence(
    grade=Grade.ASSUMED_OR_DERIVED, sense=Sense.ASSUMED, source="figures of the scenario, without a source"
)
FROM_ROOFLINE = Evidence(
    grade=Grade.ASSUMED_OR_DERIVED,
    sense=Sense.DERIVED,
    source="Roofline of the accelerator and the model at typical efficiency; nothing was measured",
)


def fit(
    offer: Offer,
    measurements: Sequence[SourcedMeasurement],
    accepted_derate_ratio: float | None,
    envelope_end: EnvelopeEnd,
) -> TandemPerformance | CannotServe:
    """Both halves and the link between them; what nobody states and no roofline gives is asked for."""
    prefill, link, bytes_per_tok = offer.tier.prefill, offer.tier.link, offer.model.kv_growing_byte_per_tok
    if prefill is None or link is None or bytes_per_tok is None:
        return _asked_for(offer)
    prompt = _prompt_law(offer, prefill)
    if isinstance(prompt, CannotServe):
        return prompt
    alpha_s, delta_s, evidence = prompt
    ends = [
        _decode_side(offer, measurements, accepted_derate_ratio, end)
        for end in (envelope_end, "pessimistic" if envelope_end == "optimistic" else "optimistic")
    ]
    decode, other = ends
    if isinstance(decode, CannotServe) or isinstance(other, CannotServe):
        return decode if isinstance(decode, CannotServe) else pipeline_refusal(other)
    found = TandemPerformance(
        decode=decode,
        alpha_s=alpha_s,
        delta_s_per_input_tok=delta_s,
        bytes_per_tok=bytes_per_tok,
        bandwidth_byte_per_s=link.bandwidth_byte_per_s,
        base_s=link.base_s,
        overlap_fraction=link.overlap_fraction,
        first_token=prefill.first_token,
        overhead_s=decode.overhead_s,
        evidence={**decode.evidence, "delta_s_per_input_tok": evidence},
        notices=decode.notices,
    )
    return found if other == decode else replace(found, other_end=replace(found, decode=other))


def pipeline_refusal(refused: BatchedPerformance | CannotServe) -> CannotServe:
    """The refusal of the other end, which by construction fails with the same cause as the first."""
    if isinstance(refused, CannotServe):
        return refused
    raise RuntimeError("a decode side that can serve was taken for a refusal")


def _asked_for(offer: Offer) -> CannotServe:
    """What is missing before the pools can be planned, all of it at once."""
    lacking = [
        text
        for missing, text in (
            (offer.tier.prefill is None, "its prefill half (prefill)"),
            (offer.tier.link is None, "the link from prefill to decode (link)"),
            (offer.model.kv_growing_byte_per_tok is None, "the model's KV cache bytes per token"),
        )
        if missing
    ]
    return CannotServe(
        binding_constraint="evidence",
        reasons=(f"{offer.tier.label} lacks {', '.join(lacking)}",),
        would_fit_if="you state it in a tier of your own",
    )


def _prompt_law(offer: Offer, side: PrefillSide) -> tuple[float, float, Evidence] | CannotServe:
    """Seconds of a prompt on one worker: as stated, else from the worker's roofline."""
    if side.alpha_s is not None and side.delta_s_per_input_tok is not None:
        return side.alpha_s, side.delta_s_per_input_tok, side.evidence or NO_EVIDENCE
    tier = replace(
        offer.tier,
        accelerator=side.accelerator,
        accelerator_count_per_replica=side.accelerator_count_per_worker,
        precision=side.precision or offer.tier.precision,
    )
    worker = replace(offer, tier=tier, accelerator=offer.prefill_accelerator)
    bounds, room_tok = roofline(worker), kv_capacity_tok(worker)
    if bounds is None:
        return CannotServe(
            binding_constraint="no performance data",
            reasons=(f"nobody says how fast the prefill half of {offer.tier.label} is",),
            would_fit_if="you state alpha_s and delta_s_per_input_tok of its prefill",
        )
    if room_tok is not None and room_tok <= 0:
        count = side.accelerator_count_per_worker
        return CannotServe(
            binding_constraint="memory",
            reasons=(f"the weights of {offer.model.label} do not fit on {count} prefill accelerators",),
            would_fit_if="a worker had more accelerators (accelerator_count_per_worker)",
        )
    return prior_step_law(bounds).alpha_s, bounds.prefill_s_per_tok, FROM_ROOFLINE


def _decode_side(
    offer: Offer,
    measurements: Sequence[SourcedMeasurement],
    accepted_derate_ratio: float | None,
    end: EnvelopeEnd,
) -> BatchedPerformance | CannotServe:
    """One decode replica: as stated, as measured or by its roofline, else an end of its envelope."""
    if offer.tier.step is not None:
        return _stated(offer, offer.tier.step)
    found = batched_fit.fit(offer, measurements)
    if isinstance(found, BatchedPerformance) or found.binding_constraint != "no performance data":
        return found
    piped = pipeline_fit.fit(offer, measurements, accepted_derate_ratio, end)
    return piped if isinstance(piped, CannotServe) else _as_steps(piped)


def _stated(offer: Offer, step: StepLaw) -> BatchedPerformance:
    evidence = offer.tier.evidence.get("step", NO_EVIDENCE)
    room_tok = kv_capacity_tok(offer)
    return BatchedPerformance(
        step=step,
        slot_count=offer.tier.slot_count or DEFAULT_SLOT_COUNT,
        kv_capacity_tok=room_tok if room_tok is None or room_tok > 0 else None,
        overhead_s=batched_fit.ASSUMED_OVERHEAD_S,
        evidence={"step": evidence},
        notices=(f"{offer.tier.label}: the decode step is as stated, not measured here.",),
    )


def _as_steps(piped: PipelinePerformance) -> BatchedPerformance:
    """A pipeline that only decodes, as a step law: whoever flies free pays L0, whoever queues b s.

    Exact at both ends of the envelope (all take turns, all fly free); between them the sum of the two
    terms is an upper bound of the larger one.
    """
    token_s, free = piped.unloaded_token_s, piped.free_sequence_count
    if free is None:
        step = StepLaw(alpha_s=token_s, beta_s_per_seq=0.0)
    else:
        stage_s = token_s / free
        step = StepLaw(alpha_s=max(token_s - stage_s, LEAST_S), beta_s_per_seq=stage_s)
    return BatchedPerformance(
        step=step,
        slot_count=piped.slot_count,
        kv_capacity_tok=piped.kv_capacity_tok,
        token_budget_tok=piped.slot_count,
        overhead_s=piped.overhead_s,
        domain=piped.domain,
        quality=piped.quality,
        evidence=piped.evidence,
        notices=piped.notices,
    )
