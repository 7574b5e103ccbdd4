"""Claims: complete, judged, and with arithmetic that can be done again."""

import ast
import operator

import pytest

from data.catalogue_files import load_catalogue
from models.evidence import Grade, Sense

OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}
CLAIMS = tuple(load_catalogue().claims.values())
DERIVED = [claim for claim in CLAIMS if claim.arithmetic]


def worked_out(expression):
    """The value of an expression of numbers, + - * / and brackets."""
    return _value(ast.parse(expression, mode="eval").body)


def _value(node):
    if isinstance(node, ast.BinOp):
        return OPERATORS[type(node.op)](_value(node.left), _value(node.right))
    assert isinstance(node, ast.Constant), ast.dump(node)
    return node.value


def test_there_are_129_claims_and_each_answers_the_three_questions():
    assert len(CLAIMS) == 129
    for claim in CLAIMS:
        assert claim.stated_by
        assert claim.measured_by
        assert claim.reproducible in ("yes", "no", "unknown")
        assert claim.source


@pytest.mark.parametrize("conflict", load_catalogue().conflicts, ids=lambda each: each.id)
def test_a_conflict_sets_known_claims_side_by_side(conflict):
    known = load_catalogue().claims
    assert len(set(conflict.claim_ids)) == len(conflict.claim_ids) >= 2
    assert set(conflict.claim_ids) <= set(known)
    assert conflict.question.endswith("?")


@pytest.mark.parametrize("claim", DERIVED, ids=lambda claim: claim.id)
def test_arithmetic_gives_the_stated_value(claim):
    assert worked_out(claim.arithmetic) == pytest.approx(claim.value, rel=2e-3)


@pytest.mark.parametrize(
    ("claim_id", "value"),
    # two ceilings, 14 times and 750 tok/s: 750 / 14 tok/s; 500 tokens in 0.667 s and 9.33 s
    [("C048", 53.57), ("C047", 0.667), ("C049", 9.33)],
)
def test_the_standard_baseline_is_only_a_quotient_of_ceilings(claim_id, value):
    claim = load_catalogue().claims[claim_id]
    assert claim.value == value
    assert claim.sense is Sense.DERIVED
    assert claim.grade is Grade.ASSUMED_OR_DERIVED


def test_a_ceiling_is_never_held_as_typical():
    for claim in CLAIMS:
        if claim.text.startswith("up to"):
            assert claim.sense is Sense.CEILING, claim.id


def test_the_unpublished_price_stays_blank():
    claim = load_catalogue().claims["C013"]
    assert claim.value is None
    assert claim.text == "unpublished"
