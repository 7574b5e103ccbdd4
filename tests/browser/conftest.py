"""One real server, one real Chromium; every request that would leave the machine is stopped and noted."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest

from tests.house.sources import ROOT

FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
HERE = {"127.0.0.1", "localhost"}
START_S = 60
STOP_S = 20
WAIT_MS = 45_000


def absent(reason):
    """Skip where a browser is a luxury, fail where it is promised."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until_healthy(address, process):
    """Wait for the server's own sign of health."""
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=2) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.2)
    pytest.fail("the server did not start")


@contextmanager
def running(folder):
    """The app as a user starts it, on that folder's store; its log must hold no traceback at the end."""
    log_path = folder / "server.log"
    port = free_port()
    environment = {**os.environ, "PLIMSOLL_DB": str(folder / "store.duckdb")}
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        environment.pop(name, None)
    with log_path.open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "app", "--port", str(port)],
            cwd=ROOT,
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        address = f"http://127.0.0.1:{port}"
        try:
            wait_until_healthy(address, process)
            yield address
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
    assert "Traceback" not in log_path.read_text(encoding="utf-8", errors="replace")


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """One server for most tests."""
    with running(tmp_path_factory.mktemp("server")) as address:
        yield address


@pytest.fixture
def start_server(tmp_path):
    """A starter of servers on one store of the test's own, one after another."""
    return lambda: running(tmp_path)


@pytest.fixture(scope="session")
def browser():
    """Chromium as the system has it."""
    executable = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if executable is None:
        absent("no Chromium is installed")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        absent("Playwright is not installed")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=executable, args=list(FLAGS))
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def left_the_machine():
    """Addresses that anything shown in the browser asked for, other than the server's."""
    return []


def is_here(address):
    parts = urlsplit(address)
    return parts.scheme in ("data", "blob", "about", "file") or parts.hostname in HERE


def guarded(browser, noted, **options):
    """A browser context that stops and notes every request to elsewhere."""
    made = browser.new_context(viewport={"width": 1400, "height": 2200}, accept_downloads=True, **options)
    made.set_default_timeout(WAIT_MS)

    def stop(route):
        noted.append(route.request.url)
        route.abort()

    made.route(lambda address: not is_here(address), stop)
    made.on(
        "page",
        lambda page: page.on(
            "websocket", lambda opened: None if is_here(opened.url) else noted.append(opened.url)
        ),
    )
    return made


@pytest.fixture
def open_context(browser, left_the_machine):
    """A maker of fresh contexts, as of another person's browser."""
    opened = []

    def make(**options):
        opened.append(guarded(browser, left_the_machine, **options))
        return opened[-1]

    yield make
    for each in opened:
        each.close()


@pytest.fixture(scope="session")
def context(browser, left_the_machine):
    """The context most tests share, so that scripts are fetched once; nothing may have left at the end."""
    shared = guarded(browser, left_the_machine, color_scheme="light")
    yield shared
    shared.close()
    assert left_the_machine == []


@pytest.fixture
def page(context, server):
    """A new tab for each test; no error may have been thrown in it."""
    opened = context.new_page()
    errors = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    yield opened
    opened.close()
    assert errors == []
