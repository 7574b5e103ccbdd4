"""Columns of a log of requests: which holds the id, the start, the tokens, the times and the outcome."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from data.cell_numbers import POWER_BY_TIME_UNIT
from data.column_names import LATENCY_BY_NAME, is_private, normalised

IDS = ("request_id", "message_id", "req_id", "id", "trace_id")
STARTS = (
    "timestamp",
    "start_time",
    "start",
    "arrival_ts",
    "arrival_time",
    "arrived_at",
    "request_start",
    "launch_time",
    "created_at",
)
INPUTS = (
    "prompt_tokens",
    "input_tokens",
    "contexttokens",
    "input_length",
    "request_tokens",
    "num_input_tokens",
)
OUTPUTS = (
    "completion_tokens",
    "output_tokens",
    "generatedtokens",
    "output_length",
    "response_tokens",
    "generation_tokens",
    "num_output_tokens",
)
# OpenAI's convention counts cached tokens inside the input tokens, Anthropic's beside them.
CACHED_INSIDE = (
    "cached_tokens",
    "cached_input_tokens",
    "cached_prompt_tokens",
    "prompt_tokens_cached",
    "num_cached_tokens",
    "prompt_cache_hit_tokens",
    "prompt_tokens_details_cached_tokens",
    "input_tokens_details_cached_tokens",
)
CACHED_BESIDE = ("cache_read_input_tokens", "cache_read_tokens")
STATES: dict[str, "StateKind"] = {
    "status": "outcome",
    "status_code": "outcome",
    "code": "outcome",
    "error": "error",
    "error_code": "error",
    "success": "success",
    "ok": "success",
}
MILLISECOND_CLOCK = (
    "hash_ids"  # Mooncake's traces: milliseconds from zero, and the only ones with this column
)
MORE_E2E = ("duration", "elapsed_time", "e2e_time", "response_time", "total_time")

StateKind = Literal["outcome", "error", "success"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Places of the columns in use, None where there is none; and the power of ten of a time's unit.

    state_kind   whether the state's good word is a code or "ok", no error at all, or a yes
    """

    ids: tuple[int, ...] = ()
    start: int | None = None
    start_power: int | None = None
    input_tok: int | None = None
    output_tok: int | None = None
    cached_tok: int | None = None
    cached_is_inside: bool = True
    ttft: int | None = None
    ttft_power: int | None = None
    e2e: int | None = None
    e2e_power: int | None = None
    state: int | None = None
    state_kind: StateKind = "outcome"
    model: int | None = None
    private: tuple[str, ...] = ()

    @property
    def used_places(self) -> frozenset[int]:
        """Places of the columns whose cells count."""
        single = (
            *(self.start, self.input_tok, self.output_tok, self.cached_tok),
            *(self.ttft, self.e2e, self.state, self.model),
        )
        return frozenset((*self.ids, *(place for place in single if place is not None)))

    @property
    def known_count(self) -> int:
        """How many kinds of column were found."""
        parts = (self.start, self.input_tok, self.output_tok, self.ttft, self.e2e, self.state)
        return bool(self.ids) + sum(part is not None for part in parts)

    @property
    def is_log(self) -> bool:
        """One row per request shows in an id or a start beside tokens or latencies."""
        names_a_request = bool(self.ids) or self.start is not None
        has_an_answer = self.output_tok is not None or self.e2e is not None
        return names_a_request and has_an_answer and self.known_count > 2


def columns_of(header: Sequence[str]) -> Columns:
    """What the headings mean; the first of two alike counts."""
    names = [normalised(heading) for heading in header]
    ttft, e2e = _time_column(names, ("ttft_s",), ()), _time_column(names, ("e2e_s",), MORE_E2E)
    start, start_power = _start_column(names)
    inside, beside = _place(names, CACHED_INSIDE), _place(names, CACHED_BESIDE)
    state = _place(names, tuple(STATES))
    return Columns(
        ids=tuple(index for index, name in enumerate(names) if name in IDS),
        start=start,
        start_power=start_power,
        input_tok=_place(names, INPUTS),
        output_tok=_place(names, OUTPUTS),
        cached_tok=beside if inside is None else inside,
        cached_is_inside=inside is not None,
        ttft=ttft[0],
        ttft_power=ttft[1],
        e2e=e2e[0],
        e2e_power=e2e[1],
        state=state,
        state_kind=STATES[names[state]] if state is not None else "outcome",
        model=_place(names, ("model", "model_id", "model_name")),
        private=tuple(heading for heading in header if is_private(heading)),
    )


def _place(names: Sequence[str], wanted: Sequence[str]) -> int | None:
    return next((index for index, name in enumerate(names) if name in wanted), None)


def _start_column(names: Sequence[str]) -> tuple[int | None, int | None]:
    """The first column of a start, and the power of ten of its unit where the file shows one."""
    for index, name in enumerate(names):
        base, _, last = name.rpartition("_")
        if name in STARTS:
            return index, -3 if MILLISECOND_CLOCK in names else None
        if base in STARTS and last in POWER_BY_TIME_UNIT:
            return index, POWER_BY_TIME_UNIT[last]
    return None, None


def _time_column(
    names: Sequence[str], targets: Sequence[str], more: Sequence[str]
) -> tuple[int | None, int | None]:
    """The first column of that time, and the power of ten of the unit in its heading."""
    for index, name in enumerate(names):
        base, _, last = name.rpartition("_")
        power = POWER_BY_TIME_UNIT.get(last)
        base = name if power is None else base
        if LATENCY_BY_NAME.get(base) in targets or base in more:
            return index, power
    return None, None
