"""All it takes to make this report again."""

from app.report.blocks import Block, Facts, Listing, Table
from app.report.context import ReportContext
from app.workbench import write_draft

KEY = "reproducibility"
TITLE = "Reproducibility"


def blocks(context: ReportContext) -> tuple[Block, ...]:
    """Scenario id, versions, the data's hashes, and the scenario file itself."""
    view = context.view
    facts = Facts(
        items=(
            ("Scenario id", view.scenario.id),
            ("Prices as of", view.scenario.as_of.isoformat()),
            ("Seed", str(view.scenario.seed)),
            *context.versions,
        )
    )
    counts: dict[tuple[str, str], int] = {}
    for found in view.measurements.values():
        for each in found:
            key = (each.source_id, each.source_label)
            counts[key] = counts.get(key, 0) + 1
    data = Table(
        caption="Measurements used",
        headings=("Source", "Label", "Points"),
        rows=tuple((source_id, label, str(count)) for (source_id, label), count in sorted(counts.items())),
        numeric=(2,),
    )
    return (facts, data, Listing(text=write_draft(view.draft)))
