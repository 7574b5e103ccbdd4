"""How long an engine step takes against how much is in it, and how far that law may be trusted.

Measured concurrency curves are concave: `alpha + beta b^exponent` with an exponent around 0.77 beats
straight lines, power laws, hinges and Gunther's law (N. J. Gunther 1993) in predicting left-out loads.
The priors and bands below come from 562 public curves of 17 sources, equal weight per source.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.performance import StepLaw

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class NormalPrior:
    """A normal belief about one parameter, wide because sources differ that much."""

    mean: float
    deviation: float


# ln of the batch at which the step has doubled: inter-token latency curves.
LOG_HALF_BATCH = NormalPrior(mean=2.2, deviation=2.3)
# ln of a step's growth from 1 to 32 sequences, over the growth that the roofline gives at typical
# efficiency; over 43 public sweeps of a dense model and 43 of mixtures (SemiAnalysis InferenceMAX, October
# 2025). What a step takes beyond the roofline hardly grows with the batch: steps of one engine took 2.7
# times as long as the roofline says, their growth 1.0 times.
LOG_GROWTH_DENSE = NormalPrior(mean=0.0, deviation=1.5)
LOG_GROWTH_MIXTURE = NormalPrior(mean=0.15, deviation=0.36)
GROWTH_BATCH = 32.0
# Exponents fitted to the same sweeps less that of the roofline's curve over the same loads: -0.21 +- 0.25
# and 0.07 +- 0.16. The latter is not added: the curve up to eight times the load is flatter by as much.
EXPONENT_OFF_DENSE = NormalPrior(mean=-0.2, deviation=0.26)
EXPONENT_OFF_MIXTURE = NormalPrior(mean=0.0, deviation=0.16)
EXPONENT = NormalPrior(mean=0.76, deviation=0.46)
# Median over 75 public sweeps fitted with context and prompts apart; 0.77 where they are not.
TYPICAL_EXPONENT = 0.68
EXPONENT_RANGE = (0.4, 1.0)  # concave, so that more slots never finish less

# (up to this ratio of load to highest measured load, low, high): 10th and 90th percentile of the error.
EXTRAPOLATION_BANDS = (
    (1.0, -0.06, 0.06),
    (2.0, -0.07, 0.16),
    (4.0, -0.18, 0.51),
    (8.0, -0.39, 0.95),
)
FARTHEST_EXTRAPOLATION_RATIO = EXTRAPOLATION_BANDS[-1][0]


def step_s(
    law: StepLaw, batch_count: FloatArray, context_tok: FloatArray, prompt_tok: FloatArray
) -> FloatArray:
    """Seconds of one step that decodes `batch_count` sequences, reads and prefills these tokens."""
    time_s: FloatArray = (
        law.alpha_s
        + law.beta_s_per_seq * batch_count**law.exponent
        + law.gamma_s_per_context_tok * context_tok
        + law.delta_s_per_input_tok * prompt_tok
    )
    return time_s


def extrapolation_band(load_count: float, highest_measured_count: float) -> tuple[float, float] | None:
    """Where the truth lies against the fit, as ratios below and above 0, four times in five.

    Inside the measured loads the band is that of interpolation. None beyond eight times the highest
    measured load: the error is then a factor of two to three either way, and no band is honest.
    """
    ratio = load_count / highest_measured_count
    for up_to, low, high in EXTRAPOLATION_BANDS:
        if ratio <= up_to:
            return low, high
    return None
