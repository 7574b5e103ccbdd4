"""The one place measurements are kept: a DuckDB file that many readers and one writer share."""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb

from data import runs, sql_queries, store_files
from data.imported import ImportedFile
from data.migrations import migrate, migrations, version_of
from data.runs import RunLabels, RunRow, SavedRun, SourcedDemand
from data.sql_queries import Cancellation, QueryResult
from data.store_faults import MEMORY, StoreFault, fault_of
from models.measurements import SourcedMeasurement

Builtin = Sequence[SourcedMeasurement] | Callable[[], Sequence[SourcedMeasurement]]

LIMITS: dict[str, str | bool | int | float | list[str]] = {
    "memory_limit": "1GB",
    "threads": 2,
    "max_temp_directory_size": "2GB",
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}
CLOSING_SETTINGS = (
    "enable_external_access = false",  # no file, network or extension from SQL
    "python_enable_replacements = false",  # no Python variable as a table
    "enable_progress_bar = false",
    "lock_configuration = true",
)

_open_stores: dict[str, "Store"] = {}
_registry_lock = threading.Lock()


def open_store(path: Path | str | None = None, *, builtin: Builtin = ()) -> "Store":
    """The store at that path: one object per file and process, ":memory:" a new one each time.

    None stands for $PLIMSOLL_DB, else the user's data folder. `builtin` are measurements shown beside
    the user's and never written to their file. StoreFault where the file cannot be used; it is then
    left as it was.
    """
    resolved = store_files.store_path(path)
    if isinstance(resolved, str):
        return Store(resolved, builtin)
    with _registry_lock:
        present = _open_stores.get(str(resolved))
        if present is None:
            _check_no_other_name(resolved)
            present = _open_stores[str(resolved)] = Store(resolved, builtin)
        return present


def _check_no_other_name(path: Path) -> None:
    """A hard link would open the same file twice in one process, which loses rows."""
    identity = store_files.identity_of(path)
    for name, store in _open_stores.items():
        if identity is not None and store.identity == identity:
            raise StoreFault(path, f"this file is already open as {name}", "Use that name.")


class Store:
    """Measurements of the user's files, with the built-in ones beside them. Safe to share between threads.

    Every call takes a cursor of its own; writers take turns, and each write is one transaction.
    """

    def __init__(self, path: Path | str, builtin: Builtin = ()) -> None:
        self.path = path
        self.identity: tuple[int, int] | None = None
        self._builtin = builtin
        self._process_id = os.getpid()
        self._closed = False
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._cursors: set[duckdb.DuckDBPyConnection] = set()
        self._opening = threading.RLock()
        self._writing = threading.Lock()
        self._open()

    def save(self, imported: ImportedFile, who: str = "") -> SavedRun:
        """Keep a file's measurements, whole or not at all; the same bytes are kept once.

        InputProblems where the file has no usable measurement, StoreFault where it cannot be written.
        """
        self._check_still_there()
        store_files.check_room(self.path, len(imported.measurements))
        try:
            with self.transaction() as cursor:
                return runs.add_run(cursor, imported, who)
        except StoreFault:
            # A commit can be durable although it was answered with an error: ask before saying it failed.
            kept = [run for run in self._runs_if_readable() if run.source_id == imported.source_id]
            if kept:
                return SavedRun(source_id=kept[0].source_id, row_count=kept[0].row_count)
            raise

    def replace(self, imported: ImportedFile, who: str = "") -> SavedRun:
        """Keep this reading of a file instead of an earlier one of the same bytes; its labels stay.

        For when its owner corrected what its columns mean. Raises like `save`.
        """
        self._check_still_there()
        store_files.check_room(self.path, len(imported.measurements))
        with self.transaction() as cursor:
            if not runs.holds(cursor, imported):
                runs.drop_reading(cursor, imported)
            return runs.add_run(cursor, imported, who)

    def runs(self) -> tuple[RunRow, ...]:
        """The files that were imported and not removed, the latest first."""
        with self.cursor() as cursor:
            return runs.fetch_runs(cursor)

    def label(
        self,
        source_id: str,
        *,
        tier: str | None = None,
        model: str | None = None,
        accelerator: str | None = None,
        accelerator_count: int | None = None,
        precision: str | None = None,
        engine: str | None = None,
    ) -> None:
        """Say what a file is about; the latest word counts, None leaves as it is, "" takes a label back."""
        labels = {
            "tier": tier,
            "model": model,
            "accelerator": accelerator,
            "accelerator_count": accelerator_count,
            "precision": precision,
            "engine": engine,
        }
        with self.transaction() as cursor:
            runs.add_labels(cursor, source_id, labels)

    def relabel(self, source_id: str, labels: RunLabels) -> RunLabels:
        """Make these a file's labels, beside what the file says; returns those before, which undo it."""
        with self.transaction() as cursor:
            return runs.put_labels(cursor, source_id, labels)

    def delete(self, source_id: str) -> None:
        """Hide a file and its measurements; `restore` brings them back."""
        with self.transaction() as cursor:
            runs.add_removal(cursor, source_id, removed=True)

    def restore(self, source_id: str) -> None:
        """Bring back what `delete` hid."""
        with self.transaction() as cursor:
            runs.add_removal(cursor, source_id, removed=False)

    def measurements(self, source_ids: Sequence[str] | None = None) -> tuple[SourcedMeasurement, ...]:
        """The user's measurements with their labels applied; of the files named, or of all."""
        with self.cursor() as cursor:
            return runs.fetch_measurements(cursor, None if source_ids is None else tuple(source_ids))

    def demands(self) -> tuple[SourcedDemand, ...]:
        """What the imported logs of requests say about demand, the latest first."""
        with self.cursor() as cursor:
            return runs.fetch_demands(cursor)

    def query(
        self,
        sql: str,
        *,
        row_limit: int = 1000,
        time_limit_s: float = 5.0,
        cancellation: Cancellation | None = None,
    ) -> QueryResult:
        """Answer a reader's own SELECT; InputProblems where it does not only read, is wrong, too slow or
        cancelled."""
        with self.cursor() as cursor:
            return sql_queries.run_query(
                cursor,
                sql,
                row_limit=row_limit,
                time_limit_s=time_limit_s,
                cancellation=cancellation or Cancellation(),
            )

    def close(self) -> None:
        """Let go of the file for good; `open_store` opens it again.

        A closed store must not come back by itself: two stores on one file in one process lose rows.
        """
        self._closed = True
        self._drop_connection()
        with _registry_lock:
            if _open_stores.get(str(self.path)) is self:
                del _open_stores[str(self.path)]

    @contextmanager
    def cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A connection of the caller's own for one piece of work; DuckDB's errors become StoreFault."""
        if os.getpid() != self._process_id:
            raise StoreFault(self.path, "the store was opened before a fork", "Open it in the new process.")
        if self._closed:
            raise StoreFault(self.path, "the store was closed", "Open it again.")
        with self._opening:
            if self._connection is None:
                self._open()
            assert self._connection is not None  # noqa: S101  _open sets it or raises
            cursor = self._connection.cursor()
            self._cursors.add(cursor)
        try:
            yield cursor
        except duckdb.FatalException as error:
            # The database is dead for every connection until all of them are closed.
            self._drop_connection()
            raise fault_of(self.path, error) from error
        except (duckdb.Error, OSError) as error:
            raise fault_of(self.path, error) from error
        finally:
            with self._opening:
                self._cursors.discard(cursor)
            cursor.close()

    @contextmanager
    def transaction(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor for one piece of writing, which is kept whole or not at all; writers take turns."""
        self._check_still_there()
        with self._writing, self.cursor() as cursor:
            cursor.execute("BEGIN TRANSACTION")
            yield cursor
            cursor.execute("COMMIT")  # on any error the cursor closes, which rolls back

    def _runs_if_readable(self) -> tuple[RunRow, ...]:
        try:
            return self.runs()
        except StoreFault:
            return ()

    def _check_still_there(self) -> None:
        """StoreFault where the file was taken away: writing on would go to a file that nobody can find."""
        if not isinstance(self.path, Path) or self._connection is None:
            return
        if store_files.identity_of(self.path) != self.identity:
            self._drop_connection()
            raise StoreFault(
                self.path,
                "the file was removed or replaced while it was in use",
                "Put the right file in its place and try again.",
            )

    def _drop_connection(self) -> None:
        with self._opening:
            for cursor in tuple(self._cursors):
                cursor.close()
            self._cursors.clear()
            if self._connection is not None:
                self._connection.close()
            self._connection = None

    def _open(self) -> None:
        with self._opening:
            if self.identity is not None and store_files.identity_of(self.path) is None:
                raise StoreFault(
                    self.path,
                    "the file was removed while it was in use",
                    "Put it back and try again, or start anew to begin with an empty one.",
                )
            try:
                self._connection = _connect(self.path)
                with self._connection.cursor() as cursor:
                    cursor.execute(runs.named_query("views"))
                    records = self._builtin() if callable(self._builtin) else self._builtin
                    runs.add_builtin(cursor, tuple(records))
            except (duckdb.Error, OSError) as error:
                self._connection = None
                raise fault_of(self.path, error) from error
            self.identity = store_files.identity_of(self.path) if isinstance(self.path, Path) else None


def _connect(path: Path | str) -> duckdb.DuckDBPyConnection:
    """An in-memory session that reads, with the user's file attached as `store` at the newest schema."""
    steps = migrations()
    spill = f"{path}.tmp" if isinstance(path, Path) else ""
    if isinstance(path, Path):
        store_files.check_folder(path)
        store_files.check_magic(path)
        _check_version(path, newest=len(steps))
    connection = duckdb.connect(MEMORY, config=LIMITS | {"temp_directory": spill})
    try:
        _attach(connection, path)
        migrate(connection, steps)
        for setting in CLOSING_SETTINGS:
            connection.execute(f"SET {setting}")
    except BaseException:
        connection.close()
        raise
    return connection


def _attach(connection: duckdb.DuckDBPyConnection, path: Path | str, options: str = "") -> None:
    quoted = str(path).replace("'", "''")
    connection.execute(f"ATTACH '{quoted}' AS store (TYPE duckdb{options})")


def _check_version(path: Path, newest: int) -> None:
    """Look at the schema without writing: refuse a newer one, copy an older one aside."""
    if not path.exists():
        return
    with duckdb.connect(MEMORY, config=LIMITS) as connection:
        _attach(connection, path, ", READ_ONLY")
        version = version_of(connection)
    if version > newest:
        raise StoreFault(
            path,
            f"its schema is version {version} and this Plimsoll knows up to {newest}",
            "Use a newer Plimsoll, or another file; this one was not changed.",
        )
    if 0 < version < newest:
        store_files.back_up(path, version)
