"""The FOCUS export: sums that add up to the bill, the columns of FOCUS 1.0, and nothing a sheet would run."""

import csv
import io
from datetime import datetime

import pytest

from app import workbench
from app.focus_csv import COLUMNS, focus_csv
from tests.app import tiny

# FinOps Foundation, FOCUS 1.0 (June 2024): columns to deliver, and those never to leave empty.
MANDATORY = (
    "BilledCost",
    "BillingAccountId",
    "BillingAccountName",
    "BillingCurrency",
    "BillingPeriodEnd",
    "BillingPeriodStart",
    "ChargeCategory",
    "ChargeClass",
    "ChargeDescription",
    "ChargePeriodEnd",
    "ChargePeriodStart",
    "ContractedCost",
    "EffectiveCost",
    "InvoiceIssuerName",
    "ListCost",
    "PricingQuantity",
    "PricingUnit",
    "ProviderName",
    "PublisherName",
    "ServiceCategory",
    "ServiceName",
    "SubAccountId",
    "SubAccountName",
)
FILLED = (
    "BilledCost",
    "BillingAccountId",
    "BillingCurrency",
    "BillingPeriodEnd",
    "BillingPeriodStart",
    "ChargeCategory",
    "ChargePeriodEnd",
    "ChargePeriodStart",
    "ContractedCost",
    "EffectiveCost",
    "InvoiceIssuerName",
    "ListCost",
    "ProviderName",
    "PublisherName",
    "ServiceCategory",
    "ServiceName",
)


def rows_of(seen):
    return list(csv.DictReader(io.StringIO(focus_csv(seen).decode("utf-8"))))


@pytest.fixture(scope="module")
def worked():
    return workbench.view(workbench.worked_example())


def test_the_charges_add_up_to_the_bill(worked):
    rows = rows_of(worked)
    assert sum(float(row["BilledCost"]) for row in rows) == pytest.approx(
        worked.plan.totals.cost_usd_per_month
    )
    for each in worked.plan.allocations:
        own = [float(row["BilledCost"]) for row in rows if row["x_Workload"] == each.workload]
        assert sum(own) == pytest.approx(each.cost.cost_usd_per_month)


def test_every_mandatory_column_is_there_and_filled(worked):
    assert set(MANDATORY) <= set(COLUMNS)
    for row in rows_of(worked):
        assert all(row[name] for name in FILLED)
        assert row["BillingCurrency"] == "USD"
        assert float(row["ListUnitPrice"]) * float(row["PricingQuantity"]) == pytest.approx(
            float(row["ListCost"])
        )


def test_the_period_is_the_calendar_month_of_the_plan(worked):
    (row, *_) = rows_of(worked)
    start, end = (datetime.fromisoformat(row[f"BillingPeriod{side}"]) for side in ("Start", "End"))
    assert (start.year, start.month, start.day) == (2026, 11, 1)
    assert (end.year, end.month, end.day) == (2026, 12, 1)


def test_tokens_are_charged_by_meter_at_list_prices():
    """Tiny: 2 requests/s all day, 2,000 in at 4 and 500 out at 20 USD/Mtok over 730.5 hours."""
    rows = {row["x_SkuMeter"]: row for row in rows_of(tiny.view())}
    mtok = 2 * 3600 * 730.5 / 1e6
    assert float(rows["input"]["PricingQuantity"]) == pytest.approx(2000 * mtok)
    assert float(rows["input"]["BilledCost"]) == pytest.approx(2000 * mtok * 4)
    assert float(rows["output"]["BilledCost"]) == pytest.approx(500 * mtok * 20)
    assert rows["output"]["PricingUnit"] == "1M tokens"


def test_what_is_paid_without_need_is_a_row_of_its_own():
    draft = workbench.worked_example()
    draft["fleet"] = [{"tier": "h100_sxm_x4_vllm", "replica_count": 40, "committed_until": "2027-06-30"}]
    seen = workbench.view(draft)
    rows = [row for row in rows_of(seen) if row["CommitmentDiscountStatus"] == "Unused"]
    assert sum(float(row["BilledCost"]) for row in rows) == pytest.approx(
        seen.plan.totals.committed_cost_usd_per_month
    )
    assert rows


def test_a_hostile_name_is_text():
    workload = tiny.DRAFT["workloads"][0] | {"name": '=HYPERLINK("http://x","y")'}
    rows = rows_of(tiny.view(workloads=[workload]))
    assert all(row["x_Workload"].startswith("'=") for row in rows)
