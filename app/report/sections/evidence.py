"""Who measured it, in which sense it is true, and where to look it up."""

from app.formatting import DASH
from app.report.blocks import Block, Paragraph, Table
from app.report.context import ReportContext
from models.evidence import GRADE_MEANINGS

KEY = "evidence"
TITLE = "Evidence"


def blocks(context: ReportContext) -> tuple[Block, ...]:
    """The footnotes, and what the grades mean."""
    meanings = "; ".join(f"{grade}: {meaning}" for grade, meaning in GRADE_MEANINGS.items())
    return (
        Paragraph(text=f"Grades: {meanings}. A ceiling is never used as a typical value."),
        Table(
            caption="Footnotes",
            headings=("Mark", "Of", "Number", "Grade", "Sense", "Source", "Checked", "Note"),
            rows=tuple(
                (
                    mark,
                    use.subject,
                    use.quantity,
                    str(use.evidence.grade),
                    use.evidence.sense.replace("_", " "),
                    " ".join(filter(None, (use.evidence.source, use.evidence.locator))),
                    use.evidence.checked_on.isoformat() if use.evidence.checked_on else DASH,
                    use.evidence.note or use.evidence.conditions,
                )
                for mark, use in context.footnotes
            ),
        ),
    )
