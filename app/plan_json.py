"""A plan as JSON in glossary names: what `plan --json` writes and the report's appendix holds."""

from dataclasses import fields, is_dataclass
from datetime import date
from enum import Enum
from typing import Any

from models.bill_lines import bill_lines
from models.percentiles import Percentiles
from models.plans import Allocation, Plan


def plan_as_json(plan: Plan) -> dict[str, Any]:
    """The whole plan and its bill line by line; costs of an allocation stand beside its latencies."""
    document: dict[str, Any] = plain(plan)
    document["bill_lines"] = [plain(line) for line in bill_lines(plan)]
    document["allocations"] = [_allocation(each) for each in plan.allocations]
    return document


def _allocation(each: Allocation) -> dict[str, Any]:
    document: dict[str, Any] = plain(each)
    document |= document.pop("cost")
    return document


def plain(value: Any) -> Any:
    """Records as dictionaries, tuples as lists, days as ISO text; numbers as they are."""
    if isinstance(value, Percentiles):
        return value.as_dict()
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, Enum):
        return value.value
    return value.isoformat() if isinstance(value, date) else value
