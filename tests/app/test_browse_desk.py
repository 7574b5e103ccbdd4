"""A stored file's labels are edited on the page, marked, and undone."""

from app import session
from data.imports import import_file
from tests.app.clicking import button, sweep, tables

SCRIPT = """
from app import browse_desk, session, state
state.begin()
browse_desk.browse()
for run in session.store().runs():
    browse_desk.edit(run)
"""


def test_an_edit_is_marked_kept_and_undone(desk):
    session.store().save(import_file("ours.csv", sweep()))
    desk.run()
    assert list(desk.exception) == []
    next(each for each in desk.text_input if each.label == "Measured by").set_value("the other lab")
    next(each for each in desk.number_input if each.label == "Accelerators").set_value(4)
    button(desk, "Save").click().run()
    assert list(desk.exception) == []
    assert {each.measurement.measured_by for each in session.store().measurements()} == {"the other lab"}
    assert {each.measurement.accelerator_count for each in session.store().measurements()} == {4}
    assert "the other lab (edited)" in tables(desk)
    assert "4 (edited)" in tables(desk)
    button(desk, "Undo the last edit").click().run()
    assert {each.measurement.measured_by for each in session.store().measurements()} == {"our lab"}
    assert "(edited)" not in tables(desk)
    assert [each for each in desk.button if each.label == "Undo the last edit"] == []


def test_saving_without_a_change_changes_nothing(desk):
    session.store().save(import_file("ours.csv", sweep()))
    before = session.store().measurements()
    desk.run()
    button(desk, "Save").click().run()
    assert list(desk.exception) == []
    assert session.store().measurements() == before
