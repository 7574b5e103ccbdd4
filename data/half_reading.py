"""Read the halves of a disaggregated tier: who works on prompts, and how a decode replica steps."""

from typing import cast, get_args

from data.catalogue_names import known_accelerator
from data.price_reading import read_machine_price
from data.reading import ASSUMED_BY_USER, Reader, read_evidence
from models.performance import AFTER_PREFILL, FirstToken, StepLaw
from models.tiers import PrefillSide


def read_prefill(reader: Reader | None, accelerators: tuple[str, ...]) -> PrefillSide | None:
    """The `prefill` of a tier; None where left out. Speeds left out follow from the accelerator."""
    if reader is None:
        return None
    alpha_s, delta_s = reader.number("alpha_s", low=0), reader.number("delta_s_per_input_tok", above=0)
    if (alpha_s is None) != (delta_s is None) and not reader.problems:
        missing = "alpha_s" if alpha_s is None else "delta_s_per_input_tok"
        reader.refuse(missing, "is missing", "State both, or neither: then a roofline is taken.")
    given = reader.group("evidence")
    count = reader.integer("accelerator_count_per_worker", low=1)
    side = PrefillSide(
        accelerator=known_accelerator(reader, "accelerator", accelerators),
        accelerator_count_per_worker=count or 1,
        precision=reader.text("precision"),
        price=read_machine_price(reader.group("price")),
        alpha_s=alpha_s,
        delta_s_per_input_tok=delta_s,
        first_token=cast(FirstToken, reader.choice("first_token", get_args(FirstToken), AFTER_PREFILL)),
        evidence=ASSUMED_BY_USER if given is None else read_evidence(given),
    )
    reader.close()
    return side


def read_step(reader: Reader | None) -> StepLaw | None:
    """The `step` of a decode replica: what one step of b sequences takes; None where left out or refused."""
    if reader is None:
        return None
    alpha_s = reader.number("alpha_s", above=0, required=True)
    beta_s = reader.number("beta_s_per_seq", low=0)
    exponent = reader.number("exponent", above=0, high=4)
    gamma_s = reader.number("gamma_s_per_context_tok", low=0)
    reader.close()
    if alpha_s is None:
        return None
    return StepLaw(
        alpha_s=alpha_s,
        beta_s_per_seq=beta_s or 0.0,
        exponent=1.0 if exponent is None else exponent,
        gamma_s_per_context_tok=gamma_s or 0.0,
    )
