"""The plan's figures as sheets of numbers: allocations, pools, targets, each with its section."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xlsxwriter.workbook import Workbook
from xlsxwriter.worksheet import Worksheet

from app.report.workbook_ladder import ladder
from app.report.workbook_styles import Styles
from app.workbench import View
from models.quantities import quantity

MOST_SIGNS = 32_767  # of a cell

Draw = Callable[[Workbook, Styles, View], None]


def allocations(book: Workbook, styles: Styles, view: View) -> None:
    """One row a workload: where it goes, its load, its latencies and its cost, in base units."""
    percentiles = ("ttft_s", "tpot_s", "e2e_s", "task_s")
    rows: list[tuple[Any, ...]] = [
        (
            each.workload,
            each.tier_label,
            each.model_id,
            each.pool,
            each.binding_constraint,
            str(each.weakest_grade or ""),
            each.offered_rate_req_per_s,
            each.utilisation_fraction,
            *(value for name in percentiles for value in (getattr(each, name).p50, getattr(each, name).p95)),
            each.cost.cost_usd_per_month,
        )
        for each in view.plan.allocations
    ]
    heads = ("Workload", "Tier", "Model", "Pool", "What binds", "Weakest grade")
    numbers = [heading("offered_rate_req_per_s"), heading("utilisation_fraction")]
    numbers += [f"{heading(name)}, {rank}" for name in percentiles for rank in ("p50", "p95")]
    table(book, styles, "Allocations", (*heads, *numbers, heading("cost_usd_per_month")), rows)


def pools(book: Workbook, styles: Styles, view: View) -> None:
    """One row a pool: its machines, how full they are and what they cost."""
    names = (
        "replica_count",
        "spare_replica_count",
        "accelerator_count",
        "utilisation_fraction",
        "cost_usd_per_month",
        "idle_cost_usd_per_month",
    )
    rows = [
        (each.name, ", ".join(each.workloads), *(getattr(each, name) for name in names))
        for each in view.plan.pools
    ]
    table(book, styles, "Pools", ("Tier", "Workloads", *map(heading, names)), rows)


def targets(book: Workbook, styles: Styles, view: View) -> None:
    """One row a target: its limit, the prediction, and the chance that it holds."""
    names = ("predicted_s", "hold_probability_fraction", "low_s", "high_s")
    rows = [
        (
            each.workload,
            result.target.name,
            "yes" if result.holds else "no",
            result.target.limit_s,
            *(getattr(result, name) for name in names),
        )
        for each in view.plan.allocations
        for result in each.targets
    ]
    heads = ("Workload", "Target", "Holds", heading("limit_s"), *map(heading, names))
    table(book, styles, "Targets", heads, rows)


def heading(name: str) -> str:
    """A quantity as a heading: its label, and its unit in square brackets."""
    known = quantity(name)
    return f"{known.label} [{known.unit}]" if known.unit else known.label


def table(
    book: Workbook, styles: Styles, name: str, heads: Sequence[str], rows: Sequence[Sequence[Any]]
) -> Worksheet:
    """A sheet with one table from its first cell: texts as texts, numbers as numbers, unknown as blank."""
    sheet = book.add_worksheet(name)
    sheet.set_column(0, len(heads), 19)
    sheet.freeze_panes(1, 1)
    for column, head in enumerate(heads):
        sheet.write_string(0, column, head, styles.wrapped)
    for number, row in enumerate(rows, start=1):
        for column, value in enumerate(row):
            if isinstance(value, str):
                sheet.write_string(number, column, value[:MOST_SIGNS], styles.text)
            elif value is not None:
                sheet.write_number(number, column, value, styles.number)
    return sheet


FIGURE_SHEETS: Mapping[str, tuple[Draw, ...]] = {
    "capacity": (allocations, pools, targets),
    "cost": (ladder,),
}
