"""From a view to a report in one of the formats."""

import platform
from collections.abc import Sequence
from datetime import date
from importlib.metadata import version

from app import __version__
from app.report import html, interactive, markdown, pdf, structured, xlsx
from app.report.blocks import Document, Section
from app.report.context import ReportContext
from app.report.sections import SECTIONS
from app.shelf import OwnClaim
from app.workbench import View

FORMATS = (html, pdf, xlsx, interactive, markdown, structured)
STATED_VERSIONS = ("streamlit", "scipy", "numpy", "duckdb", "genai-prices")


def suffixes() -> tuple[str, ...]:
    """File endings that a report can be written to."""
    return tuple(each.SUFFIX for each in FORMATS)


def suffix_of(file_name: str) -> str | None:
    """The longest file ending that names a format; None where none does."""
    fitting = [suffix for suffix in suffixes() if file_name.lower().endswith(suffix)]
    return max(fitting, key=len, default=None)


def compose(
    view: View,
    written_on: date,
    title: str | None = None,
    section_keys: Sequence[str] | None = None,
    amounts_note: str = "",
    against: View | None = None,
    own_claims: tuple[OwnClaim, ...] = (),
) -> Document:
    """The chosen sections of a report, all of them where none are named; one with nothing to say is left out.

    against       another scenario, worked out, to compare with
    own_claims    what users claim themselves, for the evidence appendix
    amounts_note  what the reader should know of the amounts, printed on the cover
    """
    context = ReportContext(
        view=view,
        title=title or view.scenario.name,
        written_on=written_on,
        versions=(
            ("Plimsoll", __version__),
            ("Python", platform.python_version()),
            *((name, version(name)) for name in STATED_VERSIONS),
        ),
        against=against,
        own_claims=own_claims,
    )
    cover = (
        "Inference capacity and cost plan",
        written_on.isoformat(),
        f"scenario {view.scenario.id}",
        amounts_note,
    )
    return Document(
        title=context.title,
        subtitle=" · ".join(filter(None, cover)),
        footer=f"Plimsoll · scenario {view.scenario.id} · prices as of {view.scenario.as_of.isoformat()}",
        sections=tuple(
            Section(key=module.KEY, title=module.TITLE, blocks=found)
            for module in SECTIONS
            if (section_keys is None or module.KEY in section_keys) and (found := module.blocks(context))
        ),
        view=view,
        against=against,
    )


def write(document: Document, suffix: str) -> bytes:
    """The report's bytes in the format of that file ending; ValueError for an unknown one."""
    for each in FORMATS:
        if suffix.lower() == each.SUFFIX:
            rendered: bytes = each.render(document)
            return rendered
    raise ValueError(f"no report format {suffix!r}; use {', '.join(suffixes())}")
