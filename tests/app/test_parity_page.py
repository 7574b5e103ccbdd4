"""The Parity page: a file in, verdicts out, and the verdict as evidence of a tier."""

from app import workbench
from tests.app.clicking import button, open_page, uploader, words

HEADINGS = "item,tier,passed,latency_s"


def paired(lost_count):
    """2,000 items; the candidate fails so many that the baseline passed, and is ten times as fast."""
    lines = [HEADINGS]
    for item in range(2000):
        lines.append(f"{item},Standard,1,{9 + item % 7}")
        lines.append(f"{item},Fast,{0 if item < lost_count else 1},{0.9 + item % 7 / 10}")
    return "\n".join(lines).encode()


def test_a_tier_as_good_becomes_evidence_of_parity(app):
    app.run()
    open_page(app, "parity")
    uploader(app, "Paired results (CSV)").set_value([("pairs.csv", paired(2), "text/csv")]).run()
    assert list(app.exception) == []
    assert "Fast against Standard: 2,000 items" in words(app)
    assert "the same, within the margin" in words(app)
    button(app, "Attach as evidence").click().run()
    assert list(app.exception) == []
    offer = workbench.scenario_of(app.session_state["draft"]).offers[0]
    assert offer.tier.parity is not None
    assert offer.tier.parity.grade == "A"
    assert "2000 items" in offer.tier.parity.source


def test_a_tier_that_is_worse_is_said_to_be_and_cannot_be_attached(app):
    app.run()
    open_page(app, "parity")
    uploader(app, "Paired results (CSV)").set_value([("pairs.csv", paired(200), "text/csv")]).run()
    assert "worse than the baseline" in words(app)
    assert [each.label for each in app.button if each.label == "Attach as evidence"] == []


def test_a_file_that_cannot_be_read_names_the_place(app):
    app.run()
    open_page(app, "parity")
    broken = f"{HEADINGS}\n1,A,maybe,1\n1,B,1,1\n".encode()
    uploader(app, "Paired results (CSV)").set_value([("pairs.csv", broken, "text/csv")]).run()
    assert "line 2, column passed" in words(app).replace("\\", "")
