"""Scenario text: YAML and JSON without surprises, refused with an address where they have some."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.scenario_text import draft_id, read_draft, write_draft
from models.problems import InputProblems

LINES = "schema: plimsoll/1\n"


def refusal(raw):
    with pytest.raises(InputProblems) as error:
        read_draft(raw)
    return "\n".join(str(problem) for problem in error.value.problems)


def read_or_refused(raw):
    try:
        return read_draft(raw)
    except InputProblems as error:
        return error


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"),
        ("yes", "yes"),
        ("off", "off"),
        ("010", "010"),
        ("1:30", "1:30"),
        ("1e3", 1000.0),
        ("0x10", "0x10"),
        ("2026-11-30", "2026-11-30"),
        (".inf", ".inf"),
        ("true", True),
        ("~", None),
        ("null", None),
        ("", None),
        ("-3", -3),
        ("0.5", 0.5),
        ("'7'", "7"),
        ("1_000", "1_000"),
        ("<<", "<<"),
    ],
)
def test_scalars_follow_yaml_1_2_core_rules(text, value):
    assert read_draft(f"key: {text}\n") == {"key": value}


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ("a: 1\nb: 2\na: 3\n", "line 3: is not readable: the key 'a' stands twice"),
        ('{"a": 1, "a": 2}', "the key 'a' stands twice"),
        ('{"a": NaN}', "NaN is not a number"),
        ('{"a": -Infinity}', "-Infinity is not a number"),
        ('{"a": {"b": [1, 1e400]}}', "a.b[1]: is not a finite number"),
        ("a: 1e400\n", "a: is not a finite number"),
        ('{"a": ' + "9" * 5000 + "}", "5,000 digits"),
        ('{"a": "\\ud800"}', "lone surrogate"),
        ("a: !!python/name:os.system\n", "has a tag"),
        ("a: !!python/object/apply:os.system ['true']\n", "has a tag"),
        ("a: !custom 1\n", "has a tag"),
        ("a: " + "[" * 40 + "]" * 40, "nested deeper than 30"),
        ("a: " + "[" * 20_000, "nesting depth"),
        ('{"a": ' + "[" * 20_000, "nested deeper than 30"),
        ("a: &x [1]\nb: [" + "*x, " * 101 + "]\n", "more than 100 aliases"),
        ("a: *nowhere\n", "is not readable"),
        ("? [1, 2]\n: 3\n", "a key is not a word"),
        ("a: [1, 2\n", "is not readable"),
        ("a\n  b: :\n", "is not readable"),
        ("- 1\n- 2\n", "not a group of named values"),
        ("just words", "not a group of named values"),
        ("", "the file is empty"),
        ("a: \x00\n", "holds characters that no text has"),
        (b"a: \xff\xfe\xfa", "is not UTF-8 text"),
        (b"x" * 1_000_001, "more than 1,000,000"),
        ("\n".join(f"k{i}: 1" for i in range(60_000)), "more than 100,000 values"),
    ],
    ids=range(26),
)
def test_surprises_are_refused(raw, words):
    assert words in refusal(raw)


def test_aliases_that_unfold_without_end_are_refused_quickly():
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    bomb += "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 10))
    assert "unfolds to far too many values" in refusal(bomb)
    assert "unfolds to far too many values" in refusal("a: &a [*a]\n")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings_that_editors_write_are_read(encoding):
    assert read_draft("name: Überlast\n".encode(encoding)) == {"name": "Überlast"}


def test_ordinary_aliases_are_read():
    assert read_draft("a: &x {b: 1}\nc: *x\n") == {"a": {"b": 1}, "c": {"b": 1}}


def test_json_is_read_too():
    assert read_draft('{"a": [1, 2.5, "x", null, true]}') == {"a": [1, 2.5, "x", None, True]}


words = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\u2028\u2029\ufeff"))
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(10**17), 10**17)
    | st.floats(allow_nan=False, allow_infinity=False)
    | words
    | st.sampled_from(["no", "010", "1:30", "1e3", "1E3", ".5", "~", "null", "2026-11-30", "=", "<<", "0x1F"])
)
drafts = st.dictionaries(
    words,
    st.recursive(
        scalars,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=4),
        max_leaves=12,
    ),
    min_size=1,
    max_size=5,
)


@given(drafts)
def test_what_is_written_reads_back_the_same(draft):
    again = read_draft(write_draft(draft))
    assert again == draft
    assert draft_id(again) == draft_id(draft)


@given(drafts)
def test_text_does_not_depend_on_key_order(draft):
    backwards = dict(reversed(draft.items()))
    assert write_draft(backwards) == write_draft(draft)
    assert draft_id(backwards) == draft_id(draft)


def test_the_id_sees_values_not_number_types():
    assert draft_id({"a": 1}) == draft_id({"a": 1.0})
    assert draft_id({"a": 1}) != draft_id({"a": 2})
    assert len(draft_id({"a": 1})) == 12


@given(st.binary(max_size=200) | st.text(max_size=200))
def test_any_bytes_are_read_or_refused(raw):
    assert isinstance(read_or_refused(raw), dict | InputProblems)
