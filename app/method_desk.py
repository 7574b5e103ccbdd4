"""The method as the models tell it: architectures, formulas, and the vocabulary."""

import streamlit as st

from app import presenters
from app.method_notes import MethodNote, architecture_notes, formula_notes
from models.quantities import QUANTITIES


def architectures() -> None:
    """How each kind of tier is modelled; the report prints those that its scenario uses."""
    for note in architecture_notes():
        with st.expander(note.title, expanded=False):
            _listing(note.text)


def formulas() -> None:
    """One subject at a time: its words, then each formula with units, range and source."""
    notes = {note.title: note for note in formula_notes()}
    chosen = st.selectbox("Subject", list(notes), key="method_subject", persist_state="session")
    _formulas(notes[chosen if chosen in notes else next(iter(notes))])


def vocabulary() -> None:
    """Every quantity by its name, label, unit and meaning."""
    rows = [
        {"Name": each.name, "Label": each.label, "Unit": each.unit or "–", "Meaning": each.help}
        for each in QUANTITIES
    ]
    presenters.table(rows, "Every quantity, its unit and its meaning")


def _formulas(note: MethodNote) -> None:
    presenters.plain(note.text.splitlines()[0])
    _listing("\n".join(note.text.splitlines()[1:]).strip())
    for signature, text in note.formulas:
        st.markdown(f"**{presenters.safe(signature)}**")
        _listing(text)


def _listing(text: str) -> None:
    if text:
        st.code(text, language=None, wrap_lines=True)
