"""What it means that a page is there: its outcome is seen, its script has ended, and nothing was thrown."""

from playwright.sync_api import expect

DONE = "[data-testid=stApp][data-test-script-state=notRunning][data-test-connection-state=CONNECTED]"
WAIT_MS = 45_000


def settled(page):
    """The script has ended and the page shows no exception."""
    page.wait_for_selector(DONE, timeout=WAIT_MS)
    expect(page.get_by_test_id("stException")).to_have_count(0)
    return page


def go(page, server, name=""):
    """Open a page by its address and wait for its heading."""
    page.goto(f"{server}/{name}")
    return arrived(page, name or "overview")


def arrived(page, name):
    """The page of that name is there."""
    expect(page.get_by_role("heading", level=1, name=name.title(), exact=True)).to_be_visible(timeout=WAIT_MS)
    return settled(page)


def follow(page, name):
    """Go to a page by the sidebar, which keeps the session."""
    page.get_by_test_id("stSidebarNav").get_by_role("link", name=name.title(), exact=True).click()
    return arrived(page, name)


def metric(page, label):
    """The headline number of that label."""
    box = page.get_by_test_id("stMetric").filter(has_text=label)
    return box.get_by_test_id("stMetricValue").inner_text()


def type_number(page, label, value):
    """Type into a number field and leave it."""
    field = page.get_by_label(label, exact=True)
    field.fill(str(value))
    field.press("Enter")
    settled(page)


def upload(page, name, raw):
    """Drop a file on the benchmark field."""
    field = page.get_by_test_id("stFileUploaderDropzoneInput").last
    field.set_input_files({"name": name, "mimeType": "text/csv", "buffer": raw})
