"""Parity: a file of paired results in, what it shows of quality, failures and latency out."""

from datetime import UTC, datetime
from typing import Any

import streamlit as st

from app import presenters, state
from app.formatting import DASH, number, percent, show
from app.parity import EXAMPLE, ParityFile, parity_of
from app.workbench import View, tier_as_draft
from models.decisions.parity import Comparison, Margin
from models.problems import InputProblems

PERCENT = 0.01
VERDICT_WORDS = {
    "equivalent": "the same, within the margin",
    "not worse": "not worse than the baseline",
    "worse": "worse than the baseline",
    "undecided": "undecided",
}


def upload_and_compare() -> ParityFile | None:
    """The file, the margins, and every comparison it allows; None before a readable file is there."""
    st.caption(
        "One row an item and tier: the same items given to both. The tier that comes first is the baseline. "
        "Columns: item, tier, and passed, score, latency_s or latency_ms, failed."
    )
    left, right = st.columns([2, 1])
    with left:
        file = st.file_uploader("Paired results (CSV)", key="parity_file")
        st.download_button(
            "Download a template", EXAMPLE, "paired-results.csv", "text/csv", on_click="ignore"
        )
    with right:
        points = st.number_input(
            "Largest loss that does not matter (points of 100)", 0.1, 50.0, 2.0, 0.5, key="parity_margin"
        )
        score = st.number_input(
            "The same for scores (their unit)", 1e-6, None, 0.05, format="%g", key="score_margin"
        )
    if file is None:
        return None
    try:
        found = parity_of(file.name, file.getvalue(), Margin(score=points * PERCENT), Margin(score=score))
    except InputProblems as problems:
        presenters.problems(problems.problems)
        return None
    _show(found)
    return found


def _show(found: ParityFile) -> None:
    baseline, candidate = found.results.tiers
    lone = found.results.lone_count
    st.markdown(
        presenters.safe(
            f"{candidate} against {baseline}: {found.results.pair_count:,} items answered by both"
            + (f"; {lone:,} answered by one only are left out." if lone else ".")
        )
    )
    if not found.parity.comparisons and not found.parity.shifts:
        st.warning("Too few pairs to compare anything: at least 10 are needed.")
    for each in found.parity.comparisons:
        _verdict(each)
    presenters.table(
        [
            _row(each, adjusted)
            for each, adjusted in zip(found.parity.comparisons, found.parity.adjusted_p_values, strict=False)
        ],
        alt="Comparisons with intervals and tests",
        empty="",
    )
    if found.parity.score_bootstrap is not None:
        low, high = (number(each) for each in found.parity.score_bootstrap)
        st.caption(f"Mean difference of scores by bootstrap: {low} to {high}, nine times in ten.")
    if found.parity.shifts:
        presenters.table(
            [
                {
                    "Latency": f"p{each.quantile * 100:g}",
                    baseline: show("e2e_s", each.baseline_s),
                    candidate: show("e2e_s", each.candidate_s),
                    "Difference": show("e2e_s", each.difference_s),
                    "90 % band": f"{show('e2e_s', each.low_s)} to {show('e2e_s', each.high_s)}",
                }
                for each in found.parity.shifts
            ],
            alt="Latency quantiles of both tiers",
        )
        p_value = _p(found.parity.adjusted_p_values[-1])
        st.caption(f"Kolmogorov-Smirnov test that both have one latency distribution: p {p_value}.")
    st.caption(
        "p-values are adjusted together (Holm). Verdicts rest on intervals, not on p: no significant "
        "difference is not the same as no difference."
    )


def _verdict(each: Comparison) -> None:
    text = f"**{presenters.safe(each.measure)}**: {VERDICT_WORDS[each.verdict]}"
    if each.verdict == "undecided":
        needed = each.needed_pair_count
        more = (
            "the difference seen is beyond the margin"
            if needed is None
            else f"about {needed:,} pairs would decide, if the difference is as seen"
        )
        st.warning(f"{text}; {more}.")
    elif each.verdict == "worse":
        st.error(f"{text}.")
    else:
        st.success(f"{text}.")


def _row(each: Comparison, adjusted: float | None) -> dict[str, str]:
    shown = percent if each.measure != "Score" else number
    return {
        "Measure": each.measure,
        "Pairs": f"{each.pair_count:,}",
        "Baseline": shown(each.baseline_mean),
        "Candidate": shown(each.candidate_mean),
        "Difference": shown(each.difference),
        "90 % interval": f"{shown(each.low)} to {shown(each.high)}",
        "Test": each.test,
        "p": _p(adjusted),
    }


def _p(value: float | None) -> str:
    if value is None:
        return DASH
    return "< 0.001" if value < 0.001 else f"= {value:.3f}"


def attach(seen: View, found: ParityFile) -> None:
    """Make the verdict the parity evidence of one of the scenario's tiers."""
    if not found.parity.shown:
        return
    offers = list(seen.scenario.offers)
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    with left:
        index = st.selectbox(
            "Tier that this shows to be as good",
            range(len(offers)),
            format_func=lambda each: f"{offers[each].tier.label} · {offers[each].model.label}",
            key="parity_tier",
        )
    with right:
        st.button(
            "Attach as evidence", on_click=_attach, args=(seen, index, found), icon=":material/attach_file:"
        )


def _attach(seen: View, index: int, found: ParityFile) -> None:
    offer = seen.scenario.offers[index]
    fresh = state.draft()
    entry: dict[str, Any] = fresh["offers"][index]
    if not isinstance(entry["tier"], dict):
        entry["tier"] = tier_as_draft(offer)
    verdicts = "; ".join(f"{each.measure}: {each.verdict}" for each in found.parity.comparisons)
    entry["tier"]["parity"] = {
        "grade": "A",
        "sense": "typical",
        "source": f"paired results of {found.results.pair_count} items, {found.results.tiers[1]} against "
        f"{found.results.tiers[0]}: {verdicts}",
        "checked_on": datetime.now(UTC).date().isoformat(),
    }
    state.save(fresh, reread_widgets=True)
