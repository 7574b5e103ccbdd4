"""Queries with a name: a few that come with the program, and those that users keep."""

from dataclasses import dataclass

from data.migrations import utc_now
from data.plain_text import is_visible
from data.runs import QUERY_FOLDER, named_query
from data.store import Store
from models.problems import InputProblems, Problem

LONGEST_NAME = 80
LONGEST_QUERY = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedQuery:
    """One query; `shipped` where it comes with the program and cannot be deleted."""

    name: str
    sql: str
    shipped: bool = False


def example_queries() -> tuple[NamedQuery, ...]:
    """The queries that come with the program; the first line of each file is its name."""
    found = []
    for file in sorted((QUERY_FOLDER / "examples").glob("*.sql")):
        title, _, sql = file.read_text("utf-8").partition("\n")
        found.append(NamedQuery(name=title.removeprefix("-- "), sql=sql.strip(), shipped=True))
    return tuple(found)


def saved_queries(store: Store) -> tuple[NamedQuery, ...]:
    """What users kept, by name; StoreFault where the store cannot be read."""
    with store.cursor() as cursor:
        rows = cursor.execute(named_query("saved_queries")).fetchall()
    return tuple(NamedQuery(name=name, sql=sql) for name, sql in rows)


def save_query(store: Store, name: str, sql: str, who: str = "") -> None:
    """Keep a query under a name; an earlier one of that name is replaced. InputProblems, StoreFault."""
    name, sql = name.strip(), sql.strip()
    problems = []
    if not name or len(name) > LONGEST_NAME or not is_visible(name):
        message = f"a name has 1 to {LONGEST_NAME} visible letters"
        problems.append(Problem(path="name", message=message, cure="Choose a short name."))
    if any(query.name == name for query in example_queries()):
        message = "a query of this name comes with the program"
        problems.append(Problem(path="name", message=message, cure="Choose another name."))
    if not sql or len(sql) > LONGEST_QUERY:
        message = f"a query has 1 to {LONGEST_QUERY:,} letters"
        problems.append(Problem(path="sql", message=message, cure="Shorten it."))
    if problems:
        raise InputProblems(problems)
    _append(store, name, sql, who)


def delete_query(store: Store, name: str, who: str = "") -> None:
    """Keep a query no longer."""
    _append(store, name, "", who)


def _append(store: Store, name: str, sql: str, who: str) -> None:
    with store.transaction() as cursor:
        cursor.execute(
            "INSERT INTO store.saved_queries "
            "SELECT ?, coalesce(max(query_number), 0) + 1, ?, ?, ? FROM store.saved_queries",
            [name, sql, who, utc_now()],
        )
