"""The weakest link of a plan is named with the loads to measure and the band before and after."""

from app import workbench
from app.formatting import percent
from app.measuring_gains import links_of, weakest_link
from app.report.writing import compose, write
from tests.app import tiny
from tests.app.report_reading import squeezed, words_of
from tests.app.test_report import DAY


def test_every_pool_has_a_link_and_the_widest_band_comes_first():
    seen = workbench.view(workbench.worked_example())
    links = links_of(seen)
    assert sorted(name for link in links for name in link.workloads) == sorted(
        each.workload for each in seen.plan.allocations
    )
    widths = [link.gain.now.width_ratio for link in links if link.gain is not None]
    assert widths == sorted(widths, reverse=True)
    first = weakest_link(seen)
    assert first == links[0]
    for count in first.gain.concurrency_count:
        assert f"{count:g}" in first.text
    gain = first.gain
    for ratio in (gain.now.low_ratio, gain.now.high_ratio, gain.then.low_ratio, gain.then.high_ratio):
        assert percent(abs(ratio - 1)) in first.text


def test_a_hosted_tier_without_a_spread_says_what_a_sample_gives():
    [link] = links_of(tiny.view())
    assert "no p95" in link.text
    # 1,645 x the square root of 0.95 x 0.05 / 1,000 is 1.13 points
    assert "between the true p93.9 and p96.1" in link.text


def test_the_report_names_the_measurement_and_its_commands():
    seen = workbench.view(workbench.worked_example())
    text = squeezed(words_of(write(compose(seen, DAY, section_keys=["evidence"]), ".md"), ".md"))
    link = weakest_link(seen)
    assert squeezed(link.text) in text
    assert squeezed(f"To measure {link.workloads[0]} with") in text
    assert "http://YOUR-SERVER:8000" in text
