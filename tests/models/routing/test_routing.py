"""Routing of whole scenarios: never dearer than the whole plan, no worse with one tier more."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, assume, given, settings

from models.desk import desk_for
from models.evidence import Evidence, Grade, Sense
from models.lengths import fixed_lengths, lognormal_lengths
from models.percentiles import Percentiles
from models.performance import BatchedPerformance, HostedPerformance, HostedPoint, StepLaw
from models.planning import plan
from models.routing.outage import may_fail, outage
from models.routing.pieces import pieces_of
from models.routing.routing import route, runner_up, switch_point
from models.scenario import Policy, Scenario
from models.tiers import HourlyPrice, LongContextRule, Model, Offer, Tier, TokenPrice
from models.workloads import Demand, Target, Workload
from tests.laws.planner_cases import AS_OF, cases, performances, without

RULES = settings(
    max_examples=12, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
LISTED = Evidence(grade=Grade.VENDOR_WITH_METHOD, sense=Sense.LIST_PRICE, source="a price list")
MODEL = Model(id="model", label="Model", kind="moe")
FAST = HostedPoint(
    concurrency_count=None,
    ttft_s=Percentiles(mean=0.2, p50=0.2, p90=0.3, p95=0.4, p99=0.6),
    tpot_s=Percentiles(mean=0.01, p50=0.01, p90=0.012, p95=0.013, p99=0.02),
)


def routed(scenario, known):
    """The routing of a case."""
    return route(desk_for(scenario, performances(scenario, known)))


def badness(routing):
    """Fewer workloads served is worse than any bill."""
    return len(routing.unserved), routing.cost_usd_per_month


@RULES
@given(cases(most_workloads=2, most_tiers=3))
def test_never_dearer_than_leaving_workloads_whole(case) -> None:
    scenario, known = case
    made, found = plan(scenario, performances(scenario, known)), routed(scenario, known)
    assert len(found.unserved) <= len(made.unplaced)
    if len(found.unserved) == len(made.unplaced):
        usd = made.totals.cost_usd_per_month
        assert found.cost_usd_per_month <= usd * (1 + 1e-6) + 1e-6


@RULES
@given(cases(most_workloads=2, most_tiers=3))
def test_one_tier_more_never_makes_it_worse(case) -> None:
    scenario, known = case
    assume(len(scenario.offers) > 1)
    missing, usd = badness(routed(scenario, known))
    fewer_missing, fewer_usd = badness(routed(without(scenario, scenario.offers[0].id), known))
    assert (missing, usd) <= (fewer_missing, fewer_usd * (1 + 1e-6) + 1e-6)


@RULES
@given(cases(most_workloads=2, most_tiers=3))
def test_the_order_of_tiers_is_irrelevant(case) -> None:
    scenario, known = case
    turned = replace(scenario, offers=scenario.offers[::-1])
    missing, usd = badness(routed(scenario, known))
    assert badness(routed(turned, known)) == (missing, pytest.approx(usd, rel=1e-6, abs=1e-6))


def test_the_sides_of_a_cut_make_the_workload() -> None:
    (asked,) = scenario_with([hosted("a")]).demands
    lengths = lognormal_lengths(2000.0, 1.0)
    asked = replace(asked, workload=replace(asked.workload, input_tok=lengths))
    pieces = pieces_of([asked], [])
    cuts = sorted({each.above_tok for each in pieces if each.above_tok})
    assert len(cuts) == 2
    for cut in cuts:
        sides = [each for each in pieces if each.above_tok == cut]
        assert sum(each.rate_req_per_s for each in sides) == pytest.approx(asked.peak_call_rate_req_per_s)
        tokens = sum(each.rate_req_per_s * each.demand.workload.input_tok.mean_tok for each in sides)
        mean_tok = tokens / asked.peak_call_rate_req_per_s
        assert lengths.mean_tok <= mean_tok <= lengths.mean_tok + 1.0
        short = next(each for each in sides if each.part == "short")
        assert max(short.demand.workload.input_tok.values_tok) <= cut


def hosted(name, usd_per_mtok=1.0, **tier):
    """A tier paid per token, as fast as FAST."""
    price = TokenPrice(input_usd_per_mtok=usd_per_mtok, output_usd_per_mtok=usd_per_mtok, evidence=LISTED)
    listed = Tier(id=name, label=name, architecture="hosted_api", supplier=name, price=price)
    return Offer(tier=replace(listed, **tier), model=MODEL)


def scenario_with(offers, **policy):
    """One workload: 10 calls a second of 900 + 100 tokens, first token within half a second."""
    shape = Workload(
        name="voice",
        kind="support_voice",
        models=(MODEL.id,),
        input_tok=fixed_lengths(900.0),
        output_tok=fixed_lengths(100.0),
        targets=(Target(metric="ttft_s", quantile=0.95, limit_s=0.5),),
    )
    return Scenario(
        id="case",
        name="Case",
        as_of=AS_OF,
        seed=1,
        demands=(Demand(workload=shape, peak_rate_req_per_s=10.0),),
        offers=tuple(offers),
        policy=Policy(**policy),
    )


def desk_with(scenario):
    """Every tier paid per token gives what FAST says."""
    known = {
        offer.id: HostedPerformance(
            points=(FAST,),
            request_limit_per_min=offer.tier.request_limit_per_min,
            token_limit_per_min=offer.tier.token_limit_per_min,
        )
        for offer in scenario.offers
    }
    return desk_for(scenario, known)


def test_a_rate_limit_sends_the_rest_elsewhere() -> None:
    offers = [hosted("cheap", 1.0, request_limit_per_min=300.0), hosted("dear", 3.0)]
    found = route(desk_with(scenario_with(offers, max_utilisation_fraction=0.8)))
    shares = {each.offer_id: each.share_fraction for each in found.routed}
    # 240 of 600 calls a minute fit below 80 % of the limit.
    assert shares == pytest.approx({"cheap/model": 0.4, "dear/model": 0.6})
    calls = 10.0 * 3600 * 730.5
    assert found.cost_usd_per_month == pytest.approx(calls * 1e-3 * (0.4 * 1.0 + 0.6 * 3.0))
    assert found.cost_usd_per_month < found.whole_cost_usd_per_month


def test_no_supplier_takes_more_than_its_share() -> None:
    offers = [hosted("cheap", 1.0), hosted("dear", 3.0)]
    found = route(desk_with(scenario_with(offers, max_supplier_share_fraction=0.7)))
    assert {each.offer_id: each.share_fraction for each in found.routed} == pytest.approx(
        {"cheap/model": 0.7, "dear/model": 0.3}
    )
    assert found.whole_unserved == ("voice",)
    assert found.unserved == ()


def test_long_prompts_leave_a_tier_that_charges_them_more() -> None:
    rule = LongContextRule(above_tok=2000.0, input_usd_per_mtok=9.0, output_usd_per_mtok=9.0)
    price = TokenPrice(input_usd_per_mtok=1.0, output_usd_per_mtok=1.0, evidence=LISTED, long_context=rule)
    offers = [hosted("cheap", price=price), hosted("plain", 2.0)]
    scenario = scenario_with(offers)
    (asked,) = scenario.demands
    shape = replace(asked.workload, input_tok=lognormal_lengths(1500.0, 1.0))
    scenario = replace(scenario, demands=(replace(asked, workload=shape),))
    found = route(desk_with(scenario))
    assert {each.offer_id: (each.part, each.above_tok) for each in found.routed} == {
        "cheap/model": ("short", 2000.0),
        "plain/model": ("long", 2000.0),
    }
    assert found.cost_usd_per_month < found.whole_cost_usd_per_month


def test_runner_up_and_switch_point_are_where_prices_meet() -> None:
    found = route(desk_with(scenario_with([hosted("cheap", 1.0), hosted("dear", 3.0)])))
    second = runner_up(found)
    assert second is not None
    assert second.offer_ids == ("dear/model",)
    assert second.extra_cost_usd_per_month == pytest.approx(2.0 * found.cost_usd_per_month)
    assert switch_point(found, "cheap/model").price_ratio == pytest.approx(3.0, rel=1e-6)
    assert switch_point(found, "dear/model").price_ratio == pytest.approx(1 / 3, rel=1e-6)


def test_without_a_rival_no_price_changes_the_answer() -> None:
    found = route(desk_with(scenario_with([hosted("only")])))
    assert switch_point(found, "only/model").price_ratio is None
    assert runner_up(found) is None


def takers(moved):
    """Who takes which share of what lost its tier."""
    return {each.offer_id: each.share_fraction for each in moved.taken_by}


def test_an_hour_without_the_cheap_tier_costs_the_difference() -> None:
    desk = desk_with(scenario_with([hosted("cheap", 1.0), hosted("dear", 3.0)]))
    found = route(desk)
    assert list(may_fail(desk, found)) == ["cheap"]
    lost = outage(desk, found, "cheap")
    (moved,) = lost.moved
    assert takers(moved) == {"dear/model": pytest.approx(1.0)}
    assert lost.extra_usd == pytest.approx(10.0 * 3600 * 1e-3 * (3.0 - 1.0))
    assert [each.offer_id for each in lost.replanned.routed] == ["dear/model"]


def test_what_a_rate_limit_cannot_take_is_refused() -> None:
    desk = desk_with(scenario_with([hosted("cheap", 1.0), hosted("small", 3.0, request_limit_per_min=60.0)]))
    lost = outage(desk, route(desk), "cheap")
    assert [each.refused for each in lost.moved] == [True]
    assert lost.replanned.unserved == ("voice",)


def own_machines():
    """A rented tier that serves MODEL."""
    tier = Tier(
        id="own",
        label="own",
        architecture="batched_accelerator",
        price=HourlyPrice(usd_per_accelerator_h=2.0, evidence=LISTED),
        accelerator_count_per_replica=1,
    )
    return Offer(tier=tier, model=MODEL)


@pytest.mark.parametrize(("voice_rate_req_per_s", "destination"), [(25.0, {"own/model": 1.0}), (1000.0, {})])
def test_deployed_machines_take_over_only_what_they_can(voice_rate_req_per_s, destination) -> None:
    api = replace(hosted("api", 1e-6), model=Model(id="sold", label="Sold", kind="closed"))
    base = scenario_with([own_machines(), api], spare_unit_count=1)
    (asked,) = base.demands
    voice = replace(
        asked,
        workload=replace(asked.workload, models=("model", "sold")),
        peak_rate_req_per_s=voice_rate_req_per_s,
    )
    chat = replace(asked, workload=replace(asked.workload, name="chat"), peak_rate_req_per_s=31.0)
    scenario = replace(base, demands=(voice, chat))
    step = StepLaw(alpha_s=0.004, beta_s_per_seq=1e-4, delta_s_per_input_tok=1e-5)
    known = {
        "own/model": BatchedPerformance(step=step, slot_count=64),
        "api/sold": HostedPerformance(points=(FAST,)),
    }
    desk = desk_for(scenario, known)
    found = route(desk)
    assert {each.workload: each.offer_id for each in found.routed} == {
        "voice": "api/sold",
        "chat": "own/model",
    }
    lost = outage(desk, found, "api")
    assert [takers(each) for each in lost.moved] == [destination]
    assert lost.untouched == ("chat",)
