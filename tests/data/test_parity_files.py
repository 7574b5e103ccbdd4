"""Paired results: read by heading, refused by line and column."""

import pytest

from data.parity_files import read_paired_results
from models.problems import InputProblems

GOOD = (
    "Item,Tier,Correct,latency_ms,error\n"
    "a,Standard,yes,900,0\na,Fast,no,450,0\nb,Fast,1,500,failed\nb,Standard,true,1000,\nc,Fast,1,1,0\n"
)


def refused(text):
    with pytest.raises(InputProblems) as caught:
        read_paired_results("p.csv", text.encode())
    return " ".join(f"{each.path}: {each.message} {each.cure}" for each in caught.value.problems)


def test_rows_are_paired_by_item_whatever_their_order():
    found = read_paired_results("p.csv", GOOD.encode())
    assert found.tiers == ("Standard", "Fast")
    assert found.pair_count == 2
    assert found.lone_count == 1
    assert found.values["passed"] == ((1.0, 1.0), (0.0, 1.0))
    assert found.values["latency_s"] == ((0.9, 1.0), (0.45, 0.5))
    assert found.values["failed"] == ((0.0,), (0.0,))
    assert "score" not in found.values


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("item,passed\na,1\n", "no column 'tier'"),
        ("item,tier,note\na,A,x\n", "nothing to compare"),
        ("item,tier,passed\na,A,1\na,B,maybe\n", "line 3, column passed: 'maybe'"),
        ("item,tier,latency_s\na,A,1.5\na,B,-2\n", "line 3, column latency_s: '-2'"),
        ("item,tier,score\na,A,1\na,B,0.5 pts\n", "'0.5 pts' is not a number"),
        ("item,tier,passed\na,A,1\na,A,0\na,B,1\n", "line 3: item 'a' stands twice"),
        ("item,tier,passed\na,A,1\nb,B,1\n", "no item in common"),
        ("item,tier,passed\na,A,1\na,B,1\na,C,1\n", "3 tiers, not two"),
        ("item,tier,passed\na,A,1\n", "1 tiers, not two"),
        ("item,tier,passed,passed\na,A,1,1\n", "'passed' stands twice"),
        ("item,tier,passed\n,A,1\na,B,1\n", "line 2: has no item or tier"),
    ],
)
def test_a_fault_is_named_with_its_place(text, words):
    assert words in refused(text)


def test_no_table_is_refused():
    assert refused("")
    with pytest.raises(InputProblems):
        read_paired_results("p.csv", b"\x89PNG\r\n\x1a\n" + bytes(40))


def test_a_file_too_large_is_refused_unread():
    assert "more than the 20 MB" in refused("x" * 20_000_001)
