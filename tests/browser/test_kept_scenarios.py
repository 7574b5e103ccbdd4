"""A scenario kept by name in a real browser is there for a colleague and after the server starts again."""

import pytest
from playwright.sync_api import expect

from app import links
from tests.app import tiny
from tests.browser.watching import WAIT_MS, arrived, follow, go, metric, settled

pytestmark = pytest.mark.browser
HOSTILE = "![x](http://evil.example/a.png)<script>alert(1)</script>"


def keep(page, name):
    field = page.get_by_label("Keep the scenario in hand as")
    field.fill(name)
    page.get_by_role("button", name="Keep", exact=True).click()
    expect(page.get_by_text("1 kept scenario", exact=True)).to_be_visible(timeout=WAIT_MS)
    settled(page)


def test_a_kept_scenario_outlives_the_server_and_opens_in_another_session(start_server, open_context):
    context = open_context()
    page = context.new_page()
    page.on("dialog", lambda dialog: pytest.fail("a script ran"))
    with start_server() as server:
        page.goto(f"{server}/scenarios?s={links.encode(tiny.draft())}")
        arrived(page, "scenarios")
        keep(page, HOSTILE)
    with start_server() as server:
        other = context.new_page()
        go(other, server, "scenarios")
        expect(other.get_by_text(HOSTILE, exact=True)).to_be_visible()
        other.get_by_role("button", name="Open", exact=True).click()
        expect(other.get_by_text(tiny.draft()["name"], exact=True).first).to_be_visible(timeout=WAIT_MS)
        settled(other)
        follow(other, "overview")
        assert metric(other, "Cost per month") == "$94,673"
        follow(other, "report")
        choice = other.get_by_role("combobox", name="Compare with")
        choice.click()
        other.get_by_text(f"Kept: {HOSTILE}", exact=True).click()
        expect(other.get_by_role("heading", name="Compared with another scenario")).to_be_visible()
        expect(other.get_by_text("Every input is the same.")).to_be_visible()
        assert other.locator("img[src*='evil']").count() == 0


def test_what_is_deleted_comes_back(start_server, open_context):
    page = open_context().new_page()
    with start_server() as server:
        go(page, server, "scenarios")
        keep(page, "Mine")
        page.get_by_role("button", name="Delete", exact=True).click()
        expect(page.get_by_text("0 kept scenarios")).to_be_visible()
        page.get_by_text("Deleted (1)").click()
        page.get_by_role("button", name="Bring back").click()
        expect(page.get_by_text("1 kept scenario", exact=True)).to_be_visible()
        settled(page)
