"""From which rate machines cost less than paying per token, and how much of them that uses."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from models import machines
from models.cost import SECONDS_PER_HOUR, TOK_PER_MTOK
from models.curves import break_even_rate_req_per_s
from models.desk import Performances
from models.performance import CannotServe, HostedPerformance
from models.pool_loads import load_of
from models.tiers import Offer
from models.workloads import Demand


@dataclass(frozen=True, slots=True, kw_only=True)
class RentOrTokens:
    """Machines against a tier paid per token: from this rate on they cost less, if they can serve it.

    utilisation_fraction  that rate over the highest they sustain; above 1: they never cost less
    """

    machine: Offer
    hosted: Offer
    cost_usd_per_h: float
    offered_rate_req_per_s: float
    output_mtok_per_h: float
    utilisation_fraction: float | None


def rent_or_tokens(
    offers: Sequence[Offer], performances: Performances, demand: Demand, replica_count: int
) -> list[RentOrTokens]:
    """Every pair of a machine tier and a hosted tier among the offers, for one workload."""
    found = []
    for machine, hosted in product(offers, offers):
        performance = performances[machine.id]
        if isinstance(performance, CannotServe | HostedPerformance):
            continue
        rate = break_even_rate_req_per_s(machine, performance, hosted, demand, replica_count)
        if rate is None:
            continue
        load = load_of([demand])
        highest = machines.max_rate(performance, load, replica_count)
        found.append(
            RentOrTokens(
                machine=machine,
                hosted=hosted,
                cost_usd_per_h=machines.pool_usd_per_h(machine, performance, load, replica_count),
                offered_rate_req_per_s=rate,
                output_mtok_per_h=rate
                * SECONDS_PER_HOUR
                * demand.workload.output_tok.mean_tok
                / TOK_PER_MTOK,
                utilisation_fraction=rate / highest if highest > 0 else None,
            )
        )
    return found
