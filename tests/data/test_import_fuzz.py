"""Broken files of every kind: the right rows or a refusal with address and cure, never a crash or a number
that is none. `MUTATIONS_A_SAMPLE` raises the number tried; the seed makes each of them come again."""

import math
import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from data.columns import LATENCIES, flat
from data.imports import import_file

SAMPLES = sorted((Path(__file__).parent / "samples").iterdir())
MUTATIONS_A_SAMPLE = int(os.environ.get("MUTATIONS_A_SAMPLE", "4"))
HUGE = (
    b"1e30",
    b"9" * 40,
    b"1e999",
    b"-1e308",
    b"-7",
    b"NaN",
    b"Infinity",
    b"0",
    b"1,234",
    b"12.5.7",
    b"=1+1",
)


def truncated(raw: bytes, rng: random.Random) -> bytes:
    return raw[: rng.randrange(len(raw))]


def with_zero_bytes(raw: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(raw))
    return raw[:place] + b"\x00" * rng.randint(1, 3) + raw[place:]


def in_another_encoding(raw: bytes, rng: random.Random) -> bytes:
    return raw.decode("utf-8", "replace").encode(
        rng.choice(["utf-16", "utf-16-le", "utf-32", "cp1252", "cp500"]), "replace"
    )


def with_another_number(raw: bytes, rng: random.Random) -> bytes:
    places = [place for place in range(1, len(raw)) if raw[place : place + 1].isdigit()]
    if not places:
        return raw
    place = end = rng.choice(places)
    while end < len(raw) and raw[end : end + 1] in b"0123456789.":
        end += 1
    return raw[:place] + rng.choice(HUGE) + raw[end:]


def with_a_line_twice(raw: bytes, rng: random.Random) -> bytes:
    lines = raw.split(b"\n")
    return b"\n".join([*lines[: (place := rng.randrange(len(lines)))], lines[place], *lines[place:]])


def with_lines_swapped(raw: bytes, rng: random.Random) -> bytes:
    lines = raw.split(b"\n")
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return b"\n".join(lines)


def with_words_swapped(raw: bytes, rng: random.Random) -> bytes:
    pieces = raw.split(b",")
    one, other = rng.randrange(len(pieces)), rng.randrange(len(pieces))
    pieces[one], pieces[other] = pieces[other], pieces[one]
    return b",".join(pieces)


def with_random_bytes(raw: bytes, rng: random.Random) -> bytes:
    changed = bytearray(raw)
    for _ in range(rng.randint(1, 8)):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def with_a_stray_quote(raw: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(raw))
    return (
        raw[:place]
        + rng.choice([b'"', b"'", b"{", b"]", b",", b";", b"\r", b"null", b"[]", b'{"a":{}}'])
        + raw[place:]
    )


MUTATIONS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    truncated,
    with_zero_bytes,
    in_another_encoding,
    with_another_number,
    with_a_line_twice,
    with_lines_swapped,
    with_words_swapped,
    with_random_bytes,
    with_a_stray_quote,
)


def check_law(found, mutated: str) -> None:
    """What came out is usable, or said to be unusable where and why."""
    for measurement in found.measurements:
        for value in flat(measurement):
            if isinstance(value, int | float):
                assert math.isfinite(value), mutated
                assert value >= 0, mutated
        for name in LATENCIES:
            known = [
                each for each in (getattr(measurement, name).p50, getattr(measurement, name).p99) if each
            ]
            assert known == sorted(known), mutated
    for problem in found.problems:
        assert problem.path, (mutated, problem)
        assert problem.message, (mutated, problem)
        assert problem.cure, (mutated, problem)
        assert "Traceback" not in problem.message, (mutated, problem)
    if found.refused:
        assert any(problem.severity == "error" for problem in found.problems), (mutated, found.problems)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_a_broken_sample_is_read_right_or_refused(sample):
    raw = sample.read_bytes()
    for mutation in MUTATIONS:
        for number in range(MUTATIONS_A_SAMPLE):
            name = f"{sample.name} {mutation.__name__} {number}"
            check_law(import_file(sample.name, mutation(raw, random.Random(name))), name)


HEADINGS = (
    "concurrency",
    "isl_tokens",
    "osl_tokens",
    "ttft_ms_p50",
    "tpot_ms_mean",
    "output_tps",
    "n_requests",
)
FIELDS = (
    "concurrency_count",
    "isl_tok",
    "osl_tok",
    "ttft_s_p50",
    "tpot_s_mean",
    "output_rate_tok_per_s",
    "request_count",
)
SCALES = (1, 1, 1, 1e-3, 1e-3, 1, 1)
JUNK = (
    *(
        "",
        "-",
        "N/A",
        "OOM",
        "#DIV/0!",
        "=A1*2",
        "inf",
        "NaN",
        "-5",
        "1e30",
        "1e999",
        "12,5",
        "1.2.3",
        "7 apples",
    ),
    *(
        "0x10",
        "1_0",
        "١٢",
        "12 s",
        "3e2",
        "+4",
        "1e-400",
        "½",
        "true",
        "12%",
        "1/2",
        "∞",
        "0",
        "00012",
        "12.",
    ),
)


@pytest.mark.parametrize("place", range(len(HEADINGS)), ids=HEADINGS)
@pytest.mark.parametrize("junk", JUNK)
def test_a_broken_cell_harms_its_own_row_at_most_and_is_named(place, junk):
    rows = [[load, 500, 128, 30.0 + load, 10.0, 80.0 * load, 200] for load in (1, 2, 4, 8, 16)]
    cells = [[f"{value:g}" for value in row] for row in rows]
    cells[2][place] = junk
    text = "\n".join(";".join(row) for row in (HEADINGS, *cells))
    found = import_file("t.csv", text.encode())
    check_law(found, junk)
    by_row = dict(zip(found.row_numbers, found.measurements, strict=True))
    for number, row in enumerate(rows, start=2):
        if number == 4:
            continue
        kept = by_row[number]
        assert kept.concurrency_count == row[0]
        assert kept.ttft_s.p50 == pytest.approx(row[3] * 1e-3)
        assert (kept.isl_tok, kept.osl_tok, kept.request_count) == (row[1], row[2], row[6])
    broken = by_row.get(4)
    value = None if broken is None else value_of(broken, FIELDS[place])
    if value is not None:
        assert value == pytest.approx(number_meant(junk) * scale_of(junk, place)), junk
    elif junk not in ("", "-", "N/A"):
        assert any("row 4" in problem.path for problem in found.problems), found.problems


def value_of(measurement, field: str):
    base, _, statistic = field.rpartition("_")
    return (
        getattr(getattr(measurement, base), statistic) if base in LATENCIES else getattr(measurement, field)
    )


def number_meant(junk: str) -> float:
    """What a reader of the cell would take it for; no other cell of the list is a number."""
    meant = {
        "12,5": 12.5,
        "3e2": 300,
        "+4": 4,
        "12 s": 12,
        "0": 0,
        "00012": 12,
        "12.": 12,
        "1_0": 10,
        "1e30": 1e30,
    }
    return meant[junk]


def scale_of(junk: str, place: int) -> float:
    return 1 if junk.endswith(" s") else SCALES[place]


@pytest.mark.parametrize(
    "raw", [b"", b" ", b"\n\n", b"\xff\xfe", b"\xef\xbb\xbf", b"{}", b"[]", b"[[]]", b"null", b"1", b'""']
)
def test_files_of_nothing_are_refused(raw):
    found = import_file("nothing", raw)
    check_law(found, repr(raw))
    assert found.refused


def test_swapped_headings_are_contradicted_by_the_figures():
    text = "concurrency;ttft_ms_p95;ttft_ms_p50;e2e_ms_p50\n2;30;45;900\n4;33;50;990\n"
    found = import_file("t.csv", text.encode())
    assert found.refused
    assert all("p50 is" in problem.message for problem in found.problems if problem.severity == "error")
