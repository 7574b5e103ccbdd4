"""How fast the pages are in a real browser: start to first answer, and a changed number to new charts.

    python -m tests.benchmarks.page_speed

Prints figures of one run in headless Chromium; nothing is asserted.
"""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]
IDLE = "[data-testid=stApp][data-test-script-state=notRunning][data-test-connection-state=CONNECTED]"
EDITS = 5


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_healthy(address: str) -> None:
    for _ in range(300):
        try:
            if urllib.request.urlopen(f"{address}/_stcore/health", timeout=1).status == 200:
                return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError("the server did not start within 30 s")


def chart_state(page: Page) -> str:
    return page.evaluate(
        "[...document.querySelectorAll('.js-plotly-plot path.js-line, .point path')]"
        ".map(e => e.getAttribute('d')).join()"
    )


def repaint_s(page: Page, value: str) -> float:
    """From Enter in the utilisation field to new charts and an idle script."""
    before = page.locator("[data-testid=stMetricValue]").first.inner_text()
    charts = chart_state(page)
    field = page.get_by_role("spinbutton", name="Highest utilisation allowed")
    field.fill(value)
    start = time.perf_counter()
    field.press("Enter")
    page.wait_for_timeout(30)
    page.wait_for_selector(IDLE)
    taken = time.perf_counter() - start
    changed = before != page.locator("[data-testid=stMetricValue]").first.inner_text()
    print(f"  utilisation {value}: {taken:.2f} s, figures changed: {changed or charts != chart_state(page)}")
    return taken


def main() -> int:
    chromium = shutil.which("chromium")
    if chromium is None:
        print("no Chromium found")
        return 1
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        address = f"http://127.0.0.1:{(port := free_port())}"
        start = time.perf_counter()
        server = subprocess.Popen(
            [sys.executable, "-m", "app", "--port", str(port)],
            env=os.environ | {"PLIMSOLL_DB": str(Path(folder) / "speed.duckdb")},
            stdout=subprocess.DEVNULL,
        )
        try:
            wait_until_healthy(address)
            print(f"server healthy after {time.perf_counter() - start:.1f} s")
            browser = driver.chromium.launch(executable_path=chromium, args=FLAGS)
            page = browser.new_page(viewport={"width": 1400, "height": 1600})
            page.goto(address)
            page.wait_for_selector("[data-testid=stMetricValue]", timeout=60_000)
            print(f"first answer after {time.perf_counter() - start:.1f} s")
            page.wait_for_selector(".js-plotly-plot", timeout=60_000)
            page.wait_for_selector(IDLE, timeout=60_000)
            print(f"first page with charts after {time.perf_counter() - start:.1f} s")
            page.get_by_text("Rules of this plan").click()
            times = [repaint_s(page, f"0.{80 - index}") for index in range(EDITS)]
            print(f"changed number to new charts: best {min(times):.2f} s, worst {max(times):.2f} s")
            browser.close()
        finally:
            server.send_signal(2)
            server.wait(20)
    return 0


if __name__ == "__main__":
    sys.exit(main())
