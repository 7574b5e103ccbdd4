"""Every page opens, says what it is, and shows what it promises; edits travel and come back."""

from pathlib import Path

import pytest

from app import links, session, workbench
from app.formatting import show
from tests.app import tiny
from tests.app.clicking import (
    button,
    metrics,
    number_input,
    open_page,
    sweep,
    tables,
    texts,
    uploader,
    words,
)
from tests.house.sources import module_names

CONTENT = {
    "overview": ["Serve operations", "Where does the money go in a month?"],
    "scenarios": ["0 kept scenarios", "everyone who uses this server"],
    "compare": ["Nothing was changed yet"],
    "report": ["Decision", "Reproducibility", "Serve operations"],
    "workloads": ["Tokens per call", "Targets", "When does the work arrive?"],
    "tiers": ["per accelerator-hour", "Cerebras", "points"],
    "benchmarks": ["Recognised by content"],
    "latency": ["Time to first token, p95"],
    "concurrency": ["What does each user get as more share one replica?", "Open dots"],
    "cost": ["What does a million output tokens cost at this load?"],
    "routing": ["Leaving each workload whole", "Runner-up", "times its price", "Not worked out yet"],
    "what_if": ["What holds at another load?", "Every promise holds", "Least regret", "Not worked out yet"],
    "parity": ["One row an item and tier", "the baseline"],
    "method": ["How each kind of tier", "Bytes and operations", "Time to first token"],
    "claims": ["Who measured", "claims", "who measured it", "Does one defect scrap a wafer?"],
}


def test_every_page_has_its_expected_content():
    assert set(CONTENT) == module_names("pages")


@pytest.mark.parametrize("page", sorted(CONTENT))
def test_a_page_opens_with_one_title_and_its_content(app, page):
    app.run()
    open_page(app, page)
    assert list(app.exception) == []
    assert [title.value.lower() for title in app.title] == [page.replace("_", "-")]
    shown = words(app) + tables(app)
    assert [text for text in CONTENT[page] if text.lower() not in shown.lower()] == []
    assert list(app.error) == []


@pytest.mark.parametrize("page", sorted(CONTENT))
def test_a_page_says_what_is_wrong_with_a_scenario_and_how_to_mend_it(app, page):
    app.run()
    draft = app.session_state["draft"]
    draft["workloads"][0]["peak_rate_req_per_s"] = -1
    app.session_state["draft"] = draft
    open_page(app, page)
    assert list(app.exception) == []
    if page not in ("benchmarks", "claims", "method", "scenarios"):
        assert "peak_rate_req_per_s" in words(app)


def test_the_overview_shows_the_plans_numbers(app):
    app.run()
    totals = workbench.view(workbench.worked_example()).plan.totals
    shown = metrics(app)
    assert shown["Cost per month"] == show("cost_usd_per_month", totals.cost_usd_per_month)
    assert shown["Weakest evidence"] == totals.weakest_grade


def test_a_changed_rate_changes_the_bill_and_undo_brings_it_back(app):
    app.run()
    before, sentence = metrics(app)["Cost per month"], words(app)
    open_page(app, "workloads")
    number_input(app, "workloads/0/peak_rate_req_per_s").set_value(5.0).run()
    assert list(app.exception) == []
    open_page(app, "overview")
    assert metrics(app)["Cost per month"] != before
    button(app, "Undo").click().run()
    assert metrics(app)["Cost per month"] == before
    assert words(app) == sentence
    assert button(app, "Undo").disabled
    button(app, "Redo").click().run()
    assert metrics(app)["Cost per month"] != before
    assert app.session_state["draft"]["workloads"][0]["peak_rate_req_per_s"] == 5.0
    assert links.decode(app.session_state["s"]) == app.session_state["draft"]
    assert button(app, "Redo").disabled
    button(app, "Undo").click().run()
    open_page(app, "workloads")
    number_input(app, "workloads/0/peak_rate_req_per_s").set_value(6.0).run()
    assert button(app, "Redo").disabled


def test_a_change_stands_beside_what_was_before_it(app):
    app.run()
    open_page(app, "workloads")
    number_input(app, "workloads/0/peak_rate_req_per_s").set_value(5.0).run()
    open_page(app, "compare")
    assert list(app.exception) == []
    assert "The bill rises by" in words(app)
    assert "workloads[operations].peak_rate_req_per_s" in tables(app)
    button(app, "Put this scenario aside").click().run()
    open_page(app, "workloads")
    number_input(app, "workloads/0/peak_rate_req_per_s").set_value(0.5).run()
    open_page(app, "compare")
    assert "The bill falls by" in words(app)


def test_the_draft_survives_going_from_page_to_page(app):
    app.run()
    open_page(app, "workloads")
    number_input(app, "workloads/0/peak_rate_req_per_s").set_value(0.75).run()
    for page in ("overview", "claims", "latency", "workloads"):
        open_page(app, page)
    assert number_input(app, "workloads/0/peak_rate_req_per_s").value == 0.75
    assert app.session_state["draft"]["workloads"][0]["peak_rate_req_per_s"] == 0.75


def test_an_edit_writes_the_link_and_the_link_is_the_draft(app):
    app.run()
    assert not app.session_state["s"]
    open_page(app, "workloads")
    number_input(app, "workloads/0/peak_rate_req_per_s").set_value(0.75).run()
    assert links.decode(app.session_state["s"]) == app.session_state["draft"]


def test_a_pasted_code_replaces_the_draft_and_undo_brings_the_old_one_back(app):
    app.run()
    wanted = workbench.worked_example() | {"name": "From a colleague"}
    app.text_input(key="s").set_value(links.encode(wanted)).run()
    assert app.session_state["draft"] == wanted
    assert "From a colleague" in words(app)
    button(app, "Undo").click().run()
    assert app.session_state["draft"] == workbench.worked_example()


def test_the_reports_title_follows_the_scenario_until_one_is_typed(app):
    app.run()
    open_page(app, "report")
    wanted = workbench.worked_example() | {"name": "From a colleague"}
    app.text_input(key="s").set_value(links.encode(wanted)).run()
    title = next(each for each in app.text_input if each.label == "Title")
    assert (title.value, title.placeholder) == ("", "From a colleague")


@pytest.mark.parametrize("code", ["nonsense", "eJw", "%%%", "A" * 5000])
def test_a_damaged_code_leaves_the_draft_as_it_was(app, code):
    app.run()
    before = app.session_state["draft"]
    app.text_input(key="s").set_value(code).run()
    assert list(app.exception) == []
    assert app.session_state["draft"] == before
    assert "the scenario in this link cannot be read" in words(app)


def test_a_link_to_a_scenario_with_problems_says_which(app):
    app.run()
    wrong = workbench.worked_example()
    wrong["workloads"][0]["targts"] = []
    app.text_input(key="s").set_value(links.encode(wrong)).run()
    assert app.session_state["draft"] == workbench.worked_example()
    assert "targts" in words(app)


def test_own_measurements_calibrate_the_plan_and_the_overview_says_so(app):
    app.run()
    open_page(app, "benchmarks")
    uploader(app, "Benchmark files").set_value([("ours.csv", sweep(), "text/csv")]).run()
    assert list(app.exception) == []
    assert "5 of 5 rows usable" in words(app)
    button(app, "Use these measurements").click().run()
    assert "5 points, stored" in words(app)
    open_page(app, "overview")
    [changed] = [each.value.replace("\\", "") for each in app.success]
    assert "1 x B200 SXM" in changed
    assert "5 measured points" in changed
    assert "ours.csv" in changed
    assert "→ A" in changed
    open_page(app, "concurrency")
    assert list(app.exception) == []


def test_the_same_file_twice_counts_once(app):
    app.run()
    for _ in range(2):
        open_page(app, "benchmarks")
        uploader(app, "Benchmark files").set_value([("ours.csv", sweep(), "text/csv")]).run()
        button(app, "Use these measurements").click().run()
    assert "nothing was added twice" in words(app)
    assert len(session.store().measurements()) == 5


def test_what_is_kept_in_a_session_stays_out_of_the_store(app):
    app.run()
    open_page(app, "benchmarks")
    app.toggle[0].set_value(True).run()
    uploader(app, "Benchmark files").set_value([("ours.csv", sweep(), "text/csv")]).run()
    button(app, "Use these measurements").click().run()
    assert "kept in this session" in words(app)
    open_page(app, "overview")
    assert len(app.success) == 1
    assert session.store().measurements() == ()


BAD_FILES = {
    "empty.csv": (b"", "empty"),
    "text.csv": (b"concurrency,tpot_ms_p50\n1,fast\n", "row 2"),
    "negative.csv": (b"concurrency,tpot_ms_p50,ttft_ms_p50\n1,10,-5\n", "row 2"),
    "page.csv": (b"<!doctype html><html><body>Log in</body></html>", "web page"),
    "headings.csv": (b"concurrency,tpot_ms_p50\n", "no row"),
    "picture.csv": (b"\x89PNG\r\n\x1a\n" + bytes(200), ""),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_is_refused_with_a_reason_and_stores_nothing(app, name):
    raw, reason = BAD_FILES[name]
    app.run()
    open_page(app, "benchmarks")
    uploader(app, "Benchmark files").set_value([(name, raw, "text/csv")]).run()
    assert list(app.exception) == []
    complaints = "\n".join(each.value.replace("\\", "") for each in app.error)
    assert complaints
    assert reason.lower() in complaints.lower()
    assert [each for each in app.button if each.label == "Use these measurements"] == []
    assert session.store().measurements() == ()


def test_a_refused_row_does_not_take_the_good_ones_with_it(app):
    app.run()
    open_page(app, "benchmarks")
    raw = sweep() + b"b200_sxm_x1_trt,gpt-oss-120b,1000,1000,256,fast,9,9,9,9,9,0,lab\n"
    uploader(app, "Benchmark files").set_value([("ours.csv", raw, "text/csv")]).run()
    assert "5 of 6 rows usable" in words(app)
    assert "row 7" in words(app)


def test_the_published_measurements_can_be_asked_from_the_first_run(app):
    app.run()
    open_page(app, "benchmarks")
    shown = session.store().query("SELECT count(*) AS points FROM all_measurements").rows
    assert shown[0][0] > 100


def test_names_that_look_like_markup_are_shown_letter_for_letter(app):
    hostile = "![x](http://evil.example/a.png) <script>alert(1)</script> **b**"
    app.run()
    draft = workbench.worked_example()
    draft["name"] = hostile
    draft["workloads"][0]["name"] = hostile
    app.session_state["draft"] = draft
    for page in sorted(CONTENT):
        open_page(app, page)
        assert list(app.exception) == []
        raw = texts(app)
        assert "![x]" not in raw.replace("\\!", "")
        assert "<script>" not in raw.replace("\\<", "")


def test_values_beyond_what_may_be_typed_are_shown_as_the_file_has_them(app):
    draft = workbench.worked_example()
    draft["policy"] |= {"max_utilisation_fraction": 0.995, "accepted_derate_ratio": 0.01}
    draft["policy"] |= {"accepted_p95_to_p50_ratio": 30, "spare_unit_count": 200}
    draft["workloads"][0]["input_tok"] = {"kind": "lognormal", "p50": 1, "p95": 3}
    workbench.scenario_of(draft)
    app.run()
    app.session_state["draft"] = draft
    for page in ("overview", "workloads"):
        open_page(app, page)
        assert list(app.exception) == []


@pytest.mark.parametrize("page", sorted(CONTENT))
def test_a_store_that_cannot_be_opened_is_said_and_not_a_crash(app, page, tmp_path, monkeypatch):
    broken = tmp_path / "notes.duckdb"
    broken.write_bytes(b"SQLite format 3\x00" + bytes(200))
    monkeypatch.setenv("PLIMSOLL_DB", str(broken))
    app.run()
    open_page(app, page)
    assert list(app.exception) == []
    assert [title.value.lower() for title in app.title] == [page.replace("_", "-")]
    if page not in ("benchmarks", "claims", "method", "scenarios"):  # they begin with what needs no store
        assert "SQLite" in words(app)
    assert broken.read_bytes().startswith(b"SQLite")


def test_labels_of_choices_show_markup_letter_for_letter(app):
    app.run()
    draft = workbench.worked_example()
    draft["workloads"][0]["name"] = "![x](http://evil.example/a.png)"
    app.session_state["draft"] = draft
    for page in sorted(CONTENT):
        open_page(app, page)
        # Unlike those of select boxes, the options of button groups are rendered as Markdown.
        shown = [option.content for group in app.get("button_group") for option in group.proto.options]
        assert [text for text in shown if text.startswith("![")] == []


@pytest.mark.parametrize("page", sorted(CONTENT))
def test_a_scenario_that_defines_its_own_tiers_and_model_opens_everywhere(app, page):
    app.run()
    app.session_state["draft"] = tiny.draft()
    open_page(app, page)
    assert list(app.exception) == []
    assert list(app.error) == []


def test_a_file_can_be_said_to_measure_a_tier_of_ones_own(app):
    app.run()
    app.session_state["draft"] = tiny.draft()
    open_page(app, "benchmarks")
    uploader(app, "Benchmark files").set_value([("ours.csv", sweep("", ""), "text/csv")]).run()
    about = next(each for each in app.selectbox if each.label == "These points measured")
    about.set_value("plain/tiny-1").run()
    button(app, "Use these measurements").click().run()
    assert {each.measurement.tier for each in session.store().measurements()} == {"plain"}
    open_page(app, "overview")
    assert "Plain API: your 5 measured points (ours.csv) calibrate it now" in words(app).replace("*", "")


def labelled_number(app, label):
    """The number field whose label begins so; its unit follows."""
    return next(each for each in app.number_input if each.label.startswith(label))


def on_the_tiers_page(app, tier, model="gpt-oss-120b"):
    """The worked example with one offer, on the page of tiers."""
    app.run()
    wanted = workbench.worked_example() | {"offers": [{"tier": tier, "model": model}]}
    app.text_input(key="s").set_value(links.encode(wanted)).run()
    return open_page(app, "tiers")


def test_an_empty_pairing_takes_the_users_figures(app):
    on_the_tiers_page(app, "gpu_dx1")
    assert "Cannot be planned" in words(app)
    for label, value in (
        ("Link rate", 400.0),
        ("Step overhead", 0.002),
        ("Cost per prompt token", 2e-5),
    ):
        labelled_number(app, label).set_value(value)
    labelled_number(app, "Accelerators per replica").set_value(8)
    button(app, "Use these figures").click().run()
    assert list(app.exception) == []
    (offer,) = app.session_state["draft"]["offers"]
    tier = offer["tier"]
    assert tier["link"] == {"one_way_gbit_per_s": 400.0}
    assert tier["step"]["alpha_s"] == 0.002
    assert tier["prefill"]["delta_s_per_input_tok"] == 2e-5
    assert "hand-over at 50 GB/s one way" in words(app)
    assert "Cannot be planned" not in words(app)


def test_wafers_take_a_measured_speed_and_a_prefill_rate(app):
    on_the_tiers_page(app, "cs3_owned")
    assert "a ceiling sizes nothing" in words(app)
    labelled_number(app, "Stream speed").set_value(1500.0)
    labelled_number(app, "Prefill speed").set_value(20000.0)
    button(app, "Use these figures").click().run()
    assert list(app.exception) == []
    (offer,) = app.session_state["draft"]["offers"]
    assert offer["tier"]["prefill_rate_tok_per_s"] == 20000.0
    assert offer["tier"]["speed"]["stream_rate_ceiling_tok_per_s"] == 3000
    assert "A stream alone 1,500 tok/s" in words(app)


def test_a_price_of_ones_own_is_added_to_those_before_it(app):
    on_the_tiers_page(app, "cs3_rented")
    for usd in (60.0, 55.0):
        labelled_number(app, "Price per accelerator-hour").set_value(usd)
        button(app, "Add this price").click().run()
        assert list(app.exception) == []
    (offer,) = app.session_state["draft"]["offers"]
    day = app.session_state["draft"]["as_of"]
    assert offer["tier"] == "cs3_rented"
    assert offer["prices"] == [
        {"valid_from": day, "basis": "hourly", "usd_per_accelerator_h": usd} for usd in (60.0, 55.0)
    ]
    shown = tables(app)
    assert "$55.00 per accelerator-hour,holds,you" in shown
    assert "$60.00 per accelerator-hour,superseded,you" in shown
    open_page(app, "cost")
    assert "$60.00 per accelerator-hour,superseded,you" in tables(app)


def test_an_empty_price_is_asked_for(app):
    on_the_tiers_page(app, "cs3_rented")
    button(app, "Add this price").click().run()
    assert "Fill in every price" in words(app)
    assert app.session_state["draft"]["offers"] == [{"tier": "cs3_rented", "model": "gpt-oss-120b"}]


def test_an_aiconfigurator_result_becomes_an_offer(app):
    on_the_tiers_page(app, "cs3_rented")
    sample = Path(__file__).parents[1] / "data" / "samples" / "aiconfigurator_disagg.csv"
    uploader(app, "Result (CSV)").set_value(("best.csv", sample.read_bytes(), "text/csv")).run()
    button(app, "Add this tier").click().run()
    assert list(app.exception) == []
    assert app.session_state["draft"]["offers"][1]["tier"]["id"] == "aiconfigurator"


def test_cost_says_where_the_plan_refuses_a_tier_that_would_pay(app):
    app.run()
    open_page(app, "cost")
    shown = tables(app)
    assert "would pay, but the plan refuses it" in shown
    assert "no: TTFT p95 within 2 s: TTFT p95 is not published" in shown


def test_what_if_says_which_of_two_answers_to_follow(app):
    app.run()
    open_page(app, "what_if")
    assert "follow least expected cost where you trust the weights" in words(app)
    assert "taken by the month" in words(app)
