"""From an offer and the measurements that match it to the performance of one replica."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from models.calibration import FittedLaw, Limits, fit_step_law, load_count, predicted
from models.evidence import Evidence, Grade, Sense
from models.load_points import LoadPoint, tables, usable_points
from models.measurements import SourcedMeasurement
from models.parallel import exchange, spans_domain
from models.performance import BatchedPerformance, CannotServe, Domain, FitQuality, Scheduler
from models.slots import DEFAULT_SLOT_COUNT, UNKNOWN_SLOT_RANGE, slots_of
from models.speed_switches import distilled, switched
from models.steady_points import ReplicaLaw
from models.tiers import Offer
from models.tokens import kv_capacity_tok, prior_step_law, roofline

DEFAULT_TOKEN_BUDGET_TOK = 8192  # vLLM's max_num_batched_tokens for serving on data-centre GPUs
ASSUMED_OVERHEAD_S = 0.012  # network and tokenizer, middle of 5 to 30 ms
EIGHT_BIT_CACHE_RATIO = 0.5
# SGLang forms prompts into batches of their own, ahead of decoding, unless --enable-mixed-chunk is set.
PREFILL_FIRST_ENGINES = ("sglang",)
LOADS_FOR_OWN_FIT = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Tokens of KV cache a replica holds, None where unknown, and what has to be said about it."""

    capacity_tok: float | None
    notices: tuple[str, ...] = ()


def fit(offer: Offer, measurements: Sequence[SourcedMeasurement]) -> BatchedPerformance | CannotServe:
    """One replica's performance from all measurements of its configuration, or from the roofline alone."""
    if offer.tier.distilled_weight_fraction is not None:
        # Published points are of the whole model.
        measurements = [each for each in measurements if not each.built_in]
    found = _fit(distilled(offer), measurements)
    return found if isinstance(found, CannotServe) else switched(offer, found)


def _fit(offer: Offer, measurements: Sequence[SourcedMeasurement]) -> BatchedPerformance | CannotServe:
    points, notices = chosen_points(measurements)
    if not points:
        return _from_roofline(offer, tuple(notices))
    memory = memory_of(offer, points)
    if memory.capacity_tok is not None and memory.capacity_tok <= 0:
        return _weights_do_not_fit(offer)
    limits = fit_limits(offer, memory.capacity_tok)
    law = fit_step_law(points, limits, roofline(offer))
    slots = slots_of(offer, points, measurements, law_within(law, limits))
    return BatchedPerformance(
        step=law.step,
        slot_count=slots.count,
        slot_range_count=slots.range_count,
        kv_capacity_tok=memory.capacity_tok,
        token_budget_tok=DEFAULT_TOKEN_BUDGET_TOK,
        overhead_s=law.overhead_s,
        scheduler=limits.scheduler,
        domain=_domain(points),
        quality=FitQuality(
            point_count=len(points),
            shape_count=len({point.shape for point in points}),
            residual_fraction=tpot_error(law, limits, points),
        ),
        evidence=_evidence(offer, points),
        notices=(
            *notices,
            *slots.notices,
            *memory.notices,
            *_ladder_notices(points, law),
            *_split_notices(offer, measured=True),
        ),
    )


def chosen_points(measurements: Sequence[SourcedMeasurement]) -> tuple[list[LoadPoint], list[str]]:
    """The rows to fit: the user's own alone where they cover two loads, otherwise all."""
    own = [each for each in measurements if not each.built_in]
    if own and len(own) < len(measurements):
        points, notices = usable_points(own)
        if points and load_count(points) >= LOADS_FOR_OWN_FIT:
            return points, notices
        points, notices = usable_points(measurements)
        return points, [*notices, "Your measurements cover fewer than two loads; public ones were added."]
    return usable_points(measurements)


def fit_limits(offer: Offer, capacity_tok: float | None) -> Limits:
    """Limits that hold while fitting; slots only where the user states them."""
    return Limits(
        slot_count=math.inf if offer.tier.slot_count is None else float(offer.tier.slot_count),
        kv_capacity_tok=math.inf if capacity_tok is None else capacity_tok,
        token_budget_tok=float(DEFAULT_TOKEN_BUDGET_TOK),
        scheduler=scheduler_of(offer),
    )


def scheduler_of(offer: Offer) -> Scheduler:
    """How the offer's engine orders prompts and answers, unless told otherwise."""
    engine = (offer.tier.engine or "").lower()
    return "prefill_first" if engine.startswith(PREFILL_FIRST_ENGINES) else "mixed"


def law_within(law: FittedLaw, limits: Limits) -> ReplicaLaw:
    """A fitted law with the limits it was fitted under."""
    return ReplicaLaw(
        step=law.step,
        slot_count=limits.slot_count,
        kv_capacity_tok=limits.kv_capacity_tok,
        token_budget_tok=limits.token_budget_tok,
        overhead_s=law.overhead_s,
        scheduler=limits.scheduler,
    )


def signed_errors(law: FittedLaw, limits: Limits, points: Sequence[LoadPoint], name: str) -> list[float]:
    """Relative errors of one metric, fit over measurement less 1, on the points that show it."""
    found: list[float] = []
    for table in tables(points):
        seen, told = getattr(table, name), getattr(predicted(law_within(law, limits), table), name)
        known = np.isfinite(seen)
        found.extend(float(each) for each in told[known] / seen[known] - 1.0)
    return found


def errors(law: FittedLaw, limits: Limits, points: Sequence[LoadPoint], name: str) -> list[float]:
    """Absolute relative errors of one metric on the points that show it."""
    return [abs(each) for each in signed_errors(law, limits, points, name)]


def tpot_error(law: FittedLaw, limits: Limits, points: Sequence[LoadPoint]) -> float | None:
    """Median absolute relative error of time per token, or of end-to-end latency where no point shows it."""
    for name in ("tpot_s", "e2e_s"):
        found = errors(law, limits, points, name)
        if found:
            return float(np.median(found))
    return None


def _from_roofline(offer: Offer, notices: tuple[str, ...]) -> BatchedPerformance | CannotServe:
    bounds = roofline(offer)
    memory_tok = kv_capacity_tok(offer)
    if offer.tier.split is not None and exchange(offer, offer.tier.split) is None:
        return _link_unknown(offer)
    if bounds is None:
        return CannotServe(
            binding_constraint="no performance data",
            reasons=(
                f"no usable measurement of {offer.model.label} on {offer.tier.label}",
                "and not enough published facts of the accelerator and the model for an estimate",
            ),
            would_fit_if="you uploaded a sweep over concurrency",
        )
    if memory_tok is not None and memory_tok <= 0:
        return _weights_do_not_fit(offer)
    stated = offer.tier.slot_count
    assumed = Evidence(
        grade=Grade.ASSUMED_OR_DERIVED,
        sense=Sense.DERIVED,
        source="Roofline of the accelerator and the model at typical efficiency; nothing was measured",
    )
    return BatchedPerformance(
        step=prior_step_law(bounds),
        slot_count=DEFAULT_SLOT_COUNT if stated is None else stated,
        slot_range_count=UNKNOWN_SLOT_RANGE if stated is None else None,
        kv_capacity_tok=memory_tok,
        token_budget_tok=DEFAULT_TOKEN_BUDGET_TOK,
        overhead_s=ASSUMED_OVERHEAD_S,
        scheduler=scheduler_of(offer),
        evidence={"step": assumed, "slot_count": assumed, "overhead_s": assumed},
        notices=(
            *notices,
            *_split_notices(offer, measured=False),
            "Nothing was measured: speed follows from memory bandwidth and compute, within a factor of two.",
        ),
    )


def _split_notices(offer: Offer, *, measured: bool) -> tuple[str, ...]:
    """What of a stated split, or link, changes nothing here."""
    split = offer.tier.split
    if split is None:
        return ()
    if measured:
        return (
            "How the accelerators share the model is in the measurements: split and link change nothing.",
        )
    if offer.tier.link is not None and not spans_domain(offer, split):
        return ("The link is not used: a replica stands within one scale-up domain.",)
    return ()


def _link_unknown(offer: Offer) -> CannotServe:
    return CannotServe(
        binding_constraint="link",
        reasons=(
            f"a replica of {offer.tier.label} is split over accelerators whose link, or over a model whose "
            "layers, nobody states",
        ),
        would_fit_if="the tier stated its link (one way, in bytes or bits), or you uploaded a sweep",
    )


def _weights_do_not_fit(offer: Offer) -> CannotServe:
    count = offer.tier.accelerator_count_per_replica
    return CannotServe(
        binding_constraint="memory",
        reasons=(f"the weights of {offer.model.label} leave no memory for requests on {count} accelerators",),
        would_fit_if="a replica had more accelerators, or the weights were kept at a lower precision",
    )


def memory_of(offer: Offer, points: Sequence[LoadPoint]) -> Memory:
    """KV capacity from published facts, unless the measurements show that more fits."""
    full = kv_capacity_tok(offer)
    if full is None:
        return Memory(capacity_tok=None)
    shown = max(_held_tok(point) for point in points)
    if full <= 0 or shown <= full:
        return Memory(capacity_tok=full)
    halved = kv_capacity_tok(offer, EIGHT_BIT_CACHE_RATIO)
    if halved is not None and shown <= halved:
        text = "The measurements hold more context than a 16-bit KV cache leaves room for; taken as 8-bit."
        return Memory(capacity_tok=halved, notices=(text,))
    text = "The measurements hold more context than the published memory allows; the measured amount is used."
    return Memory(capacity_tok=shown, notices=(text,))


def _held_tok(point: LoadPoint) -> float:
    """Context that the requests in slots held at once in a measurement, those still queued left out."""
    held = point.held_count
    if held is None:
        return 0.0
    if point.kind == "closed" and point.ttft_s is not None and point.e2e_s is not None:
        held *= max(1.0 - point.ttft_s / point.e2e_s, 0.0)
    return held * (point.isl_tok + point.osl_tok / 2.0)


def _domain(points: Sequence[LoadPoint]) -> Domain:
    held = [count for point in points if (count := point.held_count) is not None] or [1.0]
    return Domain(
        concurrency_low_count=min(held),
        concurrency_high_count=max(held),
        isl_low_tok=min(point.isl_tok for point in points),
        isl_high_tok=max(point.isl_tok for point in points),
        osl_low_tok=min(point.osl_tok for point in points),
        osl_high_tok=max(point.osl_tok for point in points),
    )


def _ladder_notices(points: Sequence[LoadPoint], law: FittedLaw) -> tuple[str, ...]:
    loads = load_count(points)
    notices: list[str] = []
    if loads == 1:
        notices.append(
            "Only one load was measured: how speed falls with load is assumed; expect a wide band."
        )
    elif not law.exponent_is_fitted:
        notices.append(
            f"Only {loads} loads were measured: the curve's exponent is taken as {law.step.exponent:.2f}."
        )
    if len({point.isl_tok for point in points}) == 1:
        notices.append(
            "Only one input length was measured: the costs of batch and context cannot be told apart."
        )
    if all(point.ttft_s is None for point in points):
        notices.append("No time to first token was measured: the cost of prefill is assumed.")
    return tuple(notices)


def grade_of(offer: Offer, each: SourcedMeasurement) -> Grade:
    """The user's own, the vendor's of the accelerator, or independent."""
    if not each.built_in:
        return Grade.OWN_MEASUREMENT
    measurer = (each.measurement.measured_by or "").lower()
    vendor = "vendor" if offer.accelerator is None else offer.accelerator.vendor.lower()
    by_vendor = measurer != "" and measurer in ("vendor", vendor)
    return Grade.VENDOR_WITH_METHOD if by_vendor else Grade.INDEPENDENT


def _evidence(offer: Offer, points: Sequence[LoadPoint]) -> dict[str, Evidence]:
    """What the performance rests on, wearing the weakest grade of the rows fitted.

    A stated slot count keeps the evidence its tier gives it.
    """
    sources = [point.source for point in points]
    labels = sorted({each.source_label for each in sources})
    dates = [each.measurement.measured_on for each in sources if each.measurement.measured_on is not None]
    fitted = Evidence(
        grade=max(grade_of(offer, each) for each in sources),
        sense=Sense.TYPICAL,
        source="; ".join(labels),
        locator=f"{len(points)} load points",
        measured_by="; ".join(sorted({each.measurement.measured_by or "" for each in sources} - {""})),
        checked_on=max(dates, default=None),
        licence="; ".join(sorted({each.licence for each in sources} - {""})),
    )
    evidence = {"step": fitted, "overhead_s": replace(fitted, note="fitted with the step law")}
    slots = offer.tier.evidence.get("slot_count") if offer.tier.slot_count is not None else fitted
    return evidence if slots is None else {**evidence, "slot_count": slots}
