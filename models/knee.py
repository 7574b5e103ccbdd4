"""Where more requests in flight stop buying throughput and only buy waiting.

A definition of ours: the knee is the lowest concurrency at which one more request adds less than a tenth
of what each request in flight adds on average, while the time to first token grows. On a curve that ends
at a slot limit it is that limit; on a smooth one it is where throughput turns flat.
"""

import numpy as np
from numpy.typing import NDArray

from models.performance import BatchedPerformance
from models.steady_points import Lengths, closed_point, law_of

FloatArray = NDArray[np.float64]

GAIN_FRACTION = 0.1  # of the mean throughput per request in flight: less than this is flat
STEPS = 400  # concurrencies looked at, evenly spaced in their logarithm
NUDGE = 1e-3  # relative step in which the gain is read off


def knee(
    performance: BatchedPerformance, isl_tok: float, osl_tok: float, *, gain_fraction: float = GAIN_FRACTION
) -> float | None:
    """The concurrency beyond which throughput is flat; None where it still rises at the highest measured.

    Without measurements the curve is looked at up to the slots of a replica.
    """
    domain = performance.domain
    highest = float(performance.slot_count) if domain is None else domain.concurrency_high_count
    concurrency = np.geomspace(1.0, max(highest, 1.0), STEPS)
    here = _curve(performance, concurrency, isl_tok, osl_tok)
    fewer = _curve(performance, concurrency / (1.0 + NUDGE), isl_tok, osl_tok)
    gain = np.log(here[0] / fewer[0]) / np.log1p(NUDGE)
    flat = np.nonzero((gain < gain_fraction) & (here[1] > fewer[1]))[0]
    return float(concurrency[flat[0]]) if len(flat) else None


def _curve(
    performance: BatchedPerformance, concurrency: FloatArray, isl_tok: float, osl_tok: float
) -> tuple[FloatArray, FloatArray]:
    """Requests per second and median TTFT in seconds of one replica, by requests in flight."""
    lengths = Lengths(isl_tok=np.full_like(concurrency, isl_tok), osl_tok=np.full_like(concurrency, osl_tok))
    seen = closed_point(law_of(performance), concurrency, lengths)
    return seen.request_rate_req_per_s, seen.ttft_s
