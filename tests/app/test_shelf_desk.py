"""Scenarios are kept, opened, renamed, copied, exported, deleted and brought back on their page."""

import pytest

from app import session, shelf, state
from tests.app import tiny
from tests.app.clicking import button, uploader, words
from tests.app.test_report import HOSTILE

SCRIPT = """
from app import shelf_desk, state
state.begin()
shelf_desk.keep()
shelf_desk.listed()
"""


def keep(desk, name):
    next(each for each in desk.text_input if each.label.startswith("Keep")).set_value(name)
    button(desk, "Keep").click().run()
    assert list(desk.exception) == []


def named(desk, key):
    return next(each for each in desk.get("button") if each.key == key)


def kept_names():
    return [each.name for each in shelf.saved_scenarios(session.store())]


def test_the_scenario_in_hand_is_kept_and_a_taken_name_refused(desk):
    desk.run()
    keep(desk, "Mine")
    assert kept_names() == ["Mine"]
    assert "Kept: Mine" in words(desk)
    keep(desk, "Mine")
    assert kept_names() == ["Mine"]
    assert "kept already" in words(desk)


def test_a_kept_scenario_opens_and_undo_brings_the_other_back(desk):
    kept = shelf.save_scenario(session.store(), "Tiny", tiny.draft())
    desk.run()
    before = desk.session_state[state.DRAFT_KEY]
    named(desk, f"shelf_open:{kept.number}").click().run()
    assert list(desk.exception) == []
    assert desk.session_state[state.DRAFT_KEY] == tiny.draft()
    assert desk.session_state[state.HISTORY_KEY] == [before]
    assert named(desk, f"shelf_open:{kept.number}").disabled


def test_copies_names_and_deletions(desk):
    kept = shelf.save_scenario(session.store(), "Tiny", tiny.draft())
    desk.run()
    named(desk, f"shelf_copy:{kept.number}").click().run()
    assert kept_names() == ["Tiny", "Tiny (2)"]
    desk.text_input(key=f"shelf_new_name:{kept.number}").set_value("Small")
    named(desk, f"shelf_named:{kept.number}").click().run()
    assert kept_names() == ["Small", "Tiny (2)"]
    named(desk, f"shelf_delete:{kept.number}").click().run()
    assert kept_names() == ["Tiny (2)"]
    named(desk, f"shelf_back:{kept.number}").click().run()
    assert kept_names() == ["Small", "Tiny (2)"]
    assert list(desk.exception) == []


def test_saving_over_keeps_the_name(desk):
    kept = shelf.save_scenario(session.store(), "Tiny", tiny.draft())
    desk.run()
    named(desk, f"shelf_over:{kept.number}").click().run()
    [now] = shelf.saved_scenarios(session.store())
    assert now.name == "Tiny"
    assert now.draft() == desk.session_state[state.DRAFT_KEY]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_name_is_shown_letter_for_letter(desk, text):
    shelf.save_scenario(session.store(), text, tiny.draft(name=text))
    desk.run()
    assert list(desk.exception) == []
    assert any(each.value.replace("\\", "") == f"**{text.replace(chr(92), '')}**" for each in desk.markdown)


def test_a_file_that_is_no_scenario_is_refused(desk):
    desk.run()
    uploader(desk, "Scenario file (YAML or JSON)").upload("bad.yaml", b"schema: plimsoll/9\n").run()
    assert list(desk.exception) == []
    assert "the file is v" in words(desk)
    assert kept_names() == []
