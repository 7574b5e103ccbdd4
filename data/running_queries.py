"""A reader's query in a thread of its own, so that the page stays alive and can cancel it."""

import threading
import time

from data.sql_queries import Cancellation, QueryResult
from data.store import Store
from data.store_faults import StoreFault
from models.problems import InputProblems


class RunningQuery:
    """One query on its way; safe to ask from any thread."""

    def __init__(self, store: Store, sql: str, *, row_limit: int, time_limit_s: float) -> None:
        self.sql = sql
        self._cancellation = Cancellation()
        self._began_s = time.monotonic()
        self._result: QueryResult | None = None
        self._error: InputProblems | StoreFault | None = None
        self._thread = threading.Thread(
            target=self._run, args=(store, sql, row_limit, time_limit_s), daemon=True
        )
        self._thread.start()

    def _run(self, store: Store, sql: str, row_limit: int, time_limit_s: float) -> None:
        try:
            self._result = store.query(
                sql, row_limit=row_limit, time_limit_s=time_limit_s, cancellation=self._cancellation
            )
        except (InputProblems, StoreFault) as error:
            self._error = error

    @property
    def elapsed_s(self) -> float:
        """Seconds since it began."""
        return time.monotonic() - self._began_s

    def wait(self, time_s: float) -> bool:
        """Wait at most that long; whether it has ended."""
        self._thread.join(time_s)
        return not self._thread.is_alive()

    def cancel(self) -> None:
        """End it soon; its result is then a refusal that says so."""
        self._cancellation.cancel()

    def result(self) -> QueryResult:
        """The answer of a query that has ended; raises its InputProblems or StoreFault."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        if self._result is None:  # the thread died of a bug; its trace is in the log
            raise RuntimeError("the query ended without an answer")
        return self._result
