"""The scenario file: from the draft a person edits to the frozen question a plan answers."""

from collections.abc import Mapping
from datetime import date
from typing import Any, cast, get_args

from data.catalogue_files import Catalogue
from data.examples import api_buyer_example, worked_example
from data.offer_reading import read_offers
from data.reading import Reader, close_names
from data.scenario_text import draft_id, read_draft, write_draft
from data.workload_reading import Traces, read_demand
from models.performance import EnvelopeEnd
from models.placement import MAX_WORKLOAD_COUNT
from models.problems import InputProblems, Problem
from models.scenario import Autoscale, DemandScenario, FleetEntry, Objective, Outlook, Policy, Scenario
from models.tiers import Availability, Offer

__all__ = [
    "SCHEMA",
    "api_buyer_example",
    "draft_id",
    "read_draft",
    "scenario_from",
    "worked_example",
    "write_draft",
]

SCHEMA_NAME, SCHEMA_VERSION = "plimsoll", 1
SCHEMA = f"{SCHEMA_NAME}/{SCHEMA_VERSION}"
MAX_HORIZON_MONTHS = 120
MAX_SPARE_UNIT_COUNT = 1000
MAX_SPREAD_RATIO = 1000
NO_TRACES: Traces = {}


def scenario_from(draft: Mapping[str, Any], catalogue: Catalogue, traces: Traces = NO_TRACES) -> Scenario:
    """The frozen scenario a draft describes; `InputProblems` with all that is wrong, each with its address.

    traces  lengths of imported request logs by hash: `{"input_tok": [...], "output_tok": [...]}`
    """
    problems: list[Problem] = []
    reader = Reader(draft, "", problems)
    _check_schema(reader)
    name = reader.text("name", required=True)
    as_of = reader.day("as_of", required=True)
    seed = reader.integer("seed", low=0, required=True)
    offers = read_offers(reader, catalogue, as_of or date.max)
    known_models = {*catalogue.models, *(offer.model.id for offer in offers)}
    entries = reader.groups("workloads", what="at least one workload", at_least_one=True)
    if len(entries) > MAX_WORKLOAD_COUNT:
        count = f"has {len(entries)} workloads, and a plan weighs at most {MAX_WORKLOAD_COUNT}"
        reader.refuse("workloads", count, "Join those that are alike, or plan them in two scenarios.")
    demands = [read_demand(entry, catalogue, known_models, traces) for entry in entries]
    _refuse_repeats(entries, "name", "workload")
    fleet = _fleet(reader, offers)
    policy = _policy(reader.group("policy"))
    outlook = _outlook(reader.group("demand"))
    reader.close()
    if problems or as_of is None or seed is None:
        raise InputProblems(problems)
    return Scenario(
        id=draft_id(draft),
        name=name,
        as_of=as_of,
        seed=seed,
        demands=tuple(each for each in demands if each is not None),
        offers=offers,
        fleet=fleet,
        policy=policy,
        outlook=outlook,
    )


def _check_schema(reader: Reader) -> None:
    schema = reader.text("schema", required=True)
    name, _, version = schema.partition("/")
    if not schema:
        return
    if name != SCHEMA_NAME or not version.isdecimal() or int(version) < 1:
        reader.refuse("schema", f"'{schema}' is not a scenario of this program", f"Write schema: {SCHEMA}.")
    elif int(version) > SCHEMA_VERSION:
        message = f"the file is version {version}, this program reads up to version {SCHEMA_VERSION}"
        reader.refuse("schema", message, f"Update the program, or save the scenario as {SCHEMA}.")


def _refuse_repeats(entries: list[Reader], key: str, what: str) -> None:
    seen: set[object] = set()
    for entry in entries:
        name = entry.raw.get(key)
        if isinstance(name, str) and name in seen:
            entry.refuse(key, f"a second {what} is called '{name}'", "Give each its own name.")
        if isinstance(name, str):
            seen.add(name)


def _fleet(reader: Reader, offers: tuple[Offer, ...]) -> tuple[FleetEntry, ...]:
    tier_ids = {offer.tier.id for offer in offers}
    entries = reader.groups("fleet", what="tiers and replicas")
    fleet = []
    for entry in entries:
        tier_id = entry.text("tier", required=True)
        replica_count = entry.integer("replica_count", low=0, required=True)
        committed_until = entry.day("committed_until")
        entry.close()
        if tier_id and tier_id not in tier_ids:
            entry.refuse("tier", f"no offer is on tier '{tier_id}'", close_names(tier_id, tier_ids))
        fleet.append(
            FleetEntry(tier_id=tier_id, replica_count=replica_count or 0, committed_until=committed_until)
        )
    _refuse_repeats(entries, "tier", "fleet entry")
    return tuple(fleet)


def _policy(reader: Reader | None) -> Policy:
    if reader is None:
        return Policy()
    usual = Policy()
    share = reader.number("max_supplier_share_fraction", above=0, high=1)
    utilisation = reader.number("max_utilisation_fraction", above=0, high=1)
    spares = reader.integer("spare_unit_count", low=0, high=MAX_SPARE_UNIT_COUNT)
    policy = Policy(
        objective=cast(Objective, reader.choice("objective", get_args(Objective), usual.objective)),
        max_utilisation_fraction=usual.max_utilisation_fraction if utilisation is None else utilisation,
        spare_unit_count=usual.spare_unit_count if spares is None else spares,
        autoscale=_autoscale(reader.group("autoscale")),
        accepted_derate_ratio=reader.number("accepted_derate_ratio", above=0, high=1),
        accepted_p95_to_p50_ratio=reader.number("accepted_p95_to_p50_ratio", low=1, high=MAX_SPREAD_RATIO),
        envelope_end=cast(
            EnvelopeEnd, reader.choice("envelope_end", get_args(EnvelopeEnd), usual.envelope_end)
        ),
        accept_unverified_parity=reader.flag("accept_unverified_parity", usual.accept_unverified_parity),
        allow_availability=_availabilities(reader),
        allow_regions=reader.texts("allow_regions", what="the regions you may be served in, such as EU"),
        max_supplier_share_fraction=usual.max_supplier_share_fraction if share is None else share,
        budget_usd_per_month=reader.number("budget_usd_per_month", above=0),
    )
    reader.close()
    return policy


def _autoscale(reader: Reader | None) -> Autoscale:
    if reader is None:
        return Autoscale()
    usual = Autoscale()
    start_up_s = reader.number("start_up_s", low=0)
    fewest = reader.integer("min_replica_count", low=0)
    autoscale = Autoscale(
        enabled=reader.flag("enabled", usual.enabled),
        start_up_s=usual.start_up_s if start_up_s is None else start_up_s,
        min_replica_count=usual.min_replica_count if fewest is None else fewest,
    )
    reader.close()
    return autoscale


def _availabilities(reader: Reader) -> tuple[Availability, ...]:
    if reader.value("allow_availability") is None:
        return Policy().allow_availability
    entries = reader.items("allow_availability", what="what may be bought, such as open", at_least_one=True)
    read = [
        Reader({"": value}, at, reader.problems).choice("", get_args(Availability)) for value, at in entries
    ]
    return cast(tuple[Availability, ...], tuple(each for each in read if each is not None))


def _outlook(reader: Reader | None) -> Outlook:
    if reader is None:
        return Outlook()
    growth = reader.number("growth_fraction_per_month", above=-1, high=10)
    horizon = reader.number("horizon_months", low=1, high=MAX_HORIZON_MONTHS, whole=True)
    entries = reader.groups("scenarios", what="demand scenarios")
    scenarios = [_demand_scenario(entry) for entry in entries]
    _refuse_repeats(entries, "name", "demand scenario")
    reader.close()
    return Outlook(
        growth_fraction_per_month=growth or 0.0,
        horizon_months=Outlook().horizon_months if horizon is None else int(horizon),
        scenarios=tuple(each for each in scenarios if each is not None),
    )


def _demand_scenario(entry: Reader) -> DemandScenario | None:
    name = entry.text("name", required=True)
    weight = entry.number("weight", above=0, required=True)
    rate_ratio = entry.number("rate_ratio", above=0, required=True)
    entry.close()
    if weight is None or rate_ratio is None:
        return None
    return DemandScenario(name=name, weight=weight, rate_ratio=rate_ratio)
