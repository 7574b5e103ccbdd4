"""A page is a caption, some controls and a picture: no sums, no SQL, and short enough to read at a glance."""

import ast
import re

import pytest

from app.shell import PAGES
from tests.house.sources import module_names, python_files, text_of

MOST_LINES = 80
ORDERING = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
NUMERIC_CALLS = {"sum", "min", "max", "round", "abs", "pow", "divmod", "int", "float", "complex"}
SQL = re.compile(
    r"\b(select\b.+\bfrom|insert\s+into|update\b.+\bset|delete\s+from|create\s+table)\b", re.I | re.S
)


def maths_in(source):
    """Every place of a source text that works with numbers or speaks SQL, with its line."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.BinOp, ast.AugAssign)):
            found.append((node.lineno, "arithmetic"))
        if isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not):
            found.append((node.lineno, "arithmetic"))
        if isinstance(node, ast.Compare) and any(isinstance(each, ORDERING) for each in node.ops):
            found.append((node.lineno, "comparison of sizes"))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in NUMERIC_CALLS:
            found.append((node.lineno, f"{node.func.id}()"))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and SQL.search(node.value):
            found.append((node.lineno, "SQL"))
    return found


def definitions_in(source):
    """Functions and classes a page defines: those belong into app/."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
    return [node.lineno for node in ast.walk(ast.parse(source)) if isinstance(node, kinds)]


@pytest.mark.parametrize("path", python_files("pages"))
def test_a_page_has_no_maths_and_no_sql(path):
    assert maths_in(text_of(path)) == []


@pytest.mark.parametrize("path", python_files("pages"))
def test_a_page_defines_nothing(path):
    assert definitions_in(text_of(path)) == []


@pytest.mark.parametrize("path", python_files("pages"))
def test_a_page_is_short_and_opens_with_the_question_it_answers(path):
    source = text_of(path)
    docstring = ast.get_docstring(ast.parse(source))
    assert len(source.splitlines()) <= MOST_LINES
    assert docstring is not None
    assert source.startswith('"""')
    assert docstring.endswith("?")


def test_pages_and_the_registry_name_the_same_files():
    listed = [entry.file for entries in PAGES.values() for entry in entries]
    assert len(set(listed)) == len(listed)
    assert set(listed) == module_names("pages")


@pytest.mark.parametrize(
    "snippet",
    [
        "cost = plan.totals.cost_usd_per_month * 12",
        "total += 1",
        "share = -share",
        "worst = max(latencies)",
        "late = ttft > limit",
        "seconds = float(text)",
        "rows = store.query('SELECT tier FROM runs')",
        "sql = 'delete from runs'",
    ],
)
def test_the_guard_sees_maths_and_sql(snippet):
    assert maths_in(snippet) != []


def test_the_guard_sees_a_function_in_a_page():
    assert definitions_in("def helper():\n    return 1") == [1]


def test_the_guard_lets_a_table_of_contents_pass():
    assert maths_in("seen = session.view()\nif seen is not None:\n    presenters.answer(seen.plan)") == []
