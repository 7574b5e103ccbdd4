"""The store's schema grows by numbered steps, each applied once, whole or not at all."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import duckdb

SCHEMA_FOLDER = Path(__file__).parent / "schema"


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """One step: the version it leads to, its file's name and its SQL."""

    version: int
    name: str
    sql: str


def migrations(folder: Path = SCHEMA_FOLDER) -> tuple[Migration, ...]:
    """All steps in order; ValueError where the numbers have a gap."""
    steps = tuple(
        Migration(version=int(file.name[:4]), name=file.stem, sql=file.read_text("utf-8"))
        for file in sorted(folder.glob("[0-9][0-9][0-9][0-9]_*.sql"))
    )
    if [step.version for step in steps] != list(range(1, len(steps) + 1)):
        raise ValueError(f"schema steps are not numbered 1 to {len(steps)} without a gap")
    return steps


def utc_now() -> datetime:
    """The time as the store keeps it: UTC, without a zone."""
    return datetime.now(UTC).replace(tzinfo=None)


def version_of(connection: duckdb.DuckDBPyConnection) -> int:
    """The version of the attached database `store`; 0 where it is empty."""
    known = connection.execute(
        "SELECT count(*) FROM duckdb_tables() WHERE database_name = 'store' AND table_name = 'schema_steps'"
    ).fetchone()
    if not known or not known[0]:
        return 0
    row = connection.execute("SELECT coalesce(max(version), 0) FROM store.schema_steps").fetchone()
    return int(row[0]) if row else 0


def migrate(connection: duckdb.DuckDBPyConnection, steps: tuple[Migration, ...]) -> None:
    """Apply the steps that are missing, one transaction each with its version inside."""
    present = version_of(connection)
    connection.execute("USE store")
    for step in steps[present:]:
        connection.execute("BEGIN TRANSACTION")
        try:
            connection.execute(
                "CREATE TABLE IF NOT EXISTS schema_steps (version INT, name VARCHAR, applied_at TIMESTAMP)"
            )
            connection.execute(step.sql)
            connection.execute(
                "INSERT INTO schema_steps VALUES (?, ?, ?)", [step.version, step.name, utc_now()]
            )
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise
    connection.execute("USE memory")
