"""One benchmark point in house names: what was run, at which load, and what was seen."""

from dataclasses import dataclass
from datetime import date
from typing import Literal

from models.percentiles import UNKNOWN, Percentiles

LoadKind = Literal["concurrency", "rate", "batch", "unbounded", "users", "trace"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """One row of a benchmark: one system at one load.

    Rates are those of the whole measured system, never per accelerator and never per user.
    `isl_tok` and `osl_tok` are means over successful requests. `request_count` counts attempts;
    `incomplete_count` those cut off by the end of the run. Anything not in the file is None.
    """

    tier: str | None = None
    model: str | None = None
    accelerator: str | None = None
    accelerator_count: int | None = None
    precision: str | None = None
    engine: str | None = None
    isl_tok: float | None = None
    osl_tok: float | None = None
    load_kind: LoadKind | None = None
    concurrency_count: float | None = None
    offered_rate_req_per_s: float | None = None
    batch_count: float | None = None
    duration_s: float | None = None
    request_count: int | None = None
    error_count: int | None = None
    incomplete_count: int | None = None
    ttft_s: Percentiles = UNKNOWN
    itl_s: Percentiles = UNKNOWN
    tpot_s: Percentiles = UNKNOWN
    e2e_s: Percentiles = UNKNOWN
    output_rate_tok_per_s: float | None = None
    total_rate_tok_per_s: float | None = None
    request_rate_req_per_s: float | None = None
    requested_tier: str | None = None
    served_tier: str | None = None
    measured_by: str | None = None
    measured_on: date | None = None
    notes: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcedMeasurement:
    """A measurement with the path of its bytes: which file or published set, and which row of it."""

    measurement: Measurement
    source_id: str
    source_label: str
    row_number: int
    quality: str = "ok"
    licence: str = ""
    built_in: bool = False
