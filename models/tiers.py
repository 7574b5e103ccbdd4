"""What can be bought: accelerators, models, tiers with their prices, and offers (a model on a tier)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from models.evidence import Evidence
from models.performance import AFTER_PREFILL, FirstToken, StepLaw

HOURS_PER_YEAR = 8766.0  # 365.25 d
MONTHS_PER_YEAR = 12.0
WATT_PER_KILOWATT = 1000.0

Availability = Literal["open", "limited", "waitlist", "announced", "retired"]
RentalTerm = Literal["on_demand", "reserved", "spot"]
FailureUnit = Literal["accelerator", "node", "rack", "wafer", "endpoint"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Accelerator:
    """A chip as its maker specifies it. FLOP rates are dense, by precision (`bf16`, `fp8`, `fp4`)."""

    id: str
    label: str
    vendor: str
    memory_byte: float | None = None
    memory_bandwidth_byte_per_s: float | None = None
    dense_flop_per_s: Mapping[str, float] = field(default_factory=dict, hash=False)
    scale_up_bandwidth_byte_per_s: float | None = None
    scale_up_domain_count: int | None = None
    chip_power_w: float | None = None
    all_in_power_w: float | None = None
    year: int | None = None
    memory_kind: str = ""
    scale_up_link: str = ""
    scale_out_link: str = ""
    note: str = ""
    evidence: Mapping[str, Evidence] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A language model's facts as far as published; None where nobody says.

    kv_growing_byte_per_tok  KV cache bytes that each further token of context adds, at 16 bit
    kv_fixed_byte            bytes of windowed layers once their window is full, at 16 bit
    """

    id: str
    label: str
    kind: Literal["dense", "moe", "closed"]
    total_parameter_count: float | None = None
    active_parameter_count: float | None = None
    layer_count: int | None = None
    hidden_count: int | None = None
    expert_count: int | None = None
    experts_per_token_count: int | None = None
    kv_growing_byte_per_tok: float | None = None
    kv_fixed_byte: float | None = None
    max_context_tok: int | None = None
    native_precision: str | None = None
    attention: str = ""
    note: str = ""
    evidence: Mapping[str, Evidence] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class HourlyPrice:
    """Rented by the hour, per accelerator, whether busy or idle; `term` says how long one is bound."""

    usd_per_accelerator_h: float
    evidence: Evidence
    term: RentalTerm = "on_demand"

    basis: Literal["hourly"] = "hourly"


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnedPrice:
    """Bought machines, spread over every hour of their life, whether busy or idle.

    purchase_usd_per_accelerator  with its share of server and network
    resale_value_fraction         of the purchase left at the end of life
    accelerator_power_w           of the accelerator with its share of the server, drawn all the time
    pue_ratio                     what the building adds to that power; None where the power is all-in
    colocation_usd_per_kw_month   rent of space and cooling by that power; 0 in one's own building
    upkeep_usd_per_accelerator_year   support, spares and people
    """

    purchase_usd_per_accelerator: float
    life_years: float
    evidence: Evidence
    resale_value_fraction: float = 0.0
    accelerator_power_w: float = 0.0
    pue_ratio: float | None = None
    energy_usd_per_kwh: float = 0.0
    colocation_usd_per_kw_month: float = 0.0
    upkeep_usd_per_accelerator_year: float = 0.0

    basis: Literal["owned"] = "owned"

    @property
    def usd_per_accelerator_h(self) -> float:
        """What one accelerator costs in an hour: wear, upkeep, energy and space."""
        wear_usd = self.purchase_usd_per_accelerator * (1.0 - self.resale_value_fraction) / self.life_years
        power_kw = self.accelerator_power_w / WATT_PER_KILOWATT
        return (
            (wear_usd + self.upkeep_usd_per_accelerator_year) / HOURS_PER_YEAR
            + power_kw * (self.pue_ratio or 1.0) * self.energy_usd_per_kwh
            + power_kw * self.colocation_usd_per_kw_month / (HOURS_PER_YEAR / MONTHS_PER_YEAR)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LongContextRule:
    """Prompts longer than `above_tok` pay other prices for the whole request, per million tokens."""

    above_tok: float
    input_usd_per_mtok: float
    output_usd_per_mtok: float
    cached_input_usd_per_mtok: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OffPeakRule:
    """Between two hours of the day every price is multiplied; from_h > to_h runs over midnight."""

    from_h: int
    to_h: int
    price_ratio: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenPrice:
    """Paid per million tokens. `cached_input_usd_per_mtok` None: cached input costs as much as fresh.

    cache_write_usd_per_mtok    of fresh input put into the cache, in place of its price; None: no other price
    minimum_usd_per_month       a commitment: paid even where less is used
    """

    input_usd_per_mtok: float
    output_usd_per_mtok: float
    evidence: Evidence
    cached_input_usd_per_mtok: float | None = None
    cache_write_usd_per_mtok: float | None = None
    long_context: LongContextRule | None = None
    off_peak: OffPeakRule | None = None
    minimum_usd_per_month: float = 0.0

    basis: Literal["per_token"] = "per_token"


MachinePrice = HourlyPrice | OwnedPrice
Price = MachinePrice | TokenPrice


@dataclass(frozen=True, slots=True, kw_only=True)
class DatedPrice:
    """One row of a price's history: what was to be paid from a day on.

    valid_from  first day; None: from the beginning, as far as known
    price       None: published as having no price
    own         added by the user; otherwise the catalogue's
    """

    valid_from: date | None
    price: Price | None
    own: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Speed:
    """What is published about a hosted tier's speed: one stream's output rate and first token.

    Each figure has its own evidence under its field name. A ceiling stays a ceiling.
    """

    stream_rate_tok_per_s: float | None = None
    stream_rate_ceiling_tok_per_s: float | None = None
    ttft_p50_s: float | None = None
    evidence: Mapping[str, Evidence] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Speculation:
    """Speculative decoding: a draft proposes tokens, the model checks them all in one step.

    acceptance_fraction  chance that a proposed token is kept
    draft_token_count    tokens proposed in a step
    draft_cost_ratio     time of the draft over the step's fixed part
    """

    acceptance_fraction: float
    draft_token_count: int
    draft_cost_ratio: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Fallback:
    """Where a hosted tier serves a request when it does not serve it itself: slower, and billed as served.

    probability_fraction  share of requests served there
    speed, price          of the tier that serves them; price None: billed like the tier asked for
    """

    label: str
    probability_fraction: float
    speed: Speed = Speed()
    price: TokenPrice | None = None
    evidence: Evidence | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A link between machines: bytes per second one way, never both ways together, never bits.

    base_s            time of a transfer before its first byte
    overlap_fraction  share of a KV hand-over that is sent while prefill still runs
    """

    bandwidth_byte_per_s: float
    base_s: float = 0.0
    overlap_fraction: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """How the accelerators of one replica share the model.

    tensor_parallel_count    accelerators that share each layer (TP)
    pipeline_parallel_count  stages that the layers are split into (PP)
    expert_parallel_count    accelerators of a stage that the experts are spread over (EP); 1: each holds its
                             part of every expert
    """

    tensor_parallel_count: int
    pipeline_parallel_count: int = 1
    expert_parallel_count: int = 1

    @property
    def stage_accelerator_count(self) -> int:
        """Accelerators of one stage, which exchange within each layer."""
        return max(self.tensor_parallel_count, self.expert_parallel_count)

    @property
    def accelerator_count(self) -> int:
        """Accelerators of the replica."""
        return self.stage_accelerator_count * self.pipeline_parallel_count


@dataclass(frozen=True, slots=True, kw_only=True)
class PrefillSide:
    """The half of a disaggregated tier that works on prompts; the tier itself describes the decode half.

    alpha_s, delta_s_per_input_tok   seconds of a prompt on one worker, where anybody says; else a roofline
    """

    accelerator: str | None = None
    accelerator_count_per_worker: int = 1
    precision: str | None = None
    price: MachinePrice | None = None
    alpha_s: float | None = None
    delta_s_per_input_tok: float | None = None
    first_token: FirstToken = AFTER_PREFILL
    evidence: Evidence | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tier:
    """A way to have a model served. `price` None means unpublished: shown as unpriced, never as 0.

    accelerator                   catalogue id, for tiers run on one's own or rented machines
    request_limit_per_min, token_limit_per_min   a hosted tier's rate limits (RPM, TPM)
    standard_price                what the same model costs on the supplier's Standard tier
    speculation                   speculative decoding switched on, where it is not in the measurements
    distilled_weight_fraction     share of the model's weights that a distilled version keeps
    parity                        evidence that its answers are as good as the model's own, if anybody has any
    fallback                      the tier that serves some of the requests instead, where anybody says
    link                          between the wafers of one copy, from prefill to decode pool, or beyond a
                                  scale-up domain
    prefill, step                 of disaggregated pools: the other half; one decode replica's step law
    split                         how a replica's accelerators share the model, where nothing was measured
    pipeline_stage_count          stages that a copy's layers are split into, where anybody says
    prefill_rate_tok_per_s        prompt tokens a replica works through, where anybody says
    """

    id: str
    label: str
    architecture: str
    price: Price | None = None
    supplier: str = ""
    accelerator: str | None = None
    accelerator_count_per_replica: int | None = None
    engine: str | None = None
    precision: str | None = None
    slot_count: int | None = None
    failure_unit: FailureUnit = "node"
    availability: Availability = "open"
    available_from: date | None = None
    available_until: date | None = None
    region: str | None = None
    request_limit_per_min: float | None = None
    token_limit_per_min: float | None = None
    speed: Speed | None = None
    standard_price: TokenPrice | None = None
    fallback: Fallback | None = None
    speculation: Speculation | None = None
    distilled_weight_fraction: float | None = None
    parity: Evidence | None = None
    link: Link | None = None
    split: Split | None = None
    prefill: PrefillSide | None = None
    step: StepLaw | None = None
    pipeline_stage_count: int | None = None
    prefill_rate_tok_per_s: float | None = None
    note: str = ""
    evidence: Mapping[str, Evidence] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A model on a tier: what a workload may be given to.

    measurement_ids  runs (`sha256:...`) that calibrate it; None: all measurements that match
    prices           every price known of it over time, in the order added; the tier has the one that holds
    """

    tier: Tier
    model: Model
    accelerator: Accelerator | None = None
    prefill_accelerator: Accelerator | None = None
    measurement_ids: tuple[str, ...] | None = None
    prices: tuple[DatedPrice, ...] = ()

    @property
    def id(self) -> str:
        """The offer's name in plans and links: `tier/model`."""
        return f"{self.tier.id}/{self.model.id}"
