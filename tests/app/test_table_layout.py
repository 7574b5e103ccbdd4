"""Long cells wrap: no word is broken, few lines are taken, and short tables stay as they were."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.table_layout import CELL_PIXELS, LETTER_PIXELS, PAGE_PIXELS, WIDEST_PIXELS, layout

SENTENCE = "TTFT p95 within 2 s: 285 ms, holds: yes (> 99 %); E2E p95 within 10 s: 6.61 s, holds: yes (79 %)"


def test_a_table_that_fits_is_left_alone():
    assert layout([{"Workload": "voice", "Replicas": 5}]) is None
    assert layout([]) is None


def test_long_cells_make_the_table_fit_the_page():
    rows = [{"Workload": "voice", "Targets": SENTENCE, "Why": SENTENCE, "Would fit if": SENTENCE}] * 3
    found = layout(rows)
    assert sum(found.widths.values()) <= PAGE_PIXELS
    assert found.height == 38 + 3 * found.row_height


def test_a_long_table_scrolls_in_a_window_of_its_own():
    found = layout([{"Claim": SENTENCE * 3, "Note": SENTENCE * 3}] * 200)
    assert found.height < 700


@given(
    st.lists(
        st.fixed_dictionaries({"A": st.text(max_size=300), "A longer heading": st.text(max_size=300)}),
        min_size=1,
        max_size=20,
    )
)
def test_no_ordinary_word_is_broken(rows):
    found = layout(rows)
    if found is None:
        return
    for head, width in found.widths.items():
        words = [len(word) for row in rows for word in row[head].split()]
        longest = max((letters for letters in words if letters <= 24), default=0)
        assert width == WIDEST_PIXELS or width >= longest * LETTER_PIXELS + CELL_PIXELS - 1
        assert width <= WIDEST_PIXELS


@pytest.mark.parametrize("count", [2, 12, 13])
def test_every_row_of_a_short_table_is_seen_at_once(count):
    found = layout([{"Why": SENTENCE * 3, "Cure": SENTENCE * 2}] * count)
    assert (found.height >= count * found.row_height) == (count <= 12)
