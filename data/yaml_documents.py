"""A YAML result file as one document, by the safe loader and the limits of a scenario file."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from data.json_documents import JsonDocument
from data.scenario_text import MAX_BYTES, read_draft
from models.problems import InputProblems, Problem

MAPPING_LINE = re.compile(r"""["']?[A-Za-z_][\w .-]*["']?:(\s|$)""")


def looks_like_yaml(text: str) -> bool:
    """Whether the first line that is no comment opens a group of named values."""
    for line in text.lstrip().splitlines()[:50]:
        if line.strip() and not line.startswith(("#", "---", "%YAML")):
            return MAPPING_LINE.match(line) is not None
    return False


def yaml_documents(name: str, text: str) -> tuple[tuple[JsonDocument, ...], tuple[Problem, ...]]:
    """The text's one mapping, or what is wrong with it."""
    if len(text) > MAX_BYTES:
        problem = Problem(
            path=name,
            message=f"the YAML has {len(text):,} letters and the limit is {MAX_BYTES:,}",
            cure="Have the tool write JSON, which may be larger.",
        )
        return (), (problem,)
    try:
        return (JsonDocument(value=read_draft(text, name), line=1),), ()
    except InputProblems as error:
        return (), error.problems


def write_yaml(document: Mapping[str, Any], comments: Sequence[str] = ()) -> str:
    """A document of plain values as YAML, every text quoted where it must be, below lines of comment."""
    head = "".join(f"# {line}\n" for line in comments)
    body: str = yaml.safe_dump(dict(document), sort_keys=False, allow_unicode=True, width=100)
    return head + body
