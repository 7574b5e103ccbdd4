"""The plan's charges in the columns that FinOps tools read: FOCUS 1.0, one row a charge.

FOCUS is the FinOps Open Cost and Usage Specification. The rows are a forecast of the month that begins on
the plan's date and say so; what an invoice would bring (account, invoice) is named as not invoiced. A
workload's part of a pool of machines is one row; its spares and what is paid without need are rows of
their own. Tokens are split into fresh input, cached input and output where a plain price list allows it.
"""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time

from app.workbench import View, write_csv
from models.cost import HOURS_PER_MONTH, TOK_PER_MTOK, calls_per_month
from models.plans import Allocation, FleetChange
from models.tiers import HourlyPrice, MachinePrice, Offer, TokenPrice
from models.workloads import Demand

Charge = dict[str, str | float | None]

FORECAST = "Forecast, not invoiced"
CURRENCY = "USD"
COLUMNS = (
    "BilledCost",
    "BillingAccountId",
    "BillingAccountName",
    "BillingCurrency",
    "BillingPeriodEnd",
    "BillingPeriodStart",
    "ChargeCategory",
    "ChargeClass",
    "ChargeDescription",
    "ChargeFrequency",
    "ChargePeriodEnd",
    "ChargePeriodStart",
    "CommitmentDiscountCategory",
    "CommitmentDiscountId",
    "CommitmentDiscountName",
    "CommitmentDiscountStatus",
    "CommitmentDiscountType",
    "ConsumedQuantity",
    "ConsumedUnit",
    "ContractedCost",
    "ContractedUnitPrice",
    "EffectiveCost",
    "InvoiceIssuerName",
    "ListCost",
    "ListUnitPrice",
    "PricingCategory",
    "PricingQuantity",
    "PricingUnit",
    "ProviderName",
    "PublisherName",
    "RegionId",
    "RegionName",
    "ResourceId",
    "ResourceName",
    "ResourceType",
    "ServiceCategory",
    "ServiceName",
    "SkuId",
    "SkuPriceId",
    "SubAccountId",
    "SubAccountName",
    "Tags",
    "x_Workload",
    "x_SkuMeter",
    "x_EvidenceGrade",
)


def focus_csv(seen: View) -> bytes:
    """All charges of the plan's month; their billed costs add up to the plan's bill."""
    rows = list(charges(seen))
    return write_csv(COLUMNS, ([row.get(column) for column in COLUMNS] for row in rows))


def charges(seen: View) -> Iterator[Charge]:
    """One row a charge: per workload and meter, then spares, then what is paid without need."""
    demands = {demand.workload.name: demand for demand in seen.scenario.demands}
    offers = {(offer.tier.id, offer.model.id): offer for offer in seen.scenario.offers}
    period = _period(seen.scenario.as_of)
    for each in seen.plan.allocations:
        offer, demand = offers[each.tier_id, each.model_id], demands[each.workload]
        meters = _token_meters if isinstance(offer.tier.price, TokenPrice) else _machine_meters
        yield from (period | charge for charge in meters(offer, demand, each))
    for change in seen.plan.fleet_changes:
        if change.committed_cost_usd_per_month > 0:
            offer = next(offer for offer in seen.scenario.offers if offer.tier.id == change.tier_id)
            yield period | _unused(offer, change)


def _period(as_of: date) -> Charge:
    """The calendar month of the plan's date, in UTC; the end is outside it."""
    first = as_of.replace(day=1)
    following = first.replace(year=first.year + first.month // 12, month=first.month % 12 + 1)
    start, end = (
        datetime.combine(day, time(), tzinfo=UTC).strftime("%Y-%m-%dT%H:%M:%SZ") for day in (first, following)
    )
    return {
        "BillingPeriodStart": start,
        "BillingPeriodEnd": end,
        "ChargePeriodStart": start,
        "ChargePeriodEnd": end,
        "BillingAccountId": "forecast",
        "BillingAccountName": FORECAST,
        "BillingCurrency": CURRENCY,
        "ChargeFrequency": "Usage-Based",
    }


def _charge(offer: Offer, meter: str, usd: float, quantity: float, unit: str) -> Charge:
    """The columns that every charge has; unit prices follow from cost and quantity."""
    supplier = offer.tier.supplier or offer.tier.label
    unit_price = usd / quantity if quantity > 0 else None
    return {
        "BilledCost": usd,
        "EffectiveCost": usd,
        "ListCost": usd,
        "ContractedCost": usd,
        "ListUnitPrice": unit_price,
        "ContractedUnitPrice": unit_price,
        "ChargeCategory": "Usage",
        "ChargeDescription": f"{FORECAST}: {offer.model.label} on {offer.tier.label}, {meter}",
        "InvoiceIssuerName": supplier,
        "ProviderName": supplier,
        "PublisherName": supplier,
        "PricingCategory": _pricing_category(offer),
        "PricingQuantity": quantity,
        "PricingUnit": unit,
        "ConsumedQuantity": quantity,
        "ConsumedUnit": unit,
        "RegionId": offer.tier.region,
        "RegionName": offer.tier.region,
        "ResourceId": offer.tier.id,
        "ResourceName": offer.tier.label,
        "ResourceType": offer.tier.architecture,
        "ServiceCategory": "AI and Machine Learning",
        "ServiceName": offer.tier.label,
        "SkuId": offer.id,
        "SkuPriceId": f"{offer.id}/{meter}",
        "x_SkuMeter": meter,
    }


def _pricing_category(offer: Offer) -> str:
    price = offer.tier.price
    if isinstance(price, HourlyPrice):
        return {"on_demand": "Standard", "reserved": "Committed", "spot": "Dynamic"}[price.term]
    return "Standard"


def _of_workload(charge: Charge, each: Allocation) -> Charge:
    grade = None if each.weakest_grade is None else each.weakest_grade.value
    return charge | {"x_Workload": each.workload, "x_EvidenceGrade": grade}


def _machine_meters(offer: Offer, demand: Demand, each: Allocation) -> Iterator[Charge]:
    """Busy hours, idle hours and spare hours of the workload's part of its pool, in accelerator-hours."""
    price = offer.tier.price
    if not isinstance(price, MachinePrice):
        return
    idle, spare = each.cost.idle_cost_usd_per_month, each.cost.redundancy_cost_usd_per_month
    busy = each.cost.cost_usd_per_month - idle - spare
    for meter, usd in (("busy", busy), ("idle", idle), ("spare", spare)):
        if usd > 0:
            hours = usd / price.usd_per_accelerator_h
            yield _of_workload(_charge(offer, meter, usd, hours, "Hours"), each)


def _token_meters(offer: Offer, demand: Demand, each: Allocation) -> Iterator[Charge]:
    """Fresh input, cached input and output by the million; one row where the price is no plain list."""
    price, workload, usd = offer.tier.price, demand.workload, each.cost.cost_usd_per_month
    if not isinstance(price, TokenPrice):
        return
    calls = calls_per_month(demand)
    fresh_mtok = calls * workload.input_tok.mean_tok * (1 - workload.cached_input_fraction) / TOK_PER_MTOK
    cached_mtok = calls * workload.input_tok.mean_tok * workload.cached_input_fraction / TOK_PER_MTOK
    output_mtok = calls * workload.output_tok.mean_tok / TOK_PER_MTOK
    cached_usd = price.cached_input_usd_per_mtok
    meters = (
        ("input", fresh_mtok, price.input_usd_per_mtok),
        ("cached input", cached_mtok, price.input_usd_per_mtok if cached_usd is None else cached_usd),
        ("output", output_mtok, price.output_usd_per_mtok),
    )
    plain = sum(mtok * per_mtok for _, mtok, per_mtok in meters)
    if abs(plain - usd) > 1e-6 * usd:
        tokens = fresh_mtok + cached_mtok + output_mtok
        yield _of_workload(_charge(offer, "tokens", usd, tokens, "1M tokens"), each)
        return
    for meter, mtok, per_mtok in meters:
        if mtok > 0:
            yield _of_workload(_charge(offer, meter, mtok * per_mtok, mtok, "1M tokens"), each)


def _unused(offer: Offer, change: FleetChange) -> Charge:
    """What a commitment costs that nothing needs."""
    price = offer.tier.price
    usd = change.committed_cost_usd_per_month
    hours = usd / price.usd_per_accelerator_h if isinstance(price, MachinePrice) else HOURS_PER_MONTH
    return _charge(offer, "committed, unused", usd, hours, "Hours") | {
        "CommitmentDiscountCategory": "Usage",
        "CommitmentDiscountId": f"commitment/{offer.tier.id}",
        "CommitmentDiscountName": f"Commitment to {offer.tier.label}",
        "CommitmentDiscountStatus": "Unused",
        "CommitmentDiscountType": "Commitment",
        "PricingCategory": "Committed",
    }
