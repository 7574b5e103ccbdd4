"""What a workload of each kind starts from, and the named shapes of a day."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast, get_args

from data.reading import Reader, read_evidence, read_evidence_by_field
from models.evidence import Evidence
from models.problems import Problem
from models.workloads import HOURS_PER_DAY, WorkloadKind


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadDefault:
    """A starting point for a workload; `draft` holds the keys of a scenario file's workload.

    proxy      the public trace that stands in, as none of the workload itself is published
    evidence   one entry per key of `draft`
    """

    id: str
    label: str
    kind: WorkloadKind
    proxy: str
    draft: Mapping[str, Any] = field(hash=False)
    evidence: Mapping[str, Evidence] = field(hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class DayShape:
    """A named day: 24 shares of the peak rate, hour 0 first."""

    id: str
    label: str
    hourly_fraction: tuple[float, ...]
    evidence: Evidence | None


def read_workload_default(
    default_id: str, raw: object, path: str, problems: list[Problem], names: Mapping[str, str]
) -> WorkloadDefault:
    """One table of `workloads.toml`."""
    reader = Reader(raw, path, problems)
    draft = reader.required("draft", "the keys of a workload") or {}
    default = WorkloadDefault(
        id=default_id,
        label=reader.text("label", required=True),
        kind=cast(WorkloadKind, reader.choice("kind", get_args(WorkloadKind)) or "other"),
        proxy=reader.text("proxy", required=True),
        draft=draft,
        evidence=read_evidence_by_field(reader, draft, names),
    )
    reader.close()
    return default


def read_day_shape(
    shape_id: str, raw: object, path: str, problems: list[Problem], names: Mapping[str, str]
) -> DayShape:
    """One table of `day_shapes.toml`."""
    reader = Reader(raw, path, problems)
    evidence = reader.group("evidence")
    shape = DayShape(
        id=shape_id,
        label=reader.text("label", required=True),
        hourly_fraction=read_shares(reader, "hourly_fraction"),
        evidence=None if evidence is None else read_evidence(evidence, source_names=names),
    )
    if evidence is None:
        reader.refuse("evidence", "is missing", "Say where the shape comes from.")
    reader.close()
    return shape


def read_shares(reader: Reader, key: str) -> tuple[float, ...]:
    """24 shares of the peak rate, 0 to 1, not all zero; all ones where refused."""
    entries = reader.items(key, what="24 shares of the peak rate, hour 0 first")
    shares = Reader({address: value for value, address in entries}, "", reader.problems)
    fractions = [shares.number(address, low=0, high=1) for _, address in entries]
    read = tuple(each for each in fractions if each is not None)
    if len(entries) != HOURS_PER_DAY:
        reader.refuse(key, f"has {len(entries)} numbers", "Give 24 shares of the peak rate, hour 0 first.")
    elif len(read) == HOURS_PER_DAY and not any(read):
        reader.refuse(key, "is zero at every hour", "Give at least one hour a share above 0.")
    elif len(read) == HOURS_PER_DAY:
        return read
    return (1.0,) * HOURS_PER_DAY
