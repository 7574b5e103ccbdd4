"""How far a long reading has come, on one line of a terminal that is written over itself."""

import sys
from typing import Self


class ProgressLine:
    """To be called with the share done and what is being done; silent where standard error is no terminal."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.shown = sys.stderr.isatty()

    def __call__(self, fraction: float, doing: str) -> None:
        if self.shown:
            print(f"\r\033[K{self.name}: {doing}, {fraction:.0%}", end="", file=sys.stderr, flush=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """Leave the line empty for what follows."""
        if self.shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
