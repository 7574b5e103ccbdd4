"""One or many JSON documents in a text, one after the other, with the line each begins on."""

import json
import math
import re
from dataclasses import dataclass
from typing import Any

from models.problems import Problem

LONGEST_INTEGER_DIGITS = 18  # beyond this a number cannot be a count, and int64 would wrap
DEEPEST_LEVEL = 100
MOST_DOCUMENTS = 200_000  # as many requests as one file may list
NEXT_DOCUMENT = re.compile(r"\n\s*(?=[{\[])")


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonDocument:
    """One object of the file and the line it begins on, from 1."""

    value: dict[str, Any]
    line: int


class _Refused(ValueError):
    pass


def _integer(digits: str) -> int | float:
    if len(digits.lstrip("-")) <= LONGEST_INTEGER_DIGITS:
        return int(digits)
    return float(digits) if len(digits) < 400 else math.inf


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _Refused(f"the key {key[:80]!r} appears twice in one object")
        found[key] = value
    return found


def looks_like_json(text: str) -> bool:
    """Whether the first letter opens an object or a list."""
    return text.lstrip()[:1] in ("{", "[")


def json_documents(name: str, text: str) -> tuple[tuple[JsonDocument, ...], tuple[Problem, ...]]:
    """The objects of the text; a list of objects counts as its objects. NaN and Infinity are kept as floats.

    Documents may follow each other with or without a newline, as appended result files do. A broken one
    is a problem with its line; reading goes on at the next line that opens a document.
    """
    decoder = json.JSONDecoder(object_pairs_hook=_unique, parse_int=_integer)
    documents: list[JsonDocument] = []
    problems: list[Problem] = []
    position = _skip_blank(text, 0)
    line, counted = 1, 0
    while position < len(text):
        line, counted = line + text.count("\n", counted, position), position
        try:
            value, position = decoder.raw_decode(text, position)
            _check_depth(value)
            documents.extend(_objects(value, line))
            if len(documents) > MOST_DOCUMENTS:
                raise _Refused(f"it holds more than {MOST_DOCUMENTS:,} objects; the rest is not read")
            position = _skip_blank(text, position)
        except (ValueError, RecursionError) as error:
            problems.append(_broken(name, line, error))
            if len(documents) > MOST_DOCUMENTS:
                return (), tuple(problems)
            following = NEXT_DOCUMENT.search(text, position)
            position = following.end() if following else len(text)
    return tuple(documents), tuple(problems)


def _skip_blank(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t\r\n":
        position += 1
    return position


def _objects(value: Any, line: int) -> list[JsonDocument]:
    values = value if isinstance(value, list) else [value]
    if not all(isinstance(item, dict) for item in values):
        raise _Refused("expected an object or a list of objects")
    return [JsonDocument(value=item, line=line) for item in values]


def _check_depth(value: Any) -> None:
    level = [value]
    for _ in range(DEEPEST_LEVEL):
        level = [
            child
            for node in level
            if isinstance(node, dict | list)
            for child in (node.values() if isinstance(node, dict) else node)
            if isinstance(child, dict | list)
        ]
        if not level:
            return
    raise _Refused(f"it is nested deeper than {DEEPEST_LEVEL} levels")


def _broken(name: str, line: int, error: Exception) -> Problem:
    if isinstance(error, json.JSONDecodeError):
        what, line = f"not valid JSON: {error.msg}", error.lineno
    elif isinstance(error, RecursionError):
        what = f"it is nested deeper than {DEEPEST_LEVEL} levels"
    else:
        what = str(error)
    return Problem(
        path=f"{name}, line {line}", message=what, cure="Mend that document, or export the file again."
    )
