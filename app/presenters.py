"""How a plan, a refusal, a notice, a problem and evidence look on any page.

Text that came from a user or a file never reaches Markdown unescaped: an image link in a tier's name
would otherwise call out of the browser.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from app.charts.picture import Picture
from app.charts.plotly_drawing import CONFIG, draw
from app.charts.theme import THEMES, Theme
from app.evidence_changes import EvidenceChange
from app.formatting import DASH, holding, label, replicas, show
from app.table_layout import layout
from app.workbench import StoreFault
from models.evidence import Evidence, Grade
from models.plans import Allocation, EvidenceUse, FleetChange, Notice, Plan, Rejection
from models.problems import Problem
from models.sentences import chance_sentence

MARKDOWN_SIGNS = "\\`*_[]!<>$:|#~"


def safe(text: object) -> str:
    """Text that Markdown shows letter for letter."""
    return "".join(f"\\{sign}" if sign in MARKDOWN_SIGNS else sign for sign in str(text))


def plain(text: object) -> None:
    """A line of user text, shown letter for letter."""
    st.markdown(safe(text))


def theme() -> Theme:
    """The colours of the theme in use."""
    return THEMES.get(st.context.theme.type or "light", THEMES["light"])


def picture(shown: Picture, empty: str = "Nothing to draw yet.") -> None:
    """A chart in its card, titled with the question it answers."""
    with st.container(border=True):
        st.markdown(f"**{safe(shown.title)}**")
        if shown.empty:
            st.info(safe(empty))
            return
        st.plotly_chart(
            draw(shown, theme()), config=CONFIG, key=f"chart_{shown.key}", alt=shown.alt, theme=None
        )


def problems(found: Iterable[Problem]) -> None:
    """Everything wrong with an input: address, what, cure."""
    for problem in found:
        box = st.error if problem.severity == "error" else st.warning
        box(f"**{safe(problem.path)}**: {safe(problem.message)}. {safe(problem.cure)}")


def notices(found: Iterable[Notice]) -> None:
    """What a reader must know, warnings first."""
    listed = list(dict.fromkeys(found))
    for notice in sorted(listed, key=lambda each: each.level != "warning"):
        (st.warning if notice.level == "warning" else st.info)(safe(notice.text))


def table(rows: Sequence[Mapping[str, Any]], alt: str, empty: str = "Nothing here yet.") -> None:
    """Rows as a table; headings are the keys, values are shown as text, long ones on several lines."""
    if not rows:
        st.caption(safe(empty))
        return
    found = layout(rows)
    if found is None:
        st.dataframe(pd.DataFrame(rows), hide_index=True, alt=alt)
        return
    widths = {head: st.column_config.Column(width=width) for head, width in found.widths.items()}
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        alt=alt,
        height=found.height,
        row_height=found.row_height,
        column_config=widths,
    )


def answer(plan: Plan) -> None:
    """The plan in one sentence and four numbers."""
    st.markdown(f"##### {safe(plan.sentence)}", help=safe(chance_sentence(plan)) or None)
    totals = plan.totals
    with st.grid(4, min_column_width=180):
        _metric(
            "Cost per month",
            show("cost_usd_per_month", totals.cost_usd_per_month),
            f"{show('cost_usd_per_h', totals.cost_usd_per_h)} an hour",
        )
        _metric(
            "Idle, spare and unused",
            show(
                "idle_cost_usd_per_month",
                totals.idle_cost_usd_per_month
                + totals.redundancy_cost_usd_per_month
                + totals.committed_cost_usd_per_month,
            ),
            f"{show('redundancy_cost_usd_per_month', totals.redundancy_cost_usd_per_month)} spares, "
            f"{show('committed_cost_usd_per_month', totals.committed_cost_usd_per_month)} unused",
        )
        _metric(
            "Whole bill per Mtok output",
            show("cost_usd_per_mtok_output", totals.cost_usd_per_mtok_output),
            f"{totals.replica_count} replicas, {totals.accelerator_count} accelerators",
        )
        _metric(
            "Weakest evidence",
            totals.weakest_grade or DASH,
            totals.weakest_grade.short_meaning if totals.weakest_grade else "nothing placed",
        )


def _metric(name: str, value: str, note: str) -> None:
    st.metric(name, value, note, border=True, height="stretch", delta_arrow="off", delta_color="off")


def allocations(plan: Plan) -> None:
    """Workload by workload: where it goes, what binds, what comes second."""
    table([allocation_row(each) for each in plan.allocations], alt="Where each workload is served")


def allocation_row(each: Allocation) -> dict[str, str]:
    """One workload's place in the plan, as text."""
    targets = "; ".join(
        f"{result.target.name}: {show('predicted_s', result.predicted_s)}, holds: {holding(result)}"
        for result in each.targets
    )
    runner = each.runner_up
    return {
        "Workload": each.workload,
        "Served on": each.pool,
        "Targets, by the prediction": targets or "none set",
        "USD a month": show("cost_usd_per_month", each.cost.cost_usd_per_month),
        "What binds": each.binding_constraint,
        "Evidence": each.weakest_grade or DASH,
        "Runner-up": DASH
        if runner is None
        else f"{runner.tier_label} (+{show('extra_cost_usd_per_month', runner.extra_cost_usd_per_month)})",
        "Replicas": replicas(each.replica_count, each.prefill_worker_count),
        label("utilisation_fraction"): show("utilisation_fraction", each.utilisation_fraction),
        "TTFT p95": show("ttft_s", each.ttft_s.p95),
        "TPOT p50": show("tpot_s", each.tpot_s.p50),
        "E2E p95": show("e2e_s", each.e2e_s.p95),
        "Per task": show("cost_usd_per_task", each.cost.cost_usd_per_task),
    }


def rejections(found: Sequence[Rejection]) -> None:
    """What was not chosen because it could not be, why, and what would change that."""
    table(
        [
            {
                "Workload": each.workload,
                "Tier": each.tier_label,
                "Model": each.model_id,
                "Stopped by": each.binding_constraint,
                "Why": "; ".join(each.reasons),
                "Would fit if": each.would_fit_if,
            }
            for each in found
        ],
        alt="Offers that cannot serve a workload, and why",
        empty="Every offer can serve every workload.",
    )


def evidence(uses: Sequence[EvidenceUse]) -> None:
    """Where the numbers come from."""
    table(
        [
            {
                "Of": use.subject,
                "Number": use.quantity,
                "Grade": use.evidence.grade,
                "Meaning": Grade(use.evidence.grade).meaning,
                "Sense": use.evidence.sense.replace("_", " "),
                "Source": use.evidence.source,
                "Checked": use.evidence.checked_on.isoformat() if use.evidence.checked_on else DASH,
                "Note": use.evidence.note or use.evidence.conditions,
            }
            for use in uses
        ],
        alt="Evidence behind the plan's numbers",
    )


def fleet_changes(found: Sequence[FleetChange]) -> None:
    """Today's fleet against the plan's."""
    table(
        [
            {
                "Tier": each.tier_id,
                "Replicas today": each.current_replica_count,
                "Replicas planned": each.planned_replica_count,
                "USD a month today": show("cost_usd_per_month", each.current_cost_usd_per_month),
                "USD a month planned": show("cost_usd_per_month", each.planned_cost_usd_per_month),
                "Committed, unused": show("committed_cost_usd_per_month", each.committed_cost_usd_per_month),
                "Note": each.note,
            }
            for each in found
        ],
        alt="Change from what runs today",
    )


def evidence_changes(found: Sequence[EvidenceChange]) -> None:
    """What the user's own measurements changed, tier by tier, and together in the plan."""
    for each in found:
        head = f"**{safe(each.tier_label)}**: your {counted(each.point_count, 'measured point')} "
        files = safe(", ".join(each.sources))
        if not each.used:
            why = safe("; ".join(each.notices)) or "they say nothing that the fit can use"
            st.warning(f"{head}({files}) changed nothing: {why}", icon=":material/upload_file:")
            continue
        st.success(
            f"{head}({files}) calibrate it now: evidence {each.grade_before or DASH} → "
            f"{each.grade_after or DASH}.",
            icon=":material/upload_file:",
        )
    if any(each.used for each in found):
        before, after = found[0].cost_before_usd_per_month, found[0].cost_after_usd_per_month
        st.caption(
            f"With all your measurements together the plan costs {safe(show('cost_usd_per_month', after))} a "
            f"month; without any of them it would be {safe(show('cost_usd_per_month', before))}."
        )


def counted(count: int, noun: str) -> str:
    """`1 point`, `7 points`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def evidence_by_name(found: Mapping[str, Evidence]) -> None:
    """Evidence of one thing, field by field."""
    evidence([EvidenceUse(subject="", quantity=name, evidence=each) for name, each in sorted(found.items())])


def fault(found: StoreFault) -> None:
    """Why the store cannot be used, and what to do."""
    st.error(f"**{safe(found.path)}**: {safe(found.message)}. {safe(found.cure)}")


def missing_measurements(source_ids: Sequence[str]) -> None:
    """Which files a shared scenario was made with and this store lacks."""
    if source_ids:
        st.warning(
            f"This scenario names {len(source_ids)} measurement files that are not in this store: "
            f"{safe(', '.join(source_ids))}. Import the same files to get the same plan."
        )


def bullets(lines: Sequence[str]) -> None:
    """A plain list."""
    st.markdown("\n".join(f"- {safe(line)}" for line in lines))


def selectable(rows: Sequence[Mapping[str, Any]], key: str, alt: str, empty: str) -> Any:
    """A table whose rows can be chosen; the chosen ones, or None where it is empty."""
    if not rows:
        st.caption(safe(empty))
        return None
    return st.dataframe(
        pd.DataFrame(rows), hide_index=True, key=key, alt=alt, on_select="rerun", selection_mode="multi-row"
    )
