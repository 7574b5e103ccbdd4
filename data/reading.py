"""Read a mapping key by key, collecting every problem with its address and a cure.

A reader knows the keys it was asked for; `close` refuses all others, so a typo never reads as absence.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from difflib import get_close_matches
from typing import Any, Literal, TypeVar, overload

from data.plain_text import direction_marks
from models.evidence import Evidence, Grade, Sense
from models.problems import Problem

Choice = TypeVar("Choice", bound=str)
CLOSE_NAME_COUNT = 3
MOST_NAMES_LISTED = 40  # all keys of the largest group
ASSUMED_BY_USER = Evidence(grade=Grade.ASSUMED_OR_DERIVED, sense=Sense.ASSUMED, source="assumed by the user")


def close_names(name: str, known: Iterable[str]) -> str:
    """A cure that lists the known names nearest to one that is not known."""
    names = sorted(set(known))
    by_lowercase = {each.lower(): each for each in names}
    close = get_close_matches(name.lower(), by_lowercase, n=CLOSE_NAME_COUNT, cutoff=0.6)
    if close:
        return "Did you mean " + " or ".join(f"'{by_lowercase[each]}'" for each in close) + "?"
    if not names:
        return "Leave it out."
    most = MOST_NAMES_LISTED
    return "Known: " + ", ".join(names[:most]) + (", ..." if len(names) > most else "") + "."


def shown(value: object) -> str:
    """A value as a message quotes it, cut to a readable length."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


class Reader:
    """One mapping of an input and its address; problems go to the list it shares with other readers."""

    def __init__(self, raw: object, path: str, problems: list[Problem]) -> None:
        self.path = path
        self.problems = problems
        self.asked: list[str] = []
        self.raw: Mapping[str, Any] = {}
        if isinstance(raw, Mapping):
            self.raw = raw
        else:
            self.refuse(
                "", f"expected a group of named values, got {shown(raw)}", "Write `name: value` pairs."
            )

    def at(self, key: str) -> str:
        """The address of a key of this mapping."""
        return ".".join(part for part in (self.path, key) if part) or "file"

    def refuse(self, key: str, message: str, cure: str) -> None:
        """Note that the value at `key` cannot be used."""
        self.problems.append(Problem(path=self.at(key), message=message, cure=cure))

    def value(self, key: str) -> Any:
        """The raw value, None where left out or null; the key counts as known from now on."""
        self.asked.append(key)
        return self.raw.get(key)

    def required(self, key: str, what: str) -> Any:
        """The raw value; a problem where it is missing."""
        value = self.value(key)
        if value is None:
            self.refuse(key, "is missing", f"Give {what}.")
        return value

    def number(
        self,
        key: str,
        *,
        low: float | None = None,
        high: float | None = None,
        above: float | None = None,
        required: bool = False,
        whole: bool = False,
    ) -> float | None:
        """A finite number within [low, high] and > above; None where left out or refused."""
        what = "a whole number" if whole else "a number"
        value = self.required(key, what) if required else self.value(key)
        if value is None:
            return None
        return checked_number(self, key, value, what=what, low=low, high=high, above=above, whole=whole)

    def integer(
        self, key: str, *, low: int | None = None, high: int | None = None, required: bool = False
    ) -> int | None:
        """A whole number within [low, high]; None where left out or refused."""
        value = self.number(key, low=low, high=high, required=required, whole=True)
        return None if value is None else int(value)

    def flag(self, key: str, default: bool) -> bool:
        """true or false."""
        value = self.value(key)
        if value is None or isinstance(value, bool):
            return default if value is None else value
        self.refuse(key, f"expected true or false, got {shown(value)}", "Write true or false.")
        return default

    @overload
    def text(self, key: str, *, required: Literal[True]) -> str: ...
    @overload
    def text(self, key: str) -> str | None: ...
    def text(self, key: str, *, required: bool = False) -> str | None:
        """A text that is not blank; None (or "" where required) where left out or refused."""
        value = self.required(key, "a text") if required else self.value(key)
        marks = direction_marks(value) if isinstance(value, str) else ()
        if marks:
            self.refuse(
                key,
                f"holds {', '.join(marks)}, which turns the order of letters around unseen",
                "Type it anew without that mark.",
            )
            return "" if required else None
        if isinstance(value, str) and value.strip():
            return value
        if value is not None:
            self.refuse(
                key,
                f"expected a text, got {shown(value)}",
                "Write a word or a sentence, in quotes if it is a number.",
            )
        return "" if required else None

    def choice(self, key: str, options: Sequence[Choice], default: Choice | None = None) -> Choice | None:
        """One of the options; the default where left out; a problem where there is none."""
        value = self.value(key)
        if value is None and default is not None:
            return default
        listed = ", ".join(options)
        if value is None:
            self.refuse(key, "is missing", f"Choose one of: {listed}.")
        elif value in options:
            return options[options.index(value)]
        else:
            self.refuse(key, f"{shown(value)} is not known", f"Choose one of: {listed}.")
        return default

    def day(self, key: str, *, required: bool = False) -> date | None:
        """A calendar day, written 2026-11-30."""
        value = self.required(key, "a day such as 2026-11-30") if required else self.value(key)
        if value is None or type(value) is date:
            return value
        try:
            return date.fromisoformat(value)
        except (TypeError, ValueError):
            self.refuse(key, f"expected a day, got {shown(value)}", "Write it as year-month-day: 2026-11-30.")
            return None

    def group(self, key: str) -> "Reader | None":
        """The reader of a mapping inside this one; None where left out or refused."""
        value = self.value(key)
        reader = None if value is None else Reader(value, self.at(key), self.problems)
        return reader if isinstance(value, Mapping) else None

    def groups(self, key: str, *, what: str, at_least_one: bool = False) -> "list[Reader]":
        """The readers of a list of mappings; entries that are none are refused and left out."""
        entries = self.items(key, what=what, at_least_one=at_least_one)
        readers = [(value, Reader(value, path, self.problems)) for value, path in entries]
        return [reader for value, reader in readers if isinstance(value, Mapping)]

    def texts(self, key: str, *, what: str, at_least_one: bool = False) -> tuple[str, ...]:
        """The texts of a list; entries that are none are refused and left out."""
        entries = self.items(key, what=what, at_least_one=at_least_one)
        read = (Reader({"": value}, path, self.problems).text("", required=True) for value, path in entries)
        return tuple(text for text in read if text)

    def items(self, key: str, *, what: str, at_least_one: bool = False) -> list[tuple[Any, str]]:
        """The entries of a list with their addresses; empty where left out or refused."""
        value = self.value(key)
        if value is None:
            value = []
        if not isinstance(value, list | tuple):
            self.refuse(key, f"expected a list, got {shown(value)}", f"List {what}.")
            return []
        if at_least_one and not value:
            self.refuse(key, "is empty", f"Add {what}.")
        return [(each, f"{self.at(key)}[{index}]") for index, each in enumerate(value)]

    def close(self) -> None:
        """Refuse every key that nobody asked for, naming the nearest known one."""
        for key in self.raw:
            if key not in self.asked:
                self.refuse(str(key), "is not a known key", close_names(str(key), self.asked))


def checked_number(
    reader: Reader,
    key: str,
    value: object,
    *,
    what: str = "a number",
    low: float | None = None,
    high: float | None = None,
    above: float | None = None,
    whole: bool = False,
) -> float | None:
    """The value as a finite float within the bounds; None and a problem otherwise."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        reader.refuse(
            key, f"expected {what}, got {shown(value)}", "Write plain digits, or leave it out if unknown."
        )
        return None
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number) or (whole and number != math.floor(number)):
        reader.refuse(key, f"expected {what}, got {shown(value)}", f"Write {what} that is finite.")
    elif above is not None and number <= above:
        reader.refuse(key, f"must be more than {above:g}, got {number:g}", f"Write a number above {above:g}.")
    elif low is not None and number < low:
        reader.refuse(key, f"must be at least {low:g}, got {number:g}", f"Write {low:g} or more.")
    elif high is not None and number > high:
        reader.refuse(key, f"must be at most {high:g}, got {number:g}", f"Write {high:g} or less.")
    else:
        return number
    return None


def read_evidence(reader: Reader, *, source_names: Mapping[str, str] | None = None) -> Evidence | None:
    """The evidence a mapping describes; `source_names` turns a source's id into its full name."""
    grade = reader.choice("grade", tuple(Grade))
    sense = reader.choice("sense", tuple(Sense))
    source = reader.text("source", required=True)
    low, high = reader.number("low"), reader.number("high")
    evidence_fields = {
        name: reader.text(name) or ""
        for name in ("locator", "stated_by", "measured_by", "conditions", "licence", "note")
    }
    checked_on, expires_on = reader.day("checked_on"), reader.day("expires_on")
    reproducible = None if reader.value("reproducible") is None else reader.flag("reproducible", False)
    reader.close()
    if source and source_names is not None and source not in source_names:
        reader.refuse("source", f"{shown(source)} is not a listed source", close_names(source, source_names))
    if low is not None and high is not None and low > high:
        reader.refuse("low", f"{low:g} is above high, {high:g}", "Swap the two.")
        return None
    if grade is None or sense is None or not source:
        return None
    return Evidence(
        grade=Grade(grade),
        sense=Sense(sense),
        source=(source_names or {}).get(source, source),
        checked_on=checked_on,
        expires_on=expires_on,
        low=low,
        high=high,
        reproducible=reproducible,
        **evidence_fields,
    )


def read_evidence_by_field(
    reader: Reader, present: Iterable[str], source_names: Mapping[str, str]
) -> dict[str, Evidence]:
    """Evidence for each present field, from entries that say which fields they cover.

    A value that no entry covers is a problem, and so is an entry that covers an absent value.
    """
    by_field: dict[str, Evidence] = {}
    for entry in reader.groups("evidence", what="evidence entries"):
        covers = entry.texts("covers", what="the fields it covers", at_least_one=True)
        evidence = read_evidence(entry, source_names=source_names)
        if evidence is not None:
            by_field |= dict.fromkeys(covers, evidence)
    present = set(present)
    for name in sorted(present - by_field.keys()):
        reader.refuse(name, "has a value but no evidence", "Add an evidence entry that covers it.")
    for name in sorted(by_field.keys() - present):
        reader.refuse(name, "has evidence but no value", "Give the value or drop the evidence.")
    return by_field
