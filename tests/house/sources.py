"""The project's own source files, read as text and as syntax trees."""

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CODE_FOLDERS = ("models", "data", "app", "pages")


def python_files(*folders):
    """Paths relative to the root, in order, of every module in the folders."""
    found = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    return [path.relative_to(ROOT).as_posix() for path in sorted(found)]


def text_of(path):
    """The text of one source file."""
    return (ROOT / path).read_text(encoding="utf-8")


def module_names(folder):
    """Names of the modules directly in a folder, without the package file."""
    return {path.stem for path in (ROOT / folder).glob("*.py") if path.stem != "__init__"}


def is_within(node, parents):
    """Whether a node stands inside a function."""
    while node in parents:
        node = parents[node]
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return True
    return False


def imports_of(source):
    """(dotted name, whether inside a function) of every import of a source text."""
    tree = ast.parse(source)
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(alias.name, is_within(node, parents)) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            found += [(f"{module}.{alias.name}", is_within(node, parents)) for alias in node.names]
    return found
