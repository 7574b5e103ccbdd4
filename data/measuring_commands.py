"""Command lines that measure one workload's shape: its lengths, a ladder of loads, prompts of their own.

Each load is a line of its own with its own seed, because a run that repeats the prompts of the run before
finds them in the prefix cache. Lines are quoted for a POSIX shell, so that no name can run as a command.

Options as documented by GuideLLM 0.7 and 0.8 (`guidellm run`), vLLM (`vllm bench serve`) and AIPerf
(`aiperf profile`), 2026.
"""

import json
import math
import re
import shlex
from dataclasses import dataclass
from typing import Literal

from models.lengths import TokenLengths
from models.workloads import Demand, Workload

LadderKind = Literal["concurrency", "rate"]

FEWEST_REQUESTS = 200  # a p99 leans on the slowest two
REQUESTS_PER_STREAM = 10
RATE_WINDOW_S = 120
WIDEST_RANGE_RATIO = 0.99  # vLLM takes less than 1
LADDER_STEPS = (1 / 8, 1 / 4, 1 / 2, 1.0, 2.0)
RATE_STEPS = (0.25, 0.5, 0.75, 1.0, 1.25)
UNPLANNED_LADDER = (1, 4, 16, 64)
FIRST_SEED = 7001


@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder:
    """The loads to measure one after another: requests in flight, or requests per second, rising."""

    kind: LadderKind
    loads: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuringCommand:
    """How one tool measures a workload.

    tool         its name
    lines        one command per load
    bring_back   which files to drop on the Benchmarks page
    notes        where the tool cannot do exactly what the workload says
    """

    tool: str
    lines: tuple[str, ...]
    bring_back: str
    notes: tuple[str, ...]


def concurrency_ladder(planned_count: float | None) -> Ladder:
    """Alone, then an eighth to twice the requests that are planned in flight on one replica; 1 to 64 where
    nothing is planned. A curve needs four loads or more."""
    if planned_count is None:
        return Ladder(kind="concurrency", loads=UNPLANNED_LADDER)
    steps = {1, *(max(1, round(planned_count * step)) for step in LADDER_STEPS)}
    while len(steps) < len(UNPLANNED_LADDER):
        steps.add(max(steps) * 2)
    return Ladder(kind="concurrency", loads=tuple(sorted(steps)))


def rate_ladder(planned_rate_req_per_s: float) -> Ladder:
    """A quarter to five quarters of the planned rate, in requests per second, three digits each."""
    rates = (float(f"{planned_rate_req_per_s * step:.3g}") for step in RATE_STEPS)
    return Ladder(kind="rate", loads=tuple(rates))


def measuring_commands(
    demand: Demand, ladder: Ladder, endpoint: str, model: str
) -> tuple[MeasuringCommand, ...]:
    """The same measurement by each tool, for a server at `endpoint` that serves `model`."""
    return (
        _guidellm(demand.workload, ladder, endpoint, model),
        _vllm(demand.workload, ladder, endpoint, model),
        _aiperf(demand.workload, ladder, endpoint, model),
    )


def range_ratio(lengths: TokenLengths) -> float:
    """Half the width of the uniform distribution with the same mean and spread, as a share of the mean:
    the standard deviation of a uniform over mean x (1 -/+ r) is mean x r / sqrt(3). At most 0.99."""
    return min(WIDEST_RANGE_RATIO, round(math.sqrt(3) * lengths.spread_tok / lengths.mean_tok, 2))


def _guidellm(workload: Workload, ladder: Ladder, endpoint: str, model: str) -> MeasuringCommand:
    data = {
        "kind": "synthetic_text",
        "prompt_tokens": round(workload.input_tok.mean_tok),
        "prompt_tokens_stdev": round(workload.input_tok.spread_tok),
        "output_tokens": round(workload.output_tok.mean_tok),
        "output_tokens_stdev": round(workload.output_tok.spread_tok),
    }
    data = {name: value for name, value in data.items() if value}
    lines = []
    for load, seed, stem in _steps(workload, ladder):
        streams: dict[str, object] = (
            {"kind": "concurrent", "streams": [int(load)]}
            if ladder.kind == "concurrency"
            else {"kind": "poisson", "rate": [load]}
        )
        lines.append(
            _line(
                *("guidellm", "run"),
                *("--backend", _json({"kind": "openai_http", "target": endpoint, "model": model})),
                *("--data", _json(data)),
                *("--profile", _json({**streams, "warmup": 0.1})),
                *("--constraint", f"kind=max_requests,count={_request_count(ladder, load)}"),
                *("--seed", f"kind=static,value={seed}"),
                *("--output", f"kind=json,path=guidellm-{stem}.json"),
            )
        )
    notes = [_NORMAL] if _varies(workload) else []
    return MeasuringCommand(
        tool="GuideLLM (0.7 or later)",
        lines=tuple(lines),
        bring_back=f"guidellm-{_stem(workload)}-*.json",
        notes=(*notes, *_cache_notes(workload)),
    )


def _vllm(workload: Workload, ladder: Ladder, endpoint: str, model: str) -> MeasuringCommand:
    ratio = range_ratio(workload.output_tok)
    lines = []
    for load, seed, stem in _steps(workload, ladder):
        is_concurrency = ladder.kind == "concurrency"
        lines.append(
            _line(
                *("vllm", "bench", "serve", "--backend", "openai", "--base-url", endpoint),
                *("--endpoint", "/v1/completions", "--model", model, "--dataset-name", "random"),
                *("--random-input-len", str(round(workload.input_tok.mean_tok))),
                *("--random-output-len", str(round(workload.output_tok.mean_tok))),
                *("--random-range-ratio", f"{ratio:g}", "--ignore-eos"),
                *("--max-concurrency" if is_concurrency else "--request-rate", f"{load:g}"),
                *("--num-prompts", str(_request_count(ladder, load))),
                *("--num-warmups", str(_warm_up_count(ladder, load)), "--seed", str(seed)),
                *("--percentile-metrics", "ttft,tpot,itl,e2el", "--metric-percentiles", "50,90,95,99"),
                *("--save-result", "--result-filename", f"vllm-{stem}.json"),
            )
        )
    notes = []
    if _varies(workload):
        notes.append(
            "vLLM draws prompts and answers evenly from a range, with one relative width for both: here that "
            "of the answers."
        )
    if ratio == WIDEST_RANGE_RATIO:
        notes.append("The answers vary more than such a range can: the longest are missing.")
    return MeasuringCommand(
        tool="vllm bench serve",
        lines=tuple(lines),
        bring_back=f"vllm-{_stem(workload)}-*.json",
        notes=(*notes, *_cache_notes(workload)),
    )


def _aiperf(workload: Workload, ladder: Ladder, endpoint: str, model: str) -> MeasuringCommand:
    lines = []
    for load, seed, stem in _steps(workload, ladder):
        count, warm_up = _request_count(ladder, load), _warm_up_count(ladder, load)
        lines.append(
            _line(
                *("aiperf", "profile", "--model", model, "--url", endpoint),
                *("--endpoint-type", "chat", "--streaming"),
                *("--synthetic-input-tokens-mean", str(round(workload.input_tok.mean_tok))),
                *("--synthetic-input-tokens-stddev", str(round(workload.input_tok.spread_tok))),
                *("--output-tokens-mean", str(round(workload.output_tok.mean_tok))),
                *("--output-tokens-stddev", str(round(workload.output_tok.spread_tok))),
                *("--extra-inputs", "ignore_eos:true"),
                *("--concurrency" if ladder.kind == "concurrency" else "--request-rate", f"{load:g}"),
                *("--request-count", str(count)),
                *("--num-dataset-entries", str(count + warm_up)),  # the warm-up takes its prompts from them
                *("--warmup-request-count", str(warm_up), "--random-seed", str(seed)),
                *("--artifact-dir", f"aiperf-{stem}"),
            )
        )
    notes = [_NORMAL] if _varies(workload) else []
    return MeasuringCommand(
        tool="AIPerf",
        lines=tuple(lines),
        bring_back=f"profile_export_aiperf.json of each folder aiperf-{_stem(workload)}-*",
        notes=(*notes, *_cache_notes(workload)),
    )


_NORMAL = "Lengths are drawn from a normal distribution with the workload's mean and spread."


def _cache_notes(workload: Workload) -> tuple[str, ...]:
    share = workload.cached_input_fraction
    if not share:
        return ()
    return (
        f"Measures without cached prompts; the plan counts {share * 100:.0f} % of each prompt as cached and "
        "takes that off itself.",
    )


def _varies(workload: Workload) -> bool:
    return any(lengths.kind != "fixed" for lengths in (workload.input_tok, workload.output_tok))


def _steps(workload: Workload, ladder: Ladder) -> list[tuple[float, int, str]]:
    """Load, seed and the stem of the result's name, one step after another."""
    letter = "c" if ladder.kind == "concurrency" else "r"
    return [
        (load, FIRST_SEED + number, f"{_stem(workload)}-{letter}{load:g}")
        for number, load in enumerate(ladder.loads)
    ]


def _stem(workload: Workload) -> str:
    """The workload's name as part of a file's name: letters, digits and dashes."""
    return re.sub(r"[^A-Za-z0-9]+", "-", workload.name).strip("-").lower()[:40] or "workload"


def _request_count(ladder: Ladder, load: float) -> int:
    per_load = REQUESTS_PER_STREAM if ladder.kind == "concurrency" else RATE_WINDOW_S
    return max(FEWEST_REQUESTS, math.ceil(per_load * load))


def _warm_up_count(ladder: Ladder, load: float) -> int:
    return max(2, math.ceil(load) if ladder.kind == "concurrency" else 10)


def _json(settings: dict[str, object]) -> str:
    return json.dumps(settings, separators=(",", ":"), ensure_ascii=False)


def _line(*words: str) -> str:
    return shlex.join(words)
