"""Open the catalogue's own TOML and CSV files; a broken one is our mistake and raises at once."""

import csv
import tomllib
from pathlib import Path
from typing import Any

CATALOGUE = Path(__file__).parent / "catalogue"


def toml_table(name: str) -> dict[str, Any]:
    """A TOML file of the catalogue folder."""
    with (CATALOGUE / name).open("rb") as file:
        return tomllib.load(file)


def csv_rows(name: str) -> list[dict[str, Any]]:
    """A CSV file of the catalogue folder: one mapping a row, numbers as numbers, blanks left out."""
    with (CATALOGUE / name).open(newline="", encoding="utf-8") as file:
        lines = (line for line in file if not line.startswith("#"))
        return [{key: _cell(text) for key, text in row.items() if text} for row in csv.DictReader(lines)]


def _cell(text: str) -> str | int | float:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
