"""Queries are kept by name, those shipped run, and one that takes long can be ended."""

import time

import pytest

from data.builtin_curves import builtin_measurements
from data.running_queries import RunningQuery
from data.saved_queries import delete_query, example_queries, save_query, saved_queries
from data.sql_queries import Cancellation
from data.store import open_store
from models.problems import InputProblems

ENDLESS = "SELECT count(*) FROM range(100000000000) a(x), range(1000) b(y) WHERE x % 7 = y"


@pytest.fixture
def store():
    store = open_store(":memory:", builtin=builtin_measurements)
    yield store
    store.close()


@pytest.mark.parametrize("example", example_queries(), ids=lambda each: each.name)
def test_a_shipped_query_has_a_name_and_answers(store, example):
    answer = store.query(example.sql)
    assert example.name
    assert len(answer.columns) > 3
    if "all_measurements" in example.sql and "error" not in example.sql:
        assert answer.rows


def test_the_latest_of_a_name_counts_and_can_be_deleted(tmp_path):
    store = open_store(tmp_path / "store.duckdb")
    save_query(store, "mine", "SELECT 1", "ann")
    save_query(store, " mine ", "SELECT 2", "ann")
    save_query(store, "Other", "SELECT 3")
    store.close()
    store = open_store(tmp_path / "store.duckdb")
    assert [(each.name, each.sql, each.shipped) for each in saved_queries(store)] == [
        ("mine", "SELECT 2", False),
        ("Other", "SELECT 3", False),
    ]
    delete_query(store, "mine")
    assert [each.name for each in saved_queries(store)] == ["Other"]
    store.close()


@pytest.mark.parametrize("name", ["", "  ", "x" * 81, "a\u202eb", "a\nb", example_queries()[0].name])
def test_a_name_that_cannot_be_read_or_is_taken_is_refused(store, name):
    with pytest.raises(InputProblems):
        save_query(store, name, "SELECT 1")
    assert saved_queries(store) == ()


def test_a_long_query_is_cancelled_at_once_and_the_store_goes_on(store):
    running = RunningQuery(store, ENDLESS, row_limit=10, time_limit_s=60)
    assert not running.wait(0.3)
    began = time.monotonic()
    running.cancel()
    with pytest.raises(InputProblems, match="cancelled"):
        running.result()
    assert time.monotonic() - began < 5
    assert store.query("SELECT 1").rows == ((1,),)


def test_a_query_cancelled_before_it_begins_does_not_run(store):
    cancellation = Cancellation()
    cancellation.cancel()
    with pytest.raises(InputProblems, match="cancelled"):
        store.query("SELECT 1", cancellation=cancellation)


def test_a_limit_of_time_is_not_called_a_cancellation(store):
    with pytest.raises(InputProblems, match=r"stopped after 0\.2 s"):
        RunningQuery(store, ENDLESS, row_limit=10, time_limit_s=0.2).result()


def test_an_answer_comes_from_the_thread_as_it_is(store):
    running = RunningQuery(store, "SELECT 42 AS a, 'x' AS b", row_limit=10, time_limit_s=5)
    answer = running.result()
    assert (answer.columns, answer.rows) == (("a", "b"), ((42, "x"),))
    with pytest.raises(InputProblems, match="no_such"):
        RunningQuery(store, "SELECT no_such FROM runs", row_limit=10, time_limit_s=5).result()
