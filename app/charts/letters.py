"""The letters that drawings and printed pages have; what they lack shows as its code, not as a box."""

import unicodedata
from functools import lru_cache
from pathlib import Path

import matplotlib as mpl
from matplotlib.ft2font import FT2Font

FONTS = Path(mpl.get_data_path()) / "fonts" / "ttf"
FACE = FONTS / "DejaVuSans.ttf"
UNSEEN = ("Cc", "Cf", "Cs", "Co", "Cn")  # controls, marks that reorder a line, halves of letters, no letters


def printable(text: str) -> str:
    """Text of letters that the font has; others, and marks that nobody sees, as their codes."""
    return "".join(sign if sign in "\n\t" or _drawn(sign) else f"⟨U+{ord(sign):04X}⟩" for sign in text)


def _drawn(sign: str) -> bool:
    return ord(sign) in _covered() and unicodedata.category(sign) not in UNSEEN


@lru_cache(maxsize=1)
def _covered() -> frozenset[int]:
    return frozenset(FT2Font(str(FACE)).get_charmap())
