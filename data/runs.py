"""Imported files in the store: added once, labelled, removed and brought back, all inside one transaction."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import duckdb

from data.columns import MEASUREMENT_COLUMNS, SOURCE_COLUMNS, flat, sourced_flat, sourced_of, sql_type
from data.imported import ImportedFile
from data.migrations import utc_now
from data.plain_text import is_visible
from data.request_demand import RequestDemand, demand_as_json, demand_of_json
from models.measurements import SourcedMeasurement
from models.problems import InputProblems, Problem

QUERY_FOLDER = Path(__file__).parent / "queries"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLabels:
    """What the user says a file is about; None where they said nothing and the file's own word counts."""

    tier: str | None = None
    model: str | None = None
    accelerator: str | None = None
    accelerator_count: int | None = None
    precision: str | None = None
    engine: str | None = None
    requested_tier: str | None = None
    served_tier: str | None = None
    measured_by: str | None = None
    measured_on: date | None = None
    notes: str | None = None


LONGEST_LABEL = 1000
LABEL_FIELDS = tuple(field.name for field in fields(RunLabels))


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """One imported file as the store keeps it; `imported_at` carries its zone, UTC."""

    source_id: str
    file_name: str
    format_key: str
    format_label: str
    tool_version: str | None
    imported_at: datetime
    imported_by: str
    row_count: int
    labels: RunLabels

    @property
    def sha256(self) -> str:
        """Hash of the file's bytes."""
        return self.source_id.removeprefix("sha256:")


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedRun:
    """What a save did: `already_there` where the same bytes were stored before and nothing was added."""

    source_id: str
    row_count: int
    already_there: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcedDemand:
    """The demand that one log of requests shows, and which log that is."""

    demand: RequestDemand
    source_id: str
    file_name: str


def named_query(name: str) -> str:
    """The SQL of one question, from data/queries."""
    return (QUERY_FOLDER / f"{name}.sql").read_text("utf-8")


def insert_columns(
    cursor: duckdb.DuckDBPyConnection, table: str, types: Mapping[str, str], rows: list[tuple[Any, ...]]
) -> None:
    """Append rows to one of the store's own tables, a column at a time: one statement, whatever the count."""
    if not rows:
        return
    names = ", ".join(types)
    lists = ", ".join(f"unnest(?::{kind}[])" for kind in types.values())
    cursor.execute(
        f"INSERT INTO {table} ({names}) SELECT {lists}", [list(column) for column in zip(*rows, strict=True)]
    )


def add_run(cursor: duckdb.DuckDBPyConnection, imported: ImportedFile, who: str) -> SavedRun:
    """Store the file unless the same bytes are there; a file removed before is replaced by this reading."""
    if imported.refused:
        raise InputProblems(imported.problems or (nothing_to_store(imported),))
    source_id = imported.source_id
    known = cursor.execute(
        "SELECT row_count, removed FROM all_runs WHERE source_id = ?", [source_id]
    ).fetchone()
    if known and not known[1]:
        return SavedRun(source_id=source_id, row_count=int(known[0]), already_there=True)
    if known:
        for table in ("measurements", "request_demands", "run_labels", "run_removals", "runs"):
            cursor.execute(f"DELETE FROM store.{table} WHERE source_id = ?", [source_id])
    row_count = len(imported.measurements)
    cursor.execute(
        "INSERT INTO store.runs VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            source_id,
            imported.file_name,
            imported.format_key,
            imported.format_label,
            imported.tool_version,
            utc_now(),
            who,
            row_count,
        ],
    )
    numbers = imported.row_numbers or range(1, row_count + 1)
    types = {"source_id": "VARCHAR", "row_number": "BIGINT"} | {
        column: sql_type(column) for column in MEASUREMENT_COLUMNS
    }
    rows = [
        (source_id, number, *flat(measurement))
        for number, measurement in zip(numbers, imported.measurements, strict=True)
    ]
    insert_columns(cursor, "store.measurements", types, rows)
    if imported.demand is not None:
        cursor.execute(
            "INSERT INTO store.request_demands VALUES (?, ?)",
            [source_id, json.dumps(demand_as_json(imported.demand), allow_nan=False)],
        )
    return SavedRun(source_id=source_id, row_count=row_count)


def holds(cursor: duckdb.DuckDBPyConnection, imported: ImportedFile) -> bool:
    """Whether the file is stored with exactly these figures."""
    columns = ", ".join(MEASUREMENT_COLUMNS)
    rows = cursor.execute(
        f"SELECT row_number, {columns} FROM store.measurements WHERE source_id = ? ORDER BY row_number",
        [imported.source_id],
    ).fetchall()
    numbers = imported.row_numbers or range(1, len(imported.measurements) + 1)
    wanted = [
        (number, *flat(measurement))
        for number, measurement in zip(numbers, imported.measurements, strict=True)
    ]
    return rows == sorted(wanted, key=lambda row: row[0])


def drop_reading(cursor: duckdb.DuckDBPyConnection, imported: ImportedFile) -> None:
    """Take an earlier reading of the same bytes out, to make room for a better one; labels stay."""
    if imported.refused:
        raise InputProblems(imported.problems or (nothing_to_store(imported),))
    for table in ("measurements", "run_removals", "runs"):
        cursor.execute(f"DELETE FROM store.{table} WHERE source_id = ?", [imported.source_id])


def nothing_to_store(imported: ImportedFile) -> Problem:
    """Why a file without a usable row is not stored."""
    return Problem(
        path=imported.file_name,
        message="it holds no usable measurement",
        cure="Mend the rows named above and import it again.",
    )


def check_known(cursor: duckdb.DuckDBPyConnection, source_id: str) -> None:
    """InputProblems where no file of that id was ever stored."""
    known = cursor.execute("SELECT 1 FROM store.runs WHERE source_id = ?", [source_id]).fetchone()
    if known is None:
        raise InputProblems(
            [Problem(path=source_id, message="no file of that id is stored", cure="Import the file first.")]
        )


def add_labels(
    cursor: duckdb.DuckDBPyConnection, source_id: str, labels: Mapping[str, str | int | date | None]
) -> None:
    """Append the labels given; None leaves a label as it is, "" takes it back."""
    check_known(cursor, source_id)
    for field, label in labels.items():
        if label is not None:
            cursor.execute(
                "INSERT INTO store.run_labels "
                "SELECT ?, coalesce(max(label_number), 0) + 1, ?, ?, ? FROM store.run_labels",
                [source_id, field, str(label), utc_now()],
            )


def put_labels(cursor: duckdb.DuckDBPyConnection, source_id: str, labels: RunLabels) -> RunLabels:
    """Make these the file's labels, None where its own word counts; returns those before, for undo."""
    problems = [
        Problem(
            path=name,
            message=f"a label has at most {LONGEST_LABEL:,} visible letters",
            cure="Shorten it, and type it without hidden marks.",
        )
        for name in LABEL_FIELDS
        if isinstance(label := getattr(labels, name), str)
        and (len(label) > LONGEST_LABEL or not is_visible(label))
    ]
    if labels.accelerator_count is not None and labels.accelerator_count < 1:
        problems.append(Problem(path="accelerator_count", message="it is less than 1", cure="Count them."))
    if problems:
        raise InputProblems(problems)
    known = {run.source_id: run.labels for run in fetch_runs(cursor)}
    before = known.get(source_id, RunLabels())
    changed = {
        name: "" if getattr(labels, name) is None else getattr(labels, name)
        for name in LABEL_FIELDS
        if getattr(labels, name) != getattr(before, name)
    }
    add_labels(cursor, source_id, changed)
    return before


def add_removal(cursor: duckdb.DuckDBPyConnection, source_id: str, *, removed: bool) -> None:
    """Hide a file and its measurements from readers, or bring them back; nothing is erased."""
    check_known(cursor, source_id)
    cursor.execute(
        "INSERT INTO store.run_removals "
        "SELECT ?, coalesce(max(removal_number), 0) + 1, ?, ? FROM store.run_removals",
        [source_id, removed, utc_now()],
    )


def fetch_runs(cursor: duckdb.DuckDBPyConnection) -> tuple[RunRow, ...]:
    """All files that are not removed, the latest first."""
    rows = []
    for values in cursor.execute(named_query("runs")).fetchall():
        *head, imported_at, imported_by, row_count = values[: -len(LABEL_FIELDS)]
        labels = dict(zip(LABEL_FIELDS, values[-len(LABEL_FIELDS) :], strict=True))
        if labels["accelerator_count"] is not None:
            labels["accelerator_count"] = int(labels["accelerator_count"])
        if labels["measured_on"] is not None:
            labels["measured_on"] = date.fromisoformat(labels["measured_on"])
        rows.append(
            RunRow(
                source_id=head[0],
                file_name=head[1],
                format_key=head[2],
                format_label=head[3],
                tool_version=head[4],
                imported_at=imported_at.replace(tzinfo=UTC),
                imported_by=imported_by,
                row_count=row_count,
                labels=RunLabels(**labels),
            )
        )
    return tuple(rows)


def fetch_measurements(
    cursor: duckdb.DuckDBPyConnection, source_ids: tuple[str, ...] | None
) -> tuple[SourcedMeasurement, ...]:
    """The user's measurements with labels applied, by file and row; all where `source_ids` is None."""
    columns = ", ".join(SOURCE_COLUMNS + MEASUREMENT_COLUMNS)
    sql = f"SELECT {columns} FROM measurements"
    if source_ids is None:
        cursor.execute(f"{sql} ORDER BY source_id, row_number")
    else:
        cursor.execute(
            f"{sql} WHERE list_contains(?::VARCHAR[], source_id) ORDER BY source_id, row_number",
            [list(source_ids)],
        )
    return tuple(sourced_of(values) for values in cursor.fetchall())


def fetch_demands(cursor: duckdb.DuckDBPyConnection) -> tuple[SourcedDemand, ...]:
    """The demand of every log that is not removed, the latest first."""
    rows = cursor.execute(
        "SELECT source_id, file_name, demand FROM store.request_demands JOIN runs USING (source_id) "
        "ORDER BY imported_at DESC, source_id"
    ).fetchall()
    return tuple(
        SourcedDemand(demand=demand_of_json(json.loads(text)), source_id=source_id, file_name=name)
        for source_id, name, text in rows
    )


def add_builtin(cursor: duckdb.DuckDBPyConnection, records: tuple[SourcedMeasurement, ...]) -> None:
    """Fill the built-in table, which lives in memory beside the user's file."""
    kinds = ("VARCHAR", "VARCHAR", "BIGINT", "VARCHAR", "VARCHAR", "BOOLEAN")
    types = dict(zip(SOURCE_COLUMNS, kinds, strict=True)) | {
        column: sql_type(column) for column in MEASUREMENT_COLUMNS
    }
    insert_columns(cursor, "builtin_measurements", types, [sourced_flat(record) for record in records])
