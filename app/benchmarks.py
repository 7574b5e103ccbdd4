"""Composition root of the benchmark side: files, mappings of their columns, the store. No Streamlit here."""

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from app.formatting import DASH, number, show
from data.builtin_curves import builtin_measurements
from data.column_mapping import (
    IN_EACH_CELL,
    MEANINGS,
    NOT_USED,
    ColumnChoice,
    ColumnMapping,
    RecognisedColumn,
    RecognisedTable,
    UnitDoubt,
    is_unsafe,
    units_for,
)
from data.columns import LATENCIES, TEXTS
from data.contained import import_contained
from data.imported import ImportedFile
from data.importers import canonical_csv
from data.kept_mappings import forget_mapping, keep_mapping, kept_mappings
from data.mapping_files import read_mappings, write_mappings
from data.measured_curves import METRICS, MeasuredCurve, measured_curves, ratios_at_equal_loads
from data.measuring_commands import Ladder, concurrency_ladder, measuring_commands, rate_ladder
from data.running_queries import RunningQuery
from data.runs import RunLabels, RunRow, SavedRun
from data.said_load import lacks_load, with_load
from data.saved_queries import NamedQuery, delete_query, example_queries, save_query, saved_queries
from data.scrapes import Upload, said_together, together
from data.sql_queries import QueryResult
from data.store import Store, open_store
from data.store_copies import copy_of
from data.store_faults import StoreFault, StoreInUse
from models.plans import Plan
from models.quantities import quantity
from models.workloads import Demand

__all__ = [
    "METRICS",
    "NOT_USED",
    "TABLE_FORMAT",
    "ColumnChoice",
    "ColumnMapping",
    "ImportedFile",
    "Ladder",
    "MeasuredCurve",
    "NamedQuery",
    "QueryResult",
    "RecognisedTable",
    "RunLabels",
    "RunRow",
    "RunningQuery",
    "Store",
    "StoreFault",
    "StoreInUse",
    "UnitDoubt",
    "Upload",
    "concurrency_ladder",
    "corrected",
    "delete_query",
    "discard_copy",
    "doubt_sentence",
    "example_of",
    "example_queries",
    "forget_mapping",
    "import_contained",
    "keep_said",
    "kept_mappings",
    "lacks_load",
    "meaning_choices",
    "meaning_words",
    "measured_curves",
    "measuring_commands",
    "planned_in_flight",
    "rate_ladder",
    "ratios_at_equal_loads",
    "read_mappings",
    "said_together",
    "save_query",
    "saved_queries",
    "store_copy_at",
    "store_file",
    "together",
    "units_for",
    "with_load",
    "with_units",
    "write_mappings",
]

TABLE_FORMAT = canonical_csv.KEY
OTHER_WORDS = {
    NOT_USED: "not used",
    "tier": "Tier",
    "model": "Model",
    "accelerator": "Accelerator",
    "precision": "Precision",
    "engine": "Engine",
    "load_kind": "Kind of load",
    "requested_tier": "Requested tier",
    "served_tier": "Served tier",
    "measured_by": "Measured by",
    "measured_on": "Measured on",
    "notes": "Notes",
    "users": "Users with time to think",
    "error_fraction": "Share of failed requests",
    "stream_speed_mean": "Stream speed of one user, mean",
    "stream_speed_p50": "Stream speed of one user, p50",
}


def store_copy_at(path: Path | str) -> Store:
    """The store at a path as it is now, from a copy: for reading while another process holds it."""
    copy = copy_of(Path(path))
    try:
        return open_store(copy, builtin=builtin_measurements)
    except StoreFault:
        shutil.rmtree(copy.parent, ignore_errors=True)
        raise


def discard_copy(store: Store) -> None:
    """Let go of a copy and remove it."""
    store.close()
    shutil.rmtree(Path(store.path).parent, ignore_errors=True)


def meaning_words(meaning: str) -> str:
    """What a column is read as, in words: `Time to first token, p50`."""
    if meaning in OTHER_WORDS:
        return OTHER_WORDS[meaning]
    base, _, statistic = meaning.rpartition("_")
    return f"{quantity(base).label}, {statistic}" if base in LATENCIES else quantity(meaning).label


def meaning_choices(heading: str) -> list[str]:
    """Everything a column of that heading may be read as, "not used" first."""
    return [
        NOT_USED,
        *(
            meaning
            for meaning in MEANINGS
            if not is_unsafe(ColumnChoice(heading=heading, meaning=meaning, unit=units_for(meaning)[0]))
        ),
    ]


def example_of(column: RecognisedColumn) -> str:
    """One cell of the column and what it became: `21.3 ms → 0.0213 s`."""
    choice = column.choice
    if column.private:
        return "never kept"
    if choice.meaning == NOT_USED or not column.example:
        return column.example or DASH
    unit = "" if choice.unit in (IN_EACH_CELL, "of 1") or not column.example[-1:].isdigit() else choice.unit
    return f"{column.example} {unit}".strip() + f" → {_shown(choice.meaning, column.value)}"


def _shown(meaning: str, value: float | str | None) -> str:
    if value is None:
        return "missing"
    if isinstance(value, str):
        return value
    base = meaning.rpartition("_")[0]
    if base in LATENCIES or meaning == "duration_s":
        return f"{value:.6g} s"
    if meaning.startswith("stream_speed"):
        return show("stream_rate_tok_per_s", value)
    return number(value) if meaning in (*TEXTS, "users", "error_fraction") else show(meaning, value)


def corrected(table: RecognisedTable, place: int, choice: ColumnChoice) -> ColumnMapping:
    """How the table is to be read once one of its columns is read otherwise."""
    columns = list(table.mapping.columns)
    columns[place] = choice
    return ColumnMapping(columns=tuple(columns))


def with_units(table: RecognisedTable, doubt: UnitDoubt) -> ColumnMapping:
    """How the table is to be read once the owner says yes to a doubt about units."""
    return ColumnMapping(
        columns=tuple(
            replace(column, unit=doubt.unit) if column.heading in doubt.headings else column
            for column in table.mapping.columns
        )
    )


def doubt_sentence(doubt: UnitDoubt) -> str:
    """What would fit, with its figures; a question, for nothing is changed without a yes."""
    mended = "all" if doubt.mended_count == doubt.row_count else str(doubt.mended_count)
    return (
        f"The figures of {doubt.row_count} rows do not fit each other ({doubt.finding}). With "
        f"{', '.join(doubt.headings)} in {doubt.unit}, {mended} of them would. Which unit is it?"
    )


def planned_in_flight(plan: Plan, demand: Demand) -> float | None:
    """Requests of the workload that the plan has in flight at the peak on one replica, or on a whole hosted
    tier: rate x mean E2E, by Little's law. None where the plan does not place it or gives no latency."""
    for each in plan.allocations:
        latency_s = each.e2e_s.mean or each.e2e_s.p50
        if each.workload == demand.workload.name and latency_s is not None:
            return each.offered_rate_req_per_s * latency_s / (each.replica_count or 1)
    return None


def store_file(store: Store, imported: ImportedFile, who: str = "", *, said: bool = False) -> SavedRun:
    """Keep a file. An earlier reading of the same bytes is replaced where the owner said (`said`) how to read
    its columns or at which load it was measured, and left as it is otherwise. InputProblems, StoreFault.
    """
    return store.replace(imported, who) if said else store.save(imported, who)


def keep_said(store: Store, said: Sequence[ColumnMapping], who: str = "") -> None:
    """Keep what the owner said of a table's columns, for later files with the same headings."""
    known = {mapping.fingerprint: mapping.columns for mapping in kept_mappings(store)}
    for mapping in said:
        if known.get(mapping.fingerprint) != mapping.columns:
            keep_mapping(store, mapping, who)
