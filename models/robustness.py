"""Whether a plan would decide the same at the other end of what is possible for tiers nobody has measured."""

from dataclasses import replace

from models.desk import Desk, Performances, place
from models.gates import gate
from models.machines import other_end
from models.performance import CannotServe, HostedPerformance, TierPerformance
from models.placement import Partition, members
from models.plans import Notice
from models.pool_plan import PoolPlan
from models.sentences import listed


def robustness_notices(desk: Desk, placement: Partition) -> tuple[Notice, ...]:
    """Places all workloads again with every envelope at its other end, and says what would change.

    Robust: each workload goes to the same tier at both ends. Nothing to say without an envelope.
    """
    turned = _turned(desk.performances)
    open_tiers = [
        desk.offers[offer_id].tier.label
        for offer_id, performance in turned.items()
        if performance is not desk.performances[offer_id] and _may_serve(desk, offer_id)
    ]
    if not open_tiers:
        return ()
    other_desk = replace(desk, performances=turned, pools=_pools_of_others(desk, turned))
    here, there = _homes(desk, placement), _homes(other_desk, place(other_desk))
    tiers = listed(list(dict.fromkeys(open_tiers)))
    end, other = desk.scenario.policy.envelope_end, "other"
    if end in ("pessimistic", "optimistic"):
        other = "optimistic" if end == "pessimistic" else "pessimistic"
    if here == there:
        return (
            Notice(
                text=f"Robust: the same tiers serve the same workloads at the {end} and at the {other} end "
                f"of what {tiers} may do. Sized at the {end} end."
            ),
        )
    names = {offer.id: offer.tier.label for offer in desk.offers.values()}
    moves = [
        f"{name} would be on {names[there[name]]}" if name in there else f"{name} would find no tier"
        for name in sorted(here.keys() | there.keys())
        if here.get(name) != there.get(name)
    ]
    return (
        Notice(
            text=f"Not robust: sized at the {end} end of what {tiers} may do; at the {other} end "
            f"{listed(moves)}. A load test decides it.",
            level="warning",
        ),
    )


def _may_serve(desk: Desk, offer_id: str) -> bool:
    """Whether an offer may be given to any workload at all, whatever its load."""
    return any(
        gate(desk.scenario, desk.offers[offer_id], desk.performances[offer_id], demand) is None
        for demand in desk.scenario.demands
    )


def _turned(performances: Performances) -> dict[str, TierPerformance | CannotServe]:
    """Every performance at its other end where it has one."""
    turned: dict[str, TierPerformance | CannotServe] = {}
    for offer_id, performance in performances.items():
        other = None
        if not isinstance(performance, HostedPerformance | CannotServe):
            other = other_end(performance)
        turned[offer_id] = performance if other is None else other
    return turned


def _pools_of_others(desk: Desk, turned: Performances) -> dict[tuple[str, int], PoolPlan | CannotServe]:
    """What is already worked out and does not depend on an end."""
    return {key: pool for key, pool in desk.pools.items() if turned[key[0]] is desk.performances[key[0]]}


def _homes(desk: Desk, placement: Partition) -> dict[str, str]:
    """The offer of each placed workload."""
    names = [demand.workload.name for demand in desk.scenario.demands]
    return {
        names[index]: group.offer_id for group in placement.groups for index in members(group.workload_set)
    }
