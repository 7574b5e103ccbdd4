"""Who measured it, in which sense it is true, and where to look it up."""

from app.benchmarks import Ladder, measuring_commands
from app.formatting import DASH
from app.measuring_gains import ESTIMATE, Link, links_of
from app.report.blocks import Block, Bullets, Listing, Paragraph, Table
from app.report.context import ReportContext
from app.shelf import standing
from models.evidence import GRADE_MEANINGS

KEY = "evidence"
TITLE = "Evidence"
ENDPOINT, MODEL = "http://YOUR-SERVER:8000", "YOUR-MODEL"


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
    return (*found, *_links(context))


def _links(context: ReportContext) -> tuple[Block, ...]:
    """What each pool rests on, what measuring it would be worth, and the command lines for the weakest."""
    links = links_of(context.view)
    if not links:
        return ()
    head = Paragraph(text="What measurement would lift this plan, the weakest link first:", strong=True)
    return (
        head,
        Bullets(items=tuple(link.text for link in links)),
        *([Paragraph(text=ESTIMATE)] if any(link.gain is not None for link in links) else []),
        *_commands(context, links[0]),
    )


def _commands(context: ReportContext, link: Link) -> tuple[Block, ...]:
    """How one tool measures one workload of a pool; the app writes them for all."""
    demands = {demand.workload.name: demand for demand in context.view.scenario.demands}
    if link.gain is None:
        return ()
    [command, *_] = measuring_commands(
        demands[link.workloads[0]],
        Ladder(kind="concurrency", loads=link.gain.concurrency_count),
        ENDPOINT,
        MODEL,
    )
    told = (
        f"To measure {link.workloads[0]} with {command.tool}; the Benchmarks page (Measure your own) writes "
        f"such lines for every workload. Bring back: {command.bring_back}"
    )
    return (Paragraph(text=told), Listing(text="\n".join(command.lines)))


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
