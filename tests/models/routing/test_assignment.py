"""The mixed-integer program against every choice tried, and what may never make the answer worse."""

import itertools
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from models.lengths import fixed_lengths
from models.routing.assignment import Choices, Column, Stream, Terms, cheapest_mix
from models.routing.pieces import Piece
from models.routing.routing import without
from models.workloads import Demand, Workload

RULES = settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
STEPS = (0.0, 0.25, 0.5, 0.75, 1.0)


def piece(index, rate_req_per_s=1.0):
    """A workload whole."""
    shape = Workload(
        name=f"w{index}",
        kind="other",
        models=("m",),
        input_tok=fixed_lengths(100.0),
        output_tok=fixed_lengths(10.0),
    )
    demand = Demand(workload=shape, peak_rate_req_per_s=rate_req_per_s)
    return Piece(workload_index=index, part="any", above_tok=None, demand=demand)


@st.composite
def small_choices(draw, workload_count=2, offer_count=3):
    """Two workloads; pools that take quarters of them; tiers by the token with limits on quarters."""
    money = st.integers(1, 40).map(float)
    columns, streams, terms = [], [], {}
    for number in range(offer_count):
        offer_id = f"o{number}"
        if draw(st.booleans()):
            terms[offer_id] = Terms(supplier=f"s{number % 2}", one_pool=True)
            for shares in itertools.product((0.0, 0.5, 1.0), repeat=workload_count):
                if any(shares) and draw(st.booleans()):
                    taken = tuple((at, share) for at, share in enumerate(shares) if share)
                    columns.append(Column(offer_id=offer_id, shares=taken, cost_usd=draw(money)))
        else:
            limit = draw(st.sampled_from([None, 25.0, 50.0, 100.0]))
            terms[offer_id] = Terms(supplier=f"s{number % 2}", request_limit_per_min=limit)
            streams.extend(
                Stream(offer_id=offer_id, piece=at, cost_usd=draw(money), requests_per_min=100.0)
                for at in range(workload_count)
                if draw(st.booleans())
            )
    return Choices(
        workload_count=workload_count,
        pieces=tuple(piece(index) for index in range(workload_count)),
        columns=tuple(columns),
        streams=tuple(streams),
        terms=terms,
        max_supplier_share_fraction=draw(st.sampled_from([1.0, 0.5, 0.75])),
    )


def by_brute_force(choices):
    """(workloads not served, least cost) over one pool or none an offer and quarters of every stream.

    All limits and shares are multiples of a quarter, so the best mix is one of these.
    """
    offers = sorted({column.offer_id for column in choices.columns})
    pools = [[None, *(each for each in choices.columns if each.offer_id == offer)] for offer in offers]
    best = (choices.workload_count, 0.0)
    for chosen in itertools.product(*pools):
        columns = [each for each in chosen if each is not None]
        for shares in itertools.product(STEPS, repeat=len(choices.streams)):
            best = min(best, outcome(choices, columns, shares), key=lambda each: each)
    return best


def outcome(choices, columns, shares):
    """What one mix serves and costs; the worst where it breaks a rule."""
    cover = [0.0] * choices.workload_count
    supplier, requests, usd = {}, {}, 0.0
    taken = [(each.offer_id, at, share) for each in columns for at, share in each.shares]
    taken += [(each.offer_id, each.piece, share) for each, share in zip(choices.streams, shares, strict=True)]
    for offer_id, at, share in taken:
        cover[at] += share
        name = choices.terms[offer_id].supplier
        supplier[name] = supplier.get(name, 0.0) + share
    for each, share in zip(choices.streams, shares, strict=True):
        requests[each.offer_id] = requests.get(each.offer_id, 0.0) + share * each.requests_per_min
        usd += share * each.cost_usd
    usd += sum(each.cost_usd for each in columns)
    limits = {name: choices.terms[name].request_limit_per_min for name in requests}
    broken = (
        any(each not in (0.0, 1.0) for each in cover)
        or any(limits[name] is not None and used > limits[name] for name, used in requests.items())
        or any(
            used > choices.max_supplier_share_fraction * choices.workload_count for used in supplier.values()
        )
    )
    return (choices.workload_count + 1, 0.0) if broken else (cover.count(0.0), usd)


@RULES
@given(small_choices())
def test_equals_every_choice_tried(choices) -> None:
    missing, usd = by_brute_force(choices)
    found = cheapest_mix(choices)
    assert choices.workload_count - len(found.served) == missing
    assert found.cost_usd == pytest.approx(usd, abs=1e-5)


@RULES
@given(small_choices(workload_count=3, offer_count=4), st.integers(0, 3))
def test_forbidding_a_tier_never_helps(choices, number) -> None:
    fewer = cheapest_mix(without(choices, {f"o{number}"}))
    all_of_them = cheapest_mix(choices)
    assert len(fewer.served) <= len(all_of_them.served)
    if len(fewer.served) == len(all_of_them.served):
        assert fewer.cost_usd >= all_of_them.cost_usd - 1e-5


@RULES
@given(small_choices(workload_count=3, offer_count=4))
def test_order_is_irrelevant(choices) -> None:
    turned = replace(
        choices,
        columns=choices.columns[::-1],
        streams=choices.streams[::-1],
        terms=dict(reversed(choices.terms.items())),
    )
    assert len(cheapest_mix(turned).served) == len(cheapest_mix(choices).served)
    assert cheapest_mix(turned).cost_usd == pytest.approx(cheapest_mix(choices).cost_usd, abs=1e-5)


def test_a_commitment_is_paid_whole_where_it_is_used_at_all() -> None:
    streams = (
        Stream(offer_id="cheap", piece=0, cost_usd=3.0),
        Stream(offer_id="plain", piece=0, cost_usd=8.0),
    )
    terms = {"cheap": Terms(supplier="a", minimum_usd_per_month=5.0), "plain": Terms(supplier="b")}
    choices = Choices(workload_count=1, pieces=(piece(0),), columns=(), streams=streams, terms=terms)
    assert cheapest_mix(choices).cost_usd == pytest.approx(5.0)
    dearer = replace(terms["cheap"], minimum_usd_per_month=9.0)
    dear = replace(choices, terms={**terms, "cheap": dearer})
    assert cheapest_mix(dear).cost_usd == pytest.approx(8.0)


def test_a_rate_limit_splits_a_workload() -> None:
    streams = (
        Stream(offer_id="cheap", piece=0, cost_usd=10.0, requests_per_min=100.0),
        Stream(offer_id="dear", piece=0, cost_usd=30.0, requests_per_min=100.0),
    )
    terms = {"cheap": Terms(supplier="a", request_limit_per_min=60.0), "dear": Terms(supplier="b")}
    mix = cheapest_mix(
        Choices(workload_count=1, pieces=(piece(0),), columns=(), streams=streams, terms=terms)
    )
    assert {stream.offer_id: share for stream, share in mix.streams} == pytest.approx(
        {"cheap": 0.6, "dear": 0.4}
    )
    assert mix.cost_usd == pytest.approx(0.6 * 10.0 + 0.4 * 30.0)
