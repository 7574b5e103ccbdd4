"""The knee is the slot limit where there is one, and the flat of the curve elsewhere."""

import pytest

from models.knee import knee
from models.performance import BatchedPerformance, Domain, StepLaw


def performance(law, slot_count, highest):
    domain = Domain(concurrency_low_count=1.0, concurrency_high_count=highest)
    return BatchedPerformance(step=law, slot_count=slot_count, domain=domain)


def test_a_slot_limit_inside_the_measured_loads_is_the_knee():
    law = StepLaw(alpha_s=0.010, beta_s_per_seq=2e-5)
    assert knee(performance(law, 64, 256.0), 128.0, 256.0) == pytest.approx(64.0, rel=0.02)


def test_a_straight_step_is_flat_where_the_batch_takes_nine_times_its_overhead():
    """X = N / (n (a + b N)) gains a / (a + b N) of its mean per request: a tenth at N = 9 a / b = 180.

    Almost no prompt, an answer of 1,000: prefill counts for nothing.
    """
    law = StepLaw(alpha_s=0.010, beta_s_per_seq=5e-4)
    assert knee(performance(law, 4096, 1024.0), 1.0, 1000.0) == pytest.approx(180.0, rel=0.02)


def test_a_curve_that_still_rises_has_no_knee():
    law = StepLaw(alpha_s=0.010, beta_s_per_seq=2e-5)
    assert knee(performance(law, 64, 64.0), 128.0, 256.0) is None
