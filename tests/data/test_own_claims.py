"""Own claims are kept whole, plan nothing before three questions are answered, and never pass for more."""

import pytest

from app import workbench
from data.evidence_drafts import hosted_changes
from data.own_claims import (
    add_claim,
    bring_claim_back,
    delete_claim,
    deleted_claims,
    evidence_of_claim,
    figure_of,
    open_questions,
    own_claims,
)
from data.store import open_store
from models.evidence import Grade
from models.problems import InputProblems
from tests.app.test_report import HOSTILE

FIELDS = {
    "subject": "Plain API",
    "metric": "median stream speed",
    "value": 250.0,
    "unit": "tok/s",
    "kind": "own",
    "sense": "typical",
    "grade": "B",
    "stated_by": "a colleague",
    "measured_by": "their lab",
    "conditions": "chat, 2,000 tokens in, 500 out, 8 at once",
    "reproducible": "yes",
    "source": "a letter of 30 November",
}


@pytest.fixture
def store():
    store = open_store(":memory:")
    yield store
    store.close()


def test_a_claim_is_there_after_a_restart_word_for_word(tmp_path):
    store = open_store(tmp_path / "store.duckdb")
    add_claim(store, FIELDS, "ann")
    store.close()
    store = open_store(tmp_path / "store.duckdb")
    [kept] = own_claims(store)
    assert kept.fields == FIELDS
    assert (kept.claim.id, kept.claim.value, kept.said_by) == ("own-1", 250.0, "ann")
    store.close()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("stated_by", "who stated it"),
        ("measured_by", "who measured it"),
        ("conditions", "on which workload"),
    ],
)
@pytest.mark.parametrize("blank", ["", "Nobody", None])
def test_a_claim_that_leaves_a_question_open_is_kept_and_plans_nothing(store, name, words, blank):
    kept = add_claim(store, FIELDS | {"grade": "D", name: blank})
    assert len(own_claims(store)) == 1
    assert open_questions(kept.claim) == (words,)
    with pytest.raises(InputProblems, match=words):
        figure_of(kept.claim, "stream_rate_tok_per_s")


def test_a_claim_that_answers_all_three_becomes_its_figure(store):
    claim = add_claim(store, FIELDS).claim
    assert open_questions(claim) == ()
    assert figure_of(claim, "stream_rate_tok_per_s") == 250.0
    in_ms = add_claim(store, FIELDS | {"value": 400.0, "unit": "ms"}).claim
    assert figure_of(in_ms, "ttft_p50_s") == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("changes", "figure"),
    [
        ({"sense": "ceiling"}, "stream_rate_tok_per_s"),
        ({"value": None}, "stream_rate_tok_per_s"),
        ({"value": -1.0}, "stream_rate_tok_per_s"),
        ({"unit": "furlongs"}, "stream_rate_tok_per_s"),
        ({}, "ttft_p50_s"),
    ],
)
def test_a_claim_is_not_taken_for_what_it_does_not_say(store, changes, figure):
    claim = add_claim(store, FIELDS | changes).claim
    with pytest.raises(InputProblems):
        figure_of(claim, figure)


def test_a_ceiling_may_be_the_ceiling(store):
    claim = add_claim(store, FIELDS | {"sense": "ceiling"}).claim
    assert figure_of(claim, "stream_rate_ceiling_tok_per_s") == 250.0


@pytest.mark.parametrize(
    "changes",
    [
        {"grade": "A", "measured_by": ""},
        {"grade": "B", "measured_by": "nobody"},
        {"grade": "Z"},
        {"source": ""},
        {"subject": "x" * 501},
        {"note": "a\u202eb"},
        {"colour": "red"},
    ],
)
def test_what_cannot_be_a_claim_is_refused(store, changes):
    with pytest.raises(InputProblems):
        add_claim(store, FIELDS | changes)
    assert own_claims(store) == ()


def test_what_was_taken_back_can_be_claimed_again(store):
    first, second = add_claim(store, FIELDS), add_claim(store, FIELDS | {"value": 300.0})
    delete_claim(store, first.number)
    assert [each.claim.value for each in own_claims(store)] == [300.0]
    assert [each.number for each in deleted_claims(store)] == [first.number]
    bring_claim_back(store, first.number)
    assert [each.number for each in own_claims(store)] == [first.number, second.number]
    with pytest.raises(InputProblems):
        delete_claim(store, 99)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_words_are_only_words(store, text):
    kept = add_claim(store, FIELDS | {"subject": text, "stated_by": text, "note": text})
    assert kept.claim.subject == kept.claim.stated_by == text


def test_a_tier_with_a_claimed_figure_keeps_the_evidence_of_its_other_figures(store):
    claim = add_claim(store, FIELDS).claim
    seen = workbench.view(workbench.worked_example())
    index = next(number for number, each in enumerate(seen.scenario.offers) if each.tier.id == "cerebras_api")
    offer, draft = seen.scenario.offers[index], workbench.worked_example()
    changes = hosted_changes(offer, "stream_rate_tok_per_s", 250.0, evidence_of_claim(claim))
    draft["offers"][index] = {"tier": workbench.tier_as_draft(offer) | changes, "model": offer.model.id}
    tier = workbench.scenario_of(draft).offers[index].tier
    assert tier.speed.stream_rate_tok_per_s == 250.0
    assert tier.speed.evidence["stream_rate_tok_per_s"].grade is Grade.INDEPENDENT
    assert tier.speed.evidence["stream_rate_tok_per_s"].stated_by == "a colleague"
    assert tier.price == offer.tier.price
    for name in set(offer.tier.speed.evidence) - {"stream_rate_tok_per_s"}:
        assert tier.speed.evidence[name] == offer.tier.speed.evidence[name]
