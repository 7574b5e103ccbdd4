"""How the numbers are found, in the models' own words: for the Method page and the report's appendix."""

import inspect
from collections.abc import Collection
from dataclasses import dataclass
from types import ModuleType

from models import (
    calibration,
    cost,
    overflow,
    parallel,
    pool_chain,
    processor_sharing,
    queueing,
    slots,
    step_law,
    task_time,
    tokens,
    transient,
    uncertainty,
    value,
    wafers,
)
from models.architectures import ARCHITECTURES

# In the order in which a plan uses them.
FORMULAS: tuple[ModuleType, ...] = (
    *(tokens, parallel, calibration, step_law, wafers),
    *(slots, queueing, processor_sharing, pool_chain, transient, task_time, overflow),
    *(cost, value, uncertainty),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodNote:
    """One part of the method: what it is called, its words, and its formulas with theirs."""

    title: str
    text: str
    formulas: tuple[tuple[str, str], ...] = ()


def architecture_notes(keys: Collection[str] | None = None) -> tuple[MethodNote, ...]:
    """How each kind of tier is modelled, and what that leaves out; those named, or all."""
    return tuple(
        MethodNote(title=module.LABEL, text=inspect.cleandoc(module.__doc__ or ""))
        for key, module in ARCHITECTURES.items()
        if keys is None or key in keys
    )


def formula_notes() -> tuple[MethodNote, ...]:
    """The formulas by subject: each with its units, its range and its source."""
    return tuple(
        MethodNote(
            title=module.__name__.rpartition(".")[2].replace("_", " ").capitalize(),
            text=inspect.cleandoc(module.__doc__ or ""),
            formulas=tuple(
                (f"{name}({', '.join(inspect.signature(found).parameters)})", inspect.getdoc(found) or "")
                for name, found in vars(module).items()
                if inspect.isfunction(found) and found.__module__ == module.__name__ and name[0] != "_"
            ),
        )
        for module in FORMULAS
    )
