"""Exports are inert in a spreadsheet and come back as the same table."""

import csv
import io
from dataclasses import fields
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.cell_numbers import is_missing
from data.columns import COUNTS, LATENCIES
from data.exports import as_typed, canonical_csv, inert, write_csv
from data.imports import import_file
from models.measurements import Measurement
from models.percentiles import Percentiles

POSITIVE = st.floats(min_value=1e-9, max_value=2e6, allow_nan=False)  # a time of a month is refused
# Blanks at the ends and words that say "none" are no texts of a table.
WORDS = (
    st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), min_size=1, max_size=8)
    .map(str.strip)
    .filter(lambda text: not is_missing(text))
)


@st.composite
def latencies(draw):
    ordered = sorted(draw(st.lists(POSITIVE, min_size=4, max_size=4)))
    shown = draw(st.lists(st.booleans(), min_size=5, max_size=5))
    values = [draw(POSITIVE), *ordered]
    return Percentiles(
        **{
            name: value if show else None
            for name, value, show in zip(("mean", "p50", "p90", "p95", "p99"), values, shown, strict=True)
        }
    )


@st.composite
def measurements(draw):
    values = {
        "load_kind": "concurrency",
        "concurrency_count": draw(POSITIVE),
        "ttft_s": draw(latencies()),
        "tpot_s": draw(latencies().filter(lambda figures: figures.known)),
        "itl_s": draw(latencies()),
        "measured_on": draw(st.none() | st.dates(date(1990, 1, 1), date(2100, 1, 1))),
        "request_count": draw(st.integers(10, 2**40)),
        "error_count": draw(st.integers(0, 10)),
    }
    for field in fields(Measurement):
        if field.name in values or field.name in LATENCIES:
            continue
        kind = st.integers(0, 2**40) if field.name in COUNTS else POSITIVE
        is_number = field.name in COUNTS or field.name.rpartition("_")[2] in ("tok", "s", "count")
        values[field.name] = draw(st.none() | (kind if is_number else WORDS))
    return Measurement(**values)


@settings(max_examples=30, deadline=None)
@given(st.lists(measurements(), min_size=1, max_size=3))
def test_an_export_imports_to_the_same_table(rows):
    imported = import_file("export.csv", canonical_csv(rows))
    assert imported.measurements == tuple(rows), imported.problems


@given(st.text(max_size=20))
def test_an_inert_text_has_no_live_lead_and_is_read_back(text):
    assert not inert(text).lstrip(' "').startswith(("=", "+", "-", "@", "\t", "\r"))
    assert as_typed(inert(text)) == text


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@x", "\tx", "\rx", " =x", '"=x', "''=x", "=cmd|' /C calc'!A0"]
)
def test_formula_texts_get_an_apostrophe_and_numbers_do_not(text):
    rows = list(csv.reader(io.StringIO(write_csv(["a", "=b"], [[text, -1.5]]).decode(), newline="")))
    assert rows == [["a", "'=b"], [f"'{text}", "-1.5"]]


def test_missing_is_an_empty_cell_and_a_day_is_iso():
    assert write_csv(["a", "b"], [[None, date(2026, 3, 15)]]) == b"a,b\r\n,2026-03-15\r\n"
