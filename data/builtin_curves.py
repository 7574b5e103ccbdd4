"""Published benchmark points that come with the program, and which measurements speak for an offer."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from data.names import accelerator_id, engine_name, model_id, precision_name
from data.sources import Source
from data.tables import csv_rows
from models.measurements import Measurement, SourcedMeasurement
from models.percentiles import Percentiles
from models.tiers import Offer

MEASURED_BY = {
    "inferencemax_2025_10": "SemiAnalysis InferenceMAX",
    "vllm_cost_meter": "authors of arXiv 2606.11690",
    "accelmark": "AccelMark",
    "argonne_llm_inference_bench": "Argonne National Laboratory",
    "jasl_deepseek_v4_flash": "jasl (community)",
    "llamacpp_dgx_spark": "llama.cpp community",
}
LOAD_FIELD = {
    "concurrency": "concurrency_count",
    "rate": "offered_rate_req_per_s",
    "batch": "batch_count",
}
SAME_FIELDS = (
    "accelerator_count",
    "isl_tok",
    "osl_tok",
    "load_kind",
    "output_rate_tok_per_s",
    "request_rate_req_per_s",
    "notes",
)


@lru_cache(maxsize=1)
def builtin_measurements() -> tuple[SourcedMeasurement, ...]:
    """All built-in points; one source id per measured configuration and shape, row 2 the file's first."""
    from data.catalogue_files import load_catalogue

    sources = load_catalogue().sources
    rows = enumerate(csv_rows("measured_points.csv"), start=2)
    return tuple(_sourced(row, number, sources[row["source"]]) for number, row in rows)


def _sourced(row: Mapping[str, Any], number: int, source: Source) -> SourcedMeasurement:
    return SourcedMeasurement(
        measurement=_measurement(row),
        source_id=row["source_id"],
        source_label=source.title,
        row_number=number,
        quality=row["quality"],
        licence=source.licence,
        built_in=True,
    )


def _measurement(row: Mapping[str, Any]) -> Measurement:
    load: dict[str, Any] = {LOAD_FIELD[row["load_kind"]]: row["load"]}
    same: dict[str, Any] = {name: row.get(name) for name in SAME_FIELDS}
    return Measurement(
        model=row["model"],
        accelerator=row["accelerator"],
        precision=row.get("precision"),
        engine=row.get("engine"),
        ttft_s=_percentiles(row, "ttft"),
        tpot_s=_percentiles(row, "tpot"),
        e2e_s=_percentiles(row, "e2e"),
        measured_by=MEASURED_BY[row["source"]],
        **load,
        **same,
    )


def _percentiles(row: Mapping[str, Any], latency: str) -> Percentiles:
    return Percentiles(**{name: row.get(f"{latency}_{name}_s") for name in ("mean", "p50", "p90", "p99")})


def matching(offer: Offer, measurements: Iterable[SourcedMeasurement]) -> tuple[SourcedMeasurement, ...]:
    """The measurements that speak for an offer.

    Those of its tier by name; and those of its model on its accelerator whose count, precision and engine
    agree where both sides state them. An offer that lists measurement ids takes only these.
    """
    chosen = offer.measurement_ids
    return tuple(
        each
        for each in measurements
        if (chosen is None or each.source_id in chosen) and _speaks_for(offer, each.measurement)
    )


@lru_cache(maxsize=512)
def builtin_matching(offer: Offer) -> tuple[SourcedMeasurement, ...]:
    """The built-in measurements that speak for an offer; they never change, and there are thousands."""
    return matching(offer, builtin_measurements())


def _speaks_for(offer: Offer, measurement: Measurement) -> bool:
    if measurement.model is not None and not _same_model(offer, measurement.model):
        return False
    if measurement.tier == offer.tier.id:
        return True
    tier = offer.tier
    if tier.architecture != "batched_accelerator":
        return False  # points that name an accelerator alone are of pools that do both prefill and decode
    if tier.split is not None and tier.split.pipeline_parallel_count > 1:
        return False  # points that do not say how a replica is split are of tensor parallel ones
    accelerator = accelerator_id(measurement.accelerator)
    return (
        measurement.model is not None
        and accelerator is not None
        and accelerator == tier.accelerator
        and _agree(measurement.accelerator_count, tier.accelerator_count_per_replica)
        and _agree(precision_name(measurement.precision), precision_name(tier.precision))
        and _agree(engine_name(measurement.engine), engine_name(tier.engine))
    )


def _same_model(offer: Offer, name: str) -> bool:
    return offer.model.id in (model_id(name), name)


def _agree(measured: object, wanted: object) -> bool:
    return measured is None or wanted is None or measured == wanted
