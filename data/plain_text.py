"""Letters that are not seen: marks of writing direction make one name look like another."""

import unicodedata

DIRECTION_MARKS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def direction_marks(text: str) -> tuple[str, ...]:
    """The marks of writing direction in a text, as `U+202E`, each once; empty for honest names."""
    return tuple(f"U+{ord(mark):04X}" for mark in sorted(DIRECTION_MARKS & set(text)))


def is_visible(text: str) -> bool:
    """Whether a name holds neither control letters nor marks of direction."""
    return not direction_marks(text) and not any(unicodedata.category(each) == "Cc" for each in text)
