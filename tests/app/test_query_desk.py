"""The query box answers, keeps queries by name, and says which columns can be drawn."""

import pytest

from app.query_desk import numeric_columns, unique
from data.sql_queries import QueryResult
from tests.app.clicking import button, tables, words

SCRIPT = """
from app import query_desk, state
state.begin()
query_desk.query()
"""


def run(desk, sql):
    desk.text_area[0].set_value(sql).run()
    button(desk, "Run").click().run()
    assert list(desk.exception) == []


def test_an_answer_stays_when_something_else_is_clicked(desk):
    desk.run()
    run(desk, "SELECT 7 * 6 AS answer, 'a' AS word")
    assert "answer,word\n42,a" in tables(desk)
    next(each for each in desk.selectbox if each.label == "Across").set_value("word").run()
    assert "answer,word\n42,a" in tables(desk)
    assert "1 row" in words(desk)


def test_a_wrong_query_says_what_is_wrong(desk):
    desk.run()
    run(desk, "SELECT nothing FROM nowhere")
    assert "nowhere" in words(desk)
    run(desk, "DELETE FROM runs")
    assert "queries only read" in words(desk)


def test_a_query_is_kept_opened_and_deleted(desk):
    desk.run()
    desk.text_area[0].set_value("SELECT 1 AS mine").run()
    next(each for each in desk.text_input if each.label == "Name").set_value("My query")
    button(desk, "Keep").click().run()
    assert list(desk.exception) == []
    named = next(each for each in desk.selectbox if each.label == "Saved queries")
    assert "My query" in named.options
    desk.text_area[0].set_value("SELECT 2").run()
    named = next(each for each in desk.selectbox if each.label == "Saved queries")
    named.set_value("My query").run()
    button(desk, "Open query").click().run()
    assert desk.text_area[0].value == "SELECT 1 AS mine"
    button(desk, "Delete query").click().run()
    named = next(each for each in desk.selectbox if each.label == "Saved queries")
    assert "My query" not in named.options


def test_shipped_queries_cannot_be_deleted(desk):
    desk.run()
    assert button(desk, "Delete query").disabled


@pytest.mark.parametrize(
    ("rows", "drawable"),
    [
        (((1, "a", True), (None, "b", False)), ["n"]),
        (((1, 2.5, None),), ["n", "w"]),
        (((None, None, None),), []),
        ((), []),
    ],
)
def test_only_columns_of_numbers_can_stand_upright(rows, drawable):
    assert numeric_columns(QueryResult(columns=("n", "w", "x"), rows=rows)) == drawable


def test_columns_of_one_name_are_told_apart():
    assert unique(("a", "a", "a (2)", "a")) == ["a", "a (2)", "a (2) (2)", "a (3)"]
