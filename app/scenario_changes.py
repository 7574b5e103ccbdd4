"""Two scenarios side by side: which inputs differ, by address, and what that does to the plan."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.formatting import DASH, replicas, show
from app.workbench import Draft, View
from models.plans import Allocation, Totals

MISSING = object()
Entry = tuple[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One thing that differs, as text: where it stands, what it was and what it is; a dash for nothing."""

    address: str
    before: str
    after: str


def input_changes(before: Draft, after: Draft) -> tuple[Change, ...]:
    """Every input that differs; list entries are matched by their name or id, not by their place."""
    rows = [(address, _text(old), _text(new)) for address, old, new in _differences("", before, after)]
    return tuple(Change(address=where, before=was, after=now) for where, was, now in rows if was != now)


def result_changes(before: View, after: View) -> tuple[Change, ...]:
    """What the plan says otherwise: the bill, machines and evidence, then each workload's place and speed."""
    rows = _pairs("plan", _of_totals(before.plan.totals), _of_totals(after.plan.totals))
    old = {each.workload: each for each in before.plan.allocations}
    new = {each.workload: each for each in after.plan.allocations}
    for name in dict.fromkeys([*old, *new]):
        rows += _pairs(name, _of_allocation(old.get(name)), _of_allocation(new.get(name)))
    return tuple(Change(address=where, before=was, after=now) for where, was, now in rows if was != now)


def bill_sentence(before: View, after: View) -> str:
    """What the changes do to the bill, in a sentence."""
    old, new = before.plan.totals.cost_usd_per_month, after.plan.totals.cost_usd_per_month
    totals = after.plan.totals
    placed = f"{totals.placed_workload_count} of {totals.workload_count} workloads placed"
    bill = f"{show('cost_usd_per_month', old)} to {show('cost_usd_per_month', new)} a month"
    if old == new:
        return f"The bill stays at {show('cost_usd_per_month', new)} a month; {placed}."
    by = show("cost_usd_per_month", abs(new - old))
    return f"The bill {'falls' if new < old else 'rises'} by {by}, from {bill}; {placed}."


def _pairs(where: str, old: Sequence[Entry], new: Sequence[Entry]) -> list[tuple[str, str, str]]:
    was, now = dict(old), dict(new)
    return [(f"{where}: {name}", was.get(name, DASH), now.get(name, DASH)) for name in {**was, **now}]


def _of_totals(totals: Totals) -> list[Entry]:
    return [
        ("cost per month", show("cost_usd_per_month", totals.cost_usd_per_month)),
        ("idle", show("idle_cost_usd_per_month", totals.idle_cost_usd_per_month)),
        ("spare units", show("redundancy_cost_usd_per_month", totals.redundancy_cost_usd_per_month)),
        (
            "committed, not used",
            show("committed_cost_usd_per_month", totals.committed_cost_usd_per_month),
        ),
        (
            "whole bill per million output tokens",
            show("cost_usd_per_mtok_output", totals.cost_usd_per_mtok_output),
        ),
        ("replicas", str(totals.replica_count)),
        ("accelerators", str(totals.accelerator_count)),
        (
            "chance that all targets hold",
            show("hold_probability_fraction", totals.hold_probability_fraction),
        ),
        ("weakest evidence", str(totals.weakest_grade or DASH)),
        ("workloads placed", f"{totals.placed_workload_count} of {totals.workload_count}"),
    ]


def _of_allocation(each: Allocation | None) -> list[Entry]:
    if each is None:
        return [("served on", DASH)]
    return [
        ("served on", each.pool),
        ("replicas of its pool", replicas(each.replica_count, each.prefill_worker_count)),
        ("what binds", each.binding_constraint),
        ("TTFT p50", show("ttft_s", each.ttft_s.p50)),
        ("TTFT p95", show("ttft_s", each.ttft_s.p95)),
        ("E2E p50", show("e2e_s", each.e2e_s.p50)),
        ("E2E p95", show("e2e_s", each.e2e_s.p95)),
        ("cost per month", show("cost_usd_per_month", each.cost.cost_usd_per_month)),
        ("evidence", str(each.weakest_grade or DASH)),
    ]


def _differences(address: str, old: Any, new: Any) -> list[tuple[str, Any, Any]]:
    if old == new:
        return []
    if isinstance(old, dict) and isinstance(new, dict):
        return _inside([(f".{key}" if address else key, key) for key in {**old, **new}], address, old, new)
    if isinstance(old, list) and isinstance(new, list):
        was, now = _named(old), _named(new)
        if was is not None and now is not None:
            return _inside([(f"[{name}]", name) for name in {**was, **now}], address, was, now)
    return [(address, old, new)]


def _inside(
    steps: Sequence[tuple[str, Any]], address: str, old: dict[Any, Any], new: dict[Any, Any]
) -> list[tuple[str, Any, Any]]:
    return [
        difference
        for step, key in steps
        for difference in _differences(address + step, old.get(key, MISSING), new.get(key, MISSING))
    ]


def _named(entries: Sequence[Any]) -> dict[str, Any] | None:
    """List entries by what they are called; None where they have no names, or share one."""
    found = {_name_of(each): each for each in entries}
    return None if None in found or len(found) < len(entries) else {str(key): found[key] for key in found}


def _name_of(entry: Any) -> str | None:
    """A workload's name, an offer's tier and model, a target's metric and quantile."""
    if not isinstance(entry, dict):
        return None
    if "tier" in entry:
        return "/".join(_id_of(entry[key]) for key in ("tier", "model") if key in entry)
    if "metric" in entry:
        return f"{entry['metric']} p{100 * float(entry.get('quantile') or 0):g}"
    return str(entry["name"]) if "name" in entry else None


def _id_of(named: Any) -> str:
    return str(named.get("id") if isinstance(named, dict) else named)


def _text(value: Any) -> str:
    if value is MISSING or value is None:
        return DASH
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
