"""Composition root: draft -> scenario -> calibrated offers -> plan. The only place that knows both sides.

No Streamlit here: pages, command line and reports call the same functions and get the same numbers.
Everything is a pure function of the draft and the measurements, so results are kept by value.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Any

from app.charts import concurrency
from data.aiconfigurator_tiers import PlannedTier
from data.aiconfigurator_tiers import planned_tier as read_planned_tier
from data.builtin_curves import builtin_matching, builtin_measurements, matching
from data.catalogue_files import Catalogue, load_catalogue
from data.claims import Claim
from data.contained import import_contained, import_contained_file
from data.exports import canonical_csv, template_csv, write_csv
from data.imported import ImportedFile
from data.imported import as_json as import_as_json
from data.importers import IMPORTERS
from data.label_doubts import contradictions, label_notices
from data.reading import close_names
from data.scenario_files import (
    api_buyer_example,
    draft_id,
    read_draft,
    scenario_from,
    write_draft,
)
from data.scenario_files import worked_example as _worked_example
from data.store import Store, open_store
from data.store_faults import StoreFault
from data.tier_drafts import tier_as_draft
from data.yaml_documents import write_yaml
from models import curves, planning
from models.architectures import (
    ARCHITECTURES,
    batched_accelerator,
    disaggregated_pools,
    hosted_api,
    wafer_scale_pipeline,
)
from models.curves import LoadPoint
from models.desk import Desk, Performances, desk_for
from models.measurements import SourcedMeasurement
from models.performance import CannotServe, EnvelopeEnd, FitQuality, TierPerformance
from models.plans import Plan
from models.pool_plan import PoolPlan
from models.pools import plan_pool
from models.problems import InputProblems, Problem
from models.scenario import Policy, Scenario
from models.tiers import Offer
from models.workloads import Demand

__all__ = [
    "Catalogue",
    "Claim",
    "ImportedFile",
    "Store",
    "StoreFault",
    "TierCurve",
    "View",
    "buyer_example",
    "canonical_csv",
    "catalogue_curves",
    "close_names",
    "contradictions",
    "desk_of",
    "draft_id",
    "format_labels",
    "free_id",
    "hold_out",
    "import_as_json",
    "import_contained",
    "import_contained_file",
    "labelled",
    "load_catalogue",
    "load_curve",
    "offers_measured",
    "planned_tier",
    "read_draft",
    "replan",
    "scenario_of",
    "store_at",
    "template_csv",
    "tier_as_draft",
    "unreadable",
    "view",
    "view_on_builtin_evidence",
    "worked_example",
    "write_csv",
    "write_draft",
    "write_yaml",
]

Draft = dict[str, Any]
ENVELOPES = {module.KEY: module for module in (wafer_scale_pipeline, disaggregated_pools)}


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """One draft worked out: what a page or report shows."""

    draft: Draft
    scenario: Scenario
    measurements: Mapping[str, tuple[SourcedMeasurement, ...]]
    performances: Performances

    @property
    def plan(self) -> Plan:
        """The plan, worked out when first asked for and kept by value."""
        return _plan(self.scenario, tuple(self.performances.items()))

    def missing_measurements(self) -> tuple[str, ...]:
        """Runs that the scenario names for calibration and this store does not have."""
        named = {source_id for offer in self.scenario.offers for source_id in offer.measurement_ids or ()}
        present = {each.source_id for found in self.measurements.values() for each in found}
        return tuple(sorted(named - present))

    def offer(self, offer_id: str) -> Offer:
        """The offer of that id."""
        return next(offer for offer in self.scenario.offers if offer.id == offer_id)


def worked_example() -> Draft:
    """The scenario a new user sees first."""
    return _worked_example(load_catalogue())


def buyer_example() -> Draft:
    """The scenario of somebody who buys tokens: one model at several speeds."""
    return api_buyer_example(load_catalogue())


def format_labels() -> tuple[str, ...]:
    """What benchmark files are recognised, in words."""
    return tuple(dict.fromkeys(importer.LABEL for importer in IMPORTERS))


def store_at(path: Path | str | None = None) -> Store:
    """The benchmark store at a path, or where the environment or the system says."""
    return open_store(path, builtin=builtin_measurements)


def scenario_of(draft: Draft) -> Scenario:
    """The scenario a draft describes; InputProblems listing all that is wrong."""
    return scenario_from(draft, load_catalogue())


def view(draft: Draft, own: Sequence[SourcedMeasurement] = ()) -> View:
    """Work a draft out with the built-in and the user's own measurements.

    Raises InputProblems where the draft cannot be read.
    """
    scenario = scenario_of(draft)
    return _view(draft, scenario, own)


def view_on_builtin_evidence(seen: View) -> View:
    """The same draft as it would be without any of the user's own measurements."""
    return _view(seen.draft, seen.scenario, ())


def _view(draft: Draft, scenario: Scenario, own: Sequence[SourcedMeasurement]) -> View:
    measurements = {offer.id: (*matching(offer, own), *builtin_matching(offer)) for offer in scenario.offers}
    performances = {
        offer.id: _performance(offer, measurements[offer.id], scenario) for offer in scenario.offers
    }
    return View(
        draft=draft,
        scenario=scenario,
        measurements=measurements,
        performances=performances,
    )


def _performance(
    offer: Offer, measurements: tuple[SourcedMeasurement, ...], scenario: Scenario
) -> TierPerformance | CannotServe:
    if offer.tier.architecture not in ARCHITECTURES:
        return CannotServe(
            binding_constraint="architecture",
            reasons=(f"architecture {offer.tier.architecture!r} has no model yet",),
            would_fit_if=f"the tier were one of {', '.join(ARCHITECTURES)}",
        )
    policy = scenario.policy
    if offer.tier.architecture == hosted_api.KEY:
        return _fit_hosted(
            offer, measurements, policy.accepted_derate_ratio, policy.accepted_p95_to_p50_ratio
        )
    if offer.tier.architecture in ENVELOPES:
        return _fit_envelope(offer, measurements, policy.accepted_derate_ratio, policy.envelope_end)
    return _fit_machines(offer, measurements)


@lru_cache(maxsize=512)
def _fit_machines(
    offer: Offer, measurements: tuple[SourcedMeasurement, ...]
) -> TierPerformance | CannotServe:
    fitted: TierPerformance | CannotServe = ARCHITECTURES[offer.tier.architecture].fit(offer, measurements)
    if isinstance(fitted, CannotServe):
        return fitted
    return replace(fitted, notices=(*label_notices(offer, measurements), *fitted.notices))


@lru_cache(maxsize=512)
def _fit_envelope(
    offer: Offer,
    measurements: tuple[SourcedMeasurement, ...],
    accepted_derate_ratio: float | None,
    envelope_end: EnvelopeEnd,
) -> TierPerformance | CannotServe:
    fitted: TierPerformance | CannotServe = ENVELOPES[offer.tier.architecture].fit(
        offer, measurements, accepted_derate_ratio=accepted_derate_ratio, envelope_end=envelope_end
    )
    return fitted


@lru_cache(maxsize=512)
def _fit_hosted(
    offer: Offer,
    measurements: tuple[SourcedMeasurement, ...],
    accepted_derate_ratio: float | None,
    accepted_p95_to_p50_ratio: float | None,
) -> TierPerformance | CannotServe:
    return hosted_api.fit(
        offer,
        measurements,
        accepted_derate_ratio=accepted_derate_ratio,
        accepted_p95_to_p50_ratio=accepted_p95_to_p50_ratio,
    )


@lru_cache(maxsize=64)
def _plan(scenario: Scenario, performances: tuple[tuple[str, TierPerformance | CannotServe], ...]) -> Plan:
    return planning.plan(scenario, dict(performances), _pool)


def desk_of(seen: View) -> Desk:
    """The planner's desk of a view, whose pools are kept by value as the plan's are."""
    return desk_for(seen.scenario, seen.performances, _pool)


def replan(scenario: Scenario, performances: Performances) -> Plan:
    """The plan of a changed scenario, kept by value."""
    return _plan(scenario, tuple(performances.items()))


@lru_cache(maxsize=8192)
def _pool(
    offer: Offer,
    performance: TierPerformance,
    demands: tuple[Demand, ...],
    policy: Policy,
    fewest_replica_count: int,
) -> PoolPlan | CannotServe:
    """Pools kept by value: after one change, only what it touches is worked out again."""
    return plan_pool(offer, performance, demands, policy, fewest_replica_count)


@lru_cache(maxsize=256)
def load_curve(
    offer: Offer, performance: TierPerformance, demand: Demand, replica_count: int
) -> tuple[LoadPoint, ...]:
    """Operating points of an offer along rising load, kept by value."""
    return curves.load_curve(offer, performance, demand, replica_count)


def labelled(imported: ImportedFile, tier: str | None, model: str | None) -> ImportedFile:
    """An import with the tier and model the user says it measured; None leaves the file's own words."""
    return replace(
        imported,
        measurements=tuple(
            replace(each, tier=tier or each.tier, model=model or each.model) for each in imported.measurements
        ),
    )


@lru_cache(maxsize=128)
def hold_out(offer: Offer, measurements: tuple[SourcedMeasurement, ...]) -> FitQuality | None:
    """How the offer's fit predicts loads and lengths it has not seen; None where nothing is fitted."""
    if offer.tier.architecture != batched_accelerator.KEY:
        return None
    return batched_accelerator.assess(offer, measurements)


def offers_measured(draft: Draft, imported: ImportedFile) -> tuple[Offer, ...]:
    """The scenario's offers that an import would calibrate, by its tier, model and accelerator."""
    points = [
        SourcedMeasurement(
            measurement=each, source_id=imported.source_id, source_label=imported.file_name, row_number=row
        )
        for each, row in zip(imported.measurements, imported.row_numbers, strict=True)
    ]
    return tuple(offer for offer in scenario_of(draft).offers if matching(offer, points))


def unreadable(name: str, problems: Sequence[Problem]) -> ImportedFile:
    """A file whose bytes could not even be had, as an import with nothing in it."""
    return ImportedFile(file_name=name, sha256="", problems=tuple(problems))


def free_id(wanted: str, taken: Collection[str]) -> str:
    """The id, numbered where it is taken."""
    numbered = (f"{wanted}_{number}" for number in count(2))
    return wanted if wanted not in taken else next(each for each in numbered if each not in taken)


def planned_tier(name: str, raw: bytes) -> PlannedTier | tuple[Problem, ...]:
    """A result of aiconfigurator as a tier of its figures, or what is wrong with it."""
    return read_planned_tier(name, raw.decode("utf-8", errors="replace"))


@dataclass(frozen=True, slots=True, kw_only=True)
class TierCurve:
    """One offer of the catalogue with its measured points and what was fitted to them."""

    offer: Offer
    measurements: tuple[SourcedMeasurement, ...]
    performance: TierPerformance | CannotServe
    shapes: tuple[tuple[float, float], ...]


def catalogue_curves(own: Sequence[SourcedMeasurement], tier_id: str | None = None) -> tuple[TierCurve, ...]:
    """Curves of every measured offer of the catalogue, or of one tier. InputProblems for an unknown tier."""
    catalogue, today = load_catalogue(), datetime.now(UTC).date()
    if tier_id is not None and tier_id not in catalogue.tiers:
        cure = close_names(tier_id, catalogue.tiers)
        raise InputProblems([Problem(path="--tier", message=f"no tier {tier_id!r}", cure=cure)])
    found = []
    for listed_tier, model_id in catalogue.listings:
        if tier_id not in (None, listed_tier):
            continue
        offer = catalogue.offer(listed_tier, model_id, today)
        measurements = (*matching(offer, own), *builtin_matching(offer))
        if measurements:
            performance = ARCHITECTURES[offer.tier.architecture].fit(offer, measurements)
            shapes = concurrency.shapes(measurements)
            found.append(
                TierCurve(offer=offer, measurements=measurements, performance=performance, shapes=shapes)
            )
    return tuple(found)
