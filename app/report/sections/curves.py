"""The curves behind the plan: what users get as load rises, measured points and fit."""

from app.charts import concurrency
from app.report.blocks import Block, Chart, Paragraph
from app.report.context import ReportContext

KEY = "curves"
TITLE = "How the chosen tiers behave under load"


def blocks(context: ReportContext) -> tuple[Block, ...]:
    """Stream speed and first token against concurrency, for the tiers that the plan uses."""
    view = context.view
    used = {each.tier_id for each in view.plan.allocations}
    offers = [offer for offer in view.scenario.offers if offer.tier.id in used]
    shapes = concurrency.shapes([each for offer in offers for each in view.measurements[offer.id]])
    if not shapes:
        return (Paragraph(text="Nothing is measured under concurrency for the tiers of this plan."),)
    return tuple(
        Chart(picture=concurrency.rows(offers, view.performances, view.measurements, metric, shapes[0]))
        for metric in ("stream_rate_tok_per_s", "ttft_s")
    )
