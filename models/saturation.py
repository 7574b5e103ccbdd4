"""Between which rates a replica saturates, when slots are unknown and the curve is only partly measured.

The highest rate is an identity of slots and step time; both may be uncertain. From the fewest slots the
engine may have, its KV cache reserved for whole answers, to the most, the cache filled as answers grow;
and, independently, from the slowest to the fastest step that the fit's band allows.
"""

import math
from dataclasses import replace

from models.performance import BatchedPerformance, Load
from models.processor_sharing import Scheduler, SharedReplica, share
from models.request_mix import RequestMix, mix_of
from models.step_law import EXTRAPOLATION_BANDS, extrapolation_band

FARTHEST_BAND = EXTRAPOLATION_BANDS[-1][1:]  # also beyond: the error is a factor of two to three
ROOFLINE_BAND = (-0.5, 1.0)  # a factor of two where nothing was measured


def saturation_band(
    performance: BatchedPerformance, load: Load, *, scheduler: Scheduler | None = None
) -> tuple[float, float]:
    """Lowest and highest rate in requests/s at which one replica saturates at the load's mix.

    Holds the measured saturation of public open-loop sweeps that were calibrated on light loads alone in
    at least four cases out of five. (0, 0) where the KV cache holds not one request. The load needs a
    class with a rate above zero.
    """
    mix = mix_of(load.classes)
    fewest, most = performance.slot_range_count or (performance.slot_count,) * 2
    low = share(replace(performance, slot_count=fewest), mix, scheduler)
    high = share(_filled_as_it_grows(replace(performance, slot_count=most), mix), mix, scheduler)
    if low is None or high is None:
        return 0.0, 0.0
    lowest, highest = low.max_rate_req_per_s, high.max_rate_req_per_s
    middle, by_slots = math.sqrt(lowest * highest), math.log(highest / lowest) / 2.0
    by_slow_steps = math.log1p(_step_band(performance, low)[1])
    by_fast_steps = -math.log1p(_step_band(performance, high)[0])
    return (
        middle * math.exp(-math.hypot(by_slots, by_slow_steps)),
        middle * math.exp(math.hypot(by_slots, by_fast_steps)),
    )


def _filled_as_it_grows(performance: BatchedPerformance, mix: RequestMix) -> BatchedPerformance:
    """The KV capacity that reserved requests would need to run as many as the cache holds on average."""
    capacity_tok = performance.kv_capacity_tok
    if capacity_tok is None or not math.isfinite(capacity_tok):
        return performance
    average_tok = mix.size_tok - mix.output_tok / 2.0
    slack_tok = mix.size_square / (2.0 * mix.size_tok)
    return replace(performance, kv_capacity_tok=capacity_tok / average_tok * mix.held_tok + slack_tok)


def _step_band(performance: BatchedPerformance, replica: SharedReplica) -> tuple[float, float]:
    """How much faster or slower than the fit a step with all slots taken may be."""
    if performance.domain is None:
        return ROOFLINE_BAND
    band = extrapolation_band(replica.slot_count, performance.domain.concurrency_high_count)
    return FARTHEST_BAND if band is None else band
