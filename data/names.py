"""What benchmark tools call accelerators, models, engines and precisions, resolved to catalogue ids.

Every name is an explicit alias; nothing is guessed from a part of a name.
"""

import re
from functools import lru_cache

from data.tables import toml_table

NAME_COUNT = 4096  # names remembered per question; a benchmark repeats a few of them
_ALIKE = re.compile(r"[\s_\-]+")


@lru_cache(maxsize=NAME_COUNT)
def accelerator_id(text: str | None) -> str | None:
    """The catalogue id of an accelerator as a tool writes it; None where the name is not known."""
    return _alias("accelerator", text)


@lru_cache(maxsize=NAME_COUNT)
def model_id(text: str | None) -> str | None:
    """The catalogue id of a model as a tool writes it, with or without its maker; None where not known."""
    if text is None:
        return None
    return _alias("model", text) or _alias("model", text.rsplit("/", 1)[-1])


@lru_cache(maxsize=NAME_COUNT)
def engine_name(text: str | None) -> str | None:
    """An engine's common name without its version; an unknown engine keeps its first word."""
    if text is None or not text.strip():
        return None
    word = text.strip().split()[0]
    return _alias("engine", word) or _alike(word)


@lru_cache(maxsize=NAME_COUNT)
def precision_name(text: str | None) -> str | None:
    """A precision's common name; an unknown one keeps its own."""
    if text is None or not text.strip():
        return None
    return _alias("precision", text) or _alike(text)


def _alias(kind: str, text: str | None) -> str | None:
    return None if text is None else _aliases(kind).get(_alike(text))


def _alike(text: str) -> str:
    return _ALIKE.sub(" ", text).strip().lower()


@lru_cache
def _aliases(kind: str) -> dict[str, str]:
    aliases = {
        _alike(alias): name
        for name, others in toml_table("names.toml")[kind].items()
        for alias in (name, *others)
    }
    if kind in ("accelerator", "model"):
        for entry in toml_table(f"{kind}s.toml")[kind]:
            aliases |= {_alike(entry["id"]): entry["id"], _alike(entry["label"]): entry["id"]}
    return aliases
