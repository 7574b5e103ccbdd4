"""The answer first: one sentence, four numbers, what binds and what comes second."""

from app import decisions
from app.formatting import DASH, aim_sentence, percent, show, value_sentence
from app.report.blocks import Block, Facts, Paragraph, Table
from app.report.context import ReportContext
from models.decisions.sensitivity import flip_sentence
from models.net_value import net_value_of, weighs_value
from models.plans import Totals
from models.sentences import chance_sentence

KEY = "decision"
TITLE = "Decision"


def blocks(context: ReportContext) -> tuple[Block, ...]:
    """The decision and how close it was."""
    plan, totals = context.view.plan, context.view.plan.totals
    grade = totals.weakest_grade
    facts = Facts(
        items=(
            ("Cost per month", show("cost_usd_per_month", totals.cost_usd_per_month)),
            ("Replicas / accelerators", f"{totals.replica_count} / {totals.accelerator_count}"),
            ("Whole bill per million output tokens", whole_bill_per_mtok(totals)),
            ("Weakest evidence", f"{grade}: {grade.short_meaning}" if grade else DASH),
        )
    )
    rows = tuple(
        (
            each.workload,
            each.pool,
            each.binding_constraint,
            each.runner_up.tier_label if each.runner_up else DASH,
            f"+{show('extra_cost_usd_per_month', each.runner_up.extra_cost_usd_per_month)}"
            if each.runner_up
            else DASH,
        )
        for each in plan.allocations
    )
    table = Table(
        caption=(
            "Where each workload goes, what binds, and the runner-up with the extra cost a month if this "
            "workload alone moved there; extra costs are not to be added up"
        ),
        headings=("Workload", "Served on", "What binds", "Runner-up", "Extra cost"),
        rows=rows,
        numeric=(4,),
    )
    scenario = context.view.scenario
    usual = decisions.USUAL_RANGE_PERCENT / 100
    flips = flip_sentence(decisions.tornado(context.view, usual, decisions.no_progress))
    weighed = weighs_value(scenario.policy)
    aim = aim_sentence(weighed)
    if weighed:
        aim = f"{aim} {value_sentence(net_value_of(scenario, plan), weighed)}"
    return (
        Paragraph(text=plan.sentence, strong=True),
        *([Paragraph(text=together)] if (together := chance_sentence(plan)) else []),
        facts,
        Paragraph(text=aim),
        Paragraph(text=flips),
        table,
    )


def whole_bill_per_mtok(totals: Totals) -> str:
    """The whole bill over the output tokens of all workloads, and how much of it nobody uses."""
    text = show("cost_usd_per_mtok_output", totals.cost_usd_per_mtok_output)
    if totals.committed_cost_usd_per_month <= 0 or totals.cost_usd_per_mtok_output is None:
        return text
    part = percent(totals.committed_cost_usd_per_month / totals.cost_usd_per_month)
    return f"{text}, {part} of it committed and not used"
