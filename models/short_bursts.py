"""Arrivals that bunch within a step: how many more prompts share it than under a Poisson stream.

After an arrival of a renewal stream the next ones are expected at its renewal function, not at its rate
(D. R. Cox 1962, Renewal Theory, section 4.2); the same holds looking back. For gamma gaps the function is
a sum of incomplete gamma functions.
"""

import numpy as np
from scipy.special import gammainc

from models.batched_operation import SteadyState

TERM_COUNT = 64  # arrivals counted one by one within a step; a gamma sum far beyond what a step sees


def burst_s(state: SteadyState, rate_req_per_s: float, scv_ratio: float, replica_count: int) -> float:
    """Mean seconds of others' prefill that bunching adds to the first token; below 0 for even arrivals.

    Of the others in the pool one in `replica_count` lands on the same replica.
    """
    stage, replica = state.stage, state.held.replica
    half_s = stage.gated_square / stage.gated_step_s / 2.0
    others = 2.0 * (renewals(rate_req_per_s * half_s, scv_ratio) - rate_req_per_s * half_s)
    prompt_s = replica.step.delta_s_per_input_tok * replica.mix.prompt_tok
    company_s = stage.company_fraction * others / replica_count * prompt_s
    busy: float = 1.0 - stage.idle_probability
    return busy * company_s


def renewals(mean_count: float, scv_ratio: float) -> float:
    """Arrivals expected soon after one, where a Poisson stream has `mean_count`; gamma gaps."""
    shape = 1.0 / scv_ratio
    orders = np.arange(1, max(TERM_COUNT, int(8.0 * mean_count)) + 1)
    return float(gammainc(orders * shape, mean_count * shape).sum())
