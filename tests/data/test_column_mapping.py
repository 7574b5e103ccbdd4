"""What its owner says of a table's columns is what is read; it is kept, exported, and never guessed."""

import io
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.column_mapping import (
    MEANINGS,
    ColumnChoice,
    ColumnMapping,
    fingerprint_of,
    units_for,
)
from data.contained import import_contained
from data.imports import import_file
from data.kept_mappings import forget_mapping, keep_mapping, kept_mappings
from data.mapping_files import read_mappings, write_mappings
from data.store import open_store
from models.problems import InputProblems
from models.quantities import BY_NAME

FOREIGN = "同時実行,最初のトークン,トークン間隔,出力\n1,0.21,21.3,40\n8,0.35,25.5,290\n".encode()
SAID = ColumnMapping(
    columns=(
        ColumnChoice(heading="同時実行", meaning="concurrency_count"),
        ColumnChoice(heading="最初のトークン", meaning="ttft_s_p50", unit="s"),
        ColumnChoice(heading="トークン間隔", meaning="tpot_s_p50", unit="ms"),
        ColumnChoice(heading="出力", meaning="output_rate_tok_per_s", unit="tokens/s"),
    )
)
SAMPLES = Path(__file__).parent / "samples"
KEPT_ON = datetime(2026, 11, 30, 12, tzinfo=UTC)
NORMAL = b"concurrency,ttft_ms_p50,tpot_ms_p50,comment\n1,210,21.3,x\n8,350,25.5,y\n"


def messages(imported):
    return "\n".join(str(problem) for problem in imported.problems)


def test_headings_in_any_language_are_read_once_somebody_says_what_they_mean():
    assert import_file("x", FOREIGN).refused
    imported = import_file("x", FOREIGN, mappings=[SAID])
    found = [
        (each.concurrency_count, each.ttft_s.p50, each.tpot_s.p50, each.output_rate_tok_per_s)
        for each in imported.measurements
    ]
    assert found == [(1, 0.21, 0.0213, 40), (8, 0.35, 0.0255, 290)]
    assert imported.tables[0].given
    assert imported.tables[0].mapping == SAID


def test_each_column_is_shown_with_a_cell_converted():
    [table] = import_file("x", NORMAL).tables
    shown = {
        each.choice.heading: (each.choice.meaning, each.choice.unit, each.example, each.value)
        for each in table.columns
    }
    assert shown == {
        "concurrency": ("concurrency_count", "", "1", 1),
        "ttft_ms_p50": ("ttft_s_p50", "ms", "210", 0.21),
        "tpot_ms_p50": ("tpot_s_p50", "ms", "21.3", 0.0213),
        "comment": ("", "", "x", None),
    }


@pytest.mark.parametrize("name", ["points.csv", "german.csv"])
def test_reading_a_table_by_the_mapping_shown_changes_nothing(name):
    raw = (SAMPLES / name).read_bytes()
    first = import_file(name, raw)
    again = import_file(name, raw, mappings=[table.mapping for table in first.tables])
    assert first.measurements
    assert (again.measurements, again.row_numbers) == (first.measurements, first.row_numbers)


def test_a_column_said_to_be_unused_is_not_read():
    [table] = import_file("x", NORMAL).tables
    columns = [
        ColumnChoice(heading=each.heading) if each.heading == "ttft_ms_p50" else each
        for each in table.mapping.columns
    ]
    imported = import_file("x", NORMAL, mappings=[ColumnMapping(columns=tuple(columns))])
    assert {each.ttft_s.p50 for each in imported.measurements} == {None}
    assert {each.tpot_s.p50 for each in imported.measurements} == {0.0213, 0.0255}


def test_a_heading_used_twice_is_settled_by_the_mapping():
    raw = b"concurrency,latency,latency\n1,0.2,0.9\n2,0.3,1.1\n"
    assert "mean the same" in messages(import_file("x", raw))
    said = ColumnMapping(
        columns=(
            ColumnChoice(heading="concurrency", meaning="concurrency_count"),
            ColumnChoice(heading="latency", meaning="ttft_s_p50", unit="s"),
            ColumnChoice(heading="latency", meaning="e2e_s_p50", unit="s"),
        )
    )
    imported = import_file("x", raw, mappings=[said])
    assert [(each.ttft_s.p50, each.e2e_s.p50) for each in imported.measurements] == [(0.2, 0.9), (0.3, 1.1)]


def test_a_mapping_that_names_a_column_the_file_lacks_is_refused():
    imported = import_file("x", NORMAL, mappings=[SAID])
    assert imported.refused
    assert "columns that the table does not have: 同時実行, 最初のトークン" in messages(imported)


def test_a_mapping_for_a_file_without_a_table_is_refused():
    imported = import_file("x", (SAMPLES / "guidellm.json").read_bytes(), mappings=[SAID])
    assert imported.refused
    assert "no table was read" in messages(imported)


def test_columns_that_the_mapping_does_not_name_are_left_out_and_said():
    said = ColumnMapping(columns=SAID.columns[:3])
    imported = import_file("x", FOREIGN, mappings=[said])
    assert {each.output_rate_tok_per_s for each in imported.measurements} == {None}
    assert "columns that the mapping does not name were left out: 出力" in messages(imported)


def test_a_kept_mapping_serves_these_headings_only_and_says_when_it_was_said():
    kept = ColumnMapping(columns=SAID.columns, said_on=KEPT_ON)
    [table] = import_file("x", FOREIGN, mappings=[kept]).tables
    assert (table.said_on, table.given) == (KEPT_ON, False)
    more = (
        FOREIGN.replace("出力\n".encode(), "出力,b\n".encode())
        .replace(b"40\n", b"40,1\n")
        .replace(b"290\n", b"290,1\n")
    )
    assert import_file("x", more, mappings=[kept]).refused
    other = import_file("x", NORMAL, mappings=[kept])
    assert len(other.measurements) == 2


def test_what_comes_with_the_file_goes_before_what_was_kept():
    columns = (
        *SAID.columns[:2],
        ColumnChoice(heading="トークン間隔", meaning="tpot_s_p50", unit="s"),
        SAID.columns[3],
    )
    kept = ColumnMapping(columns=columns, said_on=KEPT_ON)
    [first, _] = import_file("x", FOREIGN, mappings=[kept, SAID]).measurements
    assert first.tpot_s.p50 == 0.0213


def test_words_of_a_private_column_are_never_kept_whatever_is_said():
    raw = b"concurrency,ttft_ms_p50,prompt\n1,210,secret words\n2,220,more\n"
    said = ColumnMapping(
        columns=(
            ColumnChoice(heading="concurrency", meaning="concurrency_count"),
            ColumnChoice(heading="ttft_ms_p50", meaning="ttft_s_p50", unit="ms"),
            ColumnChoice(heading="prompt", meaning="notes"),
        )
    )
    imported = import_file("x", raw, mappings=[said])
    assert "secret words" not in repr(imported)
    assert "were dropped: prompt" in messages(imported)
    with pytest.raises(InputProblems, match="never kept"):
        read_mappings(write_mappings([said]))


def test_the_contained_reader_reads_by_the_same_mapping():
    kept = ColumnMapping(columns=SAID.columns, said_on=KEPT_ON)
    for mapping in (SAID, kept):
        assert import_contained("x", FOREIGN, mappings=[mapping]) == import_file(
            "x", FOREIGN, mappings=[mapping]
        )


def test_tables_of_an_archive_are_read_each_by_its_own_mapping():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.csv", FOREIGN)
        archive.writestr("b.csv", NORMAL)
    imported = import_file("x.zip", buffer.getvalue(), mappings=[SAID])
    assert len(imported.measurements) == 4
    assert [(table.label, table.given) for table in imported.tables] == [("a.csv", True), ("b.csv", False)]


# seconds under a heading that says milliseconds, and the reverse


def sweep_csv(ttft_unit, tpot_unit, ttft, tpot, e2e):
    header = f"concurrency,isl_tokens,osl_tokens,ttft_{ttft_unit}_mean,tpot_{tpot_unit}_mean,e2e_s_mean"
    rows = [
        f"{count},1000,101,{ttft(0.2 * count)},{tpot(0.02)},{e2e(0.2 * count + 100 * 0.02)}"
        for count in (1, 2, 4)
    ]
    return "\n".join((header, *rows, "")).encode()


def same(value):
    return f"{value:.6g}"


def thousandfold(value):
    return f"{value * 1000:.6g}"


@pytest.mark.parametrize(
    ("raw", "headings", "unit"),
    [
        (sweep_csv("ms", "ms", thousandfold, same, same), ("tpot_ms_mean",), "s"),
        (sweep_csv("s", "s", same, thousandfold, same), ("tpot_s_mean",), "ms"),
        (sweep_csv("s", "ms", same, thousandfold, thousandfold), ("e2e_s_mean",), "ms"),
    ],
)
def test_a_unit_that_does_not_fit_is_asked_about_and_not_changed(raw, headings, unit):
    imported = import_file("x", raw)
    [doubt] = imported.tables[0].doubts
    assert (doubt.headings, doubt.unit, doubt.mended_count) == (headings, unit, doubt.row_count)
    choices = {each.choice.heading: each.choice.unit for each in imported.tables[0].columns}
    assert choices[headings[0]] != unit
    columns = tuple(
        ColumnChoice(heading=each.heading, meaning=each.meaning, unit=unit)
        if each.heading in headings
        else each
        for each in imported.tables[0].mapping.columns
    )
    mended = import_file("x", raw, mappings=[ColumnMapping(columns=columns)])
    assert mended.tables[0].doubts == ()
    assert [round(each.tpot_s.mean, 6) for each in mended.measurements] == [0.02] * 3
    assert [round(each.e2e_s.mean, 6) for each in mended.measurements] == [2.2, 2.4, 2.8]


def short_table(unit_of_ttft, unit_of_e2e, *, ttft_in="s", e2e_in="s", columns=("ttft", "e2e"), count=3):
    """A table without TPOT: 400 tokens out at 50 to 40 tokens/s after 0.2 to 0.8 s."""
    size = {"s": 1.0, "ms": 1000.0}
    header = {"ttft": f"ttft_{unit_of_ttft}_p50", "e2e": f"e2e_{unit_of_e2e}_p50"}
    lines = ["concurrency,isl_tokens,osl_tokens," + ",".join(header[each] for each in columns)]
    for row in range(count):
        ttft = 0.2 * 2**row
        figures = {"ttft": ttft * size[ttft_in], "e2e": (ttft + 8.0 + row) * size[e2e_in]}
        lines.append(f"{2**row},900,400," + ",".join(f"{figures[each]:.6g}" for each in columns))
    return "\n".join((*lines, "")).encode()


@pytest.mark.parametrize(
    ("raw", "headings", "unit"),
    [
        (short_table("ms", "ms"), ("ttft_ms_p50", "e2e_ms_p50"), "s"),
        (short_table("s", "s", ttft_in="ms", e2e_in="ms"), ("ttft_s_p50", "e2e_s_p50"), "ms"),
        (short_table("ms", "ms", columns=("ttft",)), ("ttft_ms_p50",), "s"),
        (short_table("ms", "ms", columns=("e2e",)), ("e2e_ms_p50",), "s"),
        (short_table("s", "s", e2e_in="ms", columns=("e2e",)), ("e2e_s_p50",), "ms"),
        (short_table("ms", "s"), ("ttft_ms_p50",), "s"),
        (short_table("s", "s", e2e_in="ms"), ("e2e_s_p50",), "ms"),
    ],
)
def test_units_are_doubted_also_where_no_time_per_token_is_there(raw, headings, unit):
    imported = import_file("x", raw)
    [doubt] = imported.tables[0].doubts
    assert (doubt.headings, doubt.unit) == (headings, unit)
    assert any(f"would fit each other in {unit}" in problem.message for problem in imported.problems)


@pytest.mark.parametrize(
    "raw",
    [
        short_table("ms", "ms", ttft_in="ms", e2e_in="ms"),
        short_table("s", "s"),
        b"concurrency,isl_tokens,osl_tokens,ttft_ms_p50,e2e_s_p50\n1,100,100,35,0.2\n64,100000,2000,42000,900\n",
    ],
)
def test_honest_tables_without_time_per_token_are_not_doubted(raw):
    assert import_file("x", raw).tables[0].doubts == ()


def test_figures_that_fit_raise_no_question():
    assert import_file("x", sweep_csv("ms", "ms", thousandfold, thousandfold, same)).tables[0].doubts == ()
    assert import_file("x", (SAMPLES / "points.csv").read_bytes()).tables[0].doubts == ()


# the file and the store

HEADINGS = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=12)


@st.composite
def choices(draw):
    meaning = draw(st.sampled_from(("", *MEANINGS)))
    heading = draw(HEADINGS)
    if not meaning:
        return ColumnChoice(heading=heading)
    return ColumnChoice(
        heading=f"{heading}#", meaning=meaning, unit=draw(st.sampled_from(units_for(meaning)))
    )


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(choices(), min_size=1, max_size=6), min_size=1, max_size=3))
def test_an_exported_mapping_is_read_back_the_same(tables):
    mappings = tuple(ColumnMapping(columns=tuple(columns)) for columns in tables)
    assert read_mappings(write_mappings(mappings)) == mappings


@pytest.mark.parametrize(
    ("change", "address"),
    [
        (("schema: plimsoll-columns/1", "schema: plimsoll-columns/2"), "schema: the mapping is version 2"),
        (("schema: plimsoll-columns/1", "schema: plimsoll/1"), "schema: 'plimsoll/1' is no mapping"),
        (("tables:", "colour: red\ntables:"), "colour"),
        (("unit: ms", "unit: hours"), "tables[0].columns[2].unit: 'hours' is no unit of tpot_s_p50"),
        (("unit: ms", "units: ms"), "tables[0].columns[2].units"),
        (("meaning: tpot_s_p50", "meaning: tpott_s_p50"), "tables[0].columns[2].meaning"),
        (("heading: 出力", "heading: 7"), "tables[0].columns[3].heading: expected a text"),
    ],
)
def test_a_faulty_mapping_file_is_refused_with_its_address(change, address):
    text = write_mappings([SAID])
    assert change[0] in text
    with pytest.raises(InputProblems) as refused:
        read_mappings(text.replace(*change, 1))
    assert address in "\n".join(str(problem) for problem in refused.value.problems)


def test_a_mapping_is_kept_over_a_restart_the_latest_counts_and_it_can_be_forgotten(tmp_path):
    store = open_store(tmp_path / "store.duckdb")
    keep_mapping(store, ColumnMapping(columns=(*SAID.columns[:3], ColumnChoice(heading="出力"))), "ann")
    keep_mapping(store, SAID, "ann")
    store.close()
    store = open_store(tmp_path / "store.duckdb")
    [kept] = kept_mappings(store)
    assert kept.columns == SAID.columns
    assert kept.said_on is not None
    assert kept.said_on.tzinfo is not None
    forget_mapping(store, SAID.fingerprint)
    assert kept_mappings(store) == ()
    store.close()


def test_a_fingerprint_forgives_case_and_blanks_and_nothing_else():
    assert fingerprint_of(["TTFT  (ms)", "b"]) == fingerprint_of([" ttft (MS)", "B"])
    assert fingerprint_of(["ttft (ms)"]) != fingerprint_of(["ttft (s)"])
    assert fingerprint_of(["a", "b"]) != fingerprint_of(["b", "a"])


def test_every_unit_named_belongs_to_its_meaning():
    for meaning in MEANINGS:
        [base, *_] = units_for(meaning)
        if meaning in BY_NAME and base:
            assert BY_NAME[meaning].unit == base


def test_a_corrected_reading_replaces_the_stored_one_and_keeps_its_labels():
    store = open_store(":memory:")
    store.save(import_file("x", NORMAL))
    source_id = store.runs()[0].source_id
    store.label(source_id, tier="ours")
    [table] = import_file("x", NORMAL).tables
    columns = tuple(
        ColumnChoice(heading=each.heading, meaning=each.meaning, unit="s") if each.unit == "ms" else each
        for each in table.mapping.columns
    )
    corrected = import_file("x", NORMAL, mappings=[ColumnMapping(columns=columns)])
    assert not store.replace(corrected).already_there
    assert [each.measurement.ttft_s.p50 for each in store.measurements()] == [210, 350]
    assert {each.measurement.tier for each in store.measurements()} == {"ours"}
    assert store.replace(corrected).already_there
    store.delete(source_id)
    store.replace(corrected)
    assert len(store.measurements()) == 2
    store.close()


def test_a_mapping_may_use_the_names_of_the_template():
    text = """
schema: plimsoll-columns/1
tables:
  - columns:
      - {heading: n, meaning: concurrency}
      - {heading: first, meaning: ttft_ms_p50}
      - {heading: speed, meaning: output_tps}
      - {heading: late, meaning: e2e_ms_p95, unit: s}
"""
    (mapping,) = read_mappings(text)
    assert [(each.meaning, each.unit) for each in mapping.columns] == [
        ("concurrency_count", ""),
        ("ttft_s_p50", "ms"),
        ("output_rate_tok_per_s", "tokens/s"),
        ("e2e_s_p95", "s"),
    ]
    (row,) = import_file("t.csv", b"n,first,speed,late\n4,30,90,1.5\n", mappings=[mapping]).measurements
    assert (row.concurrency_count, row.ttft_s.p50, row.e2e_s.p95) == (4, 0.03, 1.5)


@pytest.mark.parametrize(
    "raw", [b"schema: plimsoll-scenario/1\nname: x\n", b"concurrency,ttft\n1,2\n", b"a: [", b"name: x\n"]
)
def test_a_wrong_file_as_mapping_is_answered_with_the_format_of_mappings(raw):
    with pytest.raises(InputProblems) as refused:
        read_mappings(raw, "wrong.yaml")
    words = " | ".join(map(str, refused.value.problems))
    assert "plimsoll-columns/1" in words
    assert "scenario new" not in words
