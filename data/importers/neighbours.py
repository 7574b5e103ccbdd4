"""Files that lie beside benchmark results: recognised and named, with what is missing to plan with them."""

from collections.abc import Callable
from dataclasses import dataclass

from data.file_content import FileContent, Reading
from data.foreign_tables import first_line, headings
from models.problems import Problem

KEY = "neighbours"
LABEL = "Files beside a result (named, not read)"

HEAD_LETTERS = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """One kind of file: what it is, what it lacks, and what to import instead."""

    name: str
    lacks: str
    cure: str
    fits: Callable[[FileContent], bool]


def _keys(*names: str) -> Callable[[FileContent], bool]:
    return lambda content: content.first.keys() >= set(names)


def _header(*names: str) -> Callable[[FileContent], bool]:
    return lambda content: not content.is_json and headings(content.text) >= set(names)


def _head(*words: str) -> Callable[[FileContent], bool]:
    """A word in the header line, where a cell below may hold anything."""
    return lambda content: not content.is_json and any(word in first_line(content.text) for word in words)


NEIGHBOURS = (
    Neighbour(
        name="configurations that aiconfigurator planned",
        lacks="its figures are estimates, not measurements",
        cure="Add the disaggregated ones as a tier on the Tiers page.",
        fits=_header("tokens/s/gpu", "tokens/s/user", "num_total_gpus", "ttft", "tpot"),
    ),
    Neighbour(
        name="settings of an inference-perf run (config.yaml)",
        lacks="it holds the load and the model, but no result",
        cure="Zip the whole folder and import it: the model is then taken from here.",
        fits=lambda content: (
            {"api", "data", "load"} <= content.first.keys()
            and bool({"server", "metrics", "report"} & content.first.keys())
        ),
    ),
    Neighbour(
        name="prompts that AIPerf sent (inputs.json)",
        lacks="it holds no result",
        cure="Import profile_export_aiperf.json of the same folder.",
        fits=lambda content: (
            isinstance(content.first.get("data"), list)
            and "payloads" in str(content.first["data"][:1])[:HEAD_LETTERS]
        ),
    ),
    Neighbour(
        name="time slices of an AIPerf run",
        lacks="a slice is part of a run, not a run",
        cure="Import profile_export_aiperf.json of the same folder.",
        fits=lambda content: _keys("timeslices")(content) or _header("timeslice", "start_ns")(content),
    ),
    Neighbour(
        name="settings of a genai-bench experiment (experiment_metadata.json)",
        lacks="it holds the loads and the model, but no result",
        cure="Import the result files of the same folder.",
        fits=_keys("benchmark_version", "traffic_scenario", "iteration_type"),
    ),
    Neighbour(
        name="llama-bench table",
        lacks="it has the speed of one prompt and one answer, but no load and no latency",
        cure="Measure a served model under load, or give the tier its own figures on the Tiers page.",
        fits=lambda content: (
            _keys("avg_ts", "n_prompt", "n_gen")(content) or _header("avg_ts", "n_prompt", "n_gen")(content)
        ),
    ),
    Neighbour(
        name="result of vLLM's offline throughput test",
        lacks="it has no load and no latency",
        cure="Measure with `vllm bench serve` at several concurrencies.",
        fits=lambda content: (
            _keys("elapsed_time", "num_requests", "tokens_per_second")(content)
            or _keys("avg_latency", "latencies", "percentiles")(content)
        ),
    ),
    Neighbour(
        name="table of MLPerf results",
        lacks="it has one throughput per system and scenario, but neither load nor latency",
        cure="Use it as a ceiling only; copy the rows you need into the template.",
        fits=_head("Model MLC", "/  Scenario  /"),
    ),
    Neighbour(
        name="telemetry of GPUs (nvidia-smi or DCGM)",
        lacks="it has power and use, but no requests",
        cure="Import the result of the benchmark that ran meanwhile.",
        fits=lambda content: (
            _head("DCGM_FI_", "utilization.gpu", "power.draw")(content)
            or _keys("telemetry_data", "gpu_uuid")(content)
        ),
    ),
    Neighbour(
        name="list of locust's failures or exceptions",
        lacks="it has no latency",
        cure="Import the file whose name ends in _stats.csv.",
        fits=lambda content: (
            _header("method", "name", "error", "occurrences")(content)
            or _header("count", "message", "traceback", "nodes")(content)
        ),
    ),
    Neighbour(
        name="configuration of a model (config.json)",
        lacks="it describes layers and heads, not a run",
        cure="Enter the model on the Tiers page.",
        fits=_keys("model_type", "num_hidden_layers"),
    ),
    Neighbour(
        name="usage record of single calls",
        lacks="it counts tokens of a call, but has no load and no latency",
        cure="Use its mean lengths for the workload.",
        fits=lambda content: isinstance(content.first.get("usage"), dict),
    ),
    Neighbour(
        name="list of prices",
        lacks="it measures nothing",
        cure="Enter prices with the tier, per hour or per million tokens.",
        fits=lambda content: (
            _header("input_price", "output_price")(content) or _header("price_usd_per_hour", "scope")(content)
        ),
    ),
    Neighbour(
        name="table of metrics per pod",
        lacks="gauges of servers have no latency of requests",
        cure="Import the result of the benchmark that ran meanwhile.",
        fits=_header("pod", "metric", "value"),
    ),
    Neighbour(
        name="table of percentiles by metric",
        lacks="it names no load; and of a speed, p99 is the best case and p1 the tail",
        cure="Bring it into the template: one row per load, one column per metric and percentile.",
        fits=_header("metric", "p50", "p99"),
    ),
)


def sniff(content: FileContent) -> float:
    """0.65 where one of the kinds fits: above a table of unknown make, below a tool's own result."""
    return 0.65 if _neighbour(content) is not None else 0.0


def _neighbour(content: FileContent) -> Neighbour | None:
    return next((kind for kind in NEIGHBOURS if kind.fits(content)), None)


def read(content: FileContent) -> Reading:
    """No measurement: one problem that names the file."""
    kind = _neighbour(content)
    if kind is None:
        problem = Problem(path=content.name, message="it is no file known here", cure="Leave the format out.")
    else:
        problem = Problem(
            path=content.name, message=f"recognised as {kind.name}: {kind.lacks}", cure=kind.cure
        )
    return Reading(rows_read=0, problems=(problem,))
