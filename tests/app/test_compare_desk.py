"""Curves of several files are drawn over each other and put side by side at equal loads."""

from app import session
from data.imports import import_file
from tests.app.clicking import sweep, tables, words

SCRIPT = """
from app import compare_desk, state
state.begin()
compare_desk.compare()
"""


def test_without_own_points_the_page_says_where_to_begin(desk):
    desk.run()
    assert list(desk.exception) == []
    assert "Add files first" in words(desk)


def test_two_files_are_compared_at_the_loads_both_measured(desk):
    session.store().save(import_file("slow.csv", sweep(base_tpot_ms=8.0)))
    session.store().save(import_file("fast.csv", sweep(base_tpot_ms=4.0)))
    desk.run()
    assert list(desk.exception) == []
    next(each for each in desk.selectbox if each.label == "Metric").set_value("Time per output token").run()
    assert "how do the measured runs compare?" in words(desk)
    # at 64 in flight: 4 + 0.125 x 64 = 12 ms against 8 + 8 = 16 ms
    shown = tables(desk)
    assert "fast.csv" in shown
    assert "64,12 ms,16 ms (1.33x)" in shown
    assert shown.count("x)") == 5


def test_one_curve_alone_has_no_ratios(desk):
    session.store().save(import_file("fast.csv", sweep()))
    desk.run()
    assert list(desk.exception) == []
    assert tables(desk) == ""


def test_curves_over_two_kinds_of_load_stand_in_two_charts(desk):
    by_rate = sweep(base_tpot_ms=8.0).replace(b"concurrency", b"request_rate_rps", 1)
    session.store().save(import_file("rate.csv", by_rate))
    session.store().save(import_file("concurrency.csv", sweep(base_tpot_ms=4.0)))
    desk.run()
    assert list(desk.exception) == []
    assert words(desk).count("how do the measured runs compare?") == 2
