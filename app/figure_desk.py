"""A table whose every figure can be asked: where it comes from, who says so, since when, by which sum."""

from collections.abc import Sequence

import streamlit as st

from app import presenters
from app.figure_rows import FigureRow
from app.formatting import DASH


def table(rows: Sequence[FigureRow], alt: str, empty: str = "Nothing here yet.") -> None:
    """The rows, and beneath them the question where a figure comes from."""
    presenters.table([row.cells for row in rows], alt=alt, empty=empty)
    if rows:
        ask(rows, alt)


def ask(rows: Sequence[FigureRow], alt: str) -> None:
    """Choose a figure of some rows and see its arithmetic and evidence."""
    with st.popover("Where does a figure come from?", icon=":material/fact_check:", key=f"ask_{alt}"):
        left, right = st.columns(2)
        with left:
            index = st.selectbox(
                "Row", range(len(rows)), format_func=lambda at: rows[at].name, key=f"ask_row:{alt}"
            )
        row = rows[index if index < len(rows) else 0]
        with right:
            head = st.selectbox("Figure", list(row.figures), key=f"ask_figure:{alt}")
        figure = row.figures[head] if head in row.figures else next(iter(row.figures.values()))
        st.markdown(f"**{presenters.safe(figure.text)}** = {presenters.safe(figure.arithmetic)}")
        presenters.table(
            [
                {
                    "Of": use.subject,
                    "Number": use.quantity,
                    "Grade": f"{use.evidence.grade} ({use.evidence.grade.short_meaning})",
                    "Source": use.evidence.source,
                    "Where in it": use.evidence.locator or DASH,
                    "Stated by": use.evidence.stated_by or DASH,
                    "Measured by": use.evidence.measured_by or DASH,
                    "Read on": use.evidence.checked_on.isoformat() if use.evidence.checked_on else DASH,
                    "Note": use.evidence.note or use.evidence.conditions,
                }
                for use in row.uses
            ],
            alt=f"Evidence: {alt}",
            empty="Nobody's word is on record for it.",
        )
