"""Random replicas and loads for the laws of batched accelerators."""

from hypothesis import strategies as st

from models.lengths import fixed_lengths, lognormal_lengths
from models.performance import BatchedPerformance, Load, RequestClass, StepLaw

LENGTHS = st.one_of(
    st.builds(fixed_lengths, st.integers(1, 4000).map(float)),
    st.builds(lognormal_lengths, st.floats(20.0, 3000.0), st.floats(0.05, 2.0), st.just((1, 16384))),
)
STEPS = st.builds(
    StepLaw,
    alpha_s=st.floats(0.002, 0.05),
    beta_s_per_seq=st.floats(1e-6, 1e-3),
    exponent=st.floats(0.4, 1.0),
    gamma_s_per_context_tok=st.floats(0.0, 5e-8),
    delta_s_per_input_tok=st.floats(0.0, 1e-4),
)
PERFORMANCES = st.builds(
    BatchedPerformance,
    step=STEPS,
    slot_count=st.integers(1, 256),
    token_budget_tok=st.sampled_from([2048, 8192, 16384]),
    overhead_s=st.floats(0.0, 0.05),
)


def load_of(rate_req_per_s, input_tok, output_tok):
    """One class of calls."""
    single = RequestClass(
        name="calls", rate_req_per_s=rate_req_per_s, input_tok=input_tok, output_tok=output_tok
    )
    return Load(classes=(single,))
