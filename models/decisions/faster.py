"""What a faster tier may cost, workload by workload, whether or not anybody has published its price.

Slow is where the plan serves the workload. Fast is any other offer of a model that is good enough and whose
answers come sooner. Its break-even multiple m* follows from the value of the time it saves; a published
price is set beside it. Where only a ceiling of its speed is published, m* is given at derates of 0.5, 0.6
and 1.0: independent medians of such endpoints are 0.57 to 0.61 of the ceiling. Its first token is taken to
come as late as the slow tier's where either is unpublished.

That a tier would pay does not mean that the plan may use it: each comparison carries what the plan holds
against the tier (an unpublished percentile, a waiting list), and every piece of evidence that it rests on.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from models.architectures import hosted_api
from models.cost import mean_usd_per_request
from models.curves import operate_offer
from models.decisions.break_even import break_even_multiple, loop_multiple
from models.desk import Performances, PoolPlanner
from models.evidence import Evidence, Grade, Sense, weakest
from models.grading import offer_grade, uses_of
from models.percentiles import Percentiles
from models.performance import CannotServe, ClassLatency, HostedPerformance, TierPerformance
from models.plans import EvidenceUse, Plan
from models.pool_loads import load_of
from models.pools import plan_pool
from models.refusals import why_not
from models.scenario import Scenario
from models.tiers import Offer, TokenPrice
from models.value import expected_value_usd, value_usd
from models.workloads import Demand, Value
from models.worth import latency_of

DERATES = (0.5, 0.6, 1.0)
USUAL_DERATE = 0.6
WEIGHED_FIGURES = ("value", "input_tok", "output_tok", "cached_input_fraction", "task")
SEEN_BY_READER = Evidence(
    grade=Grade.ASSUMED_OR_DERIVED, sense=Sense.ASSUMED, source="what the reader says to see on this tier"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FasterTier:
    """One workload on one faster tier against where the plan serves it.

    slow_s, fast_s          median of the latency that ages the answer, at 0.6 of a ceiling where only that
                            is published
    break_even_price_ratio  m* at that speed; low and high over the derates, or equal to it
    price_ratio             the fast tier's published price a task over the slow one's cost; None: unknown
    at_medians              True where only medians are known: the value of a missed tail is not in it
    availability            as the fast tier is sold today
    why_not                 why the plan may not give the workload to the fast tier; empty where it may
    fast_grade              the fast tier's own grade, as on every page
    evidence                all that the comparison rests on: both tiers' figures and the workload's
    """

    workload: str
    tier_id: str
    tier_label: str
    model_id: str
    slow_tier_label: str
    slow_cost_usd_per_task: float
    slow_s: float
    fast_s: float
    break_even_price_ratio: float
    break_even_low_price_ratio: float
    break_even_high_price_ratio: float
    price_ratio: float | None
    at_medians: bool
    from_ceiling: bool
    availability: str
    why_not: str
    fast_grade: Grade | None
    evidence: tuple[EvidenceUse, ...]

    @property
    def weakest_use(self) -> EvidenceUse | None:
        """The figure that the comparison rests on most weakly, the first of equals."""
        return max(self.evidence, key=lambda use: use.evidence.grade, default=None)

    @property
    def weakest_grade(self) -> Grade | None:
        """The lowest grade among the figures used."""
        return weakest(use.evidence for use in self.evidence)

    @property
    def pays(self) -> bool | None:
        """Whether the published price is below the break-even; None where no price is published."""
        return None if self.price_ratio is None else self.price_ratio <= self.break_even_price_ratio


@dataclass(frozen=True, slots=True, kw_only=True)
class _Slow:
    """Where a workload is served, or would be at least cost: what a faster tier is measured against.

    ttft_s   its median first token, None where nobody publishes it
    uses     the evidence of its speed and price
    """

    tier_id: str
    tier_label: str
    cost_usd_per_task: float
    latency: ClassLatency
    ttft_s: float | None
    uses: tuple[EvidenceUse, ...]


def faster_tiers(
    scenario: Scenario,
    offers: Sequence[Offer],
    performances: Performances,
    plan: Plan,
    seen_rate_tok_per_s: float | None = None,
    plan_pool: PoolPlanner = plan_pool,
) -> tuple[FasterTier, ...]:
    """Every faster hosted tier of every workload that has a value, in the order of workloads and offers.

    offers may hold more than the scenario's, such as tiers that cannot be bought yet; retired ones are left
    out. A workload that the plan cannot place is measured against its cheapest hosted offer.
    seen_rate_tok_per_s  what the reader sees on a slow tier whose speed nobody publishes; None: not compared
    """
    sold = [offer for offer in offers if offer.tier.availability != "retired"]
    found = []
    for demand in scenario.demands:
        value = demand.workload.value
        for offer in sold:
            if value is None or offer.model.id not in demand.workload.models:
                continue
            slow = _slow(demand, scenario, offer.model.id, performances, plan, seen_rate_tok_per_s)
            if slow is not None and slow.tier_id != offer.tier.id:
                compared = _faster(demand, value, slow, offer, performances)
                if compared is not None:
                    held = why_not(scenario, offer, performances.get(offer.id), demand, plan_pool)
                    found.append(replace(compared, why_not=held))
    return tuple(found)


def _slow(
    demand: Demand,
    scenario: Scenario,
    model_id: str,
    performances: Performances,
    plan: Plan,
    seen_rate_tok_per_s: float | None,
) -> _Slow | None:
    """Where the plan serves the workload, or the cheapest hosted offer of the same model in the scenario."""
    placed = next((each for each in plan.allocations if each.workload == demand.workload.name), None)
    if placed is not None and placed.task_s.known and placed.cost.cost_usd_per_task:
        home = next(
            each
            for each in scenario.offers
            if (each.tier.id, each.model.id) == (placed.tier_id, placed.model_id)
        )
        return _Slow(
            tier_id=placed.tier_id,
            tier_label=placed.tier_label,
            cost_usd_per_task=placed.cost.cost_usd_per_task,
            latency=ClassLatency(
                name=placed.workload, ttft_s=placed.ttft_s, e2e_s=placed.e2e_s, task_s=placed.task_s
            ),
            ttft_s=placed.ttft_s.middle,
            uses=tuple(uses_of(home, performances.get(home.id))),
        )
    able = [
        (usd, offer.id, _slow_hosted(demand, usd, offer, performance))
        for offer in scenario.offers
        if offer.model.id == model_id
        and offer.tier.availability == "open"
        and (usd := _usd_per_task(demand, offer)) is not None
        and (performance := _with_rate(performances.get(offer.id), seen_rate_tok_per_s)) is not None
    ]
    return min(able, key=lambda each: each[:2])[2] if able else None


def _with_rate(
    performance: TierPerformance | CannotServe | None, seen_rate_tok_per_s: float | None
) -> HostedPerformance | None:
    """A hosted tier whose speed is published, or that the reader has seen; None where neither."""
    if not isinstance(performance, HostedPerformance):
        return None
    if performance.points[0].tpot_s.known:
        return performance
    if seen_rate_tok_per_s is None:
        return None
    seen = Percentiles(p50=1.0 / seen_rate_tok_per_s)
    return replace(performance, points=tuple(replace(each, tpot_s=seen) for each in performance.points))


def _slow_hosted(demand: Demand, usd_per_task: float, offer: Offer, performance: HostedPerformance) -> _Slow:
    ttft_s = performance.points[0].ttft_s.middle
    return _Slow(
        tier_id=offer.tier.id,
        tier_label=offer.tier.label,
        cost_usd_per_task=usd_per_task,
        latency=_operated(_with_first_token(performance, ttft_s), demand),
        ttft_s=ttft_s,
        uses=_slow_uses(offer, performance),
    )


def _slow_uses(offer: Offer, performance: HostedPerformance) -> tuple[EvidenceUse, ...]:
    """The offer's evidence, and the reader's word where its speed is only what the reader sees."""
    uses = uses_of(offer, performance)
    if not {"stream_rate_tok_per_s", "tpot_s"} & set(performance.evidence):
        uses.append(EvidenceUse(subject=offer.id, quantity="stream_rate_tok_per_s", evidence=SEEN_BY_READER))
    return tuple(uses)


def _faster(
    demand: Demand, value: Value, slow: _Slow, offer: Offer, performances: Performances
) -> FasterTier | None:
    """The comparison with one offer; None where its speed is unknown or not faster."""
    slow_s = latency_of(value, slow.latency)
    speeds = _fast_latencies(demand, value, slow, offer, performances)
    if slow_s.p50 is None or not speeds:
        return None
    usual = speeds.get(USUAL_DERATE) or next(iter(speeds.values()))
    multiples = {key: _multiple(value, slow_s, fast, slow.cost_usd_per_task) for key, fast in speeds.items()}
    known = [each for each in multiples.values() if each is not None]
    at_usual = _multiple(value, slow_s, usual, slow.cost_usd_per_task)
    if at_usual is None or usual.p50 is None or usual.p50 >= slow_s.p50:
        return None
    task_usd = _usd_per_task(demand, offer)
    return FasterTier(
        workload=demand.workload.name,
        tier_id=offer.tier.id,
        tier_label=offer.tier.label,
        model_id=offer.model.id,
        slow_tier_label=slow.tier_label,
        slow_cost_usd_per_task=slow.cost_usd_per_task,
        slow_s=slow_s.p50,
        fast_s=usual.p50,
        break_even_price_ratio=at_usual,
        break_even_low_price_ratio=min(known),
        break_even_high_price_ratio=max(known),
        price_ratio=None if task_usd is None else task_usd / slow.cost_usd_per_task,
        at_medians=slow_s.p95 is None or usual.p95 is None,
        from_ceiling=len(speeds) > 1,
        availability=offer.tier.availability,
        why_not="",
        fast_grade=offer_grade(offer, performances.get(offer.id)),
        evidence=(
            *uses_of(offer, performances.get(offer.id)),
            *(_ceiling_uses(offer) if len(speeds) > 1 else ()),
            *slow.uses,
            *workload_uses(demand),
        ),
    )


def _ceiling_uses(offer: Offer) -> list[EvidenceUse]:
    """The published ceiling, used where nobody says what a stream typically gets."""
    known = {} if offer.tier.speed is None else offer.tier.speed.evidence
    name = "stream_rate_ceiling_tok_per_s"
    return [EvidenceUse(subject=offer.id, quantity=name, evidence=known[name])] if name in known else []


def workload_uses(demand: Demand) -> list[EvidenceUse]:
    """What a value of time rests on in the workload's own description."""
    stated = demand.workload.evidence
    return [
        EvidenceUse(subject=demand.workload.name, quantity=name, evidence=stated[name])
        for name in WEIGHED_FIGURES
        if name in stated
    ]


def _fast_latencies(
    demand: Demand, value: Value, slow: _Slow, offer: Offer, performances: Performances
) -> dict[float, Percentiles]:
    """The ageing latency on a hosted tier: as known, or at each derate of its ceiling; empty if unknown."""
    performance = performances.get(offer.id)
    if isinstance(performance, HostedPerformance) and performance.points[0].tpot_s.known:
        known = latency_of(value, _operated(_with_first_token(performance, slow.ttft_s), demand))
        return {} if known.p50 is None else {1.0: known}
    speed = offer.tier.speed
    if speed is None or speed.stream_rate_ceiling_tok_per_s is None:
        return {}
    found = {}
    for derate in DERATES:
        fitted = hosted_api.fit(offer, (), accepted_derate_ratio=derate)
        if isinstance(fitted, HostedPerformance):
            found[derate] = latency_of(value, _operated(_with_first_token(fitted, slow.ttft_s), demand))
    return {derate: each for derate, each in found.items() if each.p50 is not None}


def _operated(performance: HostedPerformance, demand: Demand) -> ClassLatency:
    """Latencies at so little load that no limit matters: what one stream gets."""
    load = load_of([demand])
    light = replace(load, classes=tuple(replace(each, rate_req_per_s=0.0) for each in load.classes))
    return operate_offer(performance, light, 1).of(demand.workload.name)


def _with_first_token(performance: HostedPerformance, ttft_s: float | None) -> HostedPerformance:
    """Points without a TTFT take the slow tier's; where that is unknown, both count from their first token.

    Only the difference of two latencies counts, so what is the same on both sides may be left out.
    """
    first = Percentiles(p50=0.0 if ttft_s is None else ttft_s)
    points = tuple(
        point if point.ttft_s.known and ttft_s is not None else replace(point, ttft_s=first)
        for point in performance.points
    )
    return replace(performance, points=points)


def _multiple(value: Value, slow: Percentiles, fast: Percentiles, slow_usd: float) -> float | None:
    """m* from the mean value over both distributions, or at both medians where a tail is unknown."""
    if slow.p50 is None or fast.p50 is None:
        return None
    if value.kind == "iterations":
        worth = value.value_usd_per_task
        return None if worth is None else loop_multiple(worth, slow.p50, fast.p50, slow_usd)
    slow_worth, fast_worth = expected_value_usd(value, slow), expected_value_usd(value, fast)
    if slow_worth is None or fast_worth is None:
        if value.kind != "waiting_time" and value.value_usd_per_task is None:
            return None
        slow_worth, fast_worth = (float(each) for each in value_usd(value, np.array([slow.p50, fast.p50])))
    return break_even_multiple(fast_worth - slow_worth, slow_usd)


def _usd_per_task(demand: Demand, offer: Offer) -> float | None:
    """What a task costs at an offer's token prices; None where none are published."""
    price = offer.tier.price
    if not isinstance(price, TokenPrice):
        return None
    workload = demand.workload
    call_usd = mean_usd_per_request(
        price, workload.input_tok, workload.output_tok, workload.cached_input_fraction
    )
    return call_usd * workload.call_count_per_task
