"""How the numbers were found: the models' own words."""

import inspect

from app.report.blocks import Block, Bullets, Listing, Paragraph
from app.report.context import ReportContext
from models.architectures import ARCHITECTURES

KEY = "method"
TITLE = "Method"


def blocks(context: ReportContext) -> tuple[Block, ...]:
    """The method notes of the architectures in the scenario, and what is not modelled."""
    used = {offer.tier.architecture for offer in context.view.scenario.offers}
    notes = [
        Listing(text=inspect.cleandoc(module.__doc__ or ""))
        for key, module in ARCHITECTURES.items()
        if key in used
    ]
    missing = Paragraph(text="Not modelled anywhere in this plan:")
    return (*notes, missing, Bullets(items=context.view.plan.not_modelled))
