"""Prompts, answers, addresses and secrets in a result file: never kept, and named so that people know."""

from collections.abc import Iterator
from typing import Any

from data.column_names import PRIVATE_NAMES, normalised
from data.json_documents import JsonDocument
from models.problems import Problem

PRIVATE_KEYS = PRIVATE_NAMES | frozenset(
    (
        "generated_texts",
        "input_prompts",
        "messages",
        "request",
        "request_args",
        "output",
        "gen_text",
        "response_chunks",
        "response_outputs",
        "request_inputs",
        "payload",
        "target",
        "backend_target",
        "urls",
        "cli_command",
        "hf_token",
    )
)
MOST_ITEMS_OF_A_LIST = 3  # a list of requests is alike from first to last
MOST_DOCUMENTS = 3


def private_content(documents: tuple[JsonDocument, ...], name: str) -> tuple[Problem, ...]:
    """One warning that names the keys whose words were dropped; none where there are none."""
    found = sorted({key for each in documents[:MOST_DOCUMENTS] for key in _private_keys(each.value)})
    if not found:
        return ()
    return (
        Problem(
            path=name,
            message=f"prompts, answers, addresses or secrets were dropped: {', '.join(found)}",
            cure="Leave them out before sharing the file.",
            severity="warning",
        ),
    )


def _private_keys(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for item in value[:MOST_ITEMS_OF_A_LIST]:
            yield from _private_keys(item)
    elif isinstance(value, dict):
        for key, each in value.items():
            if normalised(key) in PRIVATE_KEYS and _holds_words(each):
                yield key[:40]
            else:
                yield from _private_keys(each)


def _holds_words(value: Any) -> bool:
    """Words, or a list of words or of objects; an object alone is looked into key by key instead."""
    if isinstance(value, list):
        return any(isinstance(each, dict) or _holds_words(each) for each in value[:MOST_ITEMS_OF_A_LIST])
    return isinstance(value, str) and bool(value.strip())
