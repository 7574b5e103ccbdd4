"""A name of hundreds of letters without a blank stays on the page of every format."""

from datetime import date

import pypdfium2
import pytest

from app.report.writing import compose, suffixes, write
from tests.app import tiny
from tests.app.report_reading import squeezed, words_of

DAY = date(2026, 11, 30)
LONG = "w" * 300
MARGIN_PT = 16 / 25.4 * 72


@pytest.fixture(scope="module")
def document():
    workload = tiny.draft()["workloads"][0] | {"name": LONG}
    return compose(tiny.view(name="n" * 200, workloads=[workload]), DAY)


def test_no_letter_is_printed_beyond_the_margins(document):
    printed = pypdfium2.PdfDocument(write(document, ".pdf"))
    for page in printed:
        right = page.get_width() - MARGIN_PT + 1.0
        words = page.get_textpage()
        letters = [index for index in range(words.count_chars()) if words.get_text_range(index, 1).strip()]
        edges = [words.get_charbox(index)[2] for index in letters]
        assert max(edges) <= right


@pytest.mark.parametrize("suffix", suffixes())
def test_the_whole_name_is_there(document, suffix):
    assert LONG in squeezed(words_of(write(document, suffix), suffix)).replace("\u200b", "")
