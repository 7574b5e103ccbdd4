"""Random machines of every architecture, for the laws that all of them obey."""

from hypothesis import strategies as st

from models.performance import BatchedPerformance, PipelinePerformance, StepLaw, TandemPerformance
from models.workloads import Arrival
from tests.laws.batched_cases import PERFORMANCES

PIPELINES = st.builds(
    PipelinePerformance,
    unloaded_token_s=st.floats(3e-4, 1e-2),
    free_sequence_count=st.one_of(st.none(), st.just(1.0), st.floats(1.0, 64.0)),
    slot_count=st.integers(1, 200),
    bottleneck_s_per_input_tok=st.one_of(st.none(), st.floats(1e-7, 1e-4)),
    overhead_s=st.floats(0.0, 0.05),
)
DECODES = st.builds(
    BatchedPerformance,
    step=st.builds(
        StepLaw,
        alpha_s=st.floats(0.002, 0.05),
        beta_s_per_seq=st.floats(1e-6, 1e-3),
        exponent=st.floats(0.4, 1.0),
        gamma_s_per_context_tok=st.floats(0.0, 5e-8),
    ),
    slot_count=st.integers(1, 256),
)
TANDEMS = st.builds(
    TandemPerformance,
    decode=DECODES,
    alpha_s=st.floats(0.001, 0.05),
    delta_s_per_input_tok=st.floats(1e-6, 1e-4),
    bytes_per_tok=st.floats(1e4, 5e5),
    bandwidth_byte_per_s=st.floats(1e10, 9e11),
    base_s=st.floats(0.0, 1e-3),
    overlap_fraction=st.floats(0.0, 1.0),
    first_token=st.sampled_from(["after_prefill", "after_transfer"]),
    overhead_s=st.floats(0.0, 0.05),
)
MACHINES = st.one_of(PERFORMANCES, PIPELINES, TANDEMS)
# Those whose swings and bursts are a mixture of steady stretches.
MIXING = st.one_of(PIPELINES, TANDEMS)
ARRIVALS = st.one_of(
    st.builds(Arrival, kind=st.just("gamma"), scv_ratio=st.floats(1.0, 4.0)),
    st.builds(
        Arrival,
        kind=st.just("mmpp"),
        burst_fraction=st.floats(0.05, 0.5),
        burst_ratio=st.floats(1.5, 8.0),
        cycle_s=st.floats(60.0, 3600.0),
    ),
    st.builds(
        Arrival,
        kind=st.just("sine"),
        amplitude_fraction=st.floats(0.1, 0.9),
        period_s=st.floats(300.0, 86400.0),
    ),
)
