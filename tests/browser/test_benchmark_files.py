"""Five tools' files at once: recognised, one mapping mended, curves seen, and all there after a restart."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.watching import WAIT_MS, go, settled

pytestmark = pytest.mark.browser
SAMPLES = Path(__file__).parents[1] / "data" / "samples"
LABELS = {
    "guidellm.json": "GuideLLM",
    "vllm_plain.json": "vLLM",
    "aiperf.json": "AIPerf",
    "llmperf_summary.json": "LLMPerf",
}
OURS = (
    b"concurrency,isl_tokens,osl_tokens,ttft_ms_mean,tpot_ms_mean,e2e_ms_mean\n"
    b"1,1000,101,200,0.02,2200\n2,1000,101,400,0.02,2400\n4,1000,101,800,0.02,2800\n"
)
POINTS = ".js-plotly-plot .scatterlayer path.point"


def tab(page, name):
    page.get_by_role("tab", name=name, exact=True).click()
    return settled(page)


def heading(page, name):
    """The line of a file's card that says what it was recognised as."""
    return page.locator("p").filter(has_text=name).filter(has_text="rows usable")


def test_five_files_are_read_mended_kept_and_found_again(start_server, open_context):
    files = [{"name": name, "mimeType": "", "buffer": (SAMPLES / name).read_bytes()} for name in LABELS]
    files.append({"name": "ours.csv", "mimeType": "text/csv", "buffer": OURS})
    with start_server() as server:
        page = go(open_context().new_page(), server, "benchmarks")
        page.get_by_test_id("stFileUploaderDropzoneInput").last.set_input_files(files)
        use = page.get_by_role("button", name="Use these measurements")
        expect(use).to_have_count(5, timeout=WAIT_MS)
        for name, label in LABELS.items():
            expect(heading(page, name)).to_contain_text(label)
        expect(heading(page, "ours.csv")).to_contain_text("3 of 3 rows usable")
        page.get_by_role("button", name="Read them as s").click()
        expect(page.get_by_text("Which unit is it?")).to_have_count(0, timeout=WAIT_MS)
        settled(page)
        for number, name in enumerate((*LABELS, "ours.csv")):
            use.nth(number).click()
            expect(page.get_by_text(re.compile(rf"{re.escape(name)}: .*, stored\."))).to_be_visible()
            settled(page)
        tab(page, "Compare")
        expect(page.locator(POINTS).first).to_be_visible()
    with start_server() as server:
        page = go(open_context().new_page(), server, "benchmarks")
        tab(page, "Browse")
        for name in (*LABELS, "ours.csv"):
            expect(page.locator("[role=gridcell]").filter(has_text=name)).to_have_count(1, timeout=WAIT_MS)
        tab(page, "Compare")
        expect(page.locator(POINTS).first).to_be_visible()
