"""Bad input as a list of addressed problems, so that a user can mend all of them at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing wrong with an input: where, what, and how to mend it.

    path      the address: `tiers[2].price.output_usd_per_mtok`, or `row 7, column ttft_ms_p50`
    message   what is wrong, with the offending value
    cure      what to do about it
    severity  "error": the input or row was not used; "warning": it was used, with this caveat
    """

    path: str
    message: str
    cure: str
    severity: Severity = "error"

    def __str__(self) -> str:
        return f"{self.path}: {self.message}. {self.cure}"


class InputProblems(Exception):
    """All that is wrong with an input; raised once, after everything was read."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))
