"""What own measurements change: grade and bill of each offer, against the built-in evidence alone."""

from dataclasses import dataclass

from app import workbench
from models.evidence import Grade
from models.performance import CannotServe, TierPerformance


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceChange:
    """What the user's own measurements changed for one offer, against the built-in evidence alone.

    used  False where the fit left all of them out; `notices` say why
    """

    offer_id: str
    used: bool
    notices: tuple[str, ...]
    tier_label: str
    sources: tuple[str, ...]
    point_count: int
    grade_before: Grade | None
    grade_after: Grade | None
    cost_before_usd_per_month: float
    cost_after_usd_per_month: float


def changes_of(seen: workbench.View) -> tuple[EvidenceChange, ...]:
    """For each offer that own measurements calibrate: the evidence and the bill, before and after."""
    own = {
        offer_id: [each for each in found if not each.built_in]
        for offer_id, found in seen.measurements.items()
    }
    if not any(own.values()):
        return ()
    before = workbench.view_on_builtin_evidence(seen)
    return tuple(
        EvidenceChange(
            offer_id=offer_id,
            used=rests_on(seen.performances[offer_id], {each.source_label for each in found}),
            notices=_said(seen.performances[offer_id]),
            tier_label=seen.offer(offer_id).tier.label,
            sources=tuple(sorted({each.source_label for each in found})),
            point_count=len(found),
            grade_before=_grade(before.performances[offer_id]),
            grade_after=_grade(seen.performances[offer_id]),
            cost_before_usd_per_month=before.plan.totals.cost_usd_per_month,
            cost_after_usd_per_month=seen.plan.totals.cost_usd_per_month,
        )
        for offer_id, found in own.items()
        if found
    )


def rests_on(performance: TierPerformance | CannotServe, labels: set[str]) -> bool:
    """Whether a performance names one of these sources among its evidence."""
    if isinstance(performance, CannotServe):
        return False
    return any(label in each.source for each in performance.evidence.values() for label in labels)


def _said(performance: TierPerformance | CannotServe) -> tuple[str, ...]:
    """What a performance has to say of itself: its notices, or why it cannot serve."""
    return performance.reasons if isinstance(performance, CannotServe) else performance.notices


def _grade(performance: TierPerformance | CannotServe) -> Grade | None:
    """The weakest grade a performance rests on; None where there is none."""
    if isinstance(performance, CannotServe):
        return None
    return max((each.grade for each in performance.evidence.values()), default=None)
