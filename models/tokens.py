"""Bytes and operations behind a token: weights, KV cache, and what hardware can do at best.

The roofline gives a floor (no step is faster than its bytes over bandwidth) and, with typical
efficiencies, a prior for the step law where nothing was measured.
Sources: S. Williams, A. Waterman and D. Patterson 2009 (roofline); R. Pope and others 2022 (inference
costs of transformers). Exact for memory traffic of dense models; mixtures assume uniform routing, which
overstates the experts touched.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.parallel import ALL_REDUCES_PER_LAYER, EXCHANGE_LATENCY_S, Exchange, exchange
from models.performance import StepLaw
from models.tiers import Accelerator, Model, Offer

FloatArray = NDArray[np.float64]

BYTE_PER_WEIGHT = {
    "fp32": 4.0,
    "bf16": 2.0,
    "fp16": 2.0,
    "float16": 2.0,
    "bfloat16": 2.0,
    "fp8": 1.0,
    "int8": 1.0,
    "w8a8": 1.0,
    "w8a16": 1.0,
    "q8_0": 1.0625,
    "fp4": 0.5,
    "int4": 0.5,
    "w4a16": 0.5,
    "nvfp4": 0.5625,  # 4 bit and an 8-bit scale per 16 weights
    "mxfp4": 0.53125,  # 4 bit and an 8-bit scale per 32 weights
}
FLOP_PER_WEIGHT_AND_TOKEN = 2.0  # one multiplication, one addition
USABLE_MEMORY_FRACTION = 0.9  # vLLM's default gpu_memory_utilization
MEMORY_EFFICIENCY = 0.6  # of peak bandwidth; 0.4 to 0.8 is seen
# Of peak dense operations, whole prefill step: medians over 75 fitted public sweeps (SemiAnalysis
# InferenceMAX, October 2025, 6 accelerators); half to twice as much is seen.
DENSE_COMPUTE_EFFICIENCY = 0.25
MIXTURE_COMPUTE_EFFICIENCY = 0.08
ENGINE_OVERHEAD_S = 2e-3  # scheduling and launches of one step, assumed
PRIOR_BATCHES = (1.0, 256.0)  # between which the roofline's curve is taken unless loads were measured
PRIOR_BATCH_COUNT = 12
PRIOR_EXPONENTS = np.linspace(0.4, 1.0, 31)


@dataclass(frozen=True, slots=True, kw_only=True)
class Roofline:
    """What one replica can do at best; rates of all its accelerators together.

    stage_count  pipeline stages, each with its part of the accelerators and of the batch
    exchange     what the accelerators exchange, where it is said how they share the model
    """

    bandwidth_byte_per_s: float
    flop_per_s: float
    byte_per_weight: float
    model: Model
    accelerator_count: int
    stage_count: int = 1
    exchange: Exchange | None = None

    @property
    def floor_step_s(self) -> float:
        """Seconds to read once the weights that a single token needs: no step is faster."""
        return weights_read_byte(self.model, self.byte_per_weight, 1.0) / self.stage_bandwidth_byte_per_s

    @property
    def stage_bandwidth_byte_per_s(self) -> float:
        """Of one pipeline stage: a token passes them one after the other."""
        return self.bandwidth_byte_per_s / self.stage_count

    @property
    def floor_prefill_s_per_tok(self) -> float:
        """Seconds of arithmetic per prompt token at peak: no prefill is faster."""
        return FLOP_PER_WEIGHT_AND_TOKEN * _known(self.model.active_parameter_count) / self.flop_per_s

    @property
    def context_s_per_tok(self) -> float | None:
        """Typical seconds to read the KV cache of one context token; None where the model's is unknown."""
        if self.model.kv_growing_byte_per_tok is None:
            return None
        return self.model.kv_growing_byte_per_tok / (self.bandwidth_byte_per_s * MEMORY_EFFICIENCY)

    @property
    def prefill_s_per_tok(self) -> float:
        """Typical seconds of prefill per prompt token.

        Efficiencies are of replicas within one scale-up domain: what a slower link takes longer comes on top.
        """
        return self.compute_s_per_tok + (self.exchange.excess_s_per_tok if self.exchange else 0.0)

    @property
    def compute_s_per_tok(self) -> float:
        """Typical seconds of arithmetic per token."""
        dense = self.model.kind == "dense"
        efficiency = DENSE_COMPUTE_EFFICIENCY if dense else MIXTURE_COMPUTE_EFFICIENCY
        return self.floor_prefill_s_per_tok / efficiency


def _known(value: float | None) -> float:
    if value is None:
        raise ValueError("a roofline is only built from known facts")
    return value


def byte_per_weight(precision: str) -> float | None:
    """Bytes of one weight at a named precision; None for a name we do not know."""
    return BYTE_PER_WEIGHT.get(precision.lower())


def weights_byte(model: Model, byte_per_weight: float) -> float | None:
    """Bytes of all weights; None where the parameter count is not published."""
    if model.total_parameter_count is None:
        return None
    return model.total_parameter_count * byte_per_weight


def weights_read_byte(model: Model, byte_per_weight: float, batch_count: float) -> float:
    """Bytes of weights that a step with `batch_count` tokens reads: all of a dense model's, of a
    mixture's the shared ones and `1 - (1 - k/E)^b` of the experts (uniform routing).
    """
    total, active = _known(model.total_parameter_count), _known(model.active_parameter_count)
    experts, chosen = model.expert_count, model.experts_per_token_count
    if not experts or not chosen or chosen >= experts:
        return total * byte_per_weight if model.kind == "dense" else active * byte_per_weight
    chance = chosen / experts
    in_experts = (total - active) / (1.0 - chance)
    touched: float = 1.0 - (1.0 - chance) ** batch_count
    return (total - in_experts * (1.0 - touched)) * byte_per_weight


def precision_of(offer: Offer) -> str | None:
    """The precision an offer runs at: the tier's, else the model's own."""
    return offer.tier.precision or offer.model.native_precision


def roofline(offer: Offer) -> Roofline | None:
    """The roofline of one replica; None where a fact of the accelerator or model is not published."""
    chip, model, count = offer.accelerator, offer.model, offer.tier.accelerator_count_per_replica
    precision = precision_of(offer)
    if chip is None or count is None or precision is None or model.active_parameter_count is None:
        return None
    width, peak = byte_per_weight(precision), peak_flop_per_s(chip, precision)
    if width is None or peak is None or chip.memory_bandwidth_byte_per_s is None:
        return None
    if model.total_parameter_count is None:
        return None
    split = offer.tier.split
    exchanged = None if split is None else exchange(offer, split)
    if split is not None and exchanged is None:
        return None
    return Roofline(
        bandwidth_byte_per_s=chip.memory_bandwidth_byte_per_s * count,
        flop_per_s=peak * count,
        byte_per_weight=width,
        model=model,
        accelerator_count=count,
        stage_count=1 if split is None else split.pipeline_parallel_count,
        exchange=exchanged,
    )


def peak_flop_per_s(chip: Accelerator, precision: str) -> float | None:
    """Dense peak at a precision; weights narrower than the chip computes with run at its next wider rate."""
    width = byte_per_weight(precision)
    if width is None:
        return None
    wide_enough = [
        (stated_width, rate)
        for name, rate in chip.dense_flop_per_s.items()
        if (stated_width := byte_per_weight(name)) is not None and stated_width >= round(width * 2) / 2
    ]
    return min(wide_enough)[1] if wide_enough else None


def kv_capacity_tok(offer: Offer, kv_byte_ratio: float = 1.0) -> float | None:
    """Tokens of KV cache beside the weights of one replica; None where a fact is not published.

    kv_byte_ratio 1 is a 16-bit cache, 0.5 an 8-bit one. 0 or less: the weights leave no room.
    """
    chip, model, count = offer.accelerator, offer.model, offer.tier.accelerator_count_per_replica
    precision = precision_of(offer)
    width = None if precision is None else byte_per_weight(precision)
    weights = None if width is None else weights_byte(model, width)
    per_tok = model.kv_growing_byte_per_tok
    if weights is None or not per_tok or chip is None or chip.memory_byte is None or count is None:
        return None
    free_byte = chip.memory_byte * count * USABLE_MEMORY_FRACTION - weights
    return free_byte / (per_tok * kv_byte_ratio)


def prior_step_law(
    bounds: Roofline, low_batch: float = PRIOR_BATCHES[0], high_batch: float = PRIOR_BATCHES[1]
) -> StepLaw:
    """The step law that the roofline suggests at typical efficiencies, for where little was measured.

    The curve `alpha + beta b^exponent` nearest to overhead, weights read and arithmetic over these batches:
    straight for a dense model, bent for a mixture while further requests touch further experts. Fitted
    exponents of public sweeps (SemiAnalysis InferenceMAX, October 2025, concurrency 4 to 64) agree: medians
    1.0 over 43 of a dense model, 0.55 and 0.47 over 30 and 13 of two mixtures, against 1.0, 0.60 and 0.56.
    """
    batches = np.geomspace(low_batch, max(high_batch, 4.0 * low_batch), PRIOR_BATCH_COUNT)
    step_s = _roofline_step_s(bounds, batches)
    fits = [_nearest_power(batches, step_s, float(power), bounds.floor_step_s) for power in PRIOR_EXPONENTS]
    _, alpha, beta, exponent = min(fits)
    return StepLaw(
        alpha_s=alpha,
        beta_s_per_seq=beta,
        exponent=exponent,
        gamma_s_per_context_tok=bounds.context_s_per_tok or 0.0,
        delta_s_per_input_tok=bounds.prefill_s_per_tok,
    )


def _roofline_step_s(bounds: Roofline, batches: FloatArray) -> FloatArray:
    """Seconds of a step at typical efficiency by batch, context and prompts left out.

    With pipeline stages: seconds between two tokens of a request, each stage at its part of the batch.
    """
    model, overhead_s, s_per_tok = bounds.model, ENGINE_OVERHEAD_S, 0.0
    if bounds.exchange is not None:
        overhead_s += bounds.exchange.step_s
        s_per_tok = bounds.exchange.s_per_tok
    elif bounds.accelerator_count > 1 and model.layer_count is not None:
        overhead_s += ALL_REDUCES_PER_LAYER * model.layer_count * EXCHANGE_LATENCY_S
    parts = batches / bounds.stage_count
    read = np.array([weights_read_byte(model, bounds.byte_per_weight, float(each)) for each in parts])
    time_s: FloatArray = (
        overhead_s
        + read / (bounds.stage_bandwidth_byte_per_s * MEMORY_EFFICIENCY)
        + batches * bounds.compute_s_per_tok
        + parts * s_per_tok
    )
    return time_s


def _nearest_power(
    batches: FloatArray, step_s: FloatArray, power: float, floor_s: float
) -> tuple[float, float, float, float]:
    """Squared relative error, alpha, beta and exponent of the nearest curve whose alpha is not too fast."""
    rising = batches**power
    terms = np.stack([1.0 / step_s, rising / step_s], axis=1)
    alpha, beta = (float(each) for each in np.linalg.lstsq(terms, np.ones_like(step_s), rcond=None)[0])
    if alpha < floor_s:
        alpha = floor_s
        beta = float((rising * (step_s - alpha) / step_s**2).sum() / (rising**2 / step_s**2).sum())
    error = float((((alpha + beta * rising) / step_s - 1.0) ** 2).sum())
    return error, alpha, beta, power
