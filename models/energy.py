"""Electricity of the machines in a plan, where somebody states their power; blank where nobody does."""

from dataclasses import dataclass

from models.cost import HOURS_PER_MONTH, TOK_PER_MTOK, calls_per_month
from models.plans import Plan
from models.scenario import Scenario
from models.tiers import WATT_PER_KILOWATT

GRAM_PER_KILOGRAM = 1000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolEnergy:
    """One pool's electricity in a month at the stated all-in power, drawn whether busy or idle.

    energy_kwh_per_month      None where nobody states the power, or somebody else runs the machines
    energy_kwh_per_mtok_output   over the output of the pool's workloads
    """

    tier_label: str
    accelerator_count: int
    all_in_power_w: float | None
    energy_kwh_per_month: float | None
    energy_kwh_per_mtok_output: float | None

    def carbon_kg_per_month(self, grid_g_per_kwh: float) -> float | None:
        """Kilograms of CO2 equivalent in a month on a grid of that intensity; operation only."""
        if self.energy_kwh_per_month is None:
            return None
        return self.energy_kwh_per_month * grid_g_per_kwh / GRAM_PER_KILOGRAM


def energy_of(scenario: Scenario, plan: Plan) -> tuple[PoolEnergy, ...]:
    """Electricity pool by pool; an upper end, as idle machines draw less than the stated power."""
    powers = {
        offer.tier.id: offer.accelerator.all_in_power_w if offer.accelerator else None
        for offer in scenario.offers
    }
    output_tok = {
        demand.workload.name: calls_per_month(demand) * demand.workload.output_tok.mean_tok
        for demand in scenario.demands
    }
    found = []
    for pool in plan.pools:
        power_w = powers[pool.tier_id] if pool.accelerator_count else None
        kwh = (
            None
            if power_w is None
            else pool.accelerator_count * power_w / WATT_PER_KILOWATT * HOURS_PER_MONTH
        )
        mtok = sum(output_tok[name] for name in pool.workloads) / TOK_PER_MTOK
        found.append(
            PoolEnergy(
                tier_label=pool.name,
                accelerator_count=pool.accelerator_count,
                all_in_power_w=power_w,
                energy_kwh_per_month=kwh,
                energy_kwh_per_mtok_output=None if kwh is None or mtok <= 0 else kwh / mtok,
            )
        )
    return tuple(found)
