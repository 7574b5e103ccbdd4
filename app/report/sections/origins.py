"""Where each latency comes from: formula, fitted constants, and the measured points with file and row."""

from collections.abc import Sequence

from app.formatting import DASH, number, show
from app.report.blocks import Block, Paragraph, Table
from app.report.context import ReportContext
from models.architectures import batched_accelerator
from models.batched_fit import chosen_points
from models.grading import latency_grade
from models.measurements import SourcedMeasurement
from models.performance import BatchedPerformance, HostedPerformance
from models.plans import Allocation
from models.tiers import Offer

KEY = "origins"
TITLE = "Where the latencies come from"
BUILT_IN_FILE = "data/catalogue/measured_points.csv"
FORMULA = (
    "Time to first token (TTFT) = wait for a slot + step under way + prompts served beside one's own + own "
    "prefill + overhead; end to end (E2E) = TTFT + (output tokens - 1) x time per token (TPOT). A step that "
    "decodes b sequences, reads kv context tokens and prefills p prompt tokens takes "
    "alpha + beta b^exponent + gamma kv + delta p. One's own prefill is delta x fresh tokens, and the "
    "decoding in the steps that carry them. The Method section says how waits and percentiles follow."
)
CONSTANTS = ("alpha_s", "beta_s_per_seq", "exponent", "gamma_s_per_context_tok", "delta_s_per_input_tok")
PART_NAMES = ("slot_wait_s", "step_wait_s", "beside_s", "own_prefill_s", "overhead_s")
SHORTEST_SHOWN_S = 1e-5  # a term shorter than this is told as such, not with all its zeros


def blocks(context: ReportContext) -> tuple[Block, ...]:
    """One row a workload with what its time to first token is made of, then constants and points."""
    allocations = context.view.plan.allocations
    if not allocations:
        return ()
    found: list[Block] = [Paragraph(text=FORMULA), _workloads(context)]
    fits = [(offer, fit) for offer in _used(context) if (fit := _fit_of(context, offer)) is not None]
    if fits:
        found.append(_constants(fits))
    for offer, fit in fits:
        points, _ = chosen_points(context.view.measurements[offer.id])
        found += [_points(offer, fit, [each.source for each in points])] if points else []
    return tuple(found)


def _used(context: ReportContext) -> list[Offer]:
    used = {f"{each.tier_id}/{each.model_id}" for each in context.view.plan.allocations}
    return [offer for offer in context.view.scenario.offers if offer.id in used]


def _fit_of(context: ReportContext, offer: Offer) -> BatchedPerformance | None:
    performance = context.view.performances[offer.id]
    return performance if isinstance(performance, BatchedPerformance) else None


def _workloads(context: ReportContext) -> Table:
    return Table(
        caption=(
            "Mean time to first token by workload and its five terms, which add up to it; fresh tokens are "
            "the input tokens less their cached share (Inputs). The grade is of the latency's evidence, "
            "prices left out; marks lead to source and date under Evidence"
        ),
        headings=(
            *("Workload", "Tier", "Mean", "Slot", "Step", "Beside", "Prefill", "Overhead"),
            *("From", "Grade", "Evidence"),
        ),
        rows=tuple(_row(context, each) for each in context.view.plan.allocations),
        numeric=(2, 3, 4, 5, 6, 7),
        marks_column=10,
    )


def _row(context: ReportContext, each: Allocation) -> tuple[str, ...]:
    offer_id = f"{each.tier_id}/{each.model_id}"
    performance = context.view.performances[offer_id]
    source = "bounds of the architecture (Method)"
    if isinstance(performance, BatchedPerformance):
        count = 0 if performance.quality is None else performance.quality.point_count
        source = f"formula, fitted to {count} points" if count else "formula, from published bounds"
    elif isinstance(performance, HostedPerformance):
        source = "figure as stated; no formula"
    parts = each.ttft_parts
    return (
        each.workload,
        each.tier_label,
        show("ttft_s", each.ttft_s.mean),
        *(DASH if parts is None else _term(getattr(parts, name)) for name in PART_NAMES),
        source,
        str(latency_grade(performance) or DASH),
        context.marks(offer_id),
    )


def _term(seconds: float) -> str:
    return (
        f"< {show('ttft_s', SHORTEST_SHOWN_S)}" if 0 < seconds < SHORTEST_SHOWN_S else show("ttft_s", seconds)
    )


def _constants(fits: Sequence[tuple[Offer, BatchedPerformance]]) -> Table:
    return Table(
        caption="Fitted constants of one replica, and the median error of the fit on its own points",
        headings=("Tier", "alpha", "beta", "exponent", "gamma", "delta", "Overhead", "Median error"),
        rows=tuple(
            (
                offer.tier.label,
                *(show(name, getattr(fit.step, name)) for name in CONSTANTS),
                show("overhead_s", fit.overhead_s),
                show("residual_fraction", fit.quality.residual_fraction if fit.quality else None),
            )
            for offer, fit in fits
        ),
        numeric=(1, 2, 3, 4, 5, 6, 7),
    )


def _points(offer: Offer, fit: BatchedPerformance, used: Sequence[SourcedMeasurement]) -> Table:
    sources = list(dict.fromkeys(point.source_label for point in used))
    several = len(sources) > 1
    rows = tuple(((point.source_label,) if several else ()) + _point(fit, point) for point in used)
    heads = (
        "Row",
        "Tokens in / out",
        "In flight",
        "TTFT p50 measured",
        "fitted",
        "TPOT p50 measured",
        "fitted",
    )
    first = int(several)
    return Table(
        caption=(
            f"Measured points that the fit of {offer.tier.label} rests on, from {'; '.join(sources)}, and "
            f"what the fit says there; a built-in row is that line of {BUILT_IN_FILE}"
        ),
        headings=(("Source",) if several else ()) + heads,
        rows=rows,
        numeric=tuple(first + column for column in (0, 2, 3, 4, 5, 6)),
    )


def _point(fit: BatchedPerformance, each: SourcedMeasurement) -> tuple[str, ...]:
    seen = each.measurement
    ttft_s: float | None = None
    tpot_s: float | None = None
    if seen.concurrency_count and seen.isl_tok and seen.osl_tok:
        ttft_s, tpot_s, _ = batched_accelerator.closed_loop(
            fit, seen.concurrency_count, seen.isl_tok, seen.osl_tok
        )
    return (
        str(each.row_number),
        f"{_number(seen.isl_tok)} / {_number(seen.osl_tok)}",
        _number(seen.concurrency_count),
        show("ttft_s", seen.ttft_s.middle),
        show("ttft_s", ttft_s),
        show("tpot_s", seen.tpot_s.middle),
        show("tpot_s", tpot_s),
    )


def _number(value: float | None) -> str:
    return DASH if value is None else number(value)
