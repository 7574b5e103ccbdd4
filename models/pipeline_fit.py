"""From an offer on wafers and what is known of it to one end of its envelope, or to a measured law."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from models.evidence import Evidence, Grade, Sense
from models.measurements import SourcedMeasurement
from models.performance import CannotServe, Domain, EnvelopeEnd, FitQuality, PipelinePerformance
from models.tiers import Offer, Speed
from models.wafers import (
    EXAMPLE_LINKS_BYTE_PER_S,
    Crossing,
    crossing_of,
    fewest_wafers,
    kv_room_byte,
    offer_weights_byte,
)

ASSUMED_OVERHEAD_S = 0.012  # network and tokenizer, middle of 5 to 30 ms
LOADS_THAT_COLLAPSE_THE_BAND = 3
# Independent medians of a wafer vendor's endpoint over its own ceiling (Artificial Analysis, 2026).
SEEN_DERATES = "0.57 to 0.61"
UNLIMITED_SLOT_COUNT = 100_000  # where memory alone limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """What the wafers of one copy hold beside the weights."""

    wafer_count: int
    kv_capacity_tok: float | None
    slot_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedSpeed:
    """One measured load: sequences in flight, prompt length, and the latencies seen."""

    concurrency_count: float
    isl_tok: float
    osl_tok: float
    tpot_s: float
    ttft_s: float | None
    source: SourcedMeasurement


def room_of(offer: Offer) -> Room | CannotServe:
    """Wafers, KV tokens and slots of one copy, or why the model cannot be put on wafers."""
    tier, chip, weights = offer.tier, offer.accelerator, offer_weights_byte(offer)
    wafers, per_tok = tier.accelerator_count_per_replica, offer.model.kv_growing_byte_per_tok
    memory_byte = None if chip is None else chip.memory_byte
    if wafers is None:
        return CannotServe(
            binding_constraint="evidence",
            reasons=(f"the size of {offer.model.label} is not published: the wafers of a copy are unknown",),
            would_fit_if="you state how many wafers hold one copy (accelerator_count_per_replica)",
        )
    if weights is None or memory_byte is None or not per_tok:
        if tier.slot_count is None:
            return CannotServe(
                binding_constraint="evidence",
                reasons=(f"what {offer.model.label} leaves of the wafers' memory is not known",),
                would_fit_if="you state how many sequences a copy holds (slot_count)",
            )
        return Room(wafer_count=wafers, kv_capacity_tok=None, slot_count=tier.slot_count)
    room_byte = kv_room_byte(weights, memory_byte, wafers)
    if room_byte < per_tok:
        fewest = fewest_wafers(weights, memory_byte, kv_byte=per_tok)
        return CannotServe(
            binding_constraint="memory",
            reasons=(f"the weights of {offer.model.label} leave no memory for requests on {wafers} wafers",),
            would_fit_if=f"a copy had at least {fewest} wafers, or its weights a lower precision",
        )
    slots = UNLIMITED_SLOT_COUNT if tier.slot_count is None else tier.slot_count
    return Room(wafer_count=wafers, kv_capacity_tok=room_byte / per_tok, slot_count=slots)


def fit(
    offer: Offer,
    measurements: Sequence[SourcedMeasurement],
    accepted_derate_ratio: float | None,
    envelope_end: EnvelopeEnd,
) -> PipelinePerformance | CannotServe:
    """The measured law where three loads were measured; else the asked end, with the other one beside it."""
    room = room_of(offer)
    if isinstance(room, CannotServe):
        return room
    loads = loaded_speeds(measurements)
    if len({each.concurrency_count for each in loads}) >= LOADS_THAT_COLLAPSE_THE_BAND:
        return _measured(offer, room, loads)
    speed = _speed(offer, accepted_derate_ratio)
    if isinstance(speed, CannotServe):
        return speed
    asked = _end(offer, room, *speed, envelope_end)
    other = _end(offer, room, *speed, "pessimistic" if envelope_end == "optimistic" else "optimistic")
    return replace(asked, other_end=other)


def _speed(offer: Offer, derate_ratio: float | None) -> tuple[float, Evidence] | CannotServe:
    """One stream's unloaded rate: independent, else a ceiling times the derate that the user accepted."""
    speed = offer.tier.speed or Speed()
    if speed.stream_rate_tok_per_s is not None:
        return speed.stream_rate_tok_per_s, speed.evidence["stream_rate_tok_per_s"]
    ceiling = speed.stream_rate_ceiling_tok_per_s
    if ceiling is None:
        return CannotServe(
            binding_constraint="no performance data",
            reasons=(f"nobody says how fast a stream of {offer.model.label} is on {offer.tier.label}",),
            would_fit_if="you state a speed, or upload a load test at 1, 8 and 32 concurrent requests",
        )
    if derate_ratio is None:
        return CannotServe(
            binding_constraint="evidence",
            reasons=(f"only a ceiling of {ceiling:g} tok/s is published; a ceiling sizes nothing",),
            would_fit_if=(
                f"you import a measurement of it, or accept a derate (policy: accepted_derate_ratio; "
                f"independent medians are {SEEN_DERATES} of this kind of ceiling)"
            ),
        )
    accepted = replace(
        speed.evidence["stream_rate_ceiling_tok_per_s"],
        grade=Grade.ASSUMED_OR_DERIVED,
        sense=Sense.DERIVED,
        note=f"the vendor's ceiling times the accepted derate {derate_ratio:g}",
    )
    return ceiling * derate_ratio, accepted


def _end(
    offer: Offer, room: Room, rate_tok_per_s: float, evidence: Evidence, end: EnvelopeEnd
) -> PipelinePerformance:
    """One end of what is possible; every published figure is taken the way that the end takes it."""
    token_s, crossing = 1.0 / rate_tok_per_s, crossing_of(offer.model, room.wafer_count, _base_s(offer))
    if end == "pessimistic" and crossing is not None and offer.tier.link is not None:
        token_s += crossing.token_s(offer.tier.link.bandwidth_byte_per_s)
    stages = offer.tier.pipeline_stage_count or room.wafer_count
    free = {"pessimistic": 1.0, "central": float(stages), "optimistic": None}[end]
    stated = offer.tier.prefill_rate_tok_per_s
    assumed = replace(evidence, grade=Grade.ASSUMED_OR_DERIVED, sense=Sense.DERIVED, note=ENDS[end])
    return PipelinePerformance(
        unloaded_token_s=token_s,
        free_sequence_count=free,
        slot_count=room.slot_count,
        kv_capacity_tok=room.kv_capacity_tok,
        bottleneck_s_per_input_tok=None if stated is None else 1.0 / stated,
        overhead_s=ASSUMED_OVERHEAD_S,
        end=end,
        evidence={"unloaded_token_s": evidence, "free_sequence_count": assumed},
        notices=(_end_notice(offer, end), *_link_notices(offer, room, crossing), *_failure(offer, room)),
    )


ENDS = {
    "pessimistic": "sequences take turns: two of them see half the speed each",
    "central": "as many sequences at full speed as the copy has stages",
    "optimistic": "full speed up to what the KV memory holds",
}


def _base_s(offer: Offer) -> float:
    return offer.tier.link.base_s if offer.tier.link else 0.0


def _end_notice(offer: Offer, end: EnvelopeEnd) -> str:
    return (
        f"{offer.tier.label}: no curve of speed against concurrency is published; planned at the {end} end "
        f"of what is possible ({ENDS[end]}). A load test at 1, 8 and 32 concurrent requests replaces it."
    )


def _link_notices(offer: Offer, room: Room, crossing: Crossing | None) -> tuple[str, ...]:
    """Asks for the link between wafers where nobody stated it, and says how much it may matter."""
    if room.wafer_count == 1 or offer.tier.link is not None:
        return ()
    head = (
        f"{offer.tier.label}: the link between its {room.wafer_count} wafers is unpublished; state it (link)."
    )
    if crossing is None:
        return (head,)
    times = ", ".join(
        f"{crossing.token_s(rate) * 1e3:.2g} ms at {rate / 1e9:g} GB/s" for rate in EXAMPLE_LINKS_BYTE_PER_S
    )
    return (f"{head} Crossing it adds to each token, one way: {times}, before any latency of the link.",)


def _failure(offer: Offer, room: Room) -> tuple[str, ...]:
    if room.wafer_count == 1:
        return ()
    return (f"{offer.tier.label}: one lost wafer takes its whole copy of {room.wafer_count} with it.",)


def loaded_speeds(measurements: Sequence[SourcedMeasurement]) -> list[LoadedSpeed]:
    """The measured loads, the user's own alone where there are any, by rising concurrency."""
    own = [each for each in measurements if not each.built_in] or list(measurements)
    found = [
        LoadedSpeed(
            concurrency_count=each.measurement.concurrency_count,
            isl_tok=each.measurement.isl_tok or 0.0,
            osl_tok=each.measurement.osl_tok or 0.0,
            tpot_s=each.measurement.tpot_s.middle,
            ttft_s=each.measurement.ttft_s.middle,
            source=each,
        )
        for each in own
        if each.measurement.concurrency_count and each.measurement.tpot_s.middle
    ]
    return sorted(found, key=lambda each: each.concurrency_count)


def hinge(loads: Sequence[LoadedSpeed]) -> tuple[float, float, float]:
    """Unloaded token time, stage time and median relative error of `max(L0, b s)` over measured loads.

    Each split into loads that fly free and loads that queue has a closed form (geometric means); the best
    one is taken. Where none queues, the stage is taken as just busy at the highest load.
    """
    count = np.array([each.concurrency_count for each in loads])
    seen_s = np.array([each.tpot_s for each in loads])
    fits = []
    for free in range(1, len(loads) + 1):
        token_s = float(np.exp(np.log(seen_s[:free]).mean()))
        queued = np.log(seen_s[free:] / count[free:])
        stage_s = float(np.exp(queued.mean())) if len(queued) else token_s / float(count[-1])
        stage_s = min(stage_s, token_s)
        error = np.log(np.maximum(token_s, count * stage_s) / seen_s)
        fits.append((float((error**2).sum()), token_s, stage_s, float(np.median(np.abs(np.expm1(error))))))
    _, token_s, stage_s, median = min(fits)
    return token_s, stage_s, median


def _input_s(loads: Sequence[LoadedSpeed], token_s: float) -> float | None:
    """Seconds that a prompt token takes, from TTFT at the lightest load; None where none was measured."""
    lightest = min(each.concurrency_count for each in loads)
    shown = [
        (each.ttft_s - ASSUMED_OVERHEAD_S - token_s) / each.isl_tok
        for each in loads
        if each.concurrency_count == lightest and each.ttft_s is not None and each.isl_tok > 0
    ]
    return max(float(np.median(shown)), 0.0) if shown else None


def _measured(offer: Offer, room: Room, loads: Sequence[LoadedSpeed]) -> PipelinePerformance:
    token_s, stage_s, residual = hinge(loads)
    own = all(not each.source.built_in for each in loads)
    evidence = Evidence(
        grade=Grade.OWN_MEASUREMENT if own else Grade.INDEPENDENT,
        sense=Sense.TYPICAL,
        source="; ".join(sorted({each.source.source_label for each in loads})),
        locator=f"{len(loads)} load points",
    )
    free = token_s / stage_s
    queued = loads[-1].concurrency_count > free * (1 + 1e-9)
    notices = (
        ()
        if queued
        else (
            f"{offer.tier.label}: none of the measured loads slowed it down; beyond "
            f"{loads[-1].concurrency_count:g} concurrent requests the plan assumes that it does.",
        )
    )
    known = [each for each in loads if each.isl_tok and each.osl_tok]
    return PipelinePerformance(
        unloaded_token_s=token_s,
        free_sequence_count=free,
        slot_count=room.slot_count,
        kv_capacity_tok=room.kv_capacity_tok,
        bottleneck_s_per_input_tok=_input_s(loads, token_s),
        overhead_s=ASSUMED_OVERHEAD_S,
        domain=Domain(
            concurrency_low_count=loads[0].concurrency_count,
            concurrency_high_count=loads[-1].concurrency_count,
            isl_low_tok=min((each.isl_tok for each in known), default=None),
            isl_high_tok=max((each.isl_tok for each in known), default=None),
            osl_low_tok=min((each.osl_tok for each in known), default=None),
            osl_high_tok=max((each.osl_tok for each in known), default=None),
        ),
        quality=FitQuality(
            point_count=len(loads),
            shape_count=len({(each.isl_tok, each.osl_tok) for each in loads}),
            residual_fraction=residual,
        ),
        evidence={"unloaded_token_s": evidence, "free_sequence_count": evidence},
        notices=(*notices, *_failure(offer, room)),
    )
