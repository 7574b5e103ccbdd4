"""Someone else's silicon, paid per token: speed as published or measured, capacity as rate limits.

A hosted tier is planned with what a stream of it is known to get. Three kinds of knowledge, best first:

1. The user's own measurements: percentiles by lengths and concurrency. Of the nearest lengths, the point at
   the smallest concurrency that covers the requests in flight is used; lengths or loads beyond those
   measured are flagged.
2. A published median speed, v tokens/s. Then TPOT p50 = 1 / v, and nothing else: no p95 is invented.
   If the user accepts a spread r = p95 / p50, the other quantiles follow from a lognormal with
   sigma = ln(r) / 1.645, and the answer wears grade E.
3. A vendor's ceiling. It sizes nothing, unless the user accepts a derate d: then v = d x ceiling, grade E.

E2E = TTFT + (n - 1) TPOT over the workload's own answer lengths n. Its median is taken at the median
answer; its other quantiles need the quantiles of TTFT and TPOT, and stay unknown without them.

Capacity is what the supplier's limits leave: utilisation is the larger of calls per minute over the
request limit and tokens per minute over the token limit; unknown where no limit is published.

Requests that the tier hands to a slower one are served, and billed, there: latencies are a mixture of both
(so the tail is the slower tier's), which takes more than two medians to know.

Not modelled: the supplier's own queueing, time of day, regional routing, retries after a refusal.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from models.evidence import Evidence, Grade, Sense
from models.fallback import mixed_latency
from models.hosted_points import point_for
from models.lengths import NORMAL_QUANTILE_95
from models.measurements import Measurement, SourcedMeasurement
from models.percentiles import (
    NORMAL_QUANTILE,
    UNKNOWN,
    Percentiles,
    percentiles_of,
    quantile_function,
)
from models.performance import (
    CannotServe,
    ClassLatency,
    HostedPerformance,
    HostedPoint,
    Load,
    OperatingPoint,
    RequestClass,
)
from models.task_time import task_sample
from models.tiers import Offer, Speed

KEY = "hosted_api"
LABEL = "Hosted API"
READS = ("speed", "fallback", "request_limit_per_min", "token_limit_per_min", "price", "availability")

SAMPLE_COUNT = 4096  # p99 of a lognormal within 1 %
PLASTIC_NUMBER = 1.2207440846057596  # root of x**4 = x + 1
SECONDS_PER_MINUTE = 60.0
_MIDPOINTS = (np.arange(SAMPLE_COUNT) + 0.5) / SAMPLE_COUNT  # of equally likely bins


def fit(
    offer: Offer,
    measurements: Sequence[SourcedMeasurement],
    *,
    accepted_derate_ratio: float | None = None,
    accepted_p95_to_p50_ratio: float | None = None,
) -> HostedPerformance | CannotServe:
    """What is known about a hosted offer: measured points, else published medians, else a derated ceiling.

    accepted_derate_ratio (0, 1], accepted_p95_to_p50_ratio >= 1: assumptions of the user, or None.
    """
    speed = offer.tier.speed or Speed()
    points, evidence, notices = _measured(measurements)
    if not points:
        published = _published(offer, speed, accepted_derate_ratio)
        if isinstance(published, CannotServe):
            return published
        points, evidence, notices = published
        if accepted_p95_to_p50_ratio is not None:
            points, evidence, notices = _spread(points, evidence, notices, accepted_p95_to_p50_ratio)
    ceiling = speed.stream_rate_ceiling_tok_per_s
    fallback, fallback_evidence, fallback_notices = _fallback(offer, accepted_p95_to_p50_ratio)
    evidence, notices = evidence | fallback_evidence, notices + fallback_notices
    return HostedPerformance(
        points=points,
        tpot_floor_s=None if ceiling is None else 1.0 / ceiling,
        fallback=fallback,
        fallback_fraction=offer.tier.fallback.probability_fraction if offer.tier.fallback else 0.0,
        request_limit_per_min=offer.tier.request_limit_per_min,
        token_limit_per_min=offer.tier.token_limit_per_min,
        evidence=evidence,
        notices=notices,
    )


def _fallback(
    offer: Offer, spread_ratio: float | None
) -> tuple[HostedPoint | None, dict[str, Evidence], tuple[str, ...]]:
    """What the tier that serves some requests instead gives, with the same spread accepted, if any."""
    fallback = offer.tier.fallback
    if fallback is None or fallback.probability_fraction <= 0.0:
        return None, {}, ()
    rate, ttft_s = fallback.speed.stream_rate_tok_per_s, fallback.speed.ttft_p50_s
    point = HostedPoint(
        concurrency_count=None,
        ttft_s=UNKNOWN if ttft_s is None else Percentiles(p50=ttft_s),
        tpot_s=UNKNOWN if rate is None else Percentiles(p50=1.0 / rate),
    )
    if spread_ratio is not None:
        (point,) = _spread((point,), {}, (), spread_ratio)[0]
    notice = (
        f"{offer.tier.label}: {fallback.probability_fraction:.0%} of the requests are served, and billed, by"
        f" {fallback.label}; latencies and bill are mixtures of both."
    )
    known = {} if fallback.evidence is None else {"probability_fraction": fallback.evidence}
    return point, known, (notice,)


Known = tuple[tuple[HostedPoint, ...], dict[str, Evidence], tuple[str, ...]]


def _measured(measurements: Sequence[SourcedMeasurement]) -> Known:
    """The measured points, own measurements before anybody else's."""
    usable = [each for each in measurements if _tells(each.measurement)]
    own = [each for each in usable if not each.built_in] or usable
    points = tuple(
        HostedPoint(
            concurrency_count=each.measurement.concurrency_count,
            isl_tok=each.measurement.isl_tok,
            osl_tok=each.measurement.osl_tok,
            ttft_s=each.measurement.ttft_s,
            tpot_s=each.measurement.tpot_s,
        )
        for each in sorted(own, key=lambda each: each.measurement.concurrency_count or 0.0)
    )
    if not points:
        return (), {}, ()
    labels = ", ".join(sorted({each.source_label for each in own}))
    evidence = Evidence(
        grade=Grade.INDEPENDENT if own[0].built_in else Grade.OWN_MEASUREMENT,
        sense=Sense.TYPICAL,
        source=labels,
        measured_by=own[0].measurement.measured_by or "",
    )
    return points, {"tpot_s": evidence, "ttft_s": evidence}, ()


def _tells(point: Measurement) -> bool:
    """Whether a point says how fast anything was: some latency, of some request that did not fail."""
    all_failed = point.request_count is not None and (point.error_count or 0) >= point.request_count > 0
    return not all_failed and (point.tpot_s.known or point.ttft_s.known)


def _published(offer: Offer, speed: Speed, derate_ratio: float | None) -> Known | CannotServe:
    """Medians as published, or a ceiling times the derate that the user accepted."""
    evidence = {name: item for name, item in speed.evidence.items() if name == "ttft_p50_s"}
    ttft = UNKNOWN if speed.ttft_p50_s is None else Percentiles(p50=speed.ttft_p50_s)
    notices: tuple[str, ...] = ()
    if not ttft.known:
        notices = (f"{offer.tier.label}: time to first token is not published",)
    if speed.stream_rate_tok_per_s is not None:
        evidence["stream_rate_tok_per_s"] = speed.evidence["stream_rate_tok_per_s"]
        rate = speed.stream_rate_tok_per_s
    elif speed.stream_rate_ceiling_tok_per_s is not None and derate_ratio is not None:
        stated = speed.evidence["stream_rate_ceiling_tok_per_s"]
        evidence["stream_rate_tok_per_s"] = replace(
            stated,
            grade=Grade.ASSUMED_OR_DERIVED,
            sense=Sense.ASSUMED,
            note=f"ceiling of {speed.stream_rate_ceiling_tok_per_s:g} tok/s times derate {derate_ratio:g}",
        )
        rate = speed.stream_rate_ceiling_tok_per_s * derate_ratio
        notices += (f"{offer.tier.label}: speed is a vendor's ceiling times your derate of {derate_ratio:g}",)
    elif speed.stream_rate_ceiling_tok_per_s is not None:
        return CannotServe(
            binding_constraint="evidence",
            reasons=(
                f"only a ceiling of {speed.stream_rate_ceiling_tok_per_s:g} tok/s is published; "
                "a ceiling sizes nothing",
            ),
            would_fit_if="you import a measurement of it, or accept a derate (policy: accepted_derate_ratio)",
        )
    else:
        # The price may still be all that matters: a workload without latency targets can use it.
        return (
            (HostedPoint(concurrency_count=None, ttft_s=ttft),),
            evidence,
            (
                *notices,
                f"{offer.tier.label}: no independent speed is published",
            ),
        )
    point = HostedPoint(concurrency_count=None, ttft_s=ttft, tpot_s=Percentiles(p50=1.0 / rate))
    return (point,), evidence, notices


def _spread(
    points: tuple[HostedPoint, ...], evidence: dict[str, Evidence], notices: tuple[str, ...], ratio: float
) -> Known:
    """Quantiles of a lognormal around each median, because the user accepted p95 = ratio x p50."""
    accepted = Evidence(
        grade=Grade.ASSUMED_OR_DERIVED,
        sense=Sense.ASSUMED,
        source="spread accepted in the scenario's policy",
        note=f"p95 = {ratio:g} x p50, lognormal",
    )
    spread = tuple(
        replace(point, ttft_s=_lognormal(point.ttft_s, ratio), tpot_s=_lognormal(point.tpot_s, ratio))
        for point in points
    )
    return spread, evidence | {"accepted_p95_to_p50_ratio": accepted}, notices


def _lognormal(known: Percentiles, ratio: float) -> Percentiles:
    if known.p50 is None:
        return known
    sigma = math.log(ratio) / NORMAL_QUANTILE_95
    return Percentiles(
        mean=known.p50 * math.exp(sigma**2 / 2),
        **{name: known.p50 * math.exp(sigma * normal) for name, normal in NORMAL_QUANTILE.items()},
    )


def operate(performance: HostedPerformance, load: Load) -> OperatingPoint:
    """What each class sees, and how much of the supplier's limits the load uses."""
    utilisation, max_rate = _limits(performance, load)
    stable = utilisation is None or utilisation < 1.0
    seen = [(each, *point_for(performance, load, each)) for each in load.classes]
    outside = tuple(note for _, _, notes in seen for note in notes)
    return OperatingPoint(
        stable=stable,
        utilisation_fraction=utilisation,
        max_rate_req_per_s=max_rate,
        latencies=tuple(_served(performance, point, each) for each, point, _ in seen) if stable else (),
        inside_domain=not outside,
        notices=(*performance.notices, *outside),
    )


def _limits(performance: HostedPerformance, load: Load) -> tuple[float | None, float | None]:
    """Utilisation of the tighter limit, and the call rate at which it is reached; None without limits."""
    rate = load.rate_req_per_s
    token_rate = sum(
        each.rate_req_per_s * (each.input_tok.mean_tok + each.output_tok.mean_tok) for each in load.classes
    )
    shares = [
        used * SECONDS_PER_MINUTE / limit
        for used, limit in (
            (rate, performance.request_limit_per_min),
            (token_rate, performance.token_limit_per_min),
        )
        if limit is not None
    ]
    if not shares:
        return None, None
    utilisation = max(shares)
    return utilisation, rate / utilisation if utilisation > 0 else None


def _served(performance: HostedPerformance, point: HostedPoint, each: RequestClass) -> ClassLatency:
    """What a class sees, requests that another tier serves instead among them."""
    asked = _latency(point, each)
    if performance.fallback is None:
        return asked
    return mixed_latency(asked, _latency(performance.fallback, each), performance.fallback_fraction)


def _latency(point: HostedPoint, each: RequestClass) -> ClassLatency:
    e2e = _e2e(point, each)
    task = _task(e2e, each)
    return ClassLatency(
        name=each.name, ttft_s=point.ttft_s, itl_s=point.tpot_s, tpot_s=point.tpot_s, e2e_s=e2e, task_s=task
    )


def _e2e(point: HostedPoint, each: RequestClass) -> Percentiles:
    """E2E over the workload's answer lengths; only the median where only medians are known."""
    if point.ttft_s.middle is None or point.tpot_s.middle is None:
        return UNKNOWN
    if point.ttft_s.p95 is None or point.tpot_s.p95 is None:
        median_output = float(each.output_tok.quantile(np.array([0.5]))[0])
        return Percentiles(p50=point.ttft_s.middle + (median_output - 1) * point.tpot_s.middle)
    uniform = _uniform_sample()
    sample = quantile_function(point.ttft_s, uniform[:, 0]) + (
        each.output_tok.quantile(uniform[:, 1]) - 1
    ) * quantile_function(point.tpot_s, uniform[:, 2])
    return percentiles_of(sample)


def _task(e2e: Percentiles, each: RequestClass) -> Percentiles:
    """Task time from independent calls: a sum over sequential calls, the slowest of parallel ones.

    Only the median of a sum is approximated by the sum of medians, where only medians are known.
    """
    calls, fan_out = each.sequential_call_count, each.fan_out_count
    pauses = (calls - 1) * each.pause_s
    if calls == 1 and fan_out == 1:
        return e2e
    if e2e.p95 is None:
        return UNKNOWN if e2e.p50 is None or fan_out > 1 else Percentiles(p50=calls * e2e.p50 + pauses)
    # The slowest of n independent calls has the quantile function of one call at u ** (1 / n).
    rounds = quantile_function(e2e, _MIDPOINTS ** (1.0 / fan_out))
    return percentiles_of(task_sample(rounds, calls, each.pause_s, fan_out_count=1))


def _uniform_sample() -> NDArray[np.float64]:
    """Fixed low-discrepancy points, so that the same plan always gives the same numbers.

    Source: Roberts (2018), additive recurrence on the generalised golden ratio, d = 3.
    """
    steps = PLASTIC_NUMBER ** -np.arange(1, 4)
    raw = (0.5 + np.outer(np.arange(1, SAMPLE_COUNT + 1), steps)) % 1.0
    points: NDArray[np.float64] = np.clip(raw, 1e-9, 1 - 1e-9)
    return points
