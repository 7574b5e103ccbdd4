"""A request log becomes a workload on the Workloads page, and Undo takes it back."""

import io

from app import session
from data.imports import import_file
from tests.app.clicking import button, open_page, tables, words


def log():
    rows = (
        f"r{number},{1_780_012_800 + 7 * number},{200 + number % 50},{20 + number % 9},120,900,200"
        for number in range(20_000)
    )
    out = io.StringIO()
    out.write("request_id,timestamp,prompt_tokens,completion_tokens,ttft_ms,e2e_ms,status\n")
    out.write("\n".join(rows))
    return out.getvalue().encode()


def workloads(app):
    return app.session_state["draft"]["workloads"]


def test_without_a_log_the_page_says_where_one_comes_from(app):
    app.run()
    open_page(app, "workloads")
    assert "Import a log with one row per request" in words(app)


def test_a_log_is_added_as_a_workload_or_fits_the_one_in_hand_and_undo_takes_it_back(app):
    app.run()
    session.store().save(import_file("evening.csv", log()))
    open_page(app, "workloads")
    assert "20,000, of which 0 failed" in tables(app)
    before = workloads(app)
    button(app, "Add as a workload").click().run()
    assert [each["name"] for each in workloads(app)] == [*(each["name"] for each in before), "evening"]
    assert workloads(app)[-1]["input_tok"]["kind"] == "empirical"
    assert list(app.exception) == []
    button(app, "Undo").click().run()
    assert workloads(app) == before
    fit = next(each for each in app.button if each.label.startswith("Fit "))
    fit.click().run()
    assert workloads(app)[0]["measured"]["file"] == "evening.csv"
    assert workloads(app)[0]["targets"] == before[0]["targets"]
    assert list(app.error) == []
    assert "lengths of a log" in words(app)
