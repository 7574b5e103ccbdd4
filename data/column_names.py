"""What a column's heading means: which quantity, which statistic, in which unit; by explicit lists only."""

import re
import unicodedata
from dataclasses import dataclass

from data.cell_numbers import POWER_BY_TIME_UNIT
from data.columns import COUNTS, LATENCIES, MEASUREMENT_COLUMNS, TEXTS

STATISTIC_BY_WORD = {
    "mean": "mean",
    "avg": "mean",
    "average": "mean",
    "median": "p50",
    "med": "p50",
    "p50": "p50",
    "p90": "p90",
    "p95": "p95",
    "p99": "p99",
}
LATENCY_BY_NAME = {
    "ttft": "ttft_s",
    "time_to_first_token": "ttft_s",
    "first_token_latency": "ttft_s",
    "prefill_latency": "ttft_s",
    "ttfb": "ttft_s",
    "tpot": "tpot_s",
    "time_per_output_token": "tpot_s",
    "decode_latency": "tpot_s",
    "decode_latency_token": "tpot_s",
    "decode_latency_per_token": "tpot_s",
    "ms_token": "tpot_s",
    "ms_per_token": "tpot_s",
    "itl": "itl_s",
    "inter_token": "itl_s",
    "inter_token_latency": "itl_s",
    "e2e": "e2e_s",
    "e2el": "e2e_s",
    "e2e_latency": "e2e_s",
    "end_to_end": "e2e_s",
    "end_to_end_latency": "e2e_s",
    "latency": "e2e_s",
    "request_latency": "e2e_s",
    "total_latency": "e2e_s",
    "response_time": "e2e_s",
    "vllm_time_to_first_token": "ttft_s",
    "sglang_time_to_first_token": "ttft_s",
    "vllm_inter_token_latency": "itl_s",
    "sglang_inter_token_latency": "itl_s",
    "vllm_request_time_per_output_token": "tpot_s",
    "vllm_e2e_request_latency": "e2e_s",
    "sglang_e2e_request_latency": "e2e_s",
}
TEXT_BY_NAME = {
    "tier": "tier",
    "model": "model",
    "modell": "model",
    "modele": "model",
    "model_id": "model",
    "model_name": "model",
    "accelerator": "accelerator",
    "gpu": "accelerator",
    "gpu_type": "accelerator",
    "hardware": "accelerator",
    "device": "accelerator",
    "precision": "precision",
    "dtype": "precision",
    "quantization": "precision",
    "engine": "engine",
    "framework": "engine",
    "load_kind": "load_kind",
    "requested_tier": "requested_tier",
    "served_tier": "served_tier",
    "measured_by": "measured_by",
    "measured_on": "measured_on",
    "date": "measured_on",
    "notes": "notes",
    "note": "notes",
}
NUMBER_BY_NAME = {
    "n_accelerators": "accelerator_count",
    "accelerators": "accelerator_count",
    "num_gpus": "accelerator_count",
    "n_gpus": "accelerator_count",
    "gpus": "accelerator_count",
    "gpu_count": "accelerator_count",
    "anzahl_gpus": "accelerator_count",
    "isl": "isl_tok",
    "isl_tokens": "isl_tok",
    "isl_mean": "isl_tok",
    "input_tokens": "isl_tok",
    "input_len": "isl_tok",
    "input_length": "isl_tok",
    "osl": "osl_tok",
    "osl_tokens": "osl_tok",
    "osl_mean": "osl_tok",
    "output_tokens": "osl_tok",
    "output_len": "osl_tok",
    "output_length": "osl_tok",
    "concurrency": "concurrency_count",
    "max_concurrency": "concurrency_count",
    "concurrent_requests": "concurrency_count",
    "num_concurrent_requests": "concurrency_count",
    "gleichzeitigkeit": "concurrency_count",
    "running_requests": "concurrency_count",
    "requests_running": "concurrency_count",
    "vllm_num_requests_running": "concurrency_count",
    "sglang_num_running_reqs": "concurrency_count",
    "batch": "batch_count",
    "batch_size": "batch_count",
    "request_rate": "offered_rate_req_per_s",
    "request_rate_rps": "offered_rate_req_per_s",
    "offered_rate": "offered_rate_req_per_s",
    "request_rps": "request_rate_req_per_s",
    "rps": "request_rate_req_per_s",
    "qps": "request_rate_req_per_s",
    "request_throughput": "request_rate_req_per_s",
    "requests_per_second": "request_rate_req_per_s",
    "req_s": "request_rate_req_per_s",
    "output_tps": "output_rate_tok_per_s",
    "output_tok_s": "output_rate_tok_per_s",
    "output_tok_per_s": "output_rate_tok_per_s",
    "output_tokens_per_second": "output_rate_tok_per_s",
    "output_throughput": "output_rate_tok_per_s",
    "output_token_throughput": "output_rate_tok_per_s",
    "generation_throughput": "output_rate_tok_per_s",
    "decode_throughput": "output_rate_tok_per_s",
    "total_tps": "total_rate_tok_per_s",
    "total_tok_per_s": "total_rate_tok_per_s",
    "total_tokens_per_second": "total_rate_tok_per_s",
    "total_throughput": "total_rate_tok_per_s",
    "total_token_throughput": "total_rate_tok_per_s",
    "n_requests": "request_count",
    "num_requests": "request_count",
    "num_prompts": "request_count",
    "requests": "request_count",
    "n_errors": "error_count",
    "errors": "error_count",
    "failed": "error_count",
    "failures": "error_count",
    "n_incomplete": "incomplete_count",
}
# Names that can mean two things: read as the likelier one, and said so.
DOUBTFUL_NAMES = {
    "tp": ("accelerator_count", "tensor parallelism is the number of accelerators only without replicas"),
    "users": ("users", "users with time to think are not requests in flight"),
    "vus": ("users", "users with time to think are not requests in flight"),
    "concurrent_users": ("concurrency_count", "each user is taken to have one request in flight"),
    "throughput": ("throughput", "it does not say output or total tokens"),
    "durchsatz": ("throughput", "it does not say output or total tokens"),
    "tok_s": ("throughput", "it does not say output or total tokens"),
    "tokens_s": ("throughput", "it does not say output or total tokens"),
    "tps": ("throughput", "it does not say output or total tokens"),
}
STREAM_SPEED_NAMES = frozenset(
    (
        "interactivity",
        "tok_s_user",
        "tokens_s_user",
        "output_tps_per_user",
        "stream_rate_tok_per_s",
        "per_request_tok_s",
    )
)
PRIVATE_NAMES = frozenset(
    (
        "prompt",
        "prompts",
        "generated_text",
        "generated_texts",
        "completion",
        "response",
        "text",
        "api_key",
        "apikey",
        "token",
        "authorization",
        "password",
        "secret",
        "url",
        "base_url",
    )
)
DERIVED_NAMES = {"error_rate": "error_fraction", "error_fraction": "error_fraction"}
LOAD_TARGETS = ("concurrency_count", "offered_rate_req_per_s", "batch_count", "users", "load_kind")
OTHER_RESULTS = frozenset(("request_rate_req_per_s", "throughput", "stream_speed_mean", "stream_speed_p50"))
BRACKETED = re.compile(r"[\(\[]([^\)\]]*)[\)\]]")
DURATION_NAMES = frozenset(("duration", "benchmark_duration"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnMeaning:
    """What one column is read as.

    heading   as the file writes it
    target    a measurement column, or "users", "throughput", "stream_speed", "error_fraction"
    power     decimal power to the base unit; None where the unit must stand in each cell
    doubt     why the meaning is not certain; "" where it is
    per_accelerator   whether the cells must be multiplied by the number of accelerators
    """

    heading: str
    target: str
    power: int | None = 0
    doubt: str = ""
    per_accelerator: bool = False

    @property
    def is_text(self) -> bool:
        """Whether the cells are words or a day, not numbers."""
        return self.target in TEXTS or self.target == "measured_on"

    @property
    def is_count(self) -> bool:
        """Whether the cells must be whole."""
        return self.target in COUNTS

    @property
    def is_latency(self) -> bool:
        """Whether the cells are times of one request."""
        return self.target.rpartition("_")[0] in LATENCIES

    @property
    def is_result(self) -> bool:
        """Whether the column says how the system did, not what was asked of it."""
        return self.is_latency or self.target.endswith("_rate_tok_per_s") or self.target in OTHER_RESULTS


def normalised(heading: str) -> str:
    """Lower case, no accents, words joined by one underscore: the exact form that the lists hold."""
    folded = unicodedata.normalize("NFKD", heading.replace("µ", "u").replace("μ", "u"))
    plain = "".join(letter for letter in folded if not unicodedata.combining(letter)).lower()
    return re.sub(r"[^a-z0-9%]+", "_", plain).strip("_")


def meaning_of(heading: str) -> ColumnMeaning | None:
    """What the heading means, or None where it is in none of the lists."""
    exact = normalised(heading)
    if exact in MEASUREMENT_COLUMNS:
        return ColumnMeaning(heading=heading, target=exact)
    unit = " ".join(BRACKETED.findall(heading)).strip()
    name = normalised(BRACKETED.sub(" ", heading)) or normalised(unit)
    return _latency(heading, name, unit) or _stream_speed(heading, name, unit) or _other(heading, name, unit)


def is_private(heading: str) -> bool:
    """Whether the column holds prompts, answers, addresses or secrets, which are never kept."""
    return normalised(heading) in PRIVATE_NAMES


def _split_statistic(name: str) -> tuple[str, str | None]:
    """The name without its statistic's word, and the statistic."""
    words = name.split("_")
    found = [word for word in words if word in STATISTIC_BY_WORD]
    if len(found) != 1:
        return name, None
    words.remove(found[0])
    return "_".join(words), STATISTIC_BY_WORD[found[0]]


def _time_power(unit: str) -> int | None:
    return POWER_BY_TIME_UNIT.get(normalised(unit.split("/")[0]))


def _latency(heading: str, name: str, unit: str) -> ColumnMeaning | None:
    base, statistic = _split_statistic(name)
    power = _time_power(unit) if unit else None
    if base not in LATENCY_BY_NAME:
        base, _, last = base.rpartition("_")
        if last not in POWER_BY_TIME_UNIT or power is not None:
            return None
        power = POWER_BY_TIME_UNIT[last]
    if base not in LATENCY_BY_NAME or (unit and power is None):
        return None
    if base in ("ms_token", "ms_per_token"):
        power = -3
    doubts = []
    if statistic is None:
        doubts.append("it names no statistic and is read as the mean")
    if base == "ttfb":
        doubts.append("a first byte may come before the first token")
    return ColumnMeaning(
        heading=heading,
        target=f"{LATENCY_BY_NAME[base]}_{statistic or 'mean'}",
        power=power,
        doubt="; ".join(doubts),
    )


def _stream_speed(heading: str, name: str, unit: str) -> ColumnMeaning | None:
    """Tokens per second of one user: its inverse is the time per output token."""
    base, statistic = _split_statistic(name)
    is_speed = base in STREAM_SPEED_NAMES or normalised(unit) in ("tok_s_user", "tokens_s_user")
    if not is_speed or statistic not in (None, "mean", "p50"):
        return None
    doubt = "its inverse is read as the time per output token"
    return ColumnMeaning(heading=heading, target=f"stream_speed_{statistic or 'mean'}", doubt=doubt)


def _other(heading: str, name: str, unit: str) -> ColumnMeaning | None:
    unit_name = normalised(unit)
    per_accelerator = name.endswith(("_gpu", "_per_gpu")) or unit_name.endswith(("_gpu", "_accelerator"))
    if name not in TEXT_BY_NAME:
        name = name.removesuffix("_per_gpu").removesuffix("_gpu") if per_accelerator else name
    if name in TEXT_BY_NAME:
        return ColumnMeaning(heading=heading, target=TEXT_BY_NAME[name])
    base, _, last = name.rpartition("_")
    if name in DURATION_NAMES or base in DURATION_NAMES:
        power = _time_power(unit or last)
        return ColumnMeaning(heading=heading, target="duration_s", power=power)
    if name in DERIVED_NAMES:
        power = -2 if unit == "%" else None
        return ColumnMeaning(heading=heading, target=DERIVED_NAMES[name], power=power)
    target, doubt = DOUBTFUL_NAMES.get(name, (NUMBER_BY_NAME.get(name), ""))
    if target is None or (per_accelerator and not _is_throughput(target)):
        return None
    return ColumnMeaning(heading=heading, target=target, doubt=doubt, per_accelerator=per_accelerator)


def _is_throughput(target: str) -> bool:
    return target == "throughput" or target.endswith("_rate_tok_per_s")
