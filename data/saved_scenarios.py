"""Scenarios with a name, kept in the store: saved, opened, duplicated, renamed, deleted and brought back."""

from dataclasses import dataclass, replace
from datetime import datetime
from itertools import count
from typing import Any

from data.migrations import utc_now
from data.plain_text import is_visible
from data.runs import named_query
from data.scenario_files import read_draft, write_draft
from data.store import Store
from models.problems import InputProblems, Problem

LONGEST_NAME = 80

Draft = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedScenario:
    """One kept scenario.

    number    what it is known by, whatever its name
    document  the scenario file as text
    saved_at  when it was last saved, renamed, deleted or brought back; UTC, without a zone
    """

    number: int
    name: str
    document: str
    deleted: bool
    saved_by: str
    saved_at: datetime

    def draft(self) -> Draft:
        """The scenario as a draft; InputProblems where an older Plimsoll kept what this one cannot read."""
        return read_draft(self.document.encode(), f"{self.name}.yaml")


def saved_scenarios(store: Store) -> tuple[SavedScenario, ...]:
    """What is kept, by name; StoreFault where the store cannot be read."""
    return tuple(each for each in _all(store) if not each.deleted)


def deleted_scenarios(store: Store) -> tuple[SavedScenario, ...]:
    """What was deleted and can be brought back, the latest first; StoreFault."""
    gone = [each for each in _all(store) if each.deleted]
    return tuple(sorted(gone, key=lambda each: each.saved_at, reverse=True))


def save_scenario(store: Store, name: str, draft: Draft, who: str = "") -> SavedScenario:
    """Keep a scenario under a new name. InputProblems where the name is taken or unfit; StoreFault."""
    known = _all(store)
    kept = SavedScenario(
        number=max((each.number for each in known), default=0) + 1,
        name=_checked_name(name, known),
        document=write_draft(draft),
        deleted=False,
        saved_by=who,
        saved_at=utc_now(),
    )
    return _append(store, kept)


def save_over(store: Store, number: int, draft: Draft, who: str = "") -> SavedScenario:
    """Put a scenario in the place of the kept one of that number; its name stays."""
    return _append(store, replace(_of(store, number), document=write_draft(draft), saved_by=who))


def duplicate_scenario(store: Store, number: int, who: str = "") -> SavedScenario:
    """Keep the same scenario once more, under its name with a number behind it."""
    original = _of(store, number)
    taken = {each.name for each in saved_scenarios(store)}
    tried = (f"{original.name[: LONGEST_NAME - 7]} ({each})" for each in count(2))
    name = next(each for each in tried if each not in taken)
    return save_scenario(store, name, original.draft(), who)


def rename_scenario(store: Store, number: int, name: str, who: str = "") -> SavedScenario:
    """Call a kept scenario something else. InputProblems where the name is taken or unfit; StoreFault."""
    others = [each for each in _all(store) if each.number != number]
    return _append(store, replace(_of(store, number), name=_checked_name(name, others), saved_by=who))


def delete_scenario(store: Store, number: int, who: str = "") -> SavedScenario:
    """Keep a scenario no longer; `bring_back` undoes it."""
    return _append(store, replace(_of(store, number), deleted=True, saved_by=who))


def bring_back(store: Store, number: int, who: str = "") -> SavedScenario:
    """Keep a deleted scenario again. InputProblems where another has taken its name; StoreFault."""
    others = [each for each in _all(store) if each.number != number]
    kept = _of(store, number)
    return _append(store, replace(kept, name=_checked_name(kept.name, others), deleted=False, saved_by=who))


def _all(store: Store) -> tuple[SavedScenario, ...]:
    with store.cursor() as cursor:
        rows = cursor.execute(named_query("saved_scenarios")).fetchall()
    return tuple(
        SavedScenario(number=number, name=name, document=text, deleted=gone, saved_by=who, saved_at=when)
        for number, name, text, gone, who, when in rows
    )


def _of(store: Store, number: int) -> SavedScenario:
    found = next((each for each in _all(store) if each.number == number), None)
    if found is None:
        message = f"no scenario number {number} is kept"
        raise InputProblems([Problem(path="scenario", message=message, cure="Look at the list again.")])
    return found


def _checked_name(name: str, others: tuple[SavedScenario, ...] | list[SavedScenario]) -> str:
    """The name without blanks around it; InputProblems where it cannot be read or is taken."""
    name = name.strip()
    problems = []
    if not name or len(name) > LONGEST_NAME or not is_visible(name):
        message = f"a name has 1 to {LONGEST_NAME} visible letters"
        problems.append(Problem(path="name", message=message, cure="Choose a short name."))
    if any(each.name == name and not each.deleted for each in others):
        message = "a scenario of this name is kept already"
        problems.append(Problem(path="name", message=message, cure="Choose another name, or save over it."))
    if problems:
        raise InputProblems(problems)
    return name


def _append(store: Store, kept: SavedScenario) -> SavedScenario:
    """Write the latest word on a scenario."""
    said = replace(kept, saved_at=utc_now())
    with store.transaction() as cursor:
        cursor.execute(
            "INSERT INTO store.saved_scenarios "
            "SELECT ?, coalesce(max(event_number), 0) + 1, ?, ?, ?, ?, ? FROM store.saved_scenarios",
            [said.number, said.name, said.document, said.deleted, said.saved_by, said.saved_at],
        )
    return said
