"""Every figure of the Cost page can be asked for its evidence, and the arithmetic told is the one done."""

import re

import pytest

from app import figure_desk, workbench
from app.figure_rows import Figure, cost_rows
from app.formatting import show
from tests.app import tiny
from tests.app.clicking import open_page, tables, words

DIGIT = re.compile(r"\d")
# Tables that are evidence themselves: each of their rows names its source.
EVIDENCE_TABLES = ("Prices over time", "Evidence behind the plan's numbers")
WORDS = ("May the plan use", "And the tokens?", "Grade", "Verdict", "Tier's grade", "Weakest figure used")


def alts(app):
    """The descriptions of the page's tables, in order."""
    return [each.proto.alt for each in app.dataframe]


@pytest.mark.parametrize("example", [workbench.worked_example, workbench.buyer_example, tiny.draft])
def test_every_table_of_the_cost_page_is_made_of_figures_that_answer(app, example, monkeypatch):
    asked = {}
    monkeypatch.setattr(figure_desk, "ask", lambda rows, alt: asked.__setitem__(alt, rows))
    app.run()
    app.session_state["draft"] = example()
    open_page(app, "cost")
    assert list(app.exception) == []
    shown = [each for each in app.dataframe if each.proto.alt not in EVIDENCE_TABLES]
    assert shown
    assert {each.proto.alt for each in shown} == set(asked)
    for each in shown:
        rows = asked[each.proto.alt]
        assert [list(cells) for cells in each.value.to_numpy()] == [list(row.cells.values()) for row in rows]
        for row in rows:
            told = {head for head, text in row.cells.items() if DIGIT.search(text)}
            beside = {head for head in told if head in row.names or head.startswith(WORDS)}
            assert told - beside <= set(row.figures)
            assert row.uses, (each.proto.alt, row.name)
            assert all(use.evidence.source and use.evidence.grade for use in row.uses)
            assert len(set(row.figures)) == len(row.figures)


def test_a_figure_without_arithmetic_cannot_be_made():
    with pytest.raises(ValueError, match="arithmetic"):
        Figure("12", " ")


def test_the_arithmetic_of_a_months_bill_is_the_bill():
    seen = workbench.view(workbench.worked_example())
    rows = {row.names["Line"]: row for row in cost_rows(seen)}
    for each in seen.plan.allocations:
        pool = next(pool for pool in seen.plan.pools if pool.name == each.pool)
        told = rows[each.workload].figures["USD a month"].arithmetic
        whole = show("cost_usd_per_month", pool.cost_usd_per_month)
        assert f"= {whole} where all run all month; the pool's bill, {whole}" in told
    assert rows["Whole plan"].figures["USD a month"].arithmetic == "the sum of all lines above"


def test_a_reader_asks_where_a_figure_comes_from(app):
    app.run()
    open_page(app, "cost")
    figure = next(each for each in app.selectbox if each.key == "ask_figure:Cost by workload")
    figure.set_value("Per task").run()
    assert "calls over calls a task" in words(app)
    assert "Evidence: Cost by workload" in alts(app)
    assert "usd_per_accelerator_h" in tables(app)
