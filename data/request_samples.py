"""Per-request times of one run, summarised: successes only, in seconds."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

from data.document_reader import quantiles_of
from models.measurements import LoadKind, Measurement
from models.percentiles import QUANTILE_BY_FIELD, Percentiles


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestSample:
    """One successful request: its start on any clock, seconds to the first and the last token, its tokens."""

    start_s: float | None = None
    ttft_s: float | None = None
    e2e_s: float | None = None
    input_tok: float | None = None
    output_tok: float | None = None
    chunk_gaps_s: tuple[float, ...] = ()

    @property
    def tpot_s(self) -> float | None:
        """(E2E - TTFT) / (output tokens - 1); None for outputs of one token, which have none."""
        if self.ttft_s is None or self.e2e_s is None or self.output_tok is None or self.output_tok <= 1:
            return None
        return (self.e2e_s - self.ttft_s) / (self.output_tok - 1)


def run_of_samples(
    samples: Sequence[RequestSample],
    *,
    load: tuple[LoadKind | None, float | None, float | None],
    failed: int | None = 0,
    incomplete: int | None = None,
    duration_s: float | None = None,
) -> Measurement:
    """One run out of its successful requests.

    load        kind, concurrency, offered rate
    duration_s  of the measured window; None takes last finish - first start
    """
    count = len(samples)
    duration = _window_s(samples) if duration_s is None else duration_s
    isl = _mean([sample.input_tok for sample in samples])
    osl = _mean([sample.output_tok for sample in samples])
    rate = count / duration if duration else None
    return Measurement(
        load_kind=load[0],
        concurrency_count=load[1],
        offered_rate_req_per_s=load[2],
        isl_tok=isl,
        osl_tok=osl,
        duration_s=duration,
        request_count=None if failed is None else count + failed + (incomplete or 0),
        error_count=failed,
        incomplete_count=incomplete,
        ttft_s=summary([sample.ttft_s or None for sample in samples]),
        tpot_s=summary([sample.tpot_s for sample in samples]),
        itl_s=summary([gap for sample in samples for gap in sample.chunk_gaps_s]),
        e2e_s=summary([sample.e2e_s for sample in samples]),
        request_rate_req_per_s=rate,
        output_rate_tok_per_s=rate * osl if rate is not None and osl is not None else None,
        total_rate_tok_per_s=(
            rate * (isl + osl) if rate is not None and isl is not None and osl is not None else None
        ),
    )


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _window_s(samples: Sequence[RequestSample]) -> float | None:
    """Last finish - first start, where every request has both."""
    starts = [sample.start_s for sample in samples if sample.start_s is not None]
    ends = [
        sample.start_s + sample.e2e_s
        for sample in samples
        if sample.start_s is not None and sample.e2e_s is not None
    ]
    if not samples or len(starts) != len(samples) or len(ends) != len(samples):
        return None
    return max(ends) - min(starts)


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
