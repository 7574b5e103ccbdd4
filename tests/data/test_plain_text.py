"""A name whose letters are shown in another order than they are in is refused, wherever it comes from."""

import pytest

from data.catalogue_files import load_catalogue
from data.imports import import_file
from data.plain_text import direction_marks, is_visible
from data.scenario_files import scenario_from, worked_example
from data.store import open_store
from data.store_faults import StoreFault
from models.problems import InputProblems


def test_only_marks_of_direction_are_found():
    assert direction_marks("a\u202eb\u2066c\u202e") == ("U+202E", "U+2066")
    assert direction_marks("שלום مرحبا é \u00a0 4×H100 🚢") == ()
    assert is_visible("gpt-oss 120b")
    assert not is_visible("a\x07b")


def test_a_row_with_a_turned_name_is_refused_and_the_others_are_kept():
    raw = "concurrency,tpot_ms_p50,model\n1,20,gpt\n4,25,gpt\u202e-oss\n".encode()
    imported = import_file("x.csv", raw)
    assert [each.model for each in imported.measurements] == ["gpt"]
    [problem] = [each for each in imported.problems if each.severity == "error"]
    assert problem.path == "row 3, model"
    assert "U+202E" in problem.message


def test_a_scenario_with_a_turned_name_is_refused_with_its_address():
    catalogue = load_catalogue()
    draft = worked_example(catalogue)
    draft["workloads"][0]["name"] = "voice\u202e"
    with pytest.raises(InputProblems) as refused:
        scenario_from(draft, catalogue)
    assert any(
        each.path == "workloads[0].name" and "U+202E" in each.message for each in refused.value.problems
    )


@pytest.mark.parametrize("given", ["", "  "])
def test_an_empty_name_of_the_store_is_refused(given, monkeypatch):
    monkeypatch.setenv("PLIMSOLL_DB", given)
    with pytest.raises(StoreFault, match="PLIMSOLL_DB is set and empty"):
        open_store()
    with pytest.raises(StoreFault, match="its name is empty"):
        open_store(given)
