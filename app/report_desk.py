"""Choose what the report holds, read it, take it away."""

from collections.abc import Callable
from datetime import UTC, date, datetime

import streamlit as st

from app import differences_desk, own_claims_desk, presenters
from app.charts.svg_drawing import draw_svg
from app.report.audiences import AUDIENCES
from app.report.blocks import Bullets, Chart, Document, Facts, Listing, Paragraph, Table
from app.report.sections import SECTIONS, comparison
from app.report.writing import FORMATS, compose, write
from app.workbench import View


def options_and_downloads(seen: View) -> Document:
    """Title, date, reader and sections; one button a format, whose file is built only when pressed."""
    title, day, amounts_note, audience = _cover(seen)
    other = differences_desk.other_view_or_none()
    offered = [module for module in SECTIONS if other is not None or module is not comparison]
    titles = {module.KEY: module.TITLE for module in offered}
    usual = AUDIENCES[audience]
    chosen = st.multiselect(
        "Sections",
        list(titles),
        default=[key for key in titles if usual is None or key in usual],
        format_func=lambda key: titles[key],
        key=f"report_sections:{audience}:{'alone' if other is None else 'compared'}",
        persist_state="session",
    )
    claims = own_claims_desk.known()
    document = compose(seen, day, title or None, chosen, amounts_note, other, claims)
    with st.container(horizontal=True):
        for module in FORMATS:
            st.download_button(
                f"Download {module.LABEL}",
                _writer(document, module.SUFFIX),
                f"plimsoll-{seen.scenario.id}{module.SUFFIX}",
                module.MIME,
                on_click="ignore",
                icon=":material/download:",
                type="primary" if module is FORMATS[0] else "secondary",
            )
    return document


def _cover(seen: View) -> tuple[str, date, str, str]:
    """What stands on the cover, and for whom the report is."""
    left, middle, right, last = st.columns([3, 2, 3, 2])
    with left:
        title = st.text_input(
            "Title",
            placeholder=seen.scenario.name,
            max_chars=120,
            key="report_title",
            persist_state="session",
        )
    with middle:
        day = st.date_input(
            "Date", value=datetime.now(UTC).date(), key="report_date", persist_state="session"
        )
    with right:
        amounts_note = st.text_input(
            "Note on amounts",
            placeholder="US dollars, before tax",
            max_chars=80,
            key="report_amounts",
            persist_state="session",
            help="Printed on the cover. Amounts stay in US dollars; nothing is converted.",
        )
    with last:
        audience = st.selectbox(
            "For", list(AUDIENCES), format_func=str.capitalize, key="report_audience", persist_state="session"
        )
    return title.strip(), day, amounts_note.strip(), audience


def _writer(document: Document, suffix: str) -> Callable[[], bytes]:
    """Called when the button is pressed, outside the page's run: it may not ask for the session's state."""
    return lambda: write(document, suffix)


def preview(document: Document) -> None:
    """The report's sections as they will read."""
    for section in document.sections:
        st.subheader(section.title)
        for block in section.blocks:
            if isinstance(block, Paragraph):
                st.markdown(
                    f"**{presenters.safe(block.text)}**" if block.strong else presenters.safe(block.text)
                )
            elif isinstance(block, Facts):
                presenters.table([dict(block.items)], alt="Key figures")
            elif isinstance(block, Table):
                st.caption(presenters.safe(block.caption))
                presenters.table(
                    [dict(zip(block.headings, row, strict=True)) for row in block.rows], block.caption
                )
            elif isinstance(block, Chart) and not block.picture.empty:
                st.image(draw_svg(block.picture), caption=presenters.safe(block.picture.alt))
            elif isinstance(block, Bullets):
                presenters.bullets(block.items)
            elif isinstance(block, Listing):
                st.code(block.text, language=None, height=220)
