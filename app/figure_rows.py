"""Figures that can be asked for their evidence: each with its arithmetic, each row with what it rests on.

A row cannot be built with a figure that says nothing of how it came about, so a table made of such rows
answers for all it shows.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from app.formatting import DASH, show
from app.workbench import View
from models.bill_lines import BillLine, bill_lines
from models.cost import HOURS_PER_MONTH
from models.grading import uses_of
from models.plans import Allocation, EvidenceUse
from models.tiers import MachinePrice, Offer

HOURS = f"{HOURS_PER_MONTH:g} h"


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure as it is shown, and the arithmetic behind it in words."""

    text: str
    arithmetic: str

    def __post_init__(self) -> None:
        if not self.arithmetic.strip():
            raise ValueError(f"the figure {self.text!r} says nothing of its arithmetic")


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureRow:
    """One row of a table: what it is of, its figures by heading, words beside them, and its evidence."""

    names: Mapping[str, str]
    figures: Mapping[str, Figure]
    words: Mapping[str, str] = field(default_factory=dict)
    uses: tuple[EvidenceUse, ...]

    @property
    def name(self) -> str:
        """The row in a list of rows."""
        return " · ".join(text for text in self.names.values() if text != DASH)

    @property
    def cells(self) -> dict[str, str]:
        """The row as a table shows it."""
        return {**self.names, **{head: each.text for head, each in self.figures.items()}, **self.words}


def offer_uses(seen: View, offers: Iterable[Offer]) -> list[EvidenceUse]:
    """What is known of some offers' speed and price."""
    return [use for offer in offers for use in uses_of(offer, seen.performances.get(offer.id))]


def workload_uses(seen: View, names: Iterable[str]) -> list[EvidenceUse]:
    """What some workloads' descriptions rest on."""
    wanted = set(names)
    return [
        EvidenceUse(subject=demand.workload.name, quantity=quantity, evidence=evidence)
        for demand in seen.scenario.demands
        if demand.workload.name in wanted
        for quantity, evidence in sorted(demand.workload.evidence.items())
    ]


def distinct(uses: Iterable[EvidenceUse]) -> tuple[EvidenceUse, ...]:
    """Each piece of evidence once, in order."""
    found: list[EvidenceUse] = []
    for use in uses:
        if use not in found:
            found.append(use)
    return tuple(found)


PARTS_ARITHMETIC = {
    "work_cost_usd_per_month": "the month's amount less idle and spare parts",
    "idle_cost_usd_per_month": "replica-hours in which the machines have no work, times their rent; "
    "by the line's part of the pool's work",
    "redundancy_cost_usd_per_month": f"spare replicas x rent of a replica x {HOURS}; by the line's part",
    "committed_cost_usd_per_month": "what runs today and is paid until its end, less what is used of it",
}
UNITS_ARITHMETIC = {
    "cost_usd_per_mtok_output": "the line's month over its output tokens of a month, in millions",
    "cost_usd_per_request": "the line's month over its calls of a month",
    "cost_usd_per_task": "the line's month over its tasks of a month: calls over calls a task",
    "cost_usd_per_resolved_task": "(cost a task x attempts + people x share that fails) / share resolved",
}


def cost_rows(seen: View) -> list[FigureRow]:
    """The bill line by line down to a task; the last rung where anybody says how many tasks end well."""
    lines = bill_lines(seen.plan)
    resolved = any(line.cost_usd_per_resolved_task is not None for line in lines)
    unused = any(line.committed_cost_usd_per_month > 0 for line in lines)
    columns = {
        "Work": "work_cost_usd_per_month",
        "Idle": "idle_cost_usd_per_month",
        "Spare": "redundancy_cost_usd_per_month",
        **({"Committed, not used": "committed_cost_usd_per_month"} if unused else {}),
        "Per Mtok output": "cost_usd_per_mtok_output",
        "Per request": "cost_usd_per_request",
        "Per task": "cost_usd_per_task",
        **({"Per resolved task": "cost_usd_per_resolved_task"} if resolved else {}),
    }
    how = PARTS_ARITHMETIC | UNITS_ARITHMETIC
    return [_cost_row(seen, line, columns, how) for line in lines]


def _cost_row(seen: View, line: BillLine, columns: Mapping[str, str], how: Mapping[str, str]) -> FigureRow:
    at = next((each for each in seen.plan.allocations if each.workload == line.name), None)
    month = Figure(show("cost_usd_per_month", line.cost_usd_per_month), _month_arithmetic(seen, line, at))
    lost = Figure(
        show("lost_usd_per_month", None if at is None else at.lost_usd_per_month),
        "value of an answer at once less its mean over the predicted latencies, times tasks of a month",
    )
    return FigureRow(
        names={"Line": line.name, "Served on": DASH if at is None else at.tier_label},
        figures={
            "USD a month": month,
            **{head: Figure(show(key, getattr(line, key)), how[key]) for head, key in columns.items()},
            "Value lost": lost,
        },
        uses=_line_uses(seen, line, at),
    )


def _line_uses(seen: View, line: BillLine, at: Allocation | None) -> tuple[EvidenceUse, ...]:
    if at is not None:
        offer = seen.offer(f"{at.tier_id}/{at.model_id}")
        return distinct([*offer_uses(seen, [offer]), *workload_uses(seen, [line.name])])
    if line.kind == "committed":
        paid = {each.tier_id for each in seen.scenario.fleet}
        return distinct(offer_uses(seen, [each for each in seen.scenario.offers if each.tier.id in paid]))
    placed = seen.plan.allocations
    offers = [seen.offer(f"{each.tier_id}/{each.model_id}") for each in placed]
    return distinct([*offer_uses(seen, offers), *workload_uses(seen, [each.workload for each in placed])])


def _month_arithmetic(seen: View, line: BillLine, at: Allocation | None) -> str:
    """How the month's amount came about, with the plan's own numbers where they are few."""
    if line.kind == "total":
        return "the sum of all lines above"
    if at is None:
        return PARTS_ARITHMETIC["committed_cost_usd_per_month"]
    offer = seen.offer(f"{at.tier_id}/{at.model_id}")
    price = offer.tier.price
    pool = next(each for each in seen.plan.pools if each.name == at.pool)
    if not isinstance(price, MachinePrice):
        return "input, cached and output tokens of a month, each times its price per million tokens"
    part = line.cost_usd_per_month / pool.cost_usd_per_month if pool.cost_usd_per_month else 0.0
    bill = f"the pool's bill, {show('cost_usd_per_month', pool.cost_usd_per_month)}"
    by_part = f"times {show('share_fraction', part)}, this line's part of the pool's work"
    if offer.tier.prefill is not None:
        return f"{bill}: decode and prefill machines, each times its rent x {HOURS}; {by_part}"
    whole_usd = pool.accelerator_count * price.usd_per_accelerator_h * HOURS_PER_MONTH
    rent = show("usd_per_accelerator_h", price.usd_per_accelerator_h)
    return (
        f"{pool.accelerator_count} accelerators x {rent} an hour x {HOURS} = "
        f"{show('cost_usd_per_month', whole_usd)} where all run all month; {bill}, {by_part}"
    )
