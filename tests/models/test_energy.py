"""Electricity against sums by hand: stated power times hours, and nothing where nobody states it."""

import pytest

from app import workbench
from models.energy import energy_of
from tests.app import tiny


def test_a_pool_draws_its_stated_power_all_month():
    """InferenceX states 2.17 kW all-in for a B200 and 1.73 kW for an H100 (SemiAnalysis)."""
    seen = workbench.view(workbench.worked_example())
    stated_w = {"B200": 2170.0, "H100": 1730.0, "MI300X": 1790.0, "MI355X": 2650.0}
    checked = 0
    for pool, energy in zip(seen.plan.pools, energy_of(seen.scenario, seen.plan), strict=True):
        for name, watts in stated_w.items():
            if name in pool.tier_label:
                expected = pool.accelerator_count * watts / 1000 * 730.5
                assert energy.energy_kwh_per_month == pytest.approx(expected)
                assert energy.carbon_kg_per_month(384.0) == pytest.approx(expected * 0.384)
                checked += 1
    assert checked


def test_somebody_elses_machines_are_left_blank():
    seen = tiny.view()
    for energy in energy_of(seen.scenario, seen.plan):
        assert energy.energy_kwh_per_month is None
        assert energy.carbon_kg_per_month(384.0) is None
