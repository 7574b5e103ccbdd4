"""Whether the plan may give a workload to an offer, and if not why: asked wherever a tier is weighed."""

from models.desk import PoolPlanner
from models.gates import gate
from models.net_value import unweighable
from models.performance import CannotServe, TierPerformance
from models.scenario import Scenario
from models.tiers import Offer
from models.workloads import Demand


def refusal(
    scenario: Scenario,
    offer: Offer,
    performance: TierPerformance | CannotServe | None,
    demand: Demand,
    plan_pool: PoolPlanner,
) -> CannotServe | None:
    """Why the offer cannot serve the workload even alone; None where it can.

    The offer need not be one of the scenario's: it is judged by the scenario's rules all the same.
    """
    if performance is None:
        return CannotServe(
            binding_constraint="evidence", reasons=("nothing is known of its speed",), would_fit_if=""
        )
    stopped = gate(scenario, offer, performance, demand)
    if stopped is not None or isinstance(performance, CannotServe):
        return stopped
    pool = plan_pool(offer, performance, (demand,), scenario.policy, 1)
    if isinstance(pool, CannotServe):
        return pool
    return unweighable(scenario.policy, (demand,), pool.point)


def why_not(
    scenario: Scenario,
    offer: Offer,
    performance: TierPerformance | CannotServe | None,
    demand: Demand,
    plan_pool: PoolPlanner,
) -> str:
    """The same in words: what the plan holds against the offer, empty where it may use it."""
    stopped = refusal(scenario, offer, performance, demand, plan_pool)
    reasons = [] if stopped is None else list(stopped.reasons)
    if offer.id not in {each.id for each in scenario.offers}:
        reasons.insert(0, "not among this scenario's tiers")
    return "; ".join(reasons)
