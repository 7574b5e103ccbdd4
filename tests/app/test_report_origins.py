"""A reader of the report alone finds where a workload's time to first token comes from."""

import csv
from dataclasses import replace

import pytest

from app import workbench
from app.report.blocks import Table
from app.report.sections.origins import BUILT_IN_FILE
from app.report.writing import compose, suffixes, write
from tests.app import tiny
from tests.app.report_reading import pages_of, squeezed, words_of
from tests.app.test_report import DAY
from tests.house.sources import ROOT


@pytest.fixture(scope="module")
def seen():
    return workbench.view(workbench.worked_example())


def tables(seen):
    [section] = compose(seen, DAY, section_keys=["origins"]).sections
    return [block for block in section.blocks if isinstance(block, Table)]


def test_every_workload_has_its_figure_its_formula_and_a_mark_that_the_evidence_explains(seen):
    document = compose(seen, DAY)
    first = tables(seen)[0]
    assert [row[0] for row in first.rows] == [each.workload for each in seen.plan.allocations]
    for row in first.rows:
        assert set(row[first.marks_column].split(", ")) <= document.anchors
        assert row[first.marks_column]


def test_a_measured_row_is_that_line_of_the_file_named(seen):
    points = [each for each in tables(seen) if BUILT_IN_FILE in each.caption]
    assert points
    with (ROOT / BUILT_IN_FILE).open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    for table in points:
        for row in table.rows:
            line = lines[int(row[0]) - 2]  # the first line of the file is its heading
            assert row[2] == f"{float(line['load']):g}"
            shown_ms = row[3].removesuffix(" ms")
            assert float(shown_ms) == pytest.approx(1e3 * float(line["ttft_p50_s"]), rel=5e-3)


def test_the_pages_name_source_file_row_grade_and_formula_in_every_format(seen):
    for suffix in suffixes():
        text = squeezed(words_of(write(compose(seen, DAY), suffix), suffix))
        for words in (
            "SemiAnalysis InferenceMAX",
            BUILT_IN_FILE,
            "measured by an independent third party",
            "wait for a slot + step under way",
        ):
            assert squeezed(words) in text, suffix


def test_own_points_stand_under_their_file_and_row(seen):
    [offer] = [each for each in seen.scenario.offers if each.tier.id == "b200_sxm_x1_trt"]
    own = tuple(
        replace(each, source_id="sha256:own", source_label="ours.csv", built_in=False, row_number=row)
        for row, each in enumerate(seen.measurements[offer.id], start=2)
    )
    ours = replace(
        seen,
        measurements={**seen.measurements, offer.id: own},
        performances={
            **seen.performances,
            offer.id: workbench.ARCHITECTURES[offer.tier.architecture].fit(offer, own),
        },
    )
    [table] = [each for each in tables(ours) if "ours.csv" in each.caption]
    assert [row[0] for row in table.rows][:2] == ["2", "3"]


def test_a_hosted_tier_says_that_there_is_no_formula():
    [first] = tables(tiny.view())
    assert "no formula" in first.rows[0][first.headings.index("From")]


def test_the_lettering_of_charts_can_be_selected_in_the_printed_report(seen):
    text = " ".join(pages_of(write(compose(seen, DAY, section_keys=["cost", "curves"]), ".pdf")))
    for words in ("idle capacity", "Cost per month [USD/month]", "Concurrent requests"):
        assert words in text
