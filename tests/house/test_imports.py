"""Imports point inward: pages -> app -> data -> models, and each outside library has its place."""

import sys

import pytest

from tests.house.sources import CODE_FOLDERS, imports_of, python_files, text_of

# The modules of app/ that may speak Streamlit; everything else must run without a browser.
STREAMLIT_MODULES = {
    "app/shell.py",
    "app/state.py",
    "app/session.py",
    "app/controls.py",
    "app/presenters.py",
}
STREAMLIT_ENDINGS = ("_desk.py", "_editor.py")
OWN = {*CODE_FOLDERS}
OUTSIDE = {
    "models": {"numpy", "scipy"},
    "data": {"duckdb", "pyarrow", "yaml", "genai_prices", "platformdirs", "python_calamine"},
    "pages": {"streamlit"},
}
INWARD = {
    "models": {"models"},
    "data": {"models", "data"},
    "app": {"models", "app"},
    "pages": {"app"},
}
DATA_READERS = {
    "app/benchmarks.py",
    "app/cli.py",
    "app/operate_json.py",
    "app/parity.py",
    "app/shelf.py",
    "app/trace_workloads.py",
    "app/workbench.py",
}
DRAWING = {"plotly", "matplotlib", "numpy"}


def speaks_streamlit(path):
    """Whether a module of app/ may import Streamlit."""
    return path in STREAMLIT_MODULES or path.endswith(STREAMLIT_ENDINGS)


def allowed(path):
    """(modules this file may import anywhere, modules it may import only inside a function)."""
    folder = path.split("/")[0]
    own, outside, lazy = set(INWARD[folder]), set(OUTSIDE.get(folder, ())), set()
    if path.startswith("models/simulation/"):
        outside.add("numba")
    if path.startswith("data/importers/"):
        outside.add("pandas")
    if path == "data/row_screen.py":
        outside.add("numpy")
    if folder == "app":
        if path in DATA_READERS:
            own.add("data")
        if speaks_streamlit(path):
            outside |= {"streamlit", "pandas"}
        if path.startswith("app/charts/"):
            outside |= DRAWING
        if path == "app/curve_json.py":
            outside.add("numpy")
        if path.startswith("app/report/"):
            outside |= {"jinja2", "markupsafe", "typst", "xlsxwriter"}
        if path == "app/dashboard_start.py":
            lazy.add("streamlit")
    return own | outside, lazy


def misplaced_imports(path, source):
    """What a file imports and may not."""
    anywhere, lazily = allowed(path)
    wrong = []
    for name, inside_function in imports_of(source):
        top = name.split(".")[0]
        if top in sys.stdlib_module_names or top in anywhere or (inside_function and top in lazily):
            continue
        wrong.append(name)
    return wrong


@pytest.mark.parametrize("path", python_files(*CODE_FOLDERS))
def test_imports_point_inward(path):
    assert misplaced_imports(path, text_of(path)) == []


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("models/planning.py", "import streamlit as st"),
        ("models/planning.py", "import pandas"),
        ("models/planning.py", "from data.store import Store"),
        ("models/planning.py", "def f():\n    import duckdb"),
        ("models/planning.py", "import numba"),
        ("models/planning.py", "from . import tiers"),
        ("data/store.py", "import pandas as pd"),
        ("data/store.py", "import plotly"),
        ("data/store.py", "from app import workbench"),
        ("app/workbench.py", "import streamlit"),
        ("app/dashboard_start.py", "from streamlit.web import cli"),
        ("app/formatting.py", "import data.exports"),
        ("app/presenters.py", "from data.exports import write_csv"),
        ("app/presenters.py", "import duckdb"),
        ("app/charts/day.py", "from pages import overview"),
        ("app/report/markdown.py", "import streamlit"),
        ("pages/overview.py", "from models.plans import Plan"),
        ("pages/overview.py", "import plotly"),
    ],
)
def test_the_guard_sees_an_import_that_points_outward(path, source):
    assert misplaced_imports(path, source) != []


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("models/queueing.py", "import math\nimport numpy as np\nfrom scipy.special import ndtri"),
        ("models/simulation/engine.py", "from numba import njit"),
        ("data/importers/new.py", "def read():\n    import pandas"),
        ("app/dashboard_start.py", "def serve():\n    from streamlit.web import cli"),
        ("pages/overview.py", "import streamlit\nfrom app import session"),
    ],
)
def test_the_guard_lets_inward_imports_pass(path, source):
    assert misplaced_imports(path, source) == []


def test_only_the_simulation_is_compiled():
    compiled = [
        path
        for path in python_files(*CODE_FOLDERS)
        if any("numba" in name for name, _ in imports_of(text_of(path)))
    ]
    assert all(path.startswith("models/simulation/") for path in compiled)


def test_every_module_named_as_speaking_streamlit_is_there():
    assert set(python_files("app")) >= STREAMLIT_MODULES
