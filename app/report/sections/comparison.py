"""Another scenario beside this one: which inputs differ, and what that does to the plan."""

from collections.abc import Sequence

from app.report.blocks import Block, Facts, Paragraph, Table
from app.report.context import ReportContext
from app.scenario_changes import Change, bill_sentence, input_changes, result_changes

KEY = "comparison"
TITLE = "Compared with another scenario"


def blocks(context: ReportContext) -> tuple[Block, ...]:
    """The bill in a sentence, then both lists of changes; nothing where no other scenario was chosen."""
    before, after = context.against, context.view
    if before is None:
        return ()
    sides = tuple(
        (
            letter,
            f"{view.scenario.name}, scenario {view.scenario.id}, as of {view.scenario.as_of.isoformat()}",
        )
        for letter, view in (("A, the other", before), ("B, this report", after))
    )
    return (
        Paragraph(text=f"From A to B: {bill_sentence(before, after)}", strong=True),
        Facts(items=sides),
        _changes("Inputs that differ", input_changes(before.draft, after.draft), "Every input is the same."),
        _changes("Results that differ", result_changes(before, after), "The plan is the same."),
    )


def _changes(caption: str, found: Sequence[Change], none: str) -> Block:
    if not found:
        return Paragraph(text=none)
    rows = tuple((each.address, each.before, each.after) for each in found)
    return Table(caption=caption, headings=("What", "A", "B"), rows=rows)
