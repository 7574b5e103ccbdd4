"""Random scenarios for the laws of planning: a few workloads, a few tiers of every kind, every rule."""

from dataclasses import replace
from datetime import date

from hypothesis import strategies as st

from models.architectures import hosted_api
from models.evidence import Evidence, Grade, Sense
from models.lengths import fixed_lengths, lognormal_lengths
from models.performance import BatchedPerformance, PipelinePerformance, StepLaw, TandemPerformance
from models.scenario import Autoscale, FleetEntry, Policy, Scenario
from models.tiers import HourlyPrice, Model, Offer, PrefillSide, Speed, Tier, TokenPrice
from models.workloads import Demand, Target, Workload

AS_OF = date(2026, 11, 30)
LISTED = Evidence(grade=Grade.VENDOR_WITH_METHOD, sense=Sense.LIST_PRICE, source="a price list")
TYPICAL = Evidence(grade=Grade.INDEPENDENT, sense=Sense.TYPICAL, source="a third party's measurement")
CEILING = Evidence(grade=Grade.CEILING_OR_HEARSAY, sense=Sense.CEILING, source="an announcement")
MODEL = Model(id="model", label="Model", kind="moe")
AVAILABILITY = st.sampled_from(["open", "open", "open", "limited", "waitlist"])
DAY = (0.25,) * 8 + (1.0,) * 8 + (0.5,) * 8

STEPS = st.builds(
    StepLaw,
    alpha_s=st.floats(0.002, 0.03),
    beta_s_per_seq=st.floats(1e-5, 1e-3),
    exponent=st.floats(0.6, 1.0),
    delta_s_per_input_tok=st.floats(1e-6, 5e-5),
)
MACHINES = st.builds(BatchedPerformance, step=STEPS, slot_count=st.integers(4, 128))
LENGTHS = st.one_of(
    st.builds(fixed_lengths, st.integers(10, 2000).map(float)),
    st.builds(lognormal_lengths, st.floats(20.0, 2000.0), st.floats(0.1, 1.5), st.just((1, 16384))),
)
TARGETS = st.lists(
    st.builds(
        Target,
        metric=st.sampled_from(["ttft_s", "tpot_s", "e2e_s"]),
        quantile=st.sampled_from([0.5, 0.95]),
        limit_s=st.floats(0.02, 60.0),
    ),
    max_size=2,
).map(tuple)


def policies(**fixed):
    """Rules of choice; what is given stays as given."""
    drawn = {
        "max_utilisation_fraction": st.floats(0.4, 0.95),
        "spare_unit_count": st.integers(0, 2),
        "autoscale": st.builds(Autoscale, enabled=st.booleans()),
        "accepted_derate_ratio": st.sampled_from([None, None, 0.5]),
        "accepted_p95_to_p50_ratio": st.sampled_from([None, None, 1.8]),
    }
    return st.builds(Policy, **{**drawn, **{name: st.just(value) for name, value in fixed.items()}})


@st.composite
def demands(draw, name):
    """One workload with its rate."""
    workload = Workload(
        name=name,
        kind="other",
        models=(MODEL.id,),
        input_tok=draw(LENGTHS),
        output_tok=draw(LENGTHS),
        cached_input_fraction=draw(st.sampled_from([0.0, 0.3])),
        targets=draw(TARGETS),
    )
    return Demand(
        workload=workload,
        peak_rate_req_per_s=draw(st.floats(0.01, 20.0)),
        hourly_fraction=draw(st.sampled_from([(1.0,) * 24, DAY])),
    )


@st.composite
def machines(draw, tier_id):
    """A rented tier and what one replica of it does."""
    price = st.builds(HourlyPrice, usd_per_accelerator_h=st.floats(0.5, 12.0), evidence=st.just(LISTED))
    tier = Tier(
        id=tier_id,
        label=tier_id.upper(),
        architecture="batched_accelerator",
        price=draw(st.one_of(price, price, price, st.none())),
        accelerator_count_per_replica=draw(st.sampled_from([1, 4, 8])),
        availability=draw(AVAILABILITY),
    )
    return Offer(tier=tier, model=MODEL), draw(MACHINES)


@st.composite
def wafers(draw, tier_id):
    """A tier of wafers at one end of its envelope, the other end beside it."""
    price = st.builds(HourlyPrice, usd_per_accelerator_h=st.floats(20.0, 200.0), evidence=st.just(LISTED))
    tier = Tier(
        id=tier_id,
        label=tier_id.upper(),
        architecture="wafer_scale_pipeline",
        price=draw(st.one_of(price, price, st.none())),
        accelerator_count_per_replica=draw(st.sampled_from([1, 2, 4])),
        failure_unit="wafer",
        availability=draw(AVAILABILITY),
    )
    known = PipelinePerformance(
        unloaded_token_s=draw(st.floats(5e-4, 5e-3)),
        free_sequence_count=1.0,
        slot_count=draw(st.integers(2, 64)),
        bottleneck_s_per_input_tok=draw(st.one_of(st.none(), st.floats(1e-6, 1e-4))),
        end="pessimistic",
    )
    other = replace(known, free_sequence_count=None, end="optimistic")
    return Offer(tier=tier, model=MODEL), replace(known, other_end=other)


@st.composite
def tandems(draw, tier_id):
    """A tier of two pools in a row and what one of each half does."""
    usd = st.floats(0.5, 12.0)
    price = st.builds(HourlyPrice, usd_per_accelerator_h=usd, evidence=st.just(LISTED))
    tier = Tier(
        id=tier_id,
        label=tier_id.upper(),
        architecture="disaggregated_pools",
        price=draw(st.one_of(price, price, st.none())),
        prefill=PrefillSide(accelerator_count_per_worker=draw(st.sampled_from([1, 4])), price=draw(price)),
        accelerator_count_per_replica=draw(st.sampled_from([1, 4])),
        availability=draw(AVAILABILITY),
    )
    known = TandemPerformance(
        decode=draw(MACHINES),
        alpha_s=draw(st.floats(0.001, 0.02)),
        delta_s_per_input_tok=draw(st.floats(1e-6, 5e-5)),
        bytes_per_tok=draw(st.floats(1e4, 5e5)),
        bandwidth_byte_per_s=draw(st.floats(1e10, 9e11)),
    )
    return Offer(tier=tier, model=MODEL), known


@st.composite
def hosted(draw, tier_id):
    """A tier paid per token, known by a median, by a ceiling only, or by its price only."""
    price = st.builds(
        TokenPrice,
        input_usd_per_mtok=st.floats(0.05, 5.0),
        output_usd_per_mtok=st.floats(0.1, 30.0),
        evidence=st.just(LISTED),
    )
    rate = st.floats(20.0, 2000.0)
    speeds = st.one_of(
        st.builds(
            Speed,
            stream_rate_tok_per_s=rate,
            ttft_p50_s=st.one_of(st.none(), st.floats(0.05, 2.0)),
            evidence=st.just({"stream_rate_tok_per_s": TYPICAL, "ttft_p50_s": TYPICAL}),
        ),
        st.builds(
            Speed,
            stream_rate_ceiling_tok_per_s=rate,
            evidence=st.just({"stream_rate_ceiling_tok_per_s": CEILING}),
        ),
        st.none(),
    )
    tier = Tier(
        id=tier_id,
        label=tier_id.upper(),
        architecture="hosted_api",
        price=draw(st.one_of(price, price, price, st.none())),
        availability=draw(AVAILABILITY),
        request_limit_per_min=draw(st.one_of(st.none(), st.floats(10.0, 10_000.0))),
        speed=draw(speeds),
    )
    return Offer(tier=tier, model=MODEL), None


@st.composite
def cases(draw, most_workloads=3, most_tiers=4, **rules):
    """(scenario, what its machines do by offer id)."""
    workload_count = draw(st.integers(1, most_workloads))
    tier_count = draw(st.integers(1, most_tiers))
    kinds = draw(
        st.lists(
            st.sampled_from([machines, machines, hosted, hosted, wafers, tandems]),
            min_size=tier_count,
            max_size=tier_count,
        )
    )
    listed = [draw(kind(f"t{index}")) for index, kind in enumerate(kinds)]
    scenario = Scenario(
        id="case",
        name="Case",
        as_of=AS_OF,
        seed=1,
        demands=tuple(draw(demands(f"w{index}")) for index in range(workload_count)),
        offers=tuple(offer for offer, _ in listed),
        policy=draw(policies(**rules)),
    )
    return scenario, {offer.id: known for offer, known in listed if known is not None}


def performances(scenario, known):
    """What every offer of a scenario can do: machines as drawn, hosted tiers from what is published."""
    policy = scenario.policy
    return {
        offer.id: known[offer.id]
        if offer.id in known
        else hosted_api.fit(
            offer,
            (),
            accepted_derate_ratio=policy.accepted_derate_ratio,
            accepted_p95_to_p50_ratio=policy.accepted_p95_to_p50_ratio,
        )
        for offer in scenario.offers
    }


def without(scenario, offer_id):
    """The scenario with one offer taken away."""
    return replace(scenario, offers=tuple(each for each in scenario.offers if each.id != offer_id))


def cheaper(offer, ratio):
    """The offer at a fraction of its price."""
    price = offer.tier.price
    if isinstance(price, HourlyPrice):
        lowered = replace(price, usd_per_accelerator_h=price.usd_per_accelerator_h * ratio)
        side = offer.tier.prefill
        if side is not None:
            usd = side.price.usd_per_accelerator_h * ratio
            side = replace(side, price=replace(side.price, usd_per_accelerator_h=usd))
            offer = replace(offer, tier=replace(offer.tier, prefill=side))
    elif isinstance(price, TokenPrice):
        lowered = replace(
            price,
            input_usd_per_mtok=price.input_usd_per_mtok * ratio,
            output_usd_per_mtok=price.output_usd_per_mtok * ratio,
        )
    else:
        return offer
    return replace(offer, tier=replace(offer.tier, price=lowered))


@st.composite
def bound(draw, of=cases):
    """A case whose machines run already, some of them paid until after the plan's date."""
    scenario, known = draw(of())
    ends = st.sampled_from([None, AS_OF, AS_OF.replace(year=AS_OF.year + 1)])
    fleet = tuple(
        FleetEntry(
            tier_id=offer.tier.id,
            replica_count=draw(st.integers(1, 12)),
            committed_until=draw(ends),
        )
        for offer in scenario.offers
        if isinstance(offer.tier.price, HourlyPrice) and draw(st.booleans())
    )
    return replace(scenario, fleet=fleet), known
