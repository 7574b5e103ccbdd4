"""The method is told by the models themselves, on the page and in the report alike."""

import inspect

import pytest

from app.method_notes import FORMULAS, architecture_notes, formula_notes
from models import queueing
from models.architectures import ARCHITECTURES
from tests.app import tiny
from tests.app.test_report import report


def test_every_architecture_says_what_it_leaves_out():
    notes = architecture_notes()
    assert [note.title for note in notes] == [module.LABEL for module in ARCHITECTURES.values()]
    assert [note.title for note in notes if "Not modelled" not in note.text] == []


def test_the_reports_appendix_is_the_same_text():
    [note] = architecture_notes({"hosted_api"})
    for line in note.text.splitlines():
        assert line in report(tiny.view(), ".md")


def test_a_formula_is_told_with_its_source():
    note = next(each for each in formula_notes() if each.title == "Queueing")
    told = dict(note.formulas)
    words = told["erlang_b(offered_load, server_count)"]
    assert words == inspect.getdoc(queueing.erlang_b)
    assert "Erlang 1917" in words


@pytest.mark.parametrize("module", FORMULAS, ids=lambda module: module.__name__)
def test_every_subject_has_words_and_formulas(module):
    note = formula_notes()[FORMULAS.index(module)]
    assert note.text
    assert note.formulas
