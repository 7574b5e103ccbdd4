"""A link carries the whole draft, or is refused without harm."""

import base64
import json
import tracemalloc
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app import links, workbench
from models.problems import InputProblems

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**12), 10**12)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=20,
)
DRAFTS = st.dictionaries(st.text(max_size=10), VALUES, max_size=6)


def packed(raw):
    return base64.urlsafe_b64encode(zlib.compress(raw, 9)).decode().rstrip("=")


@given(DRAFTS)
def test_what_is_packed_is_unpacked(draft):
    assert links.decode(links.encode(draft)) == draft


@given(DRAFTS)
def test_a_code_fits_into_an_address(draft):
    assert set(links.encode(draft)) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")


def test_the_order_of_keys_does_not_change_a_code():
    assert links.encode({"a": 1, "b": 2}) == links.encode({"b": 2, "a": 1})


@pytest.mark.parametrize("example", [workbench.worked_example, workbench.buyer_example])
def test_the_examples_travel_in_an_address_that_browsers_take(example):
    code = links.encode(example())
    assert links.decode(code) == example()
    assert len(code) < 4000


def problems_of(code):
    """What is said against a code; nothing where it holds a draft."""
    try:
        return () if isinstance(links.decode(code), dict) else None
    except InputProblems as refused:
        return refused.problems


@given(st.text(max_size=200))
def test_any_text_is_a_draft_or_a_problem_with_a_cure(code):
    assert all(problem.path == "link" and problem.cure for problem in problems_of(code))


@given(st.integers(0, 60), st.integers(0, 63))
def test_a_damaged_code_is_refused_or_another_draft_but_never_a_crash(position, letter):
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    code = links.encode({"schema": "plimsoll/1", "name": "A scenario of some length"})
    place = position % len(code)
    damaged = code[:place] + alphabet[letter] + code[place + 1 :]
    assert all("cannot be read" in problem.message for problem in problems_of(damaged))


def test_a_code_that_unpacks_to_too_much_is_refused_before_it_is_unpacked():
    bomb = packed(b'{"name": "' + b"a" * 300_000_000 + b'"}')
    tracemalloc.start()
    with pytest.raises(InputProblems):
        links.decode(bomb)
    peak_byte = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak_byte < 10_000_000


@pytest.mark.parametrize(
    "raw",
    [b"[1, 2]", b'"text"', b"7", b"null", b"[" * 100_000, b'{"a": ', b"\xff\xfe", b""],
)
def test_what_is_no_table_of_named_values_is_refused(raw):
    with pytest.raises(InputProblems):
        links.decode(packed(raw))


def test_numbers_that_are_none_never_reach_a_plan():
    draft = workbench.worked_example()
    draft["workloads"][0]["peak_rate_req_per_s"] = float("nan")
    carried = links.decode(packed(json.dumps(draft).encode()))
    with pytest.raises(InputProblems, match="peak_rate_req_per_s"):
        workbench.scenario_of(carried)
