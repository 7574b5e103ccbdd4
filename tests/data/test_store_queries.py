"""A reader's SQL reads the tables and reaches nothing else."""

import time

import pytest

from data.store import open_store
from models.problems import InputProblems
from tests.data.test_store import imported

secret_rows = ["a Python variable that SQL must not see"]

PROBES = (
    "SELECT * FROM read_csv('/etc/hostname')",
    "SELECT * FROM '/etc/hostname'",
    "SELECT * FROM read_text('/etc/hostname')",
    "SELECT * FROM glob('/etc/*')",
    "SELECT * FROM read_parquet('https://example.org/x.parquet')",
    "SELECT * FROM query('SELECT 1')",
    "SELECT * FROM query_table('runs')",
    "SELECT * FROM secret_rows",
    "SELECT getenv('HOME')",
    "SELECT current_setting('temp_directory')",
    "SELECT * FROM duckdb_settings()",
    "SELECT path FROM duckdb_databases()",
    "EXPLAIN SELECT * FROM duckdb_settings()",
    "SELECT * FROM pg_catalog.pg_settings",
    "SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))",
    "SELECT repeat('x', 2000000000)",
    "SELECT range(100000000)",
    "WITH gone AS (DELETE FROM store.runs RETURNING *) SELECT * FROM gone",
    "EXPLAIN ANALYZE DELETE FROM store.runs",
    "INSERT INTO store.runs SELECT * FROM store.runs",
    "UPDATE store.runs SET file_name = 'x'",
    "DROP TABLE store.runs",
    "CREATE TABLE t (a INT)",
    "CREATE TEMP TABLE t (a INT)",
    "COPY runs TO 'out.csv'",
    "COPY store.runs FROM 'in.csv'",
    "EXPORT DATABASE 'out'",
    "ATTACH 'other.duckdb'",
    "DETACH store",
    "USE store",
    "SET memory_limit = '64GB'",
    "RESET threads",
    "PRAGMA database_list",
    "CALL pragma_version()",
    "INSTALL httpfs",
    "LOAD httpfs",
    "CHECKPOINT",
    "VACUUM",
    "BEGIN TRANSACTION",
    "PREPARE p AS SELECT 1",
    "SELECT 1; DROP TABLE store.runs",
    "",
    "-- nothing",
)


@pytest.fixture(scope="module")
def store():
    store = open_store(":memory:")
    store.save(imported())
    yield store
    store.close()


@pytest.mark.parametrize("sql", PROBES)
def test_a_probe_is_refused_and_changes_nothing(store, sql):
    before = store.query("SELECT * FROM runs").rows
    with pytest.raises(InputProblems) as refusal:
        store.query(sql)
    (problem,) = refusal.value.problems
    assert problem.message
    assert problem.cure
    assert "Traceback" not in str(problem)
    assert store.query("SELECT * FROM runs").rows == before


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM measurements",
        "WITH m AS (SELECT * FROM measurements) SELECT model FROM m",
        "DESCRIBE measurements",
        "SHOW TABLES",
        "SUMMARIZE runs",
        "EXPLAIN SELECT * FROM runs",
        "FROM runs",
        "SELECT 1;",
    ],
)
def test_a_reading_statement_is_answered(store, sql):
    assert store.query(sql).rows


def test_wrong_sql_gives_duckdbs_own_sentence(store):
    with pytest.raises(InputProblems, match="no_such_column"):
        store.query("SELECT no_such_column FROM runs")
    with pytest.raises(InputProblems, match="syntax error"):
        store.query("SELEC 1")


def test_the_row_limit_cuts_and_says_so(store):
    cut = store.query("SELECT * FROM range(10)", row_limit=3)
    assert (len(cut.rows), cut.truncated) == (3, True)
    assert not store.query("SELECT * FROM range(3)", row_limit=3).truncated


def test_a_runaway_query_stops_in_time_and_the_store_goes_on(store):
    began = time.monotonic()
    with pytest.raises(InputProblems, match="stopped after"):
        store.query("SELECT count(*) FROM range(100000000) a, range(100000000) b", time_limit_s=0.3)
    assert time.monotonic() - began < 3
    assert store.query("SELECT count(*) FROM runs").rows == ((1,),)


def test_the_stores_own_connection_is_closed_to_the_outside(store):
    with store.cursor() as cursor:
        for sql in (
            "SELECT * FROM read_csv('/etc/hostname')",
            "COPY (SELECT 1) TO 'out.csv'",
            "ATTACH 'other.duckdb'",
            "SET enable_external_access = true",
            "SELECT * FROM secret_rows",
            "INSTALL httpfs",
            "LOAD httpfs",
        ):
            with pytest.raises(Exception, match=r"disabled|locked|not exist"):
                cursor.execute(sql)
