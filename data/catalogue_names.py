"""Names of the catalogue as a scenario writes them."""

from collections.abc import Iterable

from data.names import accelerator_id
from data.reading import Reader, close_names


def known_accelerator(reader: Reader, key: str, known: Iterable[str]) -> str | None:
    """The catalogue id of the accelerator named at `key`; None where left out or not known (a problem)."""
    text = reader.text(key)
    found = accelerator_id(text)
    if text is not None and found is None:
        reader.refuse(key, f"'{text}' is not in the catalogue", close_names(text, known))
    return found
