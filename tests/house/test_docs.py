"""Every module opens with a sentence, and everything public says what it is for."""

import ast

import pytest

from tests.house.sources import CODE_FOLDERS, python_files, text_of

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def undocumented(source):
    """The module itself and every public function, method and class without a docstring."""
    tree = ast.parse(source)
    found = [] if ast.get_docstring(tree) else ["module"]
    return found + list(_public_without_docstring(tree.body, ""))


def _public_without_docstring(body, owner):
    for node in body:
        if not isinstance(node, DEFINITIONS) or node.name.startswith("_"):
            continue
        if not ast.get_docstring(node) and not _is_overload(node):
            yield f"{owner}{node.name}"
        if isinstance(node, ast.ClassDef):
            yield from _public_without_docstring(node.body, f"{node.name}.")


def _is_overload(node):
    """Whether a definition only restates another's types."""
    return any(isinstance(each, ast.Name) and each.id == "overload" for each in node.decorator_list)


def first_line(source):
    """The sentence a module opens with."""
    return (ast.get_docstring(ast.parse(source)) or "").split("\n\n")[0]


@pytest.mark.parametrize("path", python_files(*CODE_FOLDERS))
def test_everything_public_is_documented(path):
    assert undocumented(text_of(path)) == []


@pytest.mark.parametrize("path", python_files(*CODE_FOLDERS))
def test_a_module_opens_with_a_whole_sentence(path):
    sentence = first_line(text_of(path))
    assert sentence.endswith((".", "?", ":"))
    assert sentence[0].isupper() or sentence[0] == "`"


@pytest.mark.parametrize("path", python_files("tests"))
def test_a_test_module_says_what_it_holds_to_account(path):
    assert first_line(text_of(path))


@pytest.mark.parametrize(
    ("source", "missing"),
    [
        ("x = 1", ["module"]),
        ('"""A module."""\ndef plan():\n    pass', ["plan"]),
        ('"""A module."""\nclass Plan:\n    pass', ["Plan"]),
        ('"""A module."""\nclass Plan:\n    """A plan."""\n    def cost(self):\n        pass', ["Plan.cost"]),
        ('"""A module."""\nasync def plan():\n    pass', ["plan"]),
        ('"""A module."""\ndef _inner():\n    pass', []),
    ],
)
def test_the_guard_sees_what_is_undocumented(source, missing):
    assert undocumented(source) == missing
