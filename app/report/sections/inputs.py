"""What was asked: workloads, offers and rules, as the plan read them."""

from app.formatting import number, price_text, show
from app.report.blocks import Block, Facts, Table
from app.report.context import ReportContext

KEY = "inputs"
TITLE = "Inputs"


def blocks(context: ReportContext) -> tuple[Block, ...]:
    """Workloads with their demand and shape, offers with their prices, and the policy."""
    scenario, policy = context.view.scenario, context.view.scenario.policy
    workloads = Table(
        caption="Workloads",
        headings=(
            "Workload",
            "Tasks/s at peak",
            "Mean of day",
            "Calls a task",
            "Input tokens",
            "of them cached",
            "Output tokens",
            "Evidence",
        ),
        rows=tuple(
            (
                demand.workload.name,
                number(demand.peak_rate_req_per_s),
                show("mean_to_peak_fraction", demand.mean_to_peak_fraction),
                str(demand.workload.call_count_per_task),
                number(demand.workload.input_tok.mean_tok),
                show("cached_input_fraction", demand.workload.cached_input_fraction),
                number(demand.workload.output_tok.mean_tok),
                context.marks(demand.workload.name),
            )
            for demand in scenario.demands
        ),
        numeric=(1, 2, 3, 4, 5, 6),
        marks_column=7,
    )
    offers = Table(
        caption="Offers compared",
        headings=("Tier", "Model", "Sold", "Price", "Evidence"),
        rows=tuple(
            (
                offer.tier.label,
                offer.model.label,
                offer.tier.availability,
                price_text(offer.tier.price),
                context.marks(offer.id),
            )
            for offer in scenario.offers
        ),
        marks_column=4,
    )
    rules = Facts(
        items=(
            ("Highest utilisation", show("max_utilisation_fraction", policy.max_utilisation_fraction)),
            ("Spare units", str(policy.spare_unit_count)),
            ("Accepted derate of ceilings", _or_none(policy.accepted_derate_ratio)),
            ("Accepted p95 over p50", _or_none(policy.accepted_p95_to_p50_ratio)),
        )
    )
    return (workloads, offers, rules)


def _or_none(value: float | None) -> str:
    return "none" if value is None else number(value)
