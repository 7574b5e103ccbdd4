"""A result of NVIDIA's aiconfigurator as a tier of two pools: its figures, not measurements.

The tool plans Dynamo deployments offline and writes one row a configuration (`best_config_topn.csv`,
`pareto.csv`). Its columns stand for the prefill half with `(p)` and the decode half with `(d)`: workers,
batch, requests a second of one worker, ways of parallelism; `ttft` and `tpot` are milliseconds. They are what
its own model says, so they come in as derived figures (grade E), to be replaced by a measurement.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import linear_regression
from typing import Any

from data.foreign_tables import blocks, headings, plain_number
from data.names import accelerator_id, model_id, precision_name
from models.problems import Problem

DECODE_MARK = "(d)workers"
NUMBERS = ("isl", "tpot", "(p)seq/s/worker", "(d)bs")
TEXTS = ("model", "(p)system", "(d)system")
WAYS = ("tp", "pp", "dp")
MS_PER_S = 1000.0
TIER_ID = "aiconfigurator"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedTier:
    """A tier as a scenario file would describe it, the model it was planned for, and what to know."""

    model: str
    draft: dict[str, Any]
    problems: tuple[Problem, ...] = ()


def is_disaggregated_result(text: str) -> bool:
    """Whether a table is aiconfigurator's, of disaggregated configurations."""
    return {DECODE_MARK, "(p)workers", "tpot"} <= headings(text)


def planned_tier(name: str, text: str) -> PlannedTier | tuple[Problem, ...]:
    """The best row's configuration (the file's first) as a tier; problems where it cannot be read."""
    found = blocks(name, text)
    if isinstance(found, Problem):
        return (found,)
    if not is_disaggregated_result(text):
        cure = "Give the best_config_topn.csv of a disaggregated run (its columns are (p)... and (d)...)."
        return (Problem(path=name, message="is no disaggregated result of aiconfigurator", cure=cure),)
    header, *lines = [row for block in found for row in block]
    rows = [dict(zip(header.cells, line.cells, strict=False)) for line in lines]
    if not rows:
        return (Problem(path=name, message="holds no configuration", cure="Run the tool again."),)
    problems = _missing(f"{name}, row {lines[0].line}", rows[0])
    return problems or _tier(name, rows)


def _missing(path: str, row: Mapping[str, str]) -> tuple[Problem, ...]:
    """What the best row lacks before a tier can be made of it."""
    lacking = [
        Problem(path=f"{path}, {key}", message="is missing", cure="Export the file again.")
        for key in TEXTS
        if not row.get(key)
    ]
    lacking += [
        Problem(path=f"{path}, {key}", message="is no positive number", cure="Export the file again.")
        for key in NUMBERS
        if _positive(row, key) is None
    ]
    for key in ("(p)system", "(d)system"):
        if row.get(key) and accelerator_id(row[key]) is None:
            lacking.append(
                Problem(
                    path=f"{path}, {key}",
                    message=f"'{row[key]}' is no accelerator of the catalogue",
                    cure="Describe the tier on the Tiers page.",
                )
            )
    if row.get("model") and model_id(row["model"]) is None:
        lacking.append(
            Problem(
                path=f"{path}, model",
                message=f"'{row['model']}' is no model of the catalogue",
                cure="Describe the model and the tier on the Tiers page, or in the scenario file.",
            )
        )
    return tuple(lacking)


def _tier(name: str, rows: Sequence[Mapping[str, str]]) -> PlannedTier:
    best = rows[0]
    whole = [row for row in rows if all(_positive(row, key) for key in NUMBERS)]
    alike = [row for row in whole if _decode_half(row) == _decode_half(best)]
    alpha_s, beta_s = _step(alike)
    evidence = {
        "grade": "E",
        "sense": "derived",
        "source": f"aiconfigurator {best.get('(d)version', '')}".strip() + f", {name}",
        "note": "what its model says, not a measurement",
    }
    prompt_s = 1.0 / _number(best, "(p)seq/s/worker")
    draft = {
        "id": TIER_ID,
        "label": f"aiconfigurator: {best['(p)system']} + {best['(d)system']}",
        "architecture": "disaggregated_pools",
        "supplier": "own build",
        "accelerator": accelerator_id(best["(d)system"]),
        "accelerator_count_per_replica": _ways(best, "(d)"),
        "slot_count": int(max(_number(row, "(d)bs") for row in alike)),
        "step": {"alpha_s": alpha_s, "beta_s_per_seq": beta_s},
        "prefill": {
            "accelerator": accelerator_id(best["(p)system"]),
            "accelerator_count_per_worker": _ways(best, "(p)"),
            "alpha_s": 0.0,
            "delta_s_per_input_tok": prompt_s / _number(best, "isl"),
            "evidence": evidence,
        },
        "evidence": {"step": evidence, "slot_count": evidence},
    }
    precision = precision_name(best.get("(d)gemm"))
    if precision:
        draft["precision"] = precision
    found = model_id(best["model"])
    notes = [_still_missing(name)]
    if len({_number(row, "(d)bs") for row in alike}) == 1:
        notes.append(
            Problem(
                path=f"{name}, (d)bs",
                message="only one batch of this decode half is in the file: its step is taken as flat",
                cure="Give the pareto.csv, which holds several.",
                severity="warning",
            )
        )
    return PlannedTier(model=found or "", draft=draft, problems=tuple(notes))


def _still_missing(name: str) -> Problem:
    return Problem(
        path=name,
        message="the tool writes no link rate and no price",
        cure="State the tier's link and both prices in the scenario file.",
        severity="warning",
    )


def _decode_half(row: Mapping[str, str]) -> tuple[str | None, ...]:
    return (row.get("(d)system"), row.get("(d)gemm"), *(row.get(f"(d){way}") for way in WAYS))


def _step(rows: Sequence[Mapping[str, str]]) -> tuple[float, float]:
    """alpha and beta of a decode step: a line through batch and time per token, or flat at one batch."""
    batch = [_number(row, "(d)bs") for row in rows]
    step_s = [_number(row, "tpot") / MS_PER_S for row in rows]
    if len(set(batch)) == 1:
        return max(step_s), 0.0
    beta, alpha = linear_regression(batch, step_s)
    if beta <= 0.0 or alpha <= 0.0:
        return max(step_s), 0.0
    return alpha, beta


def _ways(row: Mapping[str, str], half: str) -> int:
    """Accelerators of one worker: tensor, pipeline and data parallel ways multiplied."""
    ways = 1.0
    for way in WAYS:
        ways *= plain_number(row.get(f"{half}{way}") or "1") or 1.0
    return int(ways)


def _positive(row: Mapping[str, str], key: str) -> float | None:
    number = plain_number(row.get(key, ""))
    return number if number is not None and number > 0.0 else None


def _number(row: Mapping[str, str], key: str) -> float:
    """A figure of a row that was checked before."""
    number = _positive(row, key)
    if number is None:
        raise ValueError(f"{key} is no positive number")
    return number
