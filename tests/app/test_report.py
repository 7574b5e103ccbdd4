"""A report holds the plan's numbers, calls nobody, is the same twice, and shows hostile text as text."""

import base64
import hashlib
import html
import json
import re
from datetime import date
from html.parser import HTMLParser
from pathlib import Path

import pypdfium2
import pytest

from app import workbench
from app.charts.letters import printable
from app.formatting import show
from app.plan_json import plan_as_json
from app.report.audiences import AUDIENCES
from app.report.blocks import Bullets, Chart, Document, Facts, Listing, Paragraph, Section, Table
from app.report.sections import SECTIONS
from app.report.writing import FORMATS, compose, suffix_of, suffixes, write
from app.scenario_changes import input_changes, result_changes
from tests.app import tiny
from tests.app.report_reading import pages_of, squeezed, words_of
from tests.app.test_charts import PICTURES

DAY = date(2026, 11, 30)
GOLDEN = Path(__file__).parents[1] / "golden" / "two_endpoints.md"
# What differs from one machine to the next: the versions of what the report was made with.
VERSION_LINE = re.compile(r"^(- (?:Python|streamlit|scipy|numpy|duckdb|genai-prices|Plimsoll): ).*$", re.M)
HOSTILE = (
    "<script>alert(1)</script>",
    '=HYPERLINK("http://evil.example","x")',
    "![pixel](http://evil.example/a.png)",
    "]]><img src=x onerror=alert(1)>",
    "</pre></td></svg><svg onload=alert(1)>",
    "{{ 7 * 7 }}{% raw %}",
    "[click](javascript:alert(1)) | `x` $\\alpha$",
)


class Page(HTMLParser):
    """Tags, the attributes that a browser would follow, and the text of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.references, self.events, self.words = set(), [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        for name, value in attributes:
            if name.rpartition(":")[2] in ("href", "src", "srcset", "data", "action", "poster"):
                self.references.append(value or "")
            if name.startswith("on"):
                self.events.append(name)

    def handle_data(self, data):
        self.words.append(data)

    @property
    def text(self):
        return "".join(self.words)


def source(seen, suffix=".html"):
    return write(compose(seen, DAY), suffix).decode()


def report(seen, suffix=".html"):
    return words_of(write(compose(seen, DAY), suffix), suffix)


def hostile_draft(text):
    """The tiny scenario with one text in every place that takes one."""
    draft = tiny.draft(name=text)
    draft["workloads"][0]["name"] = text
    for offer in draft["offers"]:
        offer["tier"]["label"] = f"{offer['tier']['label']} {text}"
        offer["tier"]["supplier"] = text
    draft["offers"][0]["tier"]["price"]["evidence"] = {"grade": "A", "sense": "list_price", "source": text}
    return draft


@pytest.fixture(scope="module")
def page():
    return Page(source(tiny.view()))


def test_a_report_asks_nobody_for_anything(page):
    assert page.references
    assert all(reference.startswith("#") for reference in page.references)
    assert page.tags.isdisjoint(
        {"script", "link", "iframe", "object", "embed", "img", "form", "base", "audio"}
    )
    assert page.events == []


def test_nothing_in_its_styles_is_fetched():
    text = source(tiny.view())
    assert re.findall(r"url\(\s*['\"]?(?!#)[^)]*\)|@import", text) == []


def test_a_browser_is_told_to_allow_nothing():
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', source(tiny.view()))
    assert policy is not None
    assert "default-src 'none'" in policy.group(1)
    assert "script" not in policy.group(1)
    assert "http" not in policy.group(1)


@pytest.mark.parametrize("suffix", suffixes())
def test_the_same_scenario_and_day_give_the_same_bytes(suffix):
    assert write(compose(tiny.view(), DAY), suffix) == write(compose(tiny.view(), DAY), suffix)


@pytest.mark.parametrize("suffix", suffixes())
def test_the_reports_numbers_are_the_plans(suffix):
    seen = tiny.view()
    text = squeezed(report(seen, suffix))
    totals, [allocation] = seen.plan.totals, seen.plan.allocations
    for name in ("cost_usd_per_month", "cost_usd_per_mtok_output"):
        assert squeezed(show(name, getattr(totals, name))) in text
    for name in ("cost_usd_per_month", "cost_usd_per_request", "cost_usd_per_task"):
        assert squeezed(show(name, getattr(allocation.cost, name))) in text
    assert squeezed(show("ttft_s", allocation.ttft_s.p50)) in text
    assert squeezed(allocation.tier_label) in text
    assert seen.scenario.id in text
    # Two calls a second at 0.018 USD, 730.5 hours: worked by hand
    assert "$94,673" in text


def other_view(**changes):
    """A scenario that asks twice as much of the only tier that is quick enough."""
    draft = tiny.draft(name="The other", **changes)
    draft["workloads"][0] |= {"peak_rate_req_per_s": 4}
    draft["workloads"][0]["targets"][0]["limit_s"] = 0.3
    return workbench.view(draft)


@pytest.mark.parametrize("suffix", suffixes())
def test_another_scenario_is_compared_with_in_every_format(suffix):
    seen, other = tiny.view(), other_view()
    raw = write(compose(seen, DAY, section_keys=["comparison"], against=other), suffix)
    text = squeezed(words_of(raw, suffix))
    changes = (*input_changes(other.draft, seen.draft), *result_changes(other, seen))
    assert {"workloads[chat].peak_rate_req_per_s", "chat: served on"} <= {each.address for each in changes}
    for each in changes:
        assert squeezed(each.address) in text
        assert squeezed(each.before) in text
        assert squeezed(each.after) in text
    # four calls a second at 0.036 USD against two at 0.018: a quarter is left
    assert squeezed("The bill falls by $284,018, from $378,691 to $94,673 a month") in text
    assert "Theother" in text


def test_without_another_scenario_there_is_no_comparison():
    assert "comparison" not in [section.key for section in compose(tiny.view(), DAY).sections]


def test_the_same_scenario_compared_with_itself_differs_in_nothing():
    text = words_of(write(compose(tiny.view(), DAY, against=tiny.view()), ".md"), ".md")
    assert "Every input is the same." in text
    assert "The plan is the same." in text


@pytest.mark.parametrize("suffix", suffixes())
def test_every_section_is_there_and_may_be_left_out(suffix):
    whole = words_of(write(compose(tiny.view(), DAY, against=other_view()), suffix), suffix)
    assert all(squeezed(module.TITLE) in squeezed(whole) for module in SECTIONS)
    short = words_of(write(compose(tiny.view(), DAY, section_keys=["decision"]), suffix), suffix)
    assert squeezed(tiny.view().plan.sentence) in squeezed(short)
    for own_words in ("Not modelled anywhere", "Cost by workload", "Offers compared", "Scenario id"):
        assert squeezed(own_words) in squeezed(whole)
        assert squeezed(own_words) not in squeezed(short)


@pytest.mark.parametrize("suffix", suffixes())
def test_money_that_no_workload_uses_is_in_the_bill_and_named(suffix):
    """Sixty machines are paid of which the plan needs few: their money is most of the bill."""
    draft = workbench.worked_example()
    draft["workloads"] = draft["workloads"][:1]
    draft["fleet"] = [{"tier": "mi300x_x1_vllm", "replica_count": 60, "committed_until": "2027-06-30"}]
    seen = workbench.view(draft)
    totals = seen.plan.totals
    assert totals.committed_cost_usd_per_month > totals.cost_usd_per_month / 2
    text = squeezed(words_of(write(compose(seen, DAY, section_keys=["decision", "cost"]), suffix), suffix))
    assert squeezed("Committed, not used") in text
    assert squeezed(show("committed_cost_usd_per_month", totals.committed_cost_usd_per_month)) in text
    assert squeezed(show("cost_usd_per_month", totals.cost_usd_per_month)) in text
    name = draft["workloads"][0]["name"]
    assert squeezed(f"what is committed and not used costs most, then {name}") in text


def test_what_was_refused_says_why():
    page = Page(source(tiny.view()))
    assert "Secret API" in page.text
    assert "no price is published" in page.text


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_names_are_only_text_in_html(text):
    page = Page(source(workbench.view(hostile_draft(text))))
    assert text in page.text
    assert "script" not in page.tags
    assert "img" not in page.tags
    assert page.events == []
    assert all(reference.startswith("#") for reference in page.references)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_names_are_only_text_in_the_interactive_page(text):
    seen = workbench.view(hostile_draft(text))
    page = Page(source(seen, ".interactive.html"))
    assert page.events == []
    assert "img" not in page.tags
    assert all(reference.startswith("#") for reference in page.references)


def test_the_interactive_page_runs_its_own_two_scripts_and_no_other():
    text = source(tiny.view(), ".interactive.html")
    policy = html.unescape(re.search(r'Content-Security-Policy" content="([^"]+)"', text)[1])
    scripts = re.findall(r"<script>(.*?)</script>", text, re.S)
    hashes = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    assert re.findall(r"'sha256-([^']+)'", policy) == hashes
    assert len(scripts) == 2
    assert "unsafe-inline" not in policy.partition("script-src")[2].partition(";")[0]
    assert "http" not in policy
    pictures = [json.loads(each) for each in re.findall(r'class="picture">(.*?)</script>', text, re.S)]
    assert pictures
    assert all(each["config"]["showSendToCloud"] is False for each in pictures)


def test_the_reports_data_holds_the_plan_and_a_scenario_that_plans_the_same():
    seen = tiny.view()
    found = json.loads(write(compose(seen, DAY), ".json"))
    assert found["plan"] == plan_as_json(seen.plan)
    assert workbench.view(found["scenario"]).scenario.id == seen.scenario.id


@pytest.mark.parametrize(
    ("name", "suffix"),
    [
        ("a.html", ".html"),
        ("a.interactive.html", ".interactive.html"),
        ("A.PDF", ".pdf"),
        ("a.docx", None),
        ("pdf", None),
    ],
)
def test_a_file_name_tells_the_format(name, suffix):
    assert suffix_of(name) == suffix


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_names_are_only_text_in_markdown(text):
    found = source(workbench.view(hostile_draft(text)), ".md")
    prose = "\n".join(line for line in found.splitlines() if not line.startswith("    "))
    for live in ("![pixel]", "<script", "<img", "<svg", "[click]"):
        assert re.findall(rf"(?<!\\){re.escape(live)}", prose) == []


def test_a_listing_in_markdown_cannot_break_out_of_its_block():
    document = document_of(Listing(text="name: a\n\n# not a heading\n```\n![x](http://y)"))
    for line in write(document, ".md").decode().splitlines():
        if "not a heading" in line or "![x]" in line or "```" in line:
            assert line.startswith("    ")


@pytest.mark.parametrize("suffix", suffixes())
@pytest.mark.parametrize("text", [*HOSTILE, "模 \u05d0 →", "'; DROP TABLE x; --", "+1+1", "@SUM(1)"])
def test_hostile_names_are_plain_text_in_every_format(suffix, text):
    """The name is there, letter for letter, or each letter that cannot be printed as its code."""
    found = squeezed(report(workbench.view(hostile_draft(text)), suffix))
    assert squeezed(text) in found or squeezed(printable(text)) in found


def test_a_letter_without_a_glyph_is_printed_as_its_code():
    assert printable("a 模 →\u202e") == "a ⟨U+6A21⟩ →⟨U+202E⟩"


def test_the_printed_report_has_an_outline_a_language_and_page_numbers():
    raw = write(compose(tiny.view(), DAY), ".pdf")
    document = pypdfium2.PdfDocument(raw)
    titles = [section.title for section in compose(tiny.view(), DAY).sections]
    assert [entry.get_title() for entry in document.get_toc()] == titles
    assert document.get_metadata_dict()["Title"] == "Two endpoints"
    assert document.get_metadata_dict()["CreationDate"] == ""
    pages = pages_of(raw)
    for number, page in enumerate(pages, start=1):
        assert f"Page {number} of {len(pages)}" in page
    for tag in (b"/Lang", b"/StructTreeRoot", b"pdfuaid"):
        assert tag in raw


def test_the_heads_of_a_long_table_come_again_on_its_next_page():
    rows = tuple((f"row {number}", "7") for number in range(150))
    table = Table(caption="Long", headings=("Name of the row", "B"), rows=rows)
    pages = pages_of(write(document_of(table), ".pdf"))
    assert len(pages) > 2
    assert all("Name of the row" in page for page in pages)


def test_a_mark_leads_to_its_footnote_where_the_evidence_is_printed():
    marked = Table(caption="C", headings=("A", "Evidence"), rows=(("cell", "E1, E2"),), marks_column=1)
    notes = Table(caption="N", headings=("Mark",), rows=(("E1",),), anchors_column=0)
    sections = (Section(key="s", title="S", blocks=(marked, notes)),)
    document = Document(title="T", subtitle="S", footer="F", sections=sections)
    page = Page(write(document, ".html").decode())
    assert page.references == ["#s", "#evidence-E1"]
    assert write(document, ".pdf")
    assert "E2" in page.text


BLOCKS = {
    "paragraph": Paragraph(text="A sentence.", strong=True),
    "facts": Facts(items=(("Name", "Value"),)),
    "table": Table(caption="Caption", headings=("A", "B"), rows=(("cell", "7"),), numeric=(1,)),
    "empty table": Table(caption="Caption", headings=("A",), rows=()),
    "chart": Chart(picture=PICTURES["all parts"]),
    "empty chart": Chart(picture=PICTURES["empty"]),
    "bars": Chart(picture=PICTURES["many bars"]),
    "bullets": Bullets(items=("One.", "Two.")),
    "listing": Listing(text="a: 1"),
}
MARKS = {
    "paragraph": "A sentence.",
    "facts": "Value",
    "table": "cell",
    "empty table": "Caption",
    "chart": "An answer.",
    "empty chart": "An answer.",
    "bars": "An answer.",
    "bullets": "Two.",
    "listing": "a: 1",
}


def document_of(block):
    return Document(
        title="Title",
        subtitle="Subtitle",
        footer="Footer",
        sections=(Section(key="s", title="S", blocks=(block,)),),
    )


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.SUFFIX)
@pytest.mark.parametrize("name", BLOCKS)
def test_every_format_writes_every_block(form, name):
    text = squeezed(words_of(form.render(document_of(BLOCKS[name])), form.SUFFIX))
    assert squeezed(MARKS[name]) in text
    assert "Title" in text


def test_an_audience_names_sections_that_exist_in_their_order():
    keys = [module.KEY for module in SECTIONS]
    for chosen in filter(None, AUDIENCES.values()):
        assert [key for key in keys if key in chosen] == list(chosen)


def test_a_note_on_amounts_stands_on_the_cover():
    assert compose(tiny.view(), DAY, amounts_note="net of tax").subtitle.endswith(" · net of tax")


def test_an_unknown_format_is_refused():
    with pytest.raises(ValueError, match="no report format"):
        write(compose(tiny.view(), DAY), ".docx")


def test_the_report_reads_as_agreed():
    found = VERSION_LINE.sub(r"\g<1>*", source(tiny.view(), ".md"))
    assert found == GOLDEN.read_text(encoding="utf-8"), (
        "If the change is meant, write the new text to tests/golden and its reason into the notes beside it."
    )
