"""What speed costs and is worth, as rows whose every figure names its arithmetic and its evidence."""

from collections.abc import Mapping, Sequence

from app import decisions
from app.charts.labels import offer_label
from app.figure_rows import HOURS, Figure, FigureRow, distinct, offer_uses, workload_uses
from app.formatting import DASH, label, number, percent, show
from app.workbench import View
from models.curves import LoadPoint
from models.decisions.faster import FasterTier
from models.decisions.frontier import Frontier
from models.decisions.renting import RentOrTokens
from models.energy import PoolEnergy
from models.plans import EvidenceUse
from models.tiers import Offer
from models.workloads import Demand


def limit_rows(
    seen: View, demand: Demand, offers: Sequence[Offer], curves: Mapping[str, Sequence[LoadPoint]]
) -> list[FigureRow]:
    """The highest load at which every target still holds, tier by tier."""
    by_label = {offer_label(offer, offers): offer for offer in offers}
    workload = demand.workload
    rows = []
    for name, curve in curves.items():
        holding = [each for each in curve if each.targets_hold]
        last = holding[-1] if holding else None
        usd = None if last is None else last.cost_usd_per_mtok_output
        rows.append(
            FigureRow(
                names={"Tier": name},
                figures={
                    "All targets hold up to": Figure(
                        _reach(curve, last, bool(workload.targets)),
                        "the last point along the curve at which every predicted percentile is within its "
                        "target",
                    ),
                    "Cost there per Mtok output": Figure(
                        show("cost_usd_per_mtok_output", usd),
                        "rent of the replicas an hour over output tokens an hour there, or the price of a "
                        "request over its output tokens",
                    ),
                    "Backlog grows from": Figure(
                        show("max_rate_req_per_s", curve[0].point.max_rate_req_per_s),
                        "the rate at which the fitted step law, or the rate limit, has no time left",
                    ),
                },
                uses=distinct([*offer_uses(seen, [by_label[name]]), *workload_uses(seen, [workload.name])]),
            )
        )
    return rows


def _reach(curve: Sequence[LoadPoint], last: LoadPoint | None, has_targets: bool) -> str:
    if not has_targets:
        return "no target set"
    if last is None:
        return "no load shown"
    if last is curve[-1]:
        return "every load shown"
    return show("offered_rate_req_per_s", last.offered_rate_req_per_s)


def frontier_rows(seen: View, demand: Demand, ranked: Sequence[tuple[Frontier, float]]) -> list[FigureRow]:
    """Tiers that reach a stream speed, most tokens per dollar first, and whether the plan may use each."""
    return [
        FigureRow(
            names={"Tier": each.offer.tier.label},
            figures={
                label("output_tok_per_usd"): Figure(
                    show("output_tok_per_usd", tok),
                    "output tokens an hour of a replica never idle over its rent, or the tokens of an "
                    "answer over what a request costs at list price",
                )
            },
            words={
                "May the plan use it?": decisions.may_use(seen, each.offer, demand),
                "Grade": decisions.grade_of(seen, each.offer),
            },
            uses=distinct([*offer_uses(seen, [each.offer]), *workload_uses(seen, [demand.workload.name])]),
        )
        for each, tok in ranked
    ]


def rent_rows(
    seen: View, demand: Demand, offers: Sequence[Offer], found: Sequence[RentOrTokens]
) -> list[FigureRow]:
    """Machines against tokens: from which rate the machines cost less, and whether the plan may use both."""
    return [_rent_row(seen, demand, offers, each) for each in found]


def _rent_row(seen: View, demand: Demand, offers: Sequence[Offer], each: RentOrTokens) -> FigureRow:
    used = each.utilisation_fraction
    share = DASH if used is None else percent(used) if used <= 1 else "more than they can serve"
    both = [each.machine, each.hosted]
    return FigureRow(
        names={
            "Machines": offer_label(each.machine, offers),
            "Against": offer_label(each.hosted, offers),
        },
        figures={
            label("cost_usd_per_h"): Figure(
                show("cost_usd_per_h", each.cost_usd_per_h), "replicas x accelerators of one x rent an hour"
            ),
            "Cheaper from": Figure(
                show("offered_rate_req_per_s", each.offered_rate_req_per_s),
                "rent an hour over 3,600 s and over the price of one request at the hosted tier",
            ),
            "Output Mtok/h": Figure(
                number(each.output_mtok_per_h), "that rate x 3,600 s x mean output tokens of a call"
            ),
            "Which uses of them": Figure(share, "that rate over the highest rate that the replicas sustain"),
        },
        words={
            "May the plan use the machines?": decisions.may_use(seen, each.machine, demand),
            "And the tokens?": decisions.may_use(seen, each.hosted, demand),
            "Grades": " / ".join(decisions.grade_of(seen, offer) for offer in both),
        },
        uses=distinct([*offer_uses(seen, both), *workload_uses(seen, [demand.workload.name])]),
    )


def faster_row(each: FasterTier) -> FigureRow:
    """One workload on one faster tier: what it may cost, what it costs, and what the plan says to it."""
    span = number(each.break_even_price_ratio)
    if each.from_ceiling:
        span += f" ({number(each.break_even_low_price_ratio)} to {number(each.break_even_high_price_ratio)})"
    weakest = each.weakest_use
    cost = show("cost_usd_per_task", each.slow_cost_usd_per_task)
    return FigureRow(
        names={
            "Workload": each.workload,
            "From": each.slow_tier_label,
            "To": f"{each.tier_label} ({each.availability})",
        },
        figures={
            "Median now": Figure(
                show("e2e_s", each.slow_s),
                "predicted median, where the plan serves it, of what ages the answer",
            ),
            "Median there": Figure(
                show("e2e_s", each.fast_s),
                "first token + output tokens over the stream speed, at 0.6 of a ceiling where no speed is "
                "published",
            ),
            "Pays up to": Figure(
                f"{span}x" + (", at medians" if each.at_medians else ""),
                f"m* = 1 + (value there - value here) / cost of a task here, {cost}",
            ),
            "Costs": Figure(
                DASH if each.price_ratio is None else f"{number(each.price_ratio)}x",
                f"list price of a task there over its cost here, {cost}",
            ),
        },
        words={
            "Verdict": verdict(each),
            "May the plan use it?": f"no: {each.why_not}" if each.why_not else "yes",
            "Tier's grade": str(each.fast_grade or DASH),
            "Weakest figure used": DASH
            if weakest is None
            else f"{weakest.evidence.grade} ({weakest.quantity} of {weakest.subject})",
        },
        uses=distinct(each.evidence),
    )


def verdict(each: FasterTier) -> str:
    """Whether the price pays, and that it does not help where the plan refuses the tier."""
    if not each.why_not:
        return {None: "no price published", True: "pays", False: "does not pay"}[each.pays]
    said = {None: "no price published, and", True: "would pay, but", False: "does not pay, and"}[each.pays]
    return f"{said} the plan refuses it"


def energy_rows(seen: View, found: Sequence[PoolEnergy], grid_g_per_kwh: float | None) -> list[FigureRow]:
    """Electricity pool by pool, and carbon on the reader's grid."""
    return [_energy_row(seen, each, grid_g_per_kwh) for each in found]


def _energy_row(seen: View, each: PoolEnergy, grid_g_per_kwh: float | None) -> FigureRow:
    carbon_kg = None if grid_g_per_kwh is None else each.carbon_kg_per_month(grid_g_per_kwh)
    pool = next(pool for pool in seen.plan.pools if pool.name == each.tier_label)
    homes = {(at.tier_id, at.model_id) for at in seen.plan.allocations if at.pool == pool.name}
    offers = [offer for offer in seen.scenario.offers if (offer.tier.id, offer.model.id) in homes]
    return FigureRow(
        names={"Pool": each.tier_label},
        figures={
            "Accelerators": Figure(str(each.accelerator_count or DASH), "replicas x accelerators of one"),
            "Stated power": Figure(
                show("all_in_power_w", each.all_in_power_w), "as stated, of one accelerator, all in"
            ),
            label("energy_kwh_per_month"): Figure(
                show("energy_kwh_per_month", each.energy_kwh_per_month), f"accelerators x power x {HOURS}"
            ),
            label("energy_kwh_per_mtok_output"): Figure(
                show("energy_kwh_per_mtok_output", each.energy_kwh_per_mtok_output),
                "that over the pool's output tokens of a month, in millions",
            ),
            "CO2e a month": Figure(
                DASH if carbon_kg is None else f"{number(carbon_kg)} kg", "energy x what you say of your grid"
            ),
        },
        uses=distinct(
            [*_power_uses(offers), *offer_uses(seen, offers), *workload_uses(seen, pool.workloads)]
        ),
    )


def _power_uses(offers: Sequence[Offer]) -> list[EvidenceUse]:
    """Who states the power of the accelerators."""
    return [
        EvidenceUse(
            subject=offer.accelerator.label,
            quantity="all_in_power_w",
            evidence=offer.accelerator.evidence["all_in_power_w"],
        )
        for offer in offers
        if offer.accelerator is not None and "all_in_power_w" in offer.accelerator.evidence
    ]
