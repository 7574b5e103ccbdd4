"""Per-request times of one run, summarised: successes only, in seconds."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

from data.document_reader import quantiles_of
from models.percentiles import QUANTILE_BY_FIELD, Percentiles


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestSample:
    """One successful request: seconds to the first and the last token, and its output tokens."""

    ttft_s: float | None = None
    e2e_s: float | None = None
    output_tok: float | None = None
    chunk_gaps_s: tuple[float, ...] = ()

    @property
    def tpot_s(self) -> float | None:
        """(E2E - TTFT) / (output tokens - 1); None for outputs of one token, which have none."""
        if self.ttft_s is None or self.e2e_s is None or self.output_tok is None or self.output_tok <= 1:
            return None
        return (self.e2e_s - self.ttft_s) / (self.output_tok - 1)


def summary(values: Sequence[float | None]) -> Percentiles:
    """Mean and percentiles of the values known; all None where there is none."""
    known = [value for value in values if value is not None]
    if not known:
        return Percentiles()
    found = quantiles_of(known, tuple(QUANTILE_BY_FIELD.values()))
    return Percentiles(mean=sum(known) / len(known), **dict(zip(QUANTILE_BY_FIELD, found, strict=True)))


def filled(stated: Percentiles, computed: Percentiles) -> Percentiles:
    """What the file states, and what was computed where it states nothing."""
    chosen: dict[str, float | None] = {}
    for field in fields(Percentiles):
        value = getattr(stated, field.name)
        chosen[field.name] = getattr(computed, field.name) if value is None else value
    return Percentiles(**chosen)
