"""Wafers with weights and KV cache on chip: full speed until the slowest stage is busy, then sharing.

Memory. A wafer holds 44 GB of SRAM and nothing beside it. A copy needs at least weights / 44 GB wafers,
rounded up; what they leave holds the KV cache and so bounds the sequences in flight. 70 billion 16-bit
weights take 4 wafers and leave 36 GB: about 110,000 tokens of context.

Speed. Tokens flow through a pipeline. With L0 the time of a token through the empty machine and s the time
it occupies the slowest stage, b sequences see a token every `max(L0, b s)` seconds: S = L0 / s of them
fly free. Prompts pass the same stages; a prompt token takes as long as an answer token unless a prefill
rate is stated. Occupancy is limited processor sharing with this law; see `pipeline_law`.

Envelope. Nobody has published s, so the answer is a band. Its pessimistic end takes S = 1 (sequences take
turns) and adds what crossing a stated link between wafers takes; its optimistic end lets every sequence
that the memory holds fly free. Between them, S = stages of the pipeline (as many as wafers where nobody
says). L0 is 1 / speed: an independent median, or a vendor's ceiling times a derate that the user accepts
(independent medians are 0.57 to 0.61 of such a ceiling). A plan is sized at the pessimistic end unless the
policy says otherwise, and a decision counts as robust only if it is the same at both ends. Three measured
loads replace the band by the fitted law.

Failure. A wafer is the failure unit; it takes the whole copy that it belongs to with it.

Load. Swings and bursts are a mixture of steady stretches, and capacity is held against the highest of
them, on the safe side.

Range. Against a simulation of the same law, up to a utilisation of 0.8 and while prompts take less than
30 % of the time: means of TTFT, ITL and E2E within 10 %, else 20 %. Against a real machine nothing is
known until it is measured.

Not modelled: how layers are laid out on a wafer, uneven stages, speculative decoding, spilling to memory
off the wafer, what a supplier's own scheduler does.
"""

from collections.abc import Sequence

from models import pipeline_fit
from models.arrival_mixing import (
    highest_ratio,
    mean_rates,
    mixed_latency,
    steady_phases,
    time_mean,
)
from models.arrival_phases import Phase
from models.batched_validity import domain_notices
from models.lengths import fixed_lengths
from models.measurements import SourcedMeasurement
from models.performance import (
    CannotServe,
    ClassLatency,
    EnvelopeEnd,
    Load,
    OperatingPoint,
    PipelinePerformance,
    RequestClass,
)
from models.pipeline_law import PipelineReplica, highest_rate_req_per_s, pipeline_replica, sample_calls
from models.processor_sharing import Occupancy, Routing, occupancy, slots_within_kv
from models.request_mix import RequestMix, mix_of
from models.systems import Pipeline, PipelinePool
from models.tiers import Offer

KEY = "wafer_scale_pipeline"
LABEL = "Wafer-scale pipeline"
READS = (
    "accelerator",
    "accelerator_count_per_replica",
    "precision",
    "slot_count",
    "failure_unit",
    "speed",
    "link",
    "pipeline_stage_count",
    "prefill_rate_tok_per_s",
    "price",
    "availability",
)
PESSIMISTIC: EnvelopeEnd = "pessimistic"
SATURATED = 1.0 - 1e-9
LIGHT_UTILISATION = 1e-6  # stands for "no load" where a class has no rate yet
ROUGH_PREFILL_FRACTION = 0.3
ROUGH = "Prompts take more than 30 % of the time: gaps between tokens may be 20 % longer."
WITHOUT_LATENCY = "More is asked than the wafers can serve at the highest rate; there is no latency to give."


def fit(
    offer: Offer,
    measurements: Sequence[SourcedMeasurement],
    *,
    accepted_derate_ratio: float | None = None,
    envelope_end: EnvelopeEnd = PESSIMISTIC,
) -> PipelinePerformance | CannotServe:
    """What one copy of the model does: measured, or one end of its envelope with the other beside it.

    accepted_derate_ratio (0, 1]: share of a vendor's ceiling that the user accepts as typical, or None.
    """
    return pipeline_fit.fit(offer, measurements, accepted_derate_ratio, envelope_end)


def pipeline_of(performance: PipelinePerformance, mix: RequestMix) -> Pipeline | None:
    """The law of one copy for this mix; None where its memory holds not one request."""
    slots = slots_within_kv(performance.slot_count, performance.kv_capacity_tok, mix)
    if slots < 1:
        return None
    free = performance.free_sequence_count or float(slots)
    stage_s = performance.unloaded_token_s / free
    stated = performance.bottleneck_s_per_input_tok
    return Pipeline(
        unloaded_token_s=performance.unloaded_token_s,
        bottleneck_s_per_tok=stage_s,
        bottleneck_s_per_input_tok=stage_s if stated is None else stated,
        slot_count=slots,
        kv_capacity_tok=performance.kv_capacity_tok,
    )


def max_rate(performance: PipelinePerformance, load: Load, replica_count: int) -> float:
    """Mean requests/s that copies sustain also at the load's highest rate; 0 where not one request fits."""
    mix = mix_of(mean_rates(load))
    pipeline = pipeline_of(performance, mix)
    empty = None if pipeline is None else pipeline_replica(pipeline, mix, 0.0)
    if pipeline is None or empty is None:
        return 0.0
    highest = highest_rate_req_per_s(PipelinePool(pipeline=pipeline), empty) * replica_count
    return highest / highest_ratio(steady_phases(load.arrival))


def operate(
    performance: PipelinePerformance,
    load: Load,
    replica_count: int,
    *,
    point_count: int = 2048,
    routing: Routing = "join_shortest_queue",
) -> OperatingPoint:
    """What copies side by side do under the load; past saturation stable=False and no latency.

    Utilisation is that at the highest rate of the arrivals. point_count is a power of two.
    """
    classes = mean_rates(load)
    mix = mix_of(classes)
    pipeline, highest = pipeline_of(performance, mix), max_rate(performance, load, replica_count)
    if pipeline is None or highest <= 0.0:
        return OperatingPoint(
            stable=False,
            utilisation_fraction=None,
            max_rate_req_per_s=0.0,
            notices=("The wafers of one copy cannot hold a single request of this size.",),
        )
    asked = load.rate_req_per_s * load.arrival.mean_to_given_ratio
    if asked / highest >= SATURATED:
        return OperatingPoint(
            stable=False,
            utilisation_fraction=asked / highest,
            max_rate_req_per_s=highest,
            notices=(WITHOUT_LATENCY,),
        )
    rate = asked or highest * LIGHT_UTILISATION
    states = [
        _state(pipeline, mix, phase, rate * phase.rate_ratio, replica_count, routing)
        for phase in steady_phases(load.arrival)
    ]
    phases, helds = [phase for phase, _, _ in states], [held for _, _, held in states]
    busy_slots = time_mean(phases, [held.busy_slot_count for held in helds]) / replica_count
    outside = domain_notices(performance, classes, busy_slots)
    rough = () if helds[0].prefill_fraction <= ROUGH_PREFILL_FRACTION else (ROUGH,)
    return OperatingPoint(
        stable=True,
        utilisation_fraction=asked / highest,
        max_rate_req_per_s=highest,
        slot_occupancy_fraction=busy_slots / pipeline.slot_count,
        busy_fraction=time_mean(phases, [held.busy_fraction for held in helds]),
        mean_busy_slot_count_per_replica=busy_slots,
        wait_probability_fraction=sum(
            phase.time_fraction * phase.rate_ratio * held.full_probability for phase, _, held in states
        )
        / sum(phase.time_fraction * phase.rate_ratio for phase, _, _ in states),
        latencies=tuple(_latency(performance, states, each, point_count) for each in classes),
        inside_domain=not outside,
        notices=(*outside, *rough),
    )


def closed_loop(
    performance: PipelinePerformance, concurrency_count: float, isl_tok: float, osl_tok: float
) -> tuple[float, float] | None:
    """TPOT in seconds and output tokens/s of one copy with N requests in flight; None: not one fits.

    A round of all of them takes the longer of one request flying alone and all of them passing the slowest
    stage. N counts those that the memory holds.
    """
    lengths = (fixed_lengths(isl_tok), fixed_lengths(osl_tok))
    single = RequestClass(name="", rate_req_per_s=1.0, input_tok=lengths[0], output_tok=lengths[1])
    pipeline = pipeline_of(performance, mix_of((single,)))
    if pipeline is None:
        return None
    count = min(concurrency_count, float(pipeline.slot_count))
    prompt_s = pipeline.bottleneck_s_per_input_tok * isl_tok
    alone_s = prompt_s + osl_tok * pipeline.unloaded_token_s
    together_s = count * (prompt_s + osl_tok * pipeline.bottleneck_s_per_tok)
    round_s = max(alone_s, together_s)
    first_s = prompt_s + pipeline.unloaded_token_s
    return (round_s - first_s) / max(osl_tok - 1.0, 1.0), count * osl_tok / round_s


State = tuple[Phase, PipelineReplica, Occupancy]


def _state(
    pipeline: Pipeline, mix: RequestMix, phase: Phase, rate: float, replica_count: int, routing: Routing
) -> State:
    """The copies in one steady stretch of the arrivals."""
    replica = pipeline_replica(pipeline, mix, rate / replica_count)
    if replica is None:
        raise RuntimeError("a copy that holds no request was to be operated")
    held = occupancy(replica, rate, replica_count, arrival_scv_ratio=phase.scv_ratio, routing=routing)
    return phase, replica, held


def _latency(
    performance: PipelinePerformance, states: Sequence[State], each: RequestClass, point_count: int
) -> ClassLatency:
    """One class's latencies over all stretches."""
    parts = [sample_calls(replica, held, each, point_count) for _, replica, held in states]
    return mixed_latency(each, [phase for phase, _, _ in states], parts, performance.overhead_s)
