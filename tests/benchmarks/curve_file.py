"""Measured points from a file that the calibration has not seen, grouped as a fit would get them.

Two spellings are read: the catalogue's own (seconds, `tpot_p50_s`) and one in milliseconds
(`itl_ms_p50`, `isl`, `load_value`), whose lengths may be nominal.
"""

import csv
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from data.builtin_curves import LOAD_FIELD
from data.names import accelerator_id, engine_name, model_id, precision_name
from models.measurements import Measurement, SourcedMeasurement
from models.percentiles import Percentiles
from models.tiers import Accelerator, Model, Offer, Tier

STATISTICS = ("mean", "p50", "p90", "p95", "p99")
LATENCIES = {"ttft_s": "ttft", "tpot_s": "itl", "e2e_s": "e2e"}
NOMINAL_RATIO = (0.75, 0.97)  # real over nominal length that a latency may reveal
SAME_TEXT = ("accelerator", "model", "precision", "engine", "notes")

Row = Mapping[str, str]


def read_points(path: Path) -> tuple[SourcedMeasurement, ...]:
    """Every row of the file as a measurement; its source is the row's `source`."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        lines = (line for line in file if not line.startswith("#"))
        rows = list(csv.DictReader(lines))
    ratios = _real_over_nominal(rows)
    return tuple(
        _sourced(row, number, ratios.get(_curve(row), 1.0)) for number, row in enumerate(rows, start=2)
    )


def configurations(
    points: Iterable[SourcedMeasurement],
) -> dict[tuple[str, ...], list[SourcedMeasurement]]:
    """The points of each source and measured system, in a fixed order; lengths differ within one."""
    found: dict[tuple[str, ...], list[SourcedMeasurement]] = defaultdict(list)
    for each in points:
        row = each.measurement
        system = (row.accelerator, row.accelerator_count, row.model, row.precision, row.engine)
        found[(source_of(each), *(str(part) for part in system))].append(each)
    return {key: found[key] for key in sorted(found)}


def source_of(each: SourcedMeasurement) -> str:
    """The published set that a point belongs to."""
    return each.source_id.split(":", maxsplit=1)[0]


def offer_of(points: Sequence[SourcedMeasurement]) -> Offer:
    """The offer that the points measure, with what the catalogue knows of its parts."""
    from data.catalogue_files import load_catalogue

    catalogue, row = load_catalogue(), points[0].measurement
    model = catalogue.models.get(model_id(row.model) or "")
    accelerator: Accelerator | None = catalogue.accelerators.get(accelerator_id(row.accelerator) or "")
    tier = Tier(
        id="measured",
        label=row.accelerator or "unknown accelerator",
        architecture="batched_accelerator",
        accelerator=None if accelerator is None else accelerator.id,
        accelerator_count_per_replica=row.accelerator_count,
        precision=precision_name(row.precision),
        engine=engine_name(row.engine),
    )
    unknown = Model(id="unknown", label=row.model or "unknown model", kind="closed")
    return Offer(tier=tier, model=model or unknown, accelerator=accelerator)


def _sourced(row: Row, number: int, ratio: float) -> SourcedMeasurement:
    measurement = _seconds(row) if "ttft_p50_s" in row else _milliseconds(row, ratio)
    identity = row.get("source_id") or row.get("curve_id") or row["source"]
    return SourcedMeasurement(
        measurement=measurement,
        source_id=identity if identity.startswith(row["source"]) else f"{row['source']}:{identity}",
        source_label=row["source"],
        row_number=number,
        quality=row.get("quality") or "ok",
        built_in=True,
    )


def _number(row: Row, name: str, factor: float = 1.0) -> float | None:
    text = (row.get(name) or "").strip()
    return float(text) * factor if text else None


def _texts(row: Row) -> dict[str, Any]:
    return {name: row.get(name) or None for name in SAME_TEXT}


def _seconds(row: Row) -> Measurement:
    latencies: dict[str, Any] = {
        name: Percentiles(**{s: _number(row, f"{name[:-2]}_{s}_s") for s in STATISTICS}) for name in LATENCIES
    }
    kind, count = row["load_kind"], _number(row, "accelerator_count")
    rest: dict[str, Any] = {LOAD_FIELD[kind]: _number(row, "load"), "load_kind": kind}
    names = ("isl_tok", "osl_tok", "output_rate_tok_per_s", "request_rate_req_per_s")
    numbers: dict[str, Any] = {name: _number(row, name) for name in names}
    return Measurement(
        accelerator_count=None if count is None else int(count),
        **_texts(row),
        **numbers,
        **latencies,
        **rest,
    )


def _milliseconds(row: Row, ratio: float) -> Measurement:
    latencies: dict[str, Any] = {
        name: Percentiles(**{s: _number(row, f"{foreign}_ms_{s}", 1e-3) for s in STATISTICS})
        for name, foreign in LATENCIES.items()
    }
    kind, count = row["load_kind"].removesuffix("_rps"), _number(row, "n_accelerators")
    rest: dict[str, Any] = {LOAD_FIELD[kind]: _number(row, "load_value"), "load_kind": kind}
    isl, osl = _number(row, "isl"), _number(row, "osl")
    # What a static batch calls throughput may count prompts too; its latency says all.
    output_rate = None if kind == "batch" else _number(row, "output_tps_total")
    return Measurement(
        accelerator_count=None if count is None else int(count),
        isl_tok=None if isl is None else isl * ratio,
        osl_tok=None if osl is None else osl * ratio,
        output_rate_tok_per_s=output_rate,
        request_rate_req_per_s=_number(row, "request_rps"),
        **_texts(row),
        **latencies,
        **rest,
    )


def _curve(row: Row) -> str:
    return row.get("curve_id") or row.get("source_id") or row["source"]


def _real_over_nominal(rows: Sequence[Row]) -> dict[str, float]:
    """Answer length that a curve's latencies imply over its nominal one, where that is plausibly shorter.

    The same for all rows of a curve: its requests were drawn in the same way at every load.
    """
    implied: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        osl = _number(row, "osl")
        ttft, tpot, e2e = (_number(row, f"{name}_ms_mean") for name in LATENCIES.values())
        if osl and ttft is not None and tpot and e2e is not None:
            implied[_curve(row)].append((1.0 + (e2e - ttft) / tpot) / osl)
    middles = {curve: median(values) for curve, values in implied.items()}
    low, high = NOMINAL_RATIO
    return {curve: ratio for curve, ratio in middles.items() if low < ratio < high}
