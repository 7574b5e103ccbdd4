"""What a user says of a file goes before its own words, stays beside them, and can be taken back."""

from datetime import date

import pytest

from data.runs import LABEL_FIELDS, RunLabels
from data.store import open_store
from models.problems import InputProblems
from tests.data.test_store import POINT, imported

SAID = RunLabels(
    tier="fast",
    model="other",
    accelerator="B200",
    accelerator_count=8,
    precision="fp4",
    engine="vllm",
    requested_tier="ultra",
    served_tier="fast",
    measured_by="our lab",
    measured_on=date(2026, 11, 1),
    notes="warm cache",
)


def only(store):
    [kept] = store.measurements()
    return kept.measurement


def test_every_label_is_applied_and_undone(store):
    before = store.relabel("sha256:" + "a" * 64, SAID)
    assert before == RunLabels()
    assert {name: getattr(only(store), name) for name in LABEL_FIELDS} == {
        name: getattr(SAID, name) for name in LABEL_FIELDS
    }
    assert store.runs()[0].labels == SAID
    assert store.relabel("sha256:" + "a" * 64, before) == SAID
    assert only(store) == POINT
    assert store.runs()[0].labels == RunLabels()


def test_the_files_own_words_stay_in_the_store(store):
    store.relabel("sha256:" + "a" * 64, SAID)
    [row] = store.query("SELECT model, accelerator, accelerator_count FROM store.measurements").rows
    assert row == ("toy-7b", "TOY-80", 2)


@pytest.mark.parametrize(
    "labels",
    [
        RunLabels(model="a\u202eb"),
        RunLabels(notes="x" * 1001),
        RunLabels(accelerator_count=0),
        RunLabels(tier="a\x00"),
    ],
)
def test_a_label_that_cannot_be_is_refused_and_nothing_changes(store, labels):
    with pytest.raises(InputProblems):
        store.relabel("sha256:" + "a" * 64, labels)
    assert only(store) == POINT


def test_a_file_that_is_not_stored_cannot_be_labelled(store):
    with pytest.raises(InputProblems, match="no file of that id"):
        store.relabel("sha256:" + "f" * 64, SAID)


@pytest.fixture
def store():
    store = open_store(":memory:")
    store.save(imported())
    yield store
    store.close()
