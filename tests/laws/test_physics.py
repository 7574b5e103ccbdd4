"""What no plan may claim: memory read faster than it can be, bills that machines do not explain."""

import pytest

from app import workbench
from models.architectures import batched_accelerator
from models.performance import BatchedPerformance
from models.tiers import HourlyPrice

BYTES_PER_WEIGHT = {"fp4": 0.5, "mxfp4": 0.5, "nvfp4": 0.5, "fp8": 1.0, "bf16": 2.0, "fp16": 2.0}
HOURS_PER_MONTH = 365.25 * 24 / 12


def measured_curves():
    return [
        curve
        for curve in workbench.catalogue_curves(())
        if isinstance(curve.performance, BatchedPerformance)
        and curve.offer.accelerator.memory_bandwidth_byte_per_s
        and curve.offer.model.active_parameter_count
        and curve.offer.tier.precision in BYTES_PER_WEIGHT
    ]


@pytest.fixture(scope="module")
def curves():
    return measured_curves()


def test_no_token_comes_faster_than_its_weights_can_be_read(curves):
    assert len(curves) > 20
    for curve in curves:
        offer = curve.offer
        weights_byte = offer.model.active_parameter_count * BYTES_PER_WEIGHT[offer.tier.precision]
        bandwidth = offer.accelerator.memory_bandwidth_byte_per_s * offer.tier.accelerator_count_per_replica
        _, tpot_s, _ = batched_accelerator.closed_loop(curve.performance, 1, 1000, 1000)
        assert tpot_s >= weights_byte / bandwidth, offer.id


def test_machines_times_price_is_the_bill():
    seen = workbench.view(workbench.worked_example())
    prices = {offer.tier.id: offer.tier.price for offer in seen.scenario.offers}
    for pool in seen.plan.pools:
        price = prices[pool.tier_id]
        assert isinstance(price, HourlyPrice)
        bill = pool.accelerator_count * price.usd_per_accelerator_h * HOURS_PER_MONTH
        assert pool.cost_usd_per_month == pytest.approx(bill)
    assert seen.plan.totals.cost_usd_per_month == pytest.approx(
        sum(pool.cost_usd_per_month for pool in seen.plan.pools)
    )


def test_percentiles_rise_and_hold_the_mean():
    seen = workbench.view(workbench.worked_example())
    for each in seen.plan.allocations:
        for name in ("ttft_s", "tpot_s", "itl_s", "e2e_s", "task_s"):
            found = getattr(each, name)
            assert found.p50 <= found.p90 <= found.p95 <= found.p99, (each.workload, name)
            assert found.mean <= found.p99, (each.workload, name)
