"""How the numbers were found: the models' own words."""

from app.method_notes import architecture_notes
from app.report.blocks import Block, Bullets, Listing, Paragraph
from app.report.context import ReportContext

KEY = "method"
TITLE = "Method"


def blocks(context: ReportContext) -> tuple[Block, ...]:
    """The method notes of the architectures in the scenario, and what is not modelled."""
    used = {offer.tier.architecture for offer in context.view.scenario.offers}
    notes = [Listing(text=note.text) for note in architecture_notes(used)]
    missing = Paragraph(text="Not modelled anywhere in this plan:")
    return (*notes, missing, Bullets(items=context.view.plan.not_modelled))
