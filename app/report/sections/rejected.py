"""What was not chosen because it could not be, why, and what would change that."""

from app.report.blocks import Block, Paragraph, Table
from app.report.context import ReportContext

KEY = "rejected"
TITLE = "Rejected options"


def blocks(context: ReportContext) -> tuple[Block, ...]:
    """One row a refusal."""
    found = context.view.plan.rejections
    if not found:
        return (Paragraph(text="Every offer can serve every workload; cost alone decided."),)
    return (
        Table(
            caption="Offers that cannot serve a workload",
            headings=("Workload", "Tier", "Stopped by", "Why", "Would fit if"),
            rows=tuple(
                (
                    each.workload,
                    each.tier_label,
                    each.binding_constraint,
                    "; ".join(each.reasons),
                    each.would_fit_if,
                )
                for each in found
            ),
        ),
    )
