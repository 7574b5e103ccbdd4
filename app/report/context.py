"""What every section of a report may look at, with the evidence numbered once for all footnotes."""

from dataclasses import dataclass
from datetime import date

from app.shelf import OwnClaim
from app.workbench import View
from models.evidence import Evidence
from models.plans import EvidenceUse


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportContext:
    """A view, the report's own words, and the numbered evidence.

    against     the scenario to compare with, if any
    own_claims  what users claim themselves, used or not
    written_on  the date on the cover; an argument, so that the same scenario gives the same bytes
    """

    view: View
    title: str
    written_on: date
    versions: tuple[tuple[str, str], ...]
    against: View | None = None
    own_claims: tuple[OwnClaim, ...] = ()

    @property
    def footnotes(self) -> tuple[tuple[str, Evidence, tuple[EvidenceUse, ...]], ...]:
        """Evidence in the order of its first use, `E1`, `E2`, ..., each with everything it backs."""
        uses: dict[Evidence, list[EvidenceUse]] = {}
        for use in self.view.plan.evidence:
            uses.setdefault(use.evidence, []).append(use)
        return tuple(
            (f"E{number}", evidence, tuple(backed))
            for number, (evidence, backed) in enumerate(uses.items(), start=1)
        )

    def marks(self, subject: str) -> str:
        """The footnote marks of everything that a thing's numbers rest on."""
        return ", ".join(
            mark for mark, _, backed in self.footnotes if any(use.subject == subject for use in backed)
        )
