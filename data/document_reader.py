"""One JSON object of a result file, read key by key; what cannot be used becomes an addressed problem."""

import math
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from models.percentiles import UNKNOWN, Percentiles
from models.problems import Problem

LARGEST_WHOLE = 2**53  # beyond this a float cannot hold every whole number
STATISTIC_KEYS = {
    "mean": ("mean", "avg", "average"),
    "p50": ("median", "p50", "med", "p(50)"),
    "p90": ("p90", "p(90)"),
    "p95": ("p95", "p(95)"),
    "p99": ("p99", "p(99)"),
}


class DocumentReader:
    """Values of one document, divided into base units where asked; problems gather in `problems`."""

    def __init__(self, document: dict[str, Any], path: str, problems: list[Problem] | None = None) -> None:
        self.document = document
        self.path = path
        self.problems: list[Problem] = [] if problems is None else problems

    @property
    def refused(self) -> bool:
        """Whether any value was wrong enough to refuse the document."""
        return any(problem.severity == "error" for problem in self.problems)

    def under(self, *keys: str) -> "DocumentReader":
        """The object below the keys, empty where there is none; what is wrong in it gathers here."""
        value: Any = self.document
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        document = value if isinstance(value, dict) else {}
        return DocumentReader(document, ", ".join((self.path, *keys)), self.problems)

    def refuse(self, key: str, message: str, cure: str) -> None:
        """Note an error: the document will not be used."""
        self.problems.append(Problem(path=f"{self.path}, {key}", message=message, cure=cure))

    def warn(self, key: str, message: str, cure: str) -> None:
        """Note a caveat: the document is used."""
        where = f"{self.path}, {key}" if key else self.path
        self.problems.append(Problem(path=where, message=message, cure=cure, severity="warning"))

    def number(self, key: str, divisor: float = 1.0) -> float | None:
        """A finite number of at least zero; None where missing or NaN, which tools write for no data."""
        value = self.document.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.refuse(key, f"expected a number, got {shown(value)}", "Export the file again.")
            return None
        if math.isnan(value):
            self.warn(key, "NaN is taken as missing", "Nothing to do, if no request had a value.")
            return None
        if not math.isfinite(value / divisor):
            self.refuse(key, "the number is not finite", "Export the file again.")
            return None
        if value < 0:
            self.refuse(key, f"{shown(value)} is negative", "Export the file again, or remove the key.")
            return None
        return value / divisor

    def count(self, key: str) -> int | None:
        """A whole number of at least zero; None where missing."""
        value = self.number(key)
        if value is None:
            return None
        if value != int(value) or value >= LARGEST_WHOLE:
            self.refuse(key, f"{shown(value)} is not a whole number", "Export the file again.")
            return None
        return int(value)

    def latency(
        self, divisor: float = 1.0, keys: Mapping[str, Sequence[str]] = STATISTIC_KEYS
    ) -> Percentiles:
        """Mean and percentiles of a time, in seconds after division; the first key present counts.

        A time of exactly 0 stands for no data. A negative one means that an absolute clock or a marker of
        missing data leaked in: the whole latency is left out, and said so, and the rest of the run stays.
        """
        present = {
            statistic: next((word for word in words if self.document.get(word) is not None), words[0])
            for statistic, words in keys.items()
        }
        negative = next((key for key in present.values() if _is_negative(self.document.get(key))), None)
        if negative is not None:
            self.warn(
                negative,
                f"{shown(self.document[negative])} is negative, so this latency was left out",
                "An absolute clock or a marker for no data leaked in; measure it again.",
            )
            return UNKNOWN
        values = {statistic: self.number(key, divisor) or None for statistic, key in present.items()}
        return Percentiles(**values) if any(values.values()) else UNKNOWN

    def text(self, *keys: str) -> str | None:
        """The first of the keys that holds words; None where none does."""
        for key in keys:
            value = self.document.get(key)
            if isinstance(value, str) and value.strip():
                return value.strip().encode("utf-8", "replace").decode("utf-8")
        return None

    def numbers(self, key: str) -> list[float] | None:
        """A list of finite numbers, one per request; None where missing or anything else."""
        values = self.document.get(key)
        if not isinstance(values, list) or not values:
            return None
        if all(_is_finite(value) for value in values):
            return [float(value) for value in values]
        self.warn(key, "the list holds something else than numbers and is left out", "Export the file again.")
        return None

    def day(self, key: str) -> date | None:
        """A day written as 20261130-172738 or 2026-11-30; None where it is neither."""
        text = self.text(key) or ""
        for candidate in (text[:10], text[:8]):
            try:
                return date.fromisoformat(candidate)
            except ValueError:
                continue
        return None


def _is_finite(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_negative(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value < 0


def shown(value: object) -> str:
    """The value as a message may show it: short, and no content of a text longer than a word."""
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def quantiles_of(values: Sequence[float], quantiles: Sequence[float]) -> list[float]:
    """Quantiles of a non-empty sample by linear interpolation between order statistics.

    Type 7 of Hyndman and Fan (1996), which NumPy and the benchmark tools use by default.
    """
    ordered = sorted(values)
    found = []
    for quantile in quantiles:
        place = quantile * (len(ordered) - 1)
        low = int(place)
        high = min(low + 1, len(ordered) - 1)
        found.append(ordered[low] + (place - low) * (ordered[high] - ordered[low]))
    return found
