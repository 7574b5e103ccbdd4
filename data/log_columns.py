"""Columns of a log of requests: which holds the id, the start, the tokens, the times and the outcome."""

from collections.abc import Sequence
from dataclasses import dataclass

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
STATES = ("status", "status_code", "error", "error_code", "code", "success", "ok")
MORE_E2E = ("duration", "elapsed_time", "e2e_time", "response_time", "total_time")


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Places of the columns in use, None where there is none; and the power of ten of a time's unit."""

    ids: tuple[int, ...] = ()
    start: int | None = None
    input_tok: int | None = None
    output_tok: int | None = None
    ttft: int | None = None
    ttft_power: int | None = None
    e2e: int | None = None
    e2e_power: int | None = None
    state: int | None = None
    model: int | None = None
    private: tuple[str, ...] = ()

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
    return Columns(
        ids=tuple(index for index, name in enumerate(names) if name in IDS),
        start=_place(names, STARTS),
        input_tok=_place(names, INPUTS),
        output_tok=_place(names, OUTPUTS),
        ttft=ttft[0],
        ttft_power=ttft[1],
        e2e=e2e[0],
        e2e_power=e2e[1],
        state=_place(names, STATES),
        model=_place(names, ("model", "model_id", "model_name")),
        private=tuple(heading for heading in header if is_private(heading)),
    )


def _place(names: Sequence[str], wanted: Sequence[str]) -> int | None:
    return next((index for index, name in enumerate(names) if name in wanted), None)


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
