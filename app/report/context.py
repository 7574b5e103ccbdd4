"""What every section of a report may look at, with the evidence numbered once for all footnotes."""

from dataclasses import dataclass
from datetime import date

from app.workbench import View
from models.evidence import Evidence
from models.plans import EvidenceUse


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportContext:
    """A view, the report's own words, and the numbered evidence.

    written_on  the date on the cover; an argument, so that the same scenario gives the same bytes
    """

    view: View
    title: str
    written_on: date
    versions: tuple[tuple[str, str], ...]

    @property
    def footnotes(self) -> tuple[tuple[str, EvidenceUse], ...]:
        """Evidence in the order of its use, each source once: `E1`, `E2`, ..."""
        first: dict[Evidence, EvidenceUse] = {}
        for use in self.view.plan.evidence:
            first.setdefault(use.evidence, use)
        return tuple((f"E{number}", use) for number, use in enumerate(first.values(), start=1))

    def marks(self, subject: str) -> str:
        """The footnote marks of everything that a thing's numbers rest on."""
        numbers = {use.evidence: mark for mark, use in self.footnotes}
        found = [numbers[use.evidence] for use in self.view.plan.evidence if use.subject == subject]
        return ", ".join(dict.fromkeys(found))
