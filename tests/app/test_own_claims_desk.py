"""A claim typed on the page is kept, says what it lacks, and plans once it lacks nothing."""

import pytest

from app import session, shelf, state, workbench
from app.report.writing import compose, suffixes, write
from tests.app import tiny
from tests.app.clicking import button, words
from tests.app.report_reading import squeezed, words_of
from tests.app.test_report import DAY, HOSTILE
from tests.data.test_own_claims import FIELDS

SCRIPT = """
import streamlit as st
from app import own_claims_desk, session, state
from tests.app import tiny
if state.DRAFT_KEY not in st.session_state:
    state.begin()
    st.session_state[state.DRAFT_KEY] = tiny.draft()
seen = session.view()
own_claims_desk.add()
own_claims_desk.listed(seen, own_claims_desk.known())
"""


def fill(desk, **texts):
    for name, value in texts.items():
        next(each for each in desk.text_input if each.key == f"own_claim:{name}").set_value(value)


def kept():
    return shelf.own_claims(session.store())


def test_a_claim_without_all_answers_is_a_statement(desk):
    desk.run()
    fill(desk, subject="Plain API", metric="speed", text="fast", source="a talk", stated_by="a speaker")
    button(desk, "Keep this claim").click().run()
    assert list(desk.exception) == []
    assert [each.claim.text for each in kept()] == ["fast"]
    assert "statement only: who measured it, on which workload?" in words(desk)
    assert [each for each in desk.button if each.label == "Plan with it"] == []


def test_a_claim_with_all_answers_becomes_a_figure_and_undo_takes_it_away(desk):
    shelf.add_claim(session.store(), FIELDS)
    desk.run()
    assert "may become a planning input" in words(desk)
    button(desk, "Plan with it").click().run()
    assert list(desk.exception) == []
    draft = desk.session_state[state.DRAFT_KEY]
    speed = workbench.scenario_of(draft).offers[0].tier.speed
    assert speed.stream_rate_tok_per_s == 250.0
    assert speed.evidence["stream_rate_tok_per_s"].note == "own claim own-1"
    assert desk.session_state[state.HISTORY_KEY] == [tiny.draft()]


def test_what_is_missing_is_said(desk):
    desk.run()
    button(desk, "Keep this claim").click().run()
    assert list(desk.exception) == []
    assert "claim.source" in words(desk)
    assert kept() == ()


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_words_are_shown_letter_for_letter(desk, text):
    shelf.add_claim(session.store(), FIELDS | {"subject": text})
    desk.run()
    assert list(desk.exception) == []
    assert any(text.replace(chr(92), "") in each.value.replace(chr(92), "") for each in desk.markdown)


@pytest.mark.parametrize("suffix", suffixes())
def test_own_claims_stand_in_every_report(suffix):
    shelf.add_claim(session.store(), FIELDS)
    shelf.add_claim(session.store(), FIELDS | {"measured_by": "", "grade": "D"})
    document = compose(tiny.view(), DAY, section_keys=["evidence"], own_claims=kept())
    text = squeezed(words_of(write(document, suffix), suffix))
    assert "own-1" in text
    assert squeezed("may become a planning input") in text
    assert squeezed("statement only: who measured it?") in text
    assert squeezed(FIELDS["conditions"]) in text
