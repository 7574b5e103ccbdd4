"""What makes a model faster on the same machines, and what it does to steps, weights and answers.

Speculative decoding. With g tokens proposed and each kept with probability a, a step yields
`s = (1 - a^(g+1)) / (1 - a)` tokens (Y. Leviathan and others 2023); it decodes b (g + 1) tokens at once, so
the gain shrinks as the batch grows. Per token, the step law becomes
`(alpha (1 + c) + beta ((g+1) b)^exponent + gamma kv) / s`, with the draft's time c alpha.

Distillation keeps a share of the weights; quantisation narrows them (a tier's precision). Either gives other
answers than the model itself: that they are as good has to be shown, and where it is not, the plan says so.
"""

from dataclasses import replace

from models.evidence import Evidence, Grade, Sense
from models.performance import BatchedPerformance, StepLaw
from models.tiers import Offer, Speculation
from models.tokens import byte_per_weight, precision_of

ASSUMED = Evidence(
    grade=Grade.ASSUMED_OR_DERIVED, sense=Sense.ASSUMED, source="switch set in the scenario, without a source"
)
SAME_WIDTH_RATIO = 0.85  # formats of four bits and their scales count as one width


def tokens_per_step(speculation: Speculation) -> float:
    """Mean tokens that a checked step yields; from 1 (nothing kept) to g + 1 (all kept)."""
    kept, proposed = speculation.acceptance_fraction, speculation.draft_token_count
    if kept >= 1.0:
        return proposed + 1.0
    return (1.0 - kept ** (proposed + 1)) / (1.0 - kept)


def with_speculation(step: StepLaw, speculation: Speculation) -> StepLaw:
    """The step law per token that a sequence gains; prompts are worked on as before."""
    yielded, width = tokens_per_step(speculation), speculation.draft_token_count + 1.0
    return replace(
        step,
        alpha_s=step.alpha_s * (1.0 + speculation.draft_cost_ratio) / yielded,
        beta_s_per_seq=step.beta_s_per_seq * width**step.exponent / yielded,
        gamma_s_per_context_tok=step.gamma_s_per_context_tok / yielded,
    )


def switched(offer: Offer, performance: BatchedPerformance) -> BatchedPerformance:
    """The performance with the tier's speculative decoding on; unchanged where it has none."""
    speculation = offer.tier.speculation
    if speculation is None:
        return performance
    gained = tokens_per_step(speculation)
    notice = (
        f"{offer.tier.label}: speculative decoding ({speculation.draft_token_count} tokens proposed, "
        f"{speculation.acceptance_fraction:.0%} kept) is worked in by formula: {gained:.2g} tokens a step. "
        "How many are kept depends on the work: measure it."
    )
    return replace(
        performance,
        step=with_speculation(performance.step, speculation),
        evidence={**performance.evidence, "acceptance_fraction": _evidence(offer)},
        notices=(*performance.notices, notice),
    )


def _evidence(offer: Offer) -> Evidence:
    return offer.tier.evidence.get("speculation", ASSUMED)


def distilled(offer: Offer) -> Offer:
    """The offer with its model at the weights that a distilled version keeps."""
    share, model = offer.tier.distilled_weight_fraction, offer.model
    if share is None:
        return offer
    total, active = model.total_parameter_count, model.active_parameter_count
    return replace(
        offer,
        model=replace(
            model,
            total_parameter_count=None if total is None else total * share,
            active_parameter_count=None if active is None else active * share,
        ),
    )


def other_numerics(offer: Offer) -> tuple[str, ...]:
    """In which ways the tier computes other answers than the model itself, in words; empty where in none."""
    found = []
    own, native = precision_of(offer), offer.model.native_precision
    if own is not None and native is not None:
        width, whole = byte_per_weight(own), byte_per_weight(native)
        if width is not None and whole is not None and width < whole * SAME_WIDTH_RATIO:
            found.append(f"quantised to {own} from {native}")
    if offer.tier.distilled_weight_fraction is not None:
        found.append(f"distilled to {offer.tier.distilled_weight_fraction:.0%} of the weights")
    if offer.tier.speculation is not None:
        found.append("speculative decoding")
    return tuple(found)
