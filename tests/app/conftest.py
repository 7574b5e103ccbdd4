"""A fresh store for every test, and the app as a script that tests can click through."""

import logging

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from tests.house.sources import ROOT

TIMEOUT_S = 60


@pytest.fixture(autouse=True)
def own_store(monkeypatch):
    """No test sees another's measurements, and none touches the user's."""
    monkeypatch.setenv("PLIMSOLL_DB", ":memory:")
    st.cache_resource.clear()
    yield
    st.cache_resource.clear()


@pytest.fixture(autouse=True)
def _quiet():
    """Scripts run without a server; Streamlit need not say so each time."""
    logging.getLogger("streamlit").setLevel(logging.ERROR)


@pytest.fixture
def app():
    """The app on its first page, not yet run."""
    return AppTest.from_file(str(ROOT / "app" / "main.py"), default_timeout=TIMEOUT_S)


@pytest.fixture
def desk(request):
    """The part of a page that the test module's SCRIPT draws, not yet run."""
    return AppTest.from_string(request.module.SCRIPT, default_timeout=TIMEOUT_S)
