"""What does not belong into this code: loose ends, one machine's paths, unescaped HTML, catch-alls."""

import ast
import re
import sys
from pathlib import PurePosixPath

import pytest

from tests.house.sources import CODE_FOLDERS, ROOT, python_files, text_of

# Spelled in parts, so that this file does not trip over itself.
LOOSE_ENDS = re.compile("TO" r"DO\b|FIX" r"ME\b|X" r"XX\b|NotImplemented" r"Error|# noqa: *$")
MACHINE_PATH = re.compile(r"""(?<![\w.<~])/(home|work|tmp|opt|root|Users|mnt)/|[A-Za-z]:\\\\?Users""")
UNSAFE_HTML = re.compile(
    "unsafe_allow" r"_html|\bst\.ht" r"ml\b|components\.ht" r"ml|to_ht" r"ml\(|components\.v1|\| *safe\b"
)
REGISTRIES = re.compile(r"pypi\.org|pythonhosted\.org|anaconda\.org|npmjs\.(?:org|com)|registry\.|index-url")
CATCH_ALL = {"utils", "util", "common", "helpers", "helper", "misc", "stuff", "tools", "base", "core"}
MOST_LINES = 350  # 300 is the aim; well beyond, split by noun
TEXT_ENDINGS = {".py", ".toml", ".md", ".sql", ".csv", ".j2", ".typ", ".in", ".yaml", ".yml"}


def offences(pattern, text):
    """(line number, match) of everything a pattern finds."""
    return [
        (number, match.group())
        for number, line in enumerate(text.splitlines(), start=1)
        for match in pattern.finditer(line)
    ]


def csv_writers(source):
    """Lines that write CSV: the csv module's writers, or a data frame's."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("writer", "DictWriter", "to_csv", "to_excel")
    ]


def shadowing(paths):
    """Modules of app/ whose name would hide one of the standard library on a path that begins with app/."""
    direct = [PurePosixPath(path) for path in paths if path.count("/") == 1]
    return [str(path) for path in direct if path.stem in sys.stdlib_module_names]


def catch_alls(paths):
    """Modules and folders named after nothing."""
    return [path for path in paths if CATCH_ALL & {*PurePosixPath(path).with_suffix("").parts}]


def own_texts():
    """Every text of the project that a reader or a machine may meet; locks and licences are others' words."""
    files = [ROOT / name for name in ("README.md", "CHANGELOG.md", "pyproject.toml", "requirements.in")]
    for folder in (*CODE_FOLDERS, "docs", "tests"):
        files += [path for path in (ROOT / folder).rglob("*") if path.suffix in TEXT_ENDINGS]
    return [path.relative_to(ROOT).as_posix() for path in sorted(files) if path.is_file()]


CODE = python_files(*CODE_FOLDERS)


@pytest.mark.parametrize("path", CODE)
def test_nothing_is_left_open(path):
    assert offences(LOOSE_ENDS, text_of(path)) == []


@pytest.mark.parametrize("path", CODE)
def test_no_text_of_a_user_reaches_the_page_as_html(path):
    assert offences(UNSAFE_HTML, text_of(path)) == []


@pytest.mark.parametrize("path", CODE)
def test_a_module_can_be_read_in_one_sitting(path):
    assert len(text_of(path).splitlines()) <= MOST_LINES


def test_no_machine_is_named():
    texts = [path for path in own_texts() if path != "tests/house/test_style.py"]
    assert {path: found for path in texts if (found := offences(MACHINE_PATH, text_of(path)))} == {}


def test_no_package_registry_is_named():
    # A figure's source is cited where it can be looked up; nothing else may send a reader or a tool there.
    cited = ("tests/house/test_style.py", "data/catalogue/sources.toml")
    texts = [path for path in own_texts() if path not in cited]
    assert {path: found for path in texts if (found := offences(REGISTRIES, text_of(path)))} == {}


def test_there_is_one_csv_writer():
    writers = {path: lines for path in CODE if (lines := csv_writers(text_of(path)))}
    assert list(writers) == ["data/exports.py"]
    assert len(writers["data/exports.py"]) == 1


def test_modules_are_named_after_what_they_hold():
    assert catch_alls(CODE) == []
    assert shadowing([path for path in CODE if path.startswith("app/")]) == []


def test_the_templates_escape_what_they_print():
    for path in (ROOT / "app").rglob("*.j2"):
        assert offences(UNSAFE_HTML, path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (LOOSE_ENDS, "x = 1  # TODO: later"),
        (LOOSE_ENDS, "raise NotImplementedError"),
        (MACHINE_PATH, 'open("/home/ann/data.csv")'),
        (MACHINE_PATH, "Path('/tmp/x')"),
        (MACHINE_PATH, r"C:\Users\ann"),
        (UNSAFE_HTML, "st.markdown(name, unsafe_allow_html=True)"),
        (UNSAFE_HTML, "st.html(name)"),
        (UNSAFE_HTML, "{{ name|safe }}"),
        (REGISTRIES, "https://pypi.org/simple"),
    ],
)
def test_a_pattern_finds_what_it_is_for(pattern, text):
    assert offences(pattern, text) != []


@pytest.mark.parametrize("text", ["a safe place", "tests/home/x", "https://example.com/home/x", "todos"])
def test_the_patterns_leave_plain_words_alone(text):
    assert [found for each in (LOOSE_ENDS, MACHINE_PATH, UNSAFE_HTML) for found in offences(each, text)] == []


def test_the_guards_see_another_csv_writer_and_bad_names():
    assert csv_writers("import csv\ncsv.writer(file)") == [2]
    assert csv_writers("frame.to_csv('x.csv')") == [1]
    assert catch_alls(["app/utils.py", "models/common/tiers.py", "models/tiers.py"]) == [
        "app/utils.py",
        "models/common/tiers.py",
    ]
    assert shadowing(["app/statistics.py", "app/charts/json.py"]) == ["app/statistics.py"]
