"""A real Chromium drives the real app: what a person does first, and what must never happen."""

import re

import pytest
from playwright.sync_api import expect

from app import links
from app.charts.theme import DARK
from tests.app import tiny
from tests.app.clicking import sweep
from tests.browser.watching import WAIT_MS, arrived, follow, go, metric, settled, type_number, upload

pytestmark = pytest.mark.browser
TRACES = ".js-plotly-plot .scatterlayer .trace"
HOSTILE = '![x](http://evil.example/a.png)<script>alert(1)</script><img src="http://evil.example/b.png">'


def test_the_first_screen_is_an_answer_with_its_charts(page, server):
    go(page, server)
    expect(page.get_by_text(re.compile(r"^Serve .* a month"))).to_be_visible()
    assert metric(page, "Cost per month").startswith("$")
    expect(page.locator(".js-plotly-plot").nth(1)).to_be_visible()
    assert page.locator(".js-plotly-plot .barlayer .trace").count() >= 1
    assert page.locator(TRACES).count() >= 5


def test_a_changed_number_repaints_this_page_and_the_answer(page, server):
    go(page, server)
    before = metric(page, "Cost per month")
    follow(page, "workloads")
    picture = page.locator(".js-plotly-plot .scatterlayer path.js-line").first
    drawn = picture.get_attribute("d")
    type_number(page, "Peak rate (tasks per second)", 6)
    expect(picture).not_to_have_attribute("d", drawn)
    follow(page, "overview")
    assert metric(page, "Cost per month") != before
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_test_id("stMetricValue").first).to_have_text(before, timeout=WAIT_MS)


def test_an_uploaded_sweep_shows_on_concurrency_and_on_the_overview(page, server):
    go(page, server, "benchmarks")
    page.get_by_text("Keep in this session only").click()
    settled(page)
    upload(page, "our-sweep.csv", sweep())
    expect(page.get_by_text("5 of 5 rows usable")).to_be_visible()
    page.get_by_role("button", name="Use these measurements").click()
    expect(page.get_by_text("5 points, kept in this session")).to_be_visible()
    follow(page, "concurrency")
    expect(page.locator(".js-plotly-plot .scatterlayer path.point").first).to_be_visible()
    assert page.locator(".js-plotly-plot .scatterlayer path.point").count() >= 5
    follow(page, "overview")
    expect(page.get_by_text("your 5 measured points")).to_be_visible()
    expect(page.get_by_text("our-sweep.csv")).to_be_visible()


def test_a_bad_file_is_refused_with_address_and_cure(page, server):
    go(page, server, "benchmarks")
    upload(page, "bad.csv", b"concurrency,tpot_ms_p50\n1,fast\n")
    box = page.get_by_test_id("stAlert").first
    expect(box).to_contain_text("row 2")
    expect(box).to_contain_text("fast")
    expect(page.get_by_role("button", name="Use these measurements")).to_have_count(0)
    settled(page)


def test_the_draft_survives_a_reload_and_travels_in_the_address(page, server, open_context):
    go(page, server, "workloads")
    type_number(page, "Peak rate (tasks per second)", 0.75)
    page.wait_for_url(re.compile(r"[?&]s="))
    page.reload()
    arrived(page, "workloads")
    expect(page.get_by_label("Peak rate (tasks per second)", exact=True)).to_have_value("0.75")
    scenario = page.get_by_text(re.compile(r"· id ")).inner_text()
    colleague = open_context().new_page()
    colleague.goto(page.url)
    arrived(colleague, "workloads")
    expect(colleague.get_by_label("Peak rate (tasks per second)", exact=True)).to_have_value("0.75")
    assert colleague.get_by_text(re.compile(r"· id ")).inner_text() == scenario


def test_the_report_is_one_file_that_opens_without_a_network(page, server, open_context, tmp_path):
    go(page, server, "report")
    with page.expect_download() as caught:
        page.get_by_role("button", name="Download HTML").click()
    path = tmp_path / caught.value.suggested_filename
    caught.value.save_as(path)
    assert path.suffix == ".html"
    offline = open_context(offline=True)
    asked = []
    reader = offline.new_page()
    reader.on("request", lambda request: asked.append(request.url))
    reader.goto(path.as_uri())
    expect(reader.get_by_role("heading", name="Decision")).to_be_visible()
    assert reader.locator("figure svg").count() >= 1
    assert reader.evaluate("document.querySelectorAll('figure svg path').length") > 10
    assert [address for address in asked if not address.startswith(("file:", "data:"))] == []


def test_a_reader_who_likes_it_dark_gets_it_dark(server, open_context):
    page = go(open_context(color_scheme="dark").new_page(), server)
    background = page.get_by_test_id("stApp").evaluate("each => getComputedStyle(each).backgroundColor")
    assert background == rgb(DARK.background)
    page.wait_for_selector(".js-plotly-plot .barlayer .trace path", state="attached")
    colours = page.locator(".js-plotly-plot .barlayer .trace path").evaluate_all(
        "found => found.map(each => getComputedStyle(each).fill)"
    )
    assert set(colours) <= {rgb(colour) for colour in DARK.series}
    assert colours


def rgb(colour):
    """A hex colour as a browser states it."""
    red, green, blue = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    return f"rgb({red}, {green}, {blue})"


def test_markup_in_names_is_text_and_asks_nobody(page, server, left_the_machine):
    draft = tiny.draft(name=HOSTILE)
    draft["workloads"][0]["name"] = HOSTILE
    for offer in draft["offers"]:
        offer["tier"]["label"] = f"{offer['tier']['label']} {HOSTILE}"
    page.on("dialog", lambda dialog: pytest.fail("a script ran"))
    page.goto(f"{server}/?s={links.encode(draft)}")
    arrived(page, "overview")
    expect(page.get_by_text(re.compile(r"^Serve !\[x\]\(http://evil"))).to_be_visible()
    for name in ("report", "workloads", "tiers", "latency", "concurrency", "cost"):
        follow(page, name)
        assert page.locator("img[src*='evil']").count() == 0
    assert left_the_machine == []


def test_every_page_opens_from_its_address(page, server):
    for name in ("report", "workloads", "tiers", "benchmarks", "latency", "concurrency", "cost", "claims"):
        go(page, server, name)


def test_nothing_left_the_machine(left_the_machine):
    assert left_the_machine == []


def test_the_first_page_is_found_under_its_name_too(page, server):
    page.goto(f"{server}/overview")
    arrived(page, "overview")
    expect(page.get_by_text("Page not found")).to_have_count(0)
