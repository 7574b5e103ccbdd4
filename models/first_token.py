"""How long a request waits for its first token on a replica that works in steps.

A request that finds a free slot waits for the running step to end, joins the next one and shares it
with other prompts that came in meanwhile: a gated recursion T' = A + delta * (prompts that arrived
during T). Exact means for Poisson arrivals on one replica; the corrections for join-shortest-queue were
fitted to an iteration-level simulation of the same assumptions.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.processor_sharing import Occupancy, Routing, mean_over

FloatArray = NDArray[np.float64]

ARRIVALS_AFTER_DEPARTURES = 2.0  # how fast arrivals follow departures as a step brings more; fitted
STAYING_STEPS = 10  # answers must outlast about so many steps for that; fitted


@dataclass(frozen=True, slots=True, kw_only=True)
class PrefillStage:
    """The gated stage of one replica, in seconds unless a name says otherwise.

    step_s              mean decode step seen by an arrival (A)
    beside_s            what a step takes in which a prompt is prefilled, prompts left out
    idle_probability    share of arrivals that find an idle replica
    prefill_fraction    rho_p: share of time spent on prefill
    company_fraction    chi: share of other prompts that still land on this replica's running step
    lateness            mean rest of the running step over half of it: 1 at random, 2 just after its start
    residual_ratio      wait for the running step over half a decode step
    prompt_work_s       S: work of each prompt bin, further steps of long prompts included
    noticed_work_s      the part of S before routing stops choosing the replica
    work_fraction       share of a replica's time that S takes
    gated_step_s        mean step with its prompts
    gated_square        mean square of that
    """

    step_s: float
    beside_s: float
    idle_probability: float
    prefill_fraction: float
    company_fraction: float
    lateness: float
    residual_ratio: float
    prompt_work_s: FloatArray
    noticed_work_s: FloatArray
    work_fraction: float
    gated_step_s: float
    gated_square: float


def prefill_stage(held: Occupancy, replica_count: int, routing: Routing) -> PrefillStage:
    """The prefill stage of a pool whose occupancy is known."""
    replica, law, mix = held.replica, held.replica.step, held.replica.mix
    delta_s, rate = law.delta_s_per_input_tok, held.per_replica_rate
    step_s = mean_over(held.probability, replica.decode_step_s(held.held_per_replica))
    prefill = held.prefill_fraction
    full_chunk_s = step_s + delta_s * replica.chunk_tok
    spill = min(1.0, rate * mix.prompt_tok * full_chunk_s / replica.chunk_tok)
    prompts = mix.prompt_bins_tok
    further = step_s * prompts / replica.chunk_tok * np.where(prompts > replica.chunk_tok, 1.0, spill)
    work_s = delta_s * prompts + further
    gated_s = step_s / (1.0 - prefill)
    variance = rate * gated_s * delta_s**2 * mix.prompt_square / (1.0 - prefill**2)
    staying = (mix.decode_tok / mix.output_tok) ** STAYING_STEPS
    chi, lateness, residual_ratio, noticed_s = _routing_terms(
        replica_count, routing, rate, gated_s, work_s, prefill, staying
    )
    apart = replica.scheduler == "prefill_first"
    if apart:
        residual_ratio = lateness * _apart_ratio(held, step_s)
    return PrefillStage(
        step_s=step_s,
        beside_s=law.alpha_s if apart else step_s,
        idle_probability=mean_over(held.probability, held.idle_chance),
        prefill_fraction=prefill,
        company_fraction=chi,
        lateness=lateness,
        residual_ratio=residual_ratio,
        prompt_work_s=work_s,
        noticed_work_s=noticed_s,
        work_fraction=min(rate * float(work_s.mean()), 0.98),
        gated_step_s=gated_s,
        gated_square=gated_s**2 + variance,
    )


def _apart_ratio(held: Occupancy, step_s: float) -> float:
    """Rest of the running step over half a decode step, where prompts have steps of their own."""
    law, mix = held.replica.step, held.replica.mix
    prompt_step_s = law.alpha_s + law.delta_s_per_input_tok * mix.prompt_tok
    square = prompt_step_s**2 + law.delta_s_per_input_tok**2 * mix.prompt_tok**2 * mix.prompt_scv_ratio
    share = apart_fraction(held, step_s)
    return 1.0 - share + share * square / prompt_step_s / step_s


def apart_fraction(held: Occupancy, step_s: float) -> float:
    """Share of a replica's time that runs steps of prompts alone, several prompts in one where they can."""
    law = held.replica.step
    # A step of prompts follows each decode step in which one arrived.
    per_step = -math.expm1(-held.per_replica_rate * step_s)
    alone_s = per_step * law.alpha_s / (step_s + per_step * law.alpha_s)
    return min(held.prefill_fraction + (1.0 - held.prefill_fraction) * alone_s, 0.98)


def _routing_terms(
    replica_count: int,
    routing: Routing,
    rate: float,
    gated_s: float,
    work_s: FloatArray,
    prefill: float,
    staying: float,
) -> tuple[float, float, float, FloatArray]:
    """Company fraction, lateness, residual ratio and noticed work under the routing rule.

    Join-shortest-queue sends a request where others have just left, and they leave at the end of a
    step: the more requests a replica takes per step, the earlier in a step they arrive. `staying` damps
    that for answers of few tokens, whose requests all leave at every step.
    """
    alone = (1.0 + prefill) / (1.0 - prefill)
    if replica_count == 1 or routing == "random":
        return 1.0, 1.0, alone, work_s
    if routing == "round_robin":
        return 1.0 / replica_count**2, 1.0, alone, work_s
    crowd = 1.0 - math.exp(-ARRIVALS_AFTER_DEPARTURES * rate * gated_s)
    lateness = 1.0 + (1.0 - 1.0 / replica_count) ** 2 * crowd * staying
    noticed_s = np.minimum(work_s, noticing_s(replica_count, rate, gated_s))
    return 1.0, lateness, lateness * (1.0 + prefill / 2.0), noticed_s


def noticing_s(replica_count: int, rate_req_per_s: float, gated_s: float) -> float:
    """How long join-shortest-queue still chooses a replica that works on a prompt, of two or more; fitted.

    rate_req_per_s  of one replica; gated_s: its mean step with prompts
    """
    choice = 0.02 + 0.5 * math.pow(replica_count - 1, -1.2)
    return choice / rate_req_per_s + 0.6 * gated_s


def mean_company_s(stage: PrefillStage, held: Occupancy) -> float:
    """Mean seconds that prompts arriving beside one's own add to the step in which it is prefilled."""
    delta_s = held.replica.step.delta_s_per_input_tok
    if held.replica.scheduler == "prefill_first":
        return stage.prefill_fraction * stage.step_s * stage.residual_ratio
    full_chunk_s = (stage.step_s + delta_s * held.replica.chunk_tok) / 2.0
    within_s = min(stage.gated_square / (2.0 * stage.gated_step_s), full_chunk_s)
    return stage.company_fraction * stage.prefill_fraction * within_s


def mean_before_prefill_s(stage: PrefillStage, held: Occupancy) -> float:
    """Mean seconds from finding a busy replica with a free slot to the step that starts one's prompt."""
    if held.replica.scheduler == "prefill_first":
        return stage.step_s / 2.0 * stage.residual_ratio
    work, noticed = stage.prompt_work_s, stage.noticed_work_s
    behind_s = float((noticed * (work - noticed / 2.0)).mean())
    queued_s = held.per_replica_rate * behind_s / (1.0 - stage.work_fraction)
    return stage.step_s / 2.0 * stage.residual_ratio + queued_s


def mean_slot_wait_s(held: Occupancy) -> float:
    """Mean seconds until a slot is free, over all arrivals, those that find one at once included."""
    return held.full_probability * held.wait_if_full_s


def mean_step_wait_s(stage: PrefillStage, held: Occupancy) -> float:
    """Mean seconds from a free slot to the step that starts one's prompt, idle replicas included."""
    return (1.0 - stage.idle_probability) * mean_before_prefill_s(stage, held)


def mean_wait_s(stage: PrefillStage, held: Occupancy) -> float:
    """Mean seconds from arrival to the step that starts one's prompt, slot wait included."""
    return mean_step_wait_s(stage, held) + mean_slot_wait_s(held)


def mean_beside_s(stage: PrefillStage, held: Occupancy) -> float:
    """Mean seconds that other prompts add to one's own steps, over all arrivals."""
    return (1.0 - stage.idle_probability) * mean_company_s(stage, held)


def mean_own_prefill_s(
    stage: PrefillStage, held: Occupancy, prompt_tok: float, prompt_bins_tok: FloatArray
) -> float:
    """Mean seconds of the steps that prefill one's own prompt, the decoding in those steps included."""
    chunk_count = float(np.ceil(prompt_bins_tok / held.replica.chunk_tok).mean())
    return stage.beside_s * chunk_count + held.replica.step.delta_s_per_input_tok * prompt_tok


def mean_prefill_s(
    stage: PrefillStage, held: Occupancy, prompt_tok: float, prompt_bins_tok: FloatArray
) -> float:
    """Mean seconds in a slot until the first token, for prompts of these lengths."""
    own_s = mean_own_prefill_s(stage, held, prompt_tok, prompt_bins_tok)
    return own_s + mean_beside_s(stage, held)


def mean_itl_s(stage: PrefillStage, held: Occupancy, replica_count: int) -> float | None:
    """Mean gap between tokens by Little's law on the slots; None where no request has a second token."""
    mix = held.replica.mix
    if mix.decode_tok <= 0:
        return None
    in_slot_s = held.busy_slot_count / (held.per_replica_rate * replica_count)
    return (in_slot_s - mean_prefill_s(stage, held, mix.prompt_tok, mix.prompt_bins_tok)) / mix.decode_tok
