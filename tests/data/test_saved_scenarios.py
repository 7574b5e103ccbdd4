"""Scenarios are kept by name, survive a restart, and no change to one loses another."""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from data.saved_scenarios import (
    LONGEST_NAME,
    bring_back,
    delete_scenario,
    deleted_scenarios,
    duplicate_scenario,
    rename_scenario,
    save_over,
    save_scenario,
    saved_scenarios,
)
from data.store import open_store
from data.store_faults import StoreFault
from models.problems import InputProblems
from tests.app import tiny
from tests.app.test_report import HOSTILE


@pytest.fixture
def store():
    store = open_store(":memory:")
    yield store
    store.close()


def names(store):
    return [each.name for each in saved_scenarios(store)]


def test_what_is_kept_is_there_after_a_restart(tmp_path):
    store = open_store(tmp_path / "store.duckdb")
    save_scenario(store, " Mine ", tiny.draft(seed=5), "ann")
    store.close()
    store = open_store(tmp_path / "store.duckdb")
    [kept] = saved_scenarios(store)
    assert (kept.name, kept.saved_by) == ("Mine", "ann")
    assert kept.draft() == tiny.draft(seed=5)
    store.close()


@pytest.mark.parametrize("text", [*HOSTILE, "'; DROP TABLE store.saved_scenarios; --", "../../etc", "a%b"])
def test_a_hostile_name_is_only_a_name(store, text):
    kept = save_scenario(store, text, tiny.draft(name=text))
    assert names(store) == [text]
    rename_scenario(store, kept.number, f"{text}2")
    assert names(store) == [f"{text}2"]
    assert saved_scenarios(store)[0].draft()["name"] == text


@pytest.mark.parametrize("name", ["", "  ", "x" * (LONGEST_NAME + 1), "a\u202eb", "a\nb", "taken"])
def test_a_name_that_cannot_be_read_or_is_taken_is_refused(store, name):
    save_scenario(store, "taken", tiny.draft())
    other = save_scenario(store, "other", tiny.draft())
    with pytest.raises(InputProblems):
        save_scenario(store, name, tiny.draft())
    with pytest.raises(InputProblems):
        rename_scenario(store, other.number, name)
    assert names(store) == ["other", "taken"]


def test_what_was_deleted_comes_back_unless_its_name_is_taken(store):
    kept = save_scenario(store, "mine", tiny.draft(seed=1))
    delete_scenario(store, kept.number)
    assert names(store) == []
    assert [each.name for each in deleted_scenarios(store)] == ["mine"]
    bring_back(store, kept.number)
    assert saved_scenarios(store)[0].draft() == tiny.draft(seed=1)
    delete_scenario(store, kept.number)
    save_scenario(store, "mine", tiny.draft(seed=2))
    with pytest.raises(InputProblems):
        bring_back(store, kept.number)
    assert saved_scenarios(store)[0].draft() == tiny.draft(seed=2)


def test_a_number_that_nobody_has_is_refused(store):
    for change in (delete_scenario, bring_back, duplicate_scenario):
        with pytest.raises(InputProblems):
            change(store, 7)


def test_a_store_that_cannot_be_written_says_so(tmp_path):
    path = tmp_path / "store.duckdb"
    store = open_store(path)
    path.unlink()
    with pytest.raises(StoreFault):
        save_scenario(store, "mine", tiny.draft())
    store.close()


class Shelf(RuleBasedStateMachine):
    """Any sequence of changes leaves what a dictionary of names would hold."""

    @initialize()
    def begin(self):
        self.store, self.kept, self.gone = open_store(":memory:"), {}, {}

    def chosen(self, data, among):
        return data.draw(st.sampled_from(sorted(among)))

    @rule(name=st.sampled_from("abc"), seed=st.integers(0, 9))
    def save(self, name, seed):
        if any(name == each for each, _ in self.kept.values()):
            with pytest.raises(InputProblems):
                save_scenario(self.store, name, tiny.draft(seed=seed))
            return
        self.kept[save_scenario(self.store, name, tiny.draft(seed=seed)).number] = (name, seed)

    @rule(data=st.data(), seed=st.integers(0, 9))
    def overwrite(self, data, seed):
        if self.kept:
            number = self.chosen(data, self.kept)
            save_over(self.store, number, tiny.draft(seed=seed))
            self.kept[number] = (self.kept[number][0], seed)

    @rule(data=st.data())
    def duplicate(self, data):
        if self.kept:
            number = self.chosen(data, self.kept)
            copy = duplicate_scenario(self.store, number)
            assert copy.name not in [name for name, _ in self.kept.values()]
            self.kept[copy.number] = (copy.name, self.kept[number][1])

    @rule(data=st.data())
    def delete(self, data):
        if self.kept:
            number = self.chosen(data, self.kept)
            delete_scenario(self.store, number)
            self.gone[number] = self.kept.pop(number)

    @rule(data=st.data())
    def back(self, data):
        if not self.gone:
            return
        number = self.chosen(data, self.gone)
        if self.gone[number][0] in [name for name, _ in self.kept.values()]:
            with pytest.raises(InputProblems):
                bring_back(self.store, number)
            return
        bring_back(self.store, number)
        self.kept[number] = self.gone.pop(number)

    @invariant()
    def holds_what_was_kept(self):
        found = {each.number: (each.name, each.draft()["seed"]) for each in saved_scenarios(self.store)}
        assert found == self.kept
        assert {each.number for each in deleted_scenarios(self.store)} == set(self.gone)

    def teardown(self):
        self.store.close()


TestShelf = Shelf.TestCase
TestShelf.settings = settings(max_examples=8, stateful_step_count=15, deadline=None, derandomize=True)
