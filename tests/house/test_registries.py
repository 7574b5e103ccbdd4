"""Explicit registries hold every module of their folder, and nothing that is not there."""

import importlib

import pytest

from app.charts import CHARTS
from app.report.sections import SECTIONS
from app.report.writing import FORMATS
from data.importers import BY_KEY, IMPORTERS
from models.architectures import ARCHITECTURES
from tests.house.sources import module_names

PACKAGES = {
    "models/architectures": ARCHITECTURES.values(),
    "app/charts": CHARTS,
    "app/report": FORMATS,
    "app/report/sections": SECTIONS,
    "data/importers": IMPORTERS,
}
# What makes a module of the folder a member; the rest are the folder's shared parts.
OFFERS = {
    "models/architectures": ("KEY", "LABEL", "READS", "fit", "operate"),
    "app/charts": ("KEY", "rows"),
    "app/report": ("SUFFIX", "MIME", "LABEL", "render"),
    "app/report/sections": ("KEY", "TITLE", "blocks"),
    "data/importers": ("KEY", "LABEL", "sniff", "read"),
}
IDENTITY = {"app/report": "SUFFIX"}


def members_of(folder):
    """Names of the modules of a folder that carry the folder's identity."""
    mark = IDENTITY.get(folder, "KEY")
    return {name for name in module_names(folder) if hasattr(loaded(folder, name), mark)}


def loaded(folder, name):
    return importlib.import_module(f"{folder.replace('/', '.')}.{name}")


def missing_from(registry, found):
    """Module names that a registry lacks, or has too many."""
    listed = {module.__name__.rsplit(".", 1)[-1] for module in registry}
    return sorted(listed ^ set(found))


@pytest.mark.parametrize("folder", PACKAGES)
def test_a_registry_lists_exactly_its_folder(folder):
    assert missing_from(PACKAGES[folder], members_of(folder)) == []


@pytest.mark.parametrize("folder", ["models/architectures", "data/importers", "app/report/sections"])
def test_a_folder_of_members_holds_nothing_else(folder):
    assert members_of(folder) == module_names(folder)


@pytest.mark.parametrize("folder", PACKAGES)
def test_a_member_offers_what_its_registry_calls(folder):
    lacking = [
        (module.__name__, name)
        for module in PACKAGES[folder]
        for name in OFFERS[folder]
        if not hasattr(module, name)
    ]
    assert lacking == []


@pytest.mark.parametrize("folder", PACKAGES)
def test_identities_are_unique(folder):
    keys = [getattr(module, IDENTITY.get(folder, "KEY")) for module in PACKAGES[folder]]
    assert len(set(keys)) == len(keys)


def test_mappings_use_the_modules_own_keys():
    assert {key: module.KEY for key, module in ARCHITECTURES.items()} == {key: key for key in ARCHITECTURES}
    assert {key: module.KEY for key, module in BY_KEY.items()} == {key: key for key in BY_KEY}


def test_the_guard_sees_a_module_that_nobody_listed():
    assert missing_from(CHARTS[1:], members_of("app/charts")) == [CHARTS[0].__name__.rsplit(".", 1)[-1]]


def test_the_guard_sees_a_listed_module_that_is_gone():
    assert missing_from(SECTIONS, members_of("app/report/sections") - {"cost"}) == ["cost"]
