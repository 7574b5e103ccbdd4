"""Who measured it, in which sense it is true, and where to look it up."""

from app.formatting import DASH
from app.report.blocks import Block, Paragraph, Table
from app.report.context import ReportContext
from app.shelf import standing
from models.evidence import GRADE_MEANINGS

KEY = "evidence"
TITLE = "Evidence"


def blocks(context: ReportContext) -> tuple[Block, ...]:
    """The footnotes, and what the grades mean."""
    meanings = "; ".join(f"{grade}: {meaning}" for grade, meaning in GRADE_MEANINGS.items())
    found: list[Block] = [
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
    ]
    if context.own_claims:
        found.append(_own_claims(context))
    return tuple(found)


def _own_claims(context: ReportContext) -> Table:
    """What users claim themselves; a figure that the plan uses has a footnote naming its claim."""
    return Table(
        caption="Own claims; one that the plan uses is named in a footnote above",
        headings=(
            "Id",
            "About",
            "Claim",
            "Value",
            "Grade",
            "Stated by",
            "Measured by",
            "On which workload",
            "Standing",
        ),
        rows=tuple(
            (
                each.claim.id,
                each.claim.subject,
                each.claim.metric,
                each.claim.text
                or (DASH if each.claim.value is None else f"{each.claim.value:g} {each.claim.unit}"),
                str(each.claim.grade),
                each.claim.stated_by,
                each.claim.measured_by or "nobody",
                each.claim.conditions or "not stated",
                standing(each.claim),
            )
            for each in context.own_claims
        ),
    )
