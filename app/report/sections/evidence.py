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
            anchors_column=0,
            headings=("Mark", "Of", "Number", "Grade", "Sense", "Source", "Checked", "Note"),
            rows=tuple(
                (
                    mark,
                    "; ".join(dict.fromkeys(use.subject for use in backed)),
                    ", ".join(dict.fromkeys(use.quantity for use in backed)),
                    str(evidence.grade),
                    evidence.sense.replace("_", " "),
                    " ".join(filter(None, (evidence.source, evidence.locator))),
                    evidence.checked_on.isoformat() if evidence.checked_on else DASH,
                    evidence.note or evidence.conditions,
                )
                for mark, evidence, backed in context.footnotes
            ),
        ),
    )
