"""How the columns of a file were read: shown one by one, corrected, kept for the next file, exported."""

import streamlit as st

from app import benchmarks, presenters, session
from app.benchmarks import ColumnChoice, ColumnMapping, ImportedFile, RecognisedTable, StoreFault

SAID_KEY = "said_of_columns"  # by file: by fingerprint of the headings: the mapping
FORMAT_KEY = "said_of_format"  # by file: the format it is to be read as


def said(place: str) -> tuple[ColumnMapping, ...]:
    """What was said of this file's columns in this session."""
    return tuple(st.session_state.get(SAID_KEY, {}).get(place, {}).values())


def format_said(place: str) -> str | None:
    """The format this file is to be read as, where its owner said so."""
    chosen: str | None = st.session_state.get(FORMAT_KEY, {}).get(place)
    return chosen


def columns(place: str, imported: ImportedFile) -> None:
    """Every column of every table of the file as it was read, with all that can be done about it."""
    for table in imported.tables:
        _remembered(table)
        _doubts(place, table)
    if imported.tables:
        title = f"Columns as read ({presenters.counted(_used_count(imported), 'column')} used)"
        with st.expander(title, expanded=imported.refused, key=f"columns:{place}"):
            for number, table in enumerate(imported.tables):
                _table(f"{place}:{number}", place, table, alone=len(imported.tables) == 1)
            _export(place, imported)
    elif imported.refused:
        _read_as_table(place)


def _used_count(imported: ImportedFile) -> int:
    return len([1 for table in imported.tables for each in table.columns if each.choice.meaning])


def _remembered(table: RecognisedTable) -> None:
    """Say that a kept mapping was used, and let it be forgotten."""
    if table.said_on is None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"Columns read as you said on {table.said_on:%Y-%m-%d}.")
        if st.button("Forget", key=f"forget:{table.label}:{table.mapping.fingerprint}", type="tertiary"):
            try:
                benchmarks.forget_mapping(session.store(), table.mapping.fingerprint)
            except StoreFault as fault:
                presenters.fault(fault)
                return
            st.rerun()


def _doubts(place: str, table: RecognisedTable) -> None:
    """Ask about units that do not fit; nothing is changed without a yes."""
    for doubt in table.doubts:
        st.warning(presenters.safe(benchmarks.doubt_sentence(doubt)))
        st.button(
            f"Read them as {doubt.unit}",
            key=f"yes:{place}:{table.label}:{doubt.unit}",
            on_click=_say,
            args=(place, benchmarks.with_units(table, doubt)),
        )


def _table(key: str, place: str, table: RecognisedTable, *, alone: bool) -> None:
    if not alone:
        st.markdown(f"**{presenters.safe(table.label)}**")
    presenters.table(
        [
            {
                "Column": each.choice.heading or f"column {number} (no name)",
                "Read as": benchmarks.meaning_words(each.choice.meaning),
                "Unit": each.choice.unit,
                "Example": benchmarks.example_of(each),
                "Note": each.doubt,
            }
            for number, each in enumerate(table.columns, start=1)
        ],
        alt="What each column was read as",
    )
    _correction(key, place, table)


def _correction(key: str, place: str, table: RecognisedTable) -> None:
    """One column's meaning and unit, said otherwise."""
    st.caption("Is one of them wrong? Say what it is; the file is read again at once.")
    column, meaning, unit, apply = st.columns([3, 4, 3, 2], vertical_alignment="bottom")
    with column:
        chosen = st.selectbox(
            "Column",
            range(len(table.columns)),
            format_func=lambda at: table.columns[at].choice.heading or f"column {at + 1}",
            key=f"column:{key}",
        )
    present = table.columns[chosen].choice
    options = benchmarks.meaning_choices(present.heading)
    with meaning:
        what = st.selectbox(
            "Meaning",
            options,
            index=options.index(present.meaning),
            format_func=benchmarks.meaning_words,
            key=f"meaning:{key}:{chosen}:{present.meaning}",
        )
    units = benchmarks.units_for(what)
    with unit:
        in_unit = st.selectbox(
            "Unit",
            units,
            index=units.index(present.unit) if present.unit in units else 0,
            format_func=lambda each: each or "none",
            key=f"unit:{key}:{chosen}:{what}:{present.unit}",
            disabled=len(units) == 1,
        )
    with apply:
        st.button(
            "Apply",
            key=f"apply:{key}",
            on_click=_say,
            args=(
                place,
                benchmarks.corrected(
                    table, chosen, ColumnChoice(heading=present.heading, meaning=what, unit=in_unit)
                ),
            ),
        )


def _export(place: str, imported: ImportedFile) -> None:
    """The mapping as a file for the command line, and the way back to what the headings say."""
    with st.container(horizontal=True):
        st.download_button(
            "Download this mapping",
            benchmarks.write_mappings([table.mapping for table in imported.tables]),
            "plimsoll-columns.yaml",
            "application/yaml",
            on_click="ignore",
            icon=":material/download:",
            help="Give it to the command line: python -m app import FILE --mapping plimsoll-columns.yaml",
        )
        if said(place) or format_said(place):
            st.button("Read by its headings again", key=f"reset:{place}", on_click=_reset, args=(place,))
    if said(place):
        st.caption("Kept for files with the same headings once you use these measurements.")


def _read_as_table(place: str) -> None:
    """The way out where a table was not recognised, or was taken for something else."""
    st.button(
        "It is a table: let me say what its columns mean",
        key=f"table:{place}",
        on_click=_say_format,
        args=(place, benchmarks.TABLE_FORMAT),
    )


def _say(place: str, mapping: ColumnMapping) -> None:
    everything = dict(st.session_state.get(SAID_KEY, {}))
    everything[place] = {**everything.get(place, {}), mapping.fingerprint: mapping}
    st.session_state[SAID_KEY] = everything


def _say_format(place: str, key: str) -> None:
    st.session_state[FORMAT_KEY] = {**st.session_state.get(FORMAT_KEY, {}), place: key}


def _reset(place: str) -> None:
    for key in (SAID_KEY, FORMAT_KEY):
        everything = dict(st.session_state.get(key, {}))
        everything.pop(place, None)
        st.session_state[key] = everything
