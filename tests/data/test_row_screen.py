"""The quick look at many rows misses nothing that the checks, row by row, would say."""

import random
from datetime import date

import pytest

from data.columns import COUNTS, LATENCIES, columns_of_measurements, measurements_of_columns
from data.completion import with_mean_tpot
from data.imports import import_file
from data.plausibility import implausibilities
from data.row_screen import screened
from data.sanity_checks import impossibilities, sanity_warnings
from models.measurements import Measurement
from models.percentiles import Percentiles

TODAY = date(2026, 11, 30)
TYPICAL = {
    "ttft_s": 0.2,
    "itl_s": 0.02,
    "tpot_s": 0.02,
    "e2e_s": 3.0,
    "isl_tok": 500.0,
    "osl_tok": 140.0,
    "concurrency_count": 8.0,
    "offered_rate_req_per_s": 2.5,
    "request_rate_req_per_s": 2.6,
    "output_rate_tok_per_s": 370.0,
    "total_rate_tok_per_s": 1700.0,
    "duration_s": 80.0,
    "request_count": 200,
    "error_count": 1,
    "accelerator_count": 4,
    "batch_count": 8.0,
}


def random_row(rng: random.Random) -> Measurement:
    """A row near to an honest one, now and then far from it, with gaps."""
    values = {}
    for name, typical in TYPICAL.items():
        if rng.random() < 0.3:
            continue
        factor = rng.choice([1, 1, 1, rng.lognormvariate(0, 0.3), 10.0 ** rng.uniform(-5, 5)])
        value = typical * factor
        if name in COUNTS:
            value = max(0, round(value))
        if name in LATENCIES:
            spread = sorted(value * rng.lognormvariate(0.3, 0.4) for _ in range(3))
            figures = dict(zip(("mean", "p50", "p90", "p95", "p99"), (value, value, *spread), strict=True))
            values[name] = Percentiles(
                **{each: figure for each, figure in figures.items() if rng.random() < 0.6}
            )
        else:
            values[name] = rng.choice([value, value, value, 0 if name in COUNTS else 0.0])
    return Measurement(
        load_kind=rng.choice([None, "rate", "concurrency", "concurrency"]),
        accelerator=rng.choice([None, "H100 SXM", "TOY"]),
        model=rng.choice([None, "gpt-oss-120b", "toy"]),
        measured_on=rng.choice([None, TODAY, date(2019, 1, 1), date(2030, 1, 1)]),
        **values,
    )


def said_of(row: Measurement) -> list[str]:
    """All that the checks say, one by one."""
    completed, notes = with_mean_tpot(row, "row")
    problems = (*notes, *sanity_warnings(row, "row"), *implausibilities(row, "row", TODAY))
    changed = ["changed"] if completed is not row else []
    return [*impossibilities(row), *(problem.message for problem in problems), *changed]


def test_no_row_of_which_a_check_speaks_is_passed_over():
    rng = random.Random(11)
    rows = [random_row(rng) for _ in range(30_000)]
    flags, _ = screened(rows, TODAY)
    silent = [row for row, flag in zip(rows, flags, strict=True) if not flag]
    assert len(silent) > 300  # it is worth asking
    for row in silent:
        assert said_of(row) == [], row


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1.0])
@pytest.mark.parametrize("name", ["isl_tok", "output_rate_tok_per_s", "ttft_s"])
def test_what_is_no_figure_is_marked(value, name):
    known = {"e2e_s": Percentiles(p50=1.0)} | {name: Percentiles(p99=value) if name == "ttft_s" else value}
    assert screened([Measurement(**known)], TODAY)[0] == [True]
    assert screened([Measurement()], TODAY)[0] == [True]  # it holds no result


def test_rows_travel_by_columns_and_come_back_the_same():
    rng = random.Random(5)
    rows = [random_row(rng) for _ in range(300)]
    assert measurements_of_columns(columns_of_measurements(rows), len(rows)) == rows
    assert measurements_of_columns(columns_of_measurements([]), 0) == []


def test_a_table_is_read_the_same_whatever_other_rows_it_holds():
    header = (
        "model,accelerator,concurrency,isl_tokens,osl_tokens,ttft_ms_p50,tpot_ms_mean,output_tps,n_requests"
    )
    rows = [f"toy,4xTOY,{load},500,140,{30 + load},10,{80 * load},200" for load in (1, 2, 4)]
    rows += [
        "toy,TOY,8,500,140,0,10,640,200",
        "toy,TOY,,500,140,40 ms,10,640,200",
        "toy,TOY,8,500,140,x,10,1,2",
    ]
    whole = import_file("t.csv", "\n".join((header, *rows)).encode())
    alone = [import_file("t.csv", f"{header}\n{row}\n".encode()).measurements for row in rows]
    assert list(whole.measurements) == [row for each in alone for row in each]
    assert len(whole.measurements) == 5
